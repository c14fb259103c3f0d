// The turn of a unit of columns by way, and between both the rows, which are lowered as those of one block.
#include "lower_split.hpp"

#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "kept_digits.hpp"
#include "lower_chains.hpp"
#include "lower_inner_rows.hpp"
#include "lower_tiled.hpp"
#include "lower_turn.hpp"
#include "statement.hpp"

namespace ffc {
std::vector<Statement> lower_split(const ConvConfig& config, const FourStepPlan& plan) {
  const std::vector<Tensor> tensors = tensors_of(plan.row_plan, Turn::together);
  std::vector<Statement> statements;
  statements.reserve(2 * tensors.size() + 1);
  for (const Tensor tensor : tensors) statements.push_back(way_of(lower_turn(config, plan, tensor), tensor, false));
  statements.push_back(lower_inner_rows(config, plan, workspace_rows(plan)));
  for (const Tensor tensor : tensors)
    if (is_inverted(plan.row_plan, tensor))
      statements.push_back(way_of(lower_turn(config, plan, tensor), tensor, true));
  check_steps(plan, statements);
  return statements;
}

}  // namespace ffc
