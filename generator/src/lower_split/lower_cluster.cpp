// A butterfly over samples that lie a row apart, there and back, around the rows.
#include "lower_cluster.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "lower_inner_rows.hpp"
#include "lower_tiled.hpp"
#include "lower_turn.hpp"
#include "plan_steps.hpp"
#include "statement.hpp"
#include "tile_counts.hpp"

namespace ffc {
namespace {

class ClusterTurn {
 public:
  ClusterTurn(const ConvConfig& config, const ClusterPlan& plan) : config_(config), plan_(plan) {}

  ColumnTurn run() const {
    ColumnTurn turn;
    turn.opening.push_back(samples(Operation::load, false));
    turn.body.push_back(scale());
    turn.body.push_back({.operation = Operation::await, .inverse = true});
    Statement rounds{.operation = Operation::repeat, .loop = Loop::rounds};
    rounds.body = {back(), forward(), {.operation = Operation::ahead}};
    turn.body.push_back(std::move(rounds));
    turn.body.push_back({.operation = Operation::barrier, .scope = Scope::warp});
    turn.body.push_back({.operation = Operation::count, .steps = steps_of(StepKind::exchange, false)});
    return turn;
  }

 private:
  // From samples to the blocks that hold the rows of frequencies.
  Statement forward() const {
    Statement chunks{.operation = Operation::repeat, .loop = Loop::chunks};
    chunks.body.push_back({.operation = Operation::convert, .to = shape()});
    Statement words{.operation = Operation::repeat, .loop = Loop::words};
    if (plan_.right_angle()) words.body.push_back(quarters(false));
    words.body.push_back(butterfly(false));
    if (mirrors()) words.body.push_back({.operation = Operation::mirror});
    chunks.body.push_back(std::move(words));
    chunks.body.push_back(frequencies(Operation::put, false));
    return chunks;
  }

  // From there to samples.
  Statement back() const {
    Statement chunks{.operation = Operation::repeat, .inverse = true, .loop = Loop::chunks};
    chunks.body.push_back(frequencies(Operation::fetch, true));
    Statement words{.operation = Operation::repeat, .inverse = true, .loop = Loop::words};
    if (mirrors()) words.body.push_back({.operation = Operation::mirror, .inverse = true});
    words.body.push_back(butterfly(true));
    if (plan_.right_angle()) words.body.push_back(quarters(true));
    chunks.body.push_back(std::move(words));
    if (has_out_gate(config_.gating))
      chunks.body.push_back({.operation = Operation::fetch,
                             .inverse = true,
                             .operand = Operand::gate,
                             .placement = Placement::registers});
    chunks.body.push_back(samples(Operation::store, true));
    return chunks;
  }

  [[nodiscard]] std::vector<std::size_t> steps_of(StepKind kind, bool inverse) const {
    return steps_where(plan_, [&](const Step& step) {
      const bool of_columns = step.kind == StepKind::exchange ? step.level != Level::block : step.digit <= 0;
      return step.kind == kind && step.inverse == inverse && of_columns;
    });
  }

  // Rows alone have real parts; of padded pairs the later half of samples is not there.
  [[nodiscard]] Shape shape() const { return plan_.right_angle() ? Shape::real : Shape::whole; }
  [[nodiscard]] bool halves() const { return !plan_.right_angle() && 2 * plan_.length <= plan_.transform_length; }
  // The row of -frequency is kept as its conjugate. At frequencies k + 1/4 none is another's mirror.
  [[nodiscard]] bool mirrors() const { return !plan_.right_angle(); }

  // From memory to registers and back.
  [[nodiscard]] Statement samples(Operation operation, bool inverse) const {
    return {.operation = operation,
            .inverse = inverse,
            .steps = steps_of(inverse ? StepKind::store : StepKind::load, inverse),
            .from = shape(),
            .to = shape(),
            .placement = Placement::registers};
  }

  // In the shared memories of all blocks.
  [[nodiscard]] Statement frequencies(Operation operation, bool inverse) const {
    return {.operation = operation,
            .inverse = inverse,
            .size = static_cast<double>(plan_.transform_length) / 256,
            .times = 1};
  }

  // Behind the rows of a channel's spectrum.
  [[nodiscard]] Statement scale() const {
    return {.operation = Operation::fetch,
            .inverse = true,
            .operand = Operand::scale,
            .placement = Placement::global,
            .size = scale_size,
            .times = static_cast<double>(plan_.columns.length() * plan_.columns.warps)};
  }

  // Row r of samples times exp(-2 pi i r / (4 R)), which makes frequencies k those at k + 1/4.
  [[nodiscard]] static Statement quarters(bool inverse) {
    return {.operation = Operation::multiply, .inverse = inverse, .operand = Operand::column_twiddle};
  }

  [[nodiscard]] Statement butterfly(bool inverse) const {
    return {.operation = Operation::butterfly,
            .inverse = inverse,
            .digit = 0,
            .steps = steps_of(StepKind::butterfly, inverse),
            .from = !inverse && halves() ? Shape::half : Shape::whole};
  }

  const ConvConfig& config_;
  const ClusterPlan& plan_;
};

}  // namespace

ColumnTurn lower_cluster_turn(const ConvConfig& config, const ClusterPlan& plan) {
  return ClusterTurn(config, plan).run();
}

std::vector<Statement> lower_cluster(const ConvConfig& config, const ClusterPlan& plan) {
  const ColumnTurn turn = lower_cluster_turn(config, plan);
  std::vector<Statement> statements = {way_of(turn, Tensor::input, false),
                                       lower_inner_rows(config, plan, plan.row_count()),
                                       way_of(turn, Tensor::input, true)};
  check_steps(plan, statements);
  return statements;
}

}  // namespace ffc
