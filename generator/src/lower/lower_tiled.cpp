// The stages of a pair with the copies, waits and barriers around them. Where these stand was measured.
#include "lower_tiled.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "lower_chains.hpp"
#include "lower_columns.hpp"
#include "lower_rows.hpp"
#include "lower_warp_rows.hpp"
#include "row_statements.hpp"
#include "statement.hpp"
#include "tile_counts.hpp"
#include "tiled_magnitudes.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

class Lowering : RowStatements {
 public:
  Lowering(const ConvConfig& config, const InBlockPlan& plan)
      : RowStatements(plan), config_(config), waits_(!plan.in_cluster()) {}

  std::vector<Statement> run() {
    plan_.is_backward() ? gradients() : convolution();
    std::vector<Statement> statements = take();
    check_steps(plan_, statements);
    return statements;
  }

 private:
  void convolution() {
    load_rows(Tensor::input);
    if (plan_.geometry.walks_channels) fetch_channel(Operand::scale, scale_size, warps());
    // Once a channel.
    if (keeps_spectrum(plan_)) fetch_channel(Operand::spectrum, 1, 0);
    if (stages_spectrum(plan_)) stage_first_tiles();
    if (plan_.geometry.buffers > 1 && waits_) asks_early(plan_) ? ask() : next_rows(Tensor::input);
    const bool ahead = measures_ahead(config_, plan_);
    if (waits_ && !ahead) wait();
    if (plan_.windows && plan_.windows->reach != plan_.windows->read_back()) cut();
    if (ahead)
      add({.operation = Operation::scale});
    else if (measures_in_shared(config_, plan_))
      measure({Tensor::input});
    else if (waits_)
      own_barrier();
    if (has_columns(plan_))
      three_stages();
    else
      add(lower_warp_rows(config_, plan_, Turn::together));
    if (waits_) own_barrier();
    store_rows(Tensor::input);
  }

  void three_stages() {
    add(lower_columns(config_, plan_, Tensor::input, false));
    exchange(false, {Tensor::input});
    if (counts_behind(plan_)) add({.operation = Operation::count});
    if (asks_early(plan_) && plan_.geometry.buffers > 1) next_rows(Tensor::input);
    if (copies_out_gate(config_, plan_)) add(copy_of_out_gate(plan_));
    if (plan_.geometry.staged_rows > 0) add({.operation = Operation::ahead, .placement = Placement::staged});
    add(lower_rows(plan_, Turn::together));
    if (measures_ahead(config_, plan_)) measure_ahead();
    exchange(true, {Tensor::input});
    if (asks_early(plan_) && plan_.geometry.buffers == 1) ask();
    add(lower_columns(config_, plan_, Tensor::input, true));
  }

  void gradients() {
    for (const Tensor tensor : tensors_of(plan_, Turn::together)) load_rows(tensor);
    if (plan_.geometry.buffers > 1)
      for (const Tensor tensor : tensors_of(plan_, Turn::together)) next_rows(tensor);
    wait();
    if (!plan_.geometry.in_turn) arrive(tensors_of(plan_, Turn::together));
    if (!has_columns(plan_)) {
      add(lower_warp_rows(config_, plan_, Turn::together));
      own_barrier();
      stores(Turn::together);
    } else if (plan_.geometry.in_turn) {
      turn_of(Tensor::input, [&] { in_turn(Tensor::input, Turn::input); });
      turn_of(Tensor::gradient, [&] { in_turn(Tensor::gradient, Turn::gradient); });
    } else {
      turn(Turn::together);
      stores(Turn::together);
    }
    if (plan_.backward.ends_in_taps) end_in_taps();
    if (scales_products(config_, plan_)) scale_sums();
  }

  // Behind a channel's last row: the way back that du goes, from the sums.
  void end_in_taps() {
    std::vector<Statement> before = take();
    has_columns(plan_) ? taps_of_rows() : add(lower_warp_taps(config_, plan_));
    own_barrier();
    store(Tensor::taps, tiles_stored(plan_));
    before.push_back(
        {.operation = Operation::repeat, .inverse = true, .tensor = Tensor::taps, .loop = Loop::last, .body = take()});
    add(std::move(before));
  }

  void taps_of_rows() {
    const double rows = plan_.rows();
    Statement stage{.operation = Operation::rows, .inverse = true, .tensor = Tensor::taps};
    stage.body = row_factors(plan_, false, rows);
    append(stage.body, lower_chain(plan_, Tensor::taps, Way::back, rows));
    stage.body.push_back({.operation = Operation::put, .tensor = Tensor::taps, .times = rows});
    add(std::move(stage));
    exchange(true, {Tensor::taps});
    add(lower_columns(config_, plan_, Tensor::taps, true));
  }

  // dy's rows come into the place of u's: with the first stage that has read those, or behind it.
  void in_turn(Tensor tensor, Turn turn_of_tensor) {
    if (tensor == Tensor::gradient) {
      if (!refills_rows(plan_)) next_rows(Tensor::gradient);
      wait();
      if (refills_rows(plan_)) group_barrier();
    }
    if (tensor == Tensor::input || !refills_rows(plan_) || measures_in_shared(config_, plan_)) arrive({tensor});
    turn(turn_of_tensor);
    stores(turn_of_tensor);
  }

  // Rows of these tensors have been copied.
  void arrive(const std::vector<Tensor>& tensors) {
    measures_in_shared(config_, plan_) ? measure(tensors) : own_barrier();
  }

  // From a tensor's rows, or both tensors', to results in shared memory.
  void turn(Turn turn) {
    const std::vector<Tensor> tensors = tensors_of(plan_, turn);
    for (const Tensor tensor : tensors) add(lower_columns(config_, plan_, tensor, false));
    exchange(false, tensors);
    add(lower_rows(plan_, turn));
    if (turn != Turn::input || !refills_rows(plan_)) exchange(true, tensors);
    const bool u_has_left = tensors.front() == Tensor::input && !is_inverted(plan_, Tensor::input);
    if (turn == Turn::together && u_has_left && plan_.geometry.buffers == 1 && !plan_.geometry.gate_at_load)
      next_rows(Tensor::input);
    if (!any_inverted(plan_, turn)) return;
    for (const Tensor tensor : tensors)
      if (is_inverted(plan_, tensor)) add(lower_columns(config_, plan_, tensor, true));
    own_barrier();
  }

  [[nodiscard]] double warps() const { return plan_.geometry.warps_per_group; }

  void load_rows(Tensor tensor) {
    const bool gated = !plan_.is_backward() && has_in_gate(config_.gating) && gates_in_shared(config_, plan_);
    load(tensor, tiles_loaded(plan_) * (gated ? 2 : 1));
  }

  void store_rows(Tensor tensor) {
    const bool gated = !plan_.is_backward() && copies_out_gate(config_, plan_);
    store(tensor, tiles_stored(plan_) * (gated ? 2 : 1) + (tensor == Tensor::gradient ? gap() : 0));
  }

  // What the gap behind a window's samples adds to the results.
  [[nodiscard]] double gap() const { return plan_.windows ? static_cast<double>(plan_.windows->gap) / 256 : 0; }

  void stores(Turn turn) {
    for (const Tensor tensor : tensors_of(plan_, turn))
      if (is_inverted(plan_, tensor)) store_rows(tensor);
  }

  // What is another channel's when a block comes to the next one.
  void fetch_channel(Operand operand, double size, double times) {
    add({.operation = Operation::fetch,
         .operand = operand,
         .placement = Placement::global,
         .size = size,
         .times = times});
  }

  // Before the rows that come next: copies arrive in order.
  void stage_first_tiles() {
    for (int tile = 0; tile < staged_tiles; ++tile)
      add({.operation = Operation::ahead,
           .operand = Operand::spectrum,
           .placement = Placement::staged,
           .times = tile < plan_.couples_per_warp() ? warps() : 0,
           .begin = tile});
  }

  void ask() { add({.operation = Operation::ask}); }

  // Parts of a chunk that a window's filter does not reach, in either row, and of the gate.
  void cut() {
    const double chunks = has_in_gate(config_.gating) && gates_in_shared(config_, plan_) ? 8 : 4;
    add({.operation = Operation::cut, .size = (plan_.right_angle() ? chunks / 2 : chunks) / 8, .times = 1});
  }

  // Samples, and gates, are read once more, by those who copied them.
  void measure(const std::vector<Tensor>& tensors) {
    for (const Tensor tensor : tensors) add(measuring(tensor));
    group_barrier();
    add({.operation = Operation::scale});
  }

  // The next pair's, in front of a barrier behind which all warps know them.
  void measure_ahead() {
    Statement next = measuring(Tensor::input);
    next.early = true;
    add({.operation = Operation::wait, .early = true});
    add(std::move(next));
  }

  [[nodiscard]] Statement measuring(Tensor tensor) const {
    const double rows = has_in_gate(config_.gating) ? 2 : 1;
    return {.operation = Operation::measure,
            .tensor = tensor,
            .placement = Placement::shared,
            .size = tiles_measured(plan_) * rows,
            .times = 1};
  }

  // Each pair has its own powers of two: sums are of the rows as they came.
  void scale_sums() {
    change([](Statement& statement) {
      if (statement.operation == Operation::accumulate) statement.operand = Operand::scale;
    });
  }

  const ConvConfig& config_;
  bool waits_;  // a cluster's rows are there when its barrier says so, and each warp says when it is through
};

}  // namespace

void check_steps(const Transform& plan, const std::vector<Statement>& statements) {
  const auto refuse = [&](std::size_t step, std::string_view why) {
    throw std::logic_error(fmt::format("step {} of a plan ({}) {}", step, describe(plan, plan.steps[step]), why));
  };
  std::vector<int> carried(plan.steps.size(), 0);
  std::size_t last[2] = {0, 0}, frequencies = 0;
  each_statement(statements, [&](const Statement& statement) {
    if (statement.operation == Operation::accumulate && statement.steps.empty())
      throw std::logic_error("a tiled plan whose gradients need sums has no step that adds them up");
    for (const std::size_t at : statement.steps) {
      ++carried[at];
      const Step& step = plan.steps[at];
      // The sums may come behind u's way back, but not before its frequencies.
      const bool sums = step.kind == StepKind::accumulate, of_u = !sums && step.tensor == Tensor::input;
      std::size_t& before = last[of_u ? 0 : 1];
      const std::size_t latest = sums ? std::max(before, frequencies) : before;
      if (at < latest) refuse(at, fmt::format("stands before step {}, which is carried out first", latest));
      before = at;
      if (of_u && !step.inverse && step.kind != StepKind::pointwise) frequencies = at;
    }
  });
  for (std::size_t step = 0; step < carried.size(); ++step)
    if (carried[step] != 1) refuse(step, fmt::format("is carried out {} times; it must be once", carried[step]));
}

std::vector<Statement> lower_tiled(const ConvConfig& config, const InBlockPlan& plan) {
  return Lowering(config, plan).run();
}

}  // namespace ffc
