// The stages of both tensors' rows with the copies, waits and barriers around them. Where these stand was measured.
#include "lower_gradient_rows.hpp"

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
#include "tiled_shape.hpp"

namespace ffc {
namespace {

class GradientRows : RowStatements {
 public:
  GradientRows(const ConvConfig& config, const InBlockPlan& plan)
      : RowStatements(plan), config_(config), tensors_(tensors_of(plan, Turn::together)) {}

  std::vector<Statement> run() {
    if (plan_.geometry.in_turn)
      for (const Tensor tensor : tensors_) turn_of(tensor, [&] { in_turn(tensor); });
    else
      together();
    return take();
  }

 private:
  void together() {
    for (const Tensor tensor : tensors_) {
      load(tensor, tiles_loaded(plan_));
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
      if (is_inverted(plan_, tensor)) to_workspace(tensor);
      next_rows(tensor);
    }
  }

  void to_workspace(Tensor tensor) {
    std::vector<Statement> before = take();
    add(lower_columns(config_, plan_, tensor, true));
    own_barrier(true);
    store(tensor, tiles_stored(plan_));
    append(before, of_pair(plan_, tensor, take()));
    add(std::move(before));
  }

  void in_turn(Tensor tensor) {
    const bool buffered = plan_.geometry.buffers > 1, back = is_inverted(plan_, tensor);
    load(tensor, tiles_loaded(plan_));
    if (buffered) next_rows(tensor);
    wait(tensor);
    own_barrier();
    stages(tensor, tensor == Tensor::input ? Turn::input : Turn::gradient);
    if (back) {
      own_barrier(true);
      store(tensor, tiles_stored(plan_));
    } else {
      // The row has been read.
      has_columns(plan_) ? group_barrier() : warp_barrier();
      free_place(tensor);
    }
    if (!buffered) next_rows(tensor);
  }

  void stages(Tensor tensor, Turn turn) {
    if (!has_columns(plan_)) return add(lower_warp_rows(config_, plan_, turn));
    add(lower_columns(config_, plan_, tensor, false));
    exchange(false, {tensor});
    add(lower_rows(plan_, turn));
    if (!is_inverted(plan_, tensor)) return;
    exchange(true, {tensor});
    add(lower_columns(config_, plan_, tensor, true));
  }

  void free_place(Tensor tensor) {
    if (is_free_early(plan_, tensor)) add({.operation = Operation::count, .tensor = tensor});
  }

  const ConvConfig& config_;
  std::vector<Tensor> tensors_;
};

}  // namespace

std::vector<Statement> lower_gradient_rows(const ConvConfig& config, const InBlockPlan& plan) {
  return GradientRows(config, plan).run();
}

}  // namespace ffc
