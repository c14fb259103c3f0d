// The steps behind the columns' digits, as those of a plan in one block, whose statements then carry out the whole's.
#include "lower_inner_rows.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "lower_chains.hpp"
#include "lower_gradient_rows.hpp"
#include "lower_tiled.hpp"
#include "split_shape.hpp"
#include "statement.hpp"
#include "tile_counts.hpp"
#include "tiled_magnitudes.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

class InnerRows {
 public:
  InnerRows(const ConvConfig& config, const ColumnsAndRowsPlan& plan, int row_count)
      : config_(config),
        plan_(plan),
        row_count_(row_count),
        rows_(plan.row_plan),
        first_(static_cast<int>(plan.column_digits())) {}

  // Of one row.
  std::vector<Statement> row() {
    take_steps();
    const ConvConfig config = row_config(config_, plan_);
    std::vector<Statement> body = rows_.is_backward() ? lower_gradient_rows(config, rows_) : lower_tiled(config, rows_);
    // Columns have put them where they are transformed, and fetch them there.
    if (rows_.in_cluster())
      std::erase_if(body, [](const Statement& statement) {
        return statement.operation == Operation::load || statement.operation == Operation::store;
      });
    become_of_whole(body);
    for (const Tensor tensor : tensors()) carry_column_twiddles(body, tensor);
    return body;
  }

  Statement run() {
    Statement all{.operation = Operation::repeat, .loop = Loop::frequencies};
    all.body = row();
    for (const Tensor tensor : tensors())
      all.body.insert(all.body.begin(), {.operation = Operation::await, .tensor = tensor, .times = convolved()});
    // Stored, before that is told: by each warp of a cluster for itself.
    if (rows_.in_cluster())
      all.body.push_back({.operation = Operation::barrier, .scope = Scope::warp});
    else
      all.body.push_back({.operation = Operation::barrier, .times = convolved() * arrivals_of_group(rows_)});
    for (const Tensor tensor : tensors())
      if (is_inverted(rows_, tensor))
        all.body.push_back({.operation = Operation::count,
                            .inverse = true,
                            .steps = outer(tensor).exchanges,
                            .tensor = tensor,
                            .times = convolved()});
    return all;
  }

 private:
  // Steps of a tensor between columns and rows.
  struct Outer {
    std::vector<std::size_t> twiddles[2], exchanges;
  };
  [[nodiscard]] Outer& outer(Tensor tensor) { return outer_[tensor == Tensor::input ? 0 : 1]; }
  [[nodiscard]] std::vector<Tensor> tensors() const { return tensors_of(rows_, Turn::together); }

  // Two half-length rows have R / 2 + 1 each.
  [[nodiscard]] double convolved() const { return row_count_ + (plan_.packing == Packing::half_length ? 2 : 0); }

  [[nodiscard]] bool is_of_rows(const Step& step) const {
    switch (step.kind) {
      case StepKind::load:
      case StepKind::store:
        return false;
      case StepKind::exchange:
        return step.level == Level::block;
      case StepKind::twiddle:
        return step.done.empty() || step.done.front() >= first_;
      case StepKind::contract:
      case StepKind::butterfly:
        return step.digit >= first_;
      case StepKind::pointwise:
      case StepKind::accumulate:
      case StepKind::take_sums:
        return true;
    }
    return false;
  }

  // Between the digits of columns and those of rows.
  [[nodiscard]] bool is_column_twiddle(const Step& step) const {
    return step.kind == StepKind::twiddle && !is_of_rows(step) && !step.open.empty() && step.open.front() >= first_;
  }

  void take_steps() {
    rows_.steps.clear();
    for (const Tensor tensor : tensors()) add(StepKind::load, tensor);
    for (std::size_t at = 0; at < plan_.steps.size(); ++at) {
      const Step& step = plan_.steps[at];
      if (is_of_rows(step))
        add(of_row(step), at);
      else if (is_column_twiddle(step))
        // Rows without outer digits have it as the one between those and theirs.
        rows_.rows() == 1 ? add(of_row(step), at) : outer(step.tensor).twiddles[step.inverse ? 1 : 0].push_back(at);
      else if (step.kind == StepKind::exchange && step.inverse)
        outer(step.tensor).exchanges.push_back(at);
    }
    for (const Tensor tensor : tensors()) add(StepKind::store, tensor);
  }

  void add(Step step, std::size_t whole) {
    rows_.steps.push_back(std::move(step));
    whole_step_.push_back(whole);
  }

  // A step of rows alone.
  void add(StepKind kind, Tensor tensor) {
    Step step;
    step.kind = kind, step.inverse = kind == StepKind::store, step.tensor = tensor;
    add(std::move(step), none);
  }

  // In the row's own digits; those of columns are done.
  [[nodiscard]] Step of_row(Step step) const {
    if (step.digit >= 0) step.digit -= first_;
    std::erase_if(step.done, [&](int digit) { return digit < first_; });
    for (int& digit : step.done) digit -= first_;
    for (int& digit : step.open) digit -= first_;
    return step;
  }

  // Of every row, the whole's steps, rows coming from the workspace and going there. Of two half-length rows four are
  // their own mirrors, of which half is stored.
  void become_of_whole(std::vector<Statement>& statements) const {
    each_statement(statements, [&](Statement& statement) {
      const bool stores = statement.operation == Operation::store;
      if (stores || statement.operation == Operation::load) statement.workspace = statement.size;
      statement.times *= stores ? row_count_ : convolved();
      statement.meets = statement.operation == Operation::accumulate && reports(config_);
      std::vector<std::size_t> steps;
      for (const std::size_t step : statement.steps)
        if (whole_step_[step] != none) steps.push_back(whole_step_[step]);
      statement.steps = std::move(steps);
    });
  }

  // Of rows with outer digits, the factors of samples 256 apart begin it, and those between outer and inner digits go
  // on with it; or products down the outer digits have it in their matrices.
  void carry_column_twiddles(std::vector<Statement>& statements, Tensor tensor) {
    const Operation carries = has_shifts(rows_) ? Operation::multiply : Operation::contract;
    Statement* first = nullptr;
    Statement* last = nullptr;
    each_statement(statements, [&](Statement& statement) {
      const bool shifts = statement.operand == Operand::shift;
      if (statement.operation != carries || shifts != has_shifts(rows_) || statement.tensor != tensor) return;
      if (!statement.inverse && first == nullptr) first = &statement;
      if (statement.inverse) last = &statement;
    });
    const auto& [forward, back] = outer(tensor).twiddles;
    if (first != nullptr) first->steps.insert(first->steps.begin(), forward.begin(), forward.end());
    if (last != nullptr) last->steps.insert(last->steps.end(), back.begin(), back.end());
  }

  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  const ConvConfig& config_;
  const ColumnsAndRowsPlan& plan_;
  int row_count_;
  InBlockPlan rows_;                     // with the whole's steps
  int first_;                            // digit of the rows
  std::vector<std::size_t> whole_step_;  // what each of the rows' steps is of the whole's
  Outer outer_[2];                       // of u, of dy
};

}  // namespace

Statement lower_inner_rows(const ConvConfig& config, const ColumnsAndRowsPlan& plan, int row_count) {
  return InnerRows(config, plan, row_count).run();
}

std::vector<Statement> lower_inner_row(const ConvConfig& config, const ColumnsAndRowsPlan& plan, int row_count) {
  return InnerRows(config, plan, row_count).row();
}

}  // namespace ffc
