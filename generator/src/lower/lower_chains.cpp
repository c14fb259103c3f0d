// One pass over the steps of a row, and what becomes of tensors between their frequencies and their samples.
#include "lower_chains.hpp"

#include <algorithm>
#include <utility>

#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/plan.hpp"
#include "plan_steps.hpp"
#include "statement.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

int last_digit(const InBlockPlan& plan) { return static_cast<int>(plan.digits.size()) - 1; }

// A row's digits are the last two.
bool is_of_rows(const InBlockPlan& plan, const Step& step) {
  const auto inner = [&](int digit) { return digit >= last_digit(plan) - 1; };
  switch (step.kind) {
    case StepKind::contract:
      return inner(step.digit);
    case StepKind::twiddle:
      return std::any_of(step.open.begin(), step.open.end(), inner);
    case StepKind::pointwise:
    case StepKind::take_sums:
      return true;
    default:
      return false;
  }
}

bool is_of_outer_digits(const InBlockPlan& plan, const Step& step) {
  const bool transforms =
      step.kind == StepKind::contract || step.kind == StepKind::butterfly || step.kind == StepKind::twiddle;
  return transforms && !is_of_rows(plan, step);
}

class Chain {
 public:
  Chain(const InBlockPlan& plan, Tensor tensor, double times) : plan_(plan), tensor_(tensor), times_(times) {}

  std::vector<Statement> run(const std::vector<std::size_t>& steps) {
    if (plan_.fractional_rows) fetch(Operand::inner_twiddle, 1);
    for (const std::size_t at : steps) take(plan_.steps[at], at);
    return std::move(statements_);
  }

 private:
  void take(const Step& step, std::size_t at) {
    if (step.kind == StepKind::contract) return contract(step, at);
    if (step.kind == StepKind::pointwise) return multiply(step, at, Operand::spectrum);
    if (step.kind == StepKind::take_sums) return void(add(Operation::take_sums, step, at));
    const bool inner = step.open == std::vector<int>{last_digit(plan_)};
    if (!inner && plan_.fractional_rows) return carry_in_matrix(step, at);
    multiply(step, at, inner ? Operand::inner_twiddle : Operand::outer_twiddle);
  }

  Statement& add(Operation operation, const Step& step, std::size_t at) {
    statements_.push_back({.operation = operation,
                           .inverse = step.inverse,
                           .steps = {at},
                           .tensor = tensor_,
                           .from = shape_,
                           .to = shape_,
                           .times = times_});
    return statements_.back();
  }

  void fetch(Operand operand, double size) {
    statements_.push_back({.operation = Operation::fetch, .operand = operand, .size = size, .times = times_});
  }

  // Fractional rows have the outer digits' twiddle in the matrix of their first product, half a tile, and of the last.
  void carry_in_matrix(const Step& step, std::size_t at) {
    if (!step.inverse) return waiting_.push_back(at);
    Statement product = std::move(statements_.back());
    statements_.pop_back();
    fetch(Operand::outer_twiddle, 0.5);
    product.operand = Operand::outer_twiddle, product.applied = Applied::in_matrix;
    product.steps.push_back(at);
    statements_.push_back(std::move(product));
  }

  void contract(const Step& step, std::size_t at) {
    const bool carries = !waiting_.empty();
    if (carries) fetch(Operand::outer_twiddle, 0.5);
    Statement& product = add(Operation::contract, step, at);
    product.digit = step.digit, product.role = step.role;
    product.from = shape_of(step, step.inverse), product.to = shape_ = shape_of(step, !step.inverse);
    if (!carries) return;
    product.operand = Operand::outer_twiddle, product.applied = Applied::in_matrix;
    product.steps.insert(product.steps.begin(), waiting_.begin(), waiting_.end());
    waiting_.clear();
  }

  // The data in front of a sum over a digit, or behind it, as a frequency or not: what a mask leaves of it.
  [[nodiscard]] Shape shape_of(const Step& step, bool frequency) const {
    const bool inner = step.digit == last_digit(plan_) - 1;
    const bool half = inner ? !plan_.kept_inner.empty() && frequency
                            : !plan_.kept_inner.empty() || (!plan_.kept_last.empty() && frequency);
    return half ? Shape::half : Shape::whole;
  }

  // Products apply factors in the order of what that saves.
  [[nodiscard]] bool fuses(const Step& step, Operand factor) const {
    if (factor == Operand::spectrum) return plan_.fused_factors >= 3;
    if (factor == Operand::inner_twiddle) return plan_.fused_factors >= (step.inverse ? 1 : 2);
    return step.inverse && plan_.fused_factors >= 4;
  }

  void multiply(const Step& step, std::size_t at, Operand factor) {
    const bool behind_product = !statements_.empty() && statements_.back().operation == Operation::contract &&
                                statements_.back().operand == Operand::none;
    if (behind_product && fuses(step, factor)) {
      statements_.back().operand = factor;
      statements_.back().steps.push_back(at);
    } else {
      add(Operation::multiply, step, at).operand = factor;
    }
    if (factor == Operand::spectrum && stages_spectrum(plan_)) stage_next();
  }

  // The tile of the spectrum that is wanted next but one, to the place of the one that has been used.
  void stage_next() {
    const double rows = plan_.couples_per_warp(), warps = plan_.geometry.warps_per_group;
    statements_.push_back({.operation = Operation::ahead,
                           .operand = Operand::spectrum,
                           .placement = Placement::staged,
                           .times = warps * std::max(0.0, rows - staged_tiles)});
  }

  const InBlockPlan& plan_;
  Tensor tensor_;
  double times_;
  Shape shape_ = Shape::whole;  // of the data, what a mask leaves of it
  std::vector<Statement> statements_;
  std::vector<std::size_t> waiting_;  // a twiddle that the next product's matrix carries
};

std::vector<std::size_t> row_steps(const InBlockPlan& plan, Tensor tensor, Way way) {
  return steps_where(plan, [&](const Step& step) {
    const bool back = step.inverse || step.kind == StepKind::pointwise || step.kind == StepKind::take_sums;
    return step.tensor == tensor && is_of_rows(plan, step) && (way == Way::both || back == (way == Way::back));
  });
}

}  // namespace

std::vector<std::size_t> outer_steps(const InBlockPlan& plan, Tensor tensor, bool inverse) {
  return steps_where(plan, [&](const Step& step) {
    return step.tensor == tensor && step.inverse == inverse && is_of_outer_digits(plan, step);
  });
}

std::vector<Statement> lower_chain(const InBlockPlan& plan, Tensor tensor, Way way, double times) {
  return Chain(plan, tensor, times).run(row_steps(plan, tensor, way));
}

std::vector<Tensor> tensors_of(const InBlockPlan& plan, Turn turn) {
  if (!plan.is_backward()) return {Tensor::input};
  std::vector<Tensor> tensors;
  if (plan.backward.transforms_input && turn != Turn::gradient) tensors.push_back(Tensor::input);
  if (plan.backward.transforms_gradient && turn != Turn::input) tensors.push_back(Tensor::gradient);
  return tensors;
}

bool is_inverted(const InBlockPlan& plan, Tensor tensor) {
  if (!plan.is_backward()) return true;
  return tensor == Tensor::input ? plan.backward.returns_input() : plan.backward.inverts_gradient;
}

bool is_free_early(const InBlockPlan& plan, Tensor tensor) {
  return !is_inverted(plan, tensor) || (plan.backward.returns_sums && tensor == Tensor::input);
}

bool any_inverted(const InBlockPlan& plan, Turn turn) {
  const std::vector<Tensor> tensors = tensors_of(plan, turn);
  return std::any_of(tensors.begin(), tensors.end(), [&](Tensor tensor) { return is_inverted(plan, tensor); });
}

bool parks(const InBlockPlan& plan, Turn turn) { return turn == Turn::input && plan.backward.sums; }
bool takes_parked(const InBlockPlan& plan, Turn turn) { return turn == Turn::gradient && plan.backward.sums; }
bool adds_products(const InBlockPlan& plan, Turn turn) { return plan.backward.sums && turn != Turn::input; }

void append(std::vector<Statement>& statements, std::vector<Statement> more) {
  for (Statement& statement : more) statements.push_back(std::move(statement));
}

std::vector<Statement> of_pair(const InBlockPlan& plan, Tensor tensor, std::vector<Statement> back) {
  if (!plan.backward.returns_sums || tensor != Tensor::input) return back;
  return {{.operation = Operation::repeat, .inverse = true, .loop = Loop::last, .body = std::move(back)}};
}

Statement accumulation(const InBlockPlan& plan, double times) {
  return {.operation = Operation::accumulate,
          .steps = steps_where(plan, [](const Step& step) { return step.kind == StepKind::accumulate; }),
          .times = times};
}

std::vector<Statement> lower_chains(const InBlockPlan& plan, Turn turn, double times) {
  if (!plan.is_backward()) return lower_chain(plan, Tensor::input, Way::both, times);
  const std::vector<Tensor> tensors = tensors_of(plan, turn);
  std::vector<Statement> statements;
  for (const Tensor tensor : tensors) append(statements, lower_chain(plan, tensor, Way::there, times));
  if (parks(plan, turn))
    statements.push_back(
        {.operation = Operation::put, .operand = Operand::parked, .placement = Placement::global, .times = times});
  if (adds_products(plan, turn)) statements.push_back(accumulation(plan, times));
  for (const Tensor tensor : tensors)
    if (is_inverted(plan, tensor))
      append(statements, of_pair(plan, tensor, lower_chain(plan, tensor, Way::back, times)));
  return statements;
}

}  // namespace ffc
