// A butterfly over samples that lie a row apart, there and back, around the rows.
#include "lower_cluster.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "lower_inner_rows.hpp"
#include "lower_tiled.hpp"
#include "plan_steps.hpp"
#include "statement.hpp"
#include "tile_counts.hpp"

namespace ffc {
namespace {

class ClusterColumns {
 public:
  ClusterColumns(const ConvConfig& config, const ClusterPlan& plan) : config_(config), plan_(plan) {}

  Statement forward() const {
    Statement columns{.operation = Operation::columns};
    std::vector<Statement>& body = columns.body;
    body.push_back(samples(Operation::load, false));
    body.push_back({.operation = Operation::convert});
    if (plan_.right_angle()) body.push_back(quarters(false));
    body.push_back(butterfly(false));
    if (!plan_.right_angle()) body.push_back({.operation = Operation::mirror});
    body.push_back(frequencies(Operation::put, false));
    body.push_back({.operation = Operation::barrier, .scope = Scope::warp});
    body.push_back({.operation = Operation::count, .steps = steps_of(StepKind::exchange, false)});
    return columns;
  }

  Statement back() const {
    Statement columns{.operation = Operation::columns, .inverse = true};
    std::vector<Statement>& body = columns.body;
    body.push_back({.operation = Operation::await, .inverse = true});
    body.push_back({.operation = Operation::fetch,
                    .inverse = true,
                    .operand = Operand::scale,
                    .placement = Placement::global,
                    .size = scale_size,
                    .times = static_cast<double>(plan_.columns.length() * plan_.columns.warps)});
    body.push_back(frequencies(Operation::fetch, true));
    if (!plan_.right_angle()) body.push_back({.operation = Operation::mirror, .inverse = true});
    body.push_back(butterfly(true));
    if (plan_.right_angle()) body.push_back(quarters(true));
    if (has_out_gate(config_.gating))
      body.push_back({.operation = Operation::fetch,
                      .inverse = true,
                      .operand = Operand::gate,
                      .placement = Placement::registers});
    body.push_back(samples(Operation::store, true));
    return columns;
  }

 private:
  [[nodiscard]] std::vector<std::size_t> steps_of(StepKind kind, bool inverse) const {
    return steps_where(plan_, [&](const Step& step) {
      const bool of_columns = step.kind == StepKind::exchange ? step.level != Level::block : step.digit <= 0;
      return step.kind == kind && step.inverse == inverse && of_columns;
    });
  }

  // From memory to registers and back.
  [[nodiscard]] Statement samples(Operation operation, bool inverse) const {
    return {.operation = operation,
            .inverse = inverse,
            .steps = steps_of(inverse ? StepKind::store : StepKind::load, inverse),
            .placement = Placement::registers};
  }

  // In the shared memories of all blocks.
  [[nodiscard]] Statement frequencies(Operation operation, bool inverse) const {
    return {.operation = operation,
            .inverse = inverse,
            .size = static_cast<double>(plan_.transform_length) / 256,
            .times = 1};
  }

  // Row r of samples times exp(-2 pi i r / (4 R)), which makes frequencies k those at k + 1/4.
  [[nodiscard]] static Statement quarters(bool inverse) {
    return {.operation = Operation::multiply, .inverse = inverse, .operand = Operand::column_twiddle};
  }

  [[nodiscard]] Statement butterfly(bool inverse) const {
    return {.operation = Operation::butterfly,
            .inverse = inverse,
            .digit = 0,
            .steps = steps_of(StepKind::butterfly, inverse)};
  }

  const ConvConfig& config_;
  const ClusterPlan& plan_;
};

}  // namespace

std::vector<Statement> lower_cluster(const ConvConfig& config, const ClusterPlan& plan) {
  const ClusterColumns columns(config, plan);
  std::vector<Statement> statements = {columns.forward(), lower_inner_rows(config, plan), columns.back()};
  check_steps(plan, statements);
  return statements;
}

}  // namespace ffc
