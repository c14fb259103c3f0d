// What stands around the stages of rows that a block holds, whatever their order: loads and stores, copies, barriers.
#pragma once

#include <utility>
#include <vector>

#include "ffc/generator/plan.hpp"
#include "plan_steps.hpp"
#include "statement.hpp"
#include "tile_counts.hpp"
#include "tiled_shape.hpp"

namespace ffc {

/// Statements of a plan's rows, one behind the other.
class RowStatements {
 protected:
  explicit RowStatements(const InBlockPlan& plan) : plan_(plan) {}

  [[nodiscard]] std::vector<Statement> take() { return std::move(statements_); }
  void add(Statement statement) { statements_.push_back(std::move(statement)); }
  void add(std::vector<Statement> statements) { append(statements_, std::move(statements)); }

  /// `change_one(statement)` of all that are there.
  template <class Change>
  void change(const Change& change_one) {
    each_statement(statements_, change_one);
  }

  /// What `body()` adds, as a turn of the tensor's own.
  template <class Body>
  void turn_of(Tensor tensor, const Body& body) {
    std::vector<Statement> before = std::exchange(statements_, {});
    body();
    before.push_back({.operation = Operation::turn, .tensor = tensor, .body = std::move(statements_)});
    statements_ = std::move(before);
  }

  /// Of so many tiles of rows and gates.
  void load(Tensor tensor, double tiles) {
    add({.operation = Operation::load,
         .steps = steps_of(plan_, StepKind::load, false, {tensor}),
         .tensor = tensor,
         .size = tiles,
         .times = 1});
  }
  void store(Tensor tensor, double tiles) {
    add({.operation = Operation::store,
         .inverse = true,
         .steps = steps_of(plan_, StepKind::store, true, {tensor}),
         .tensor = tensor,
         .size = tiles,
         .times = 1});
  }

  /// Copies of a tensor's rows, whose wavefronts are counted where they are loaded.
  void next_rows(Tensor tensor) { add({.operation = Operation::ahead, .tensor = tensor}); }
  void wait(Tensor tensor = Tensor::input) { add({.operation = Operation::wait, .tensor = tensor}); }

  void group_barrier(bool inverse = false) {
    add({.operation = Operation::barrier, .inverse = inverse, .times = arrivals_of_group(plan_)});
  }
  void warp_barrier(bool inverse = false) {
    add({.operation = Operation::barrier, .inverse = inverse, .scope = Scope::warp});
  }
  /// Of those who copied the rows or their results: all of them, or each warp its own columns.
  void own_barrier(bool inverse = false) { copies_whole_rows(plan_) ? group_barrier(inverse) : warp_barrier(inverse); }
  /// Between columns and rows, of these tensors.
  void exchange(bool inverse, const std::vector<Tensor>& tensors) {
    group_barrier(inverse);
    statements_.back().steps = steps_of(plan_, StepKind::exchange, inverse, tensors);
  }

  const InBlockPlan& plan_;

 private:
  std::vector<Statement> statements_;
};

}  // namespace ffc
