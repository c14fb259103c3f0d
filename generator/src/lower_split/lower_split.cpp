// The turn of a unit of columns by way, and between both the rows, which are lowered as those of one block.
#include "lower_split.hpp"

#include <utility>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "lower_chains.hpp"
#include "lower_inner_rows.hpp"
#include "lower_tiled.hpp"
#include "lower_turn.hpp"
#include "statement.hpp"

namespace ffc {
namespace {

// Of a turn, what is done with the tile that comes, or with the one that leaves.
void take_way(std::vector<Statement>& taken, const std::vector<Statement>& turn, bool inverse) {
  for (const Statement& statement : turn)
    if (statement.operation == Operation::repeat && statement.loop == Loop::parts)
      take_way(taken, statement.body, inverse);
    else if (statement.inverse == inverse)
      taken.push_back(statement);
}

Statement columns_of(const ConvConfig& config, const FourStepPlan& plan, Tensor tensor, bool inverse) {
  const ColumnTurn turn = lower_turn(config, plan, tensor);
  Statement columns{.operation = Operation::columns, .inverse = inverse, .tensor = tensor};
  take_way(columns.body, turn.opening, inverse);
  take_way(columns.body, turn.body, inverse);
  return columns;
}

}  // namespace

std::vector<Statement> lower_split(const ConvConfig& config, const FourStepPlan& plan) {
  const std::vector<Tensor> tensors = tensors_of(plan.row_plan, Turn::together);
  std::vector<Statement> statements;
  statements.reserve(2 * tensors.size() + 1);
  for (const Tensor tensor : tensors) statements.push_back(columns_of(config, plan, tensor, false));
  statements.push_back(lower_inner_rows(config, plan));
  for (const Tensor tensor : tensors)
    if (is_inverted(plan.row_plan, tensor)) statements.push_back(columns_of(config, plan, tensor, true));
  check_steps(plan, statements);
  return statements;
}

}  // namespace ffc
