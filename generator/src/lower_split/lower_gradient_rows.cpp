// The stages of both tensors' rows with the copies, waits and barriers around them. Where these stand was measured.
#include "lower_gradient_rows.hpp"

#include <utility>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "lower_chains.hpp"
#include "lower_columns.hpp"
#include "lower_rows.hpp"
#include "lower_warp_rows.hpp"
#include "plan_steps.hpp"
#include "statement.hpp"
#include "tile_counts.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

class GradientRows {
 public:
  GradientRows(const ConvConfig& config, const InBlockPlan& plan)
      : config_(config), plan_(plan), tensors_(tensors_of(plan, Turn::together)) {}

  std::vector<Statement> run() {
    if (plan_.geometry.in_turn)
      for (const Tensor tensor : tensors_) in_turn(tensor);
    else
      together();
    return std::move(statements_);
  }

 private:
  void together() {
    for (const Tensor tensor : tensors_) {
      load(tensor);
      wait(tensor);
      own_barrier();
      if (copies_whole_rows(plan_)) free_place(tensor);
      add(lower_columns(config_, plan_, tensor, false));
    }
    exchange(false, tensors_);
    if (!copies_whole_rows(plan_))
      for (const Tensor tensor : tensors_) free_place(tensor);
    add(lower_rows(plan_, Turn::together));
    exchange(true, tensors_);
    for (const Tensor tensor : tensors_) {
      if (is_inverted(plan_, tensor)) {
        add(lower_columns(config_, plan_, tensor, true));
        own_barrier(true);
        store(tensor);
      }
      next_rows(tensor);
    }
  }

  void in_turn(Tensor tensor) {
    std::vector<Statement> outer = std::exchange(statements_, {});
    const bool buffered = plan_.geometry.buffers > 1, back = is_inverted(plan_, tensor);
    load(tensor);
    if (buffered) next_rows(tensor);
    wait(tensor);
    own_barrier();
    stages(tensor, tensor == Tensor::input ? Turn::input : Turn::gradient);
    if (back) {
      own_barrier(true);
      store(tensor);
    } else {
      // The row has been read.
      has_columns(plan_) ? group_barrier() : warp_barrier();
      free_place(tensor);
    }
    if (!buffered) next_rows(tensor);
    outer.push_back({.operation = Operation::turn, .tensor = tensor, .body = std::move(statements_)});
    statements_ = std::move(outer);
  }

  void stages(Tensor tensor, Turn turn) {
    if (!has_columns(plan_)) return append(statements_, lower_warp_rows(config_, plan_, turn));
    add(lower_columns(config_, plan_, tensor, false));
    exchange(false, {tensor});
    add(lower_rows(plan_, turn));
    if (!is_inverted(plan_, tensor)) return;
    exchange(true, {tensor});
    add(lower_columns(config_, plan_, tensor, true));
  }

  void add(Statement statement) { statements_.push_back(std::move(statement)); }

  void load(Tensor tensor) {
    add({.operation = Operation::load,
         .steps = steps_of(plan_, StepKind::load, false, {tensor}),
         .tensor = tensor,
         .size = tiles_loaded(plan_),
         .times = 1});
  }
  void store(Tensor tensor) {
    add({.operation = Operation::store,
         .inverse = true,
         .steps = steps_of(plan_, StepKind::store, true, {tensor}),
         .tensor = tensor,
         .size = tiles_stored(plan_),
         .times = 1});
  }
  // Whose wavefronts are counted where they are loaded.
  void next_rows(Tensor tensor) { add({.operation = Operation::ahead, .tensor = tensor}); }
  void wait(Tensor tensor) { add({.operation = Operation::wait, .tensor = tensor}); }

  void free_place(Tensor tensor) {
    if (!is_inverted(plan_, tensor)) add({.operation = Operation::count, .tensor = tensor});
  }

  void group_barrier(bool inverse = false) {
    add({.operation = Operation::barrier, .inverse = inverse, .times = arrivals_of_group(plan_)});
  }
  void warp_barrier(bool inverse = false) {
    add({.operation = Operation::barrier, .inverse = inverse, .scope = Scope::warp});
  }
  // Of those who copied the row or its results.
  void own_barrier(bool inverse = false) { copies_whole_rows(plan_) ? group_barrier(inverse) : warp_barrier(inverse); }
  void exchange(bool inverse, const std::vector<Tensor>& tensors) {
    group_barrier(inverse);
    statements_.back().steps = steps_of(plan_, StepKind::exchange, inverse, tensors);
  }

  const ConvConfig& config_;
  const InBlockPlan& plan_;
  std::vector<Tensor> tensors_;
  std::vector<Statement> statements_;
};

}  // namespace

std::vector<Statement> lower_gradient_rows(const ConvConfig& config, const InBlockPlan& plan) {
  return GradientRows(config, plan).run();
}

}  // namespace ffc
