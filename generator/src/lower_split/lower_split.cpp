// The turn of a unit of columns by way, and between both the rows, which are lowered as those of one block.
#include "lower_split.hpp"

#include <utility>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
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

Statement columns_of(const ColumnTurn& turn, bool inverse) {
  Statement columns{.operation = Operation::columns, .inverse = inverse};
  take_way(columns.body, turn.opening, inverse);
  take_way(columns.body, turn.body, inverse);
  return columns;
}

}  // namespace

std::vector<Statement> lower_split(const ConvConfig& config, const FourStepPlan& plan) {
  const ColumnTurn turn = lower_turn(config, plan);
  std::vector<Statement> statements = {columns_of(turn, false), lower_inner_rows(config, plan), columns_of(turn, true)};
  check_steps(plan, statements);
  return statements;
}

}  // namespace ffc
