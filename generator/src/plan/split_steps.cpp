// Columns there and back around the steps of a row.
#include "split_steps.hpp"

#include "column_digits.hpp"
#include "ffc/generator/plan.hpp"
#include "steps.hpp"

namespace ffc {

namespace {

Step exchange(bool inverse, Level level) {
  Step step;
  step.kind = StepKind::exchange;
  step.inverse = inverse;
  step.level = level;
  return step;
}

// The steps of a row between its load and its store, its digits behind those of the columns. Where it has no outer
// digits, its outer twiddle is the columns' alone, which is there already.
void append_rows(std::vector<Step>& steps, const InBlockPlan& rows, int first_digit) {
  for (Step step : tiled_steps(rows)) {
    if (step.kind == StepKind::load || step.kind == StepKind::store) continue;
    if (step.kind == StepKind::twiddle && step.done.empty()) continue;
    if (step.digit >= 0) step.digit += first_digit;
    for (int& digit : step.done) digit += first_digit;
    for (int& digit : step.open) digit += first_digit;
    steps.push_back(std::move(step));
  }
}

}  // namespace

std::vector<Digit> split_digits(std::vector<int> radices, const InBlockPlan& rows) {
  for (const Digit& digit : rows.digits) radices.push_back(digit.radix);
  return make_digits(radices);
}

std::vector<Step> split_steps(const ColumnsAndRowsPlan& plan, int products, Level level) {
  const int first_row_digit = static_cast<int>(plan.column_digits());
  std::vector<int> column_digits, row_digits;
  for (int digit = 0; digit < static_cast<int>(plan.digits.size()); ++digit)
    (digit < first_row_digit ? column_digits : row_digits).push_back(digit);
  const auto columns = [&](bool inverse) {
    std::vector<Step> steps;
    for (int digit = 0; digit < first_row_digit; ++digit) {
      const StepKind kind = digit < products ? StepKind::contract : StepKind::butterfly;
      steps.push_back({kind, inverse, digit, Role::b, {}, {}});
      const std::vector<int> open(column_digits.begin() + digit + 1, column_digits.end());
      if (!open.empty()) steps.push_back({StepKind::twiddle, inverse, -1, Role::b, {digit}, open});
    }
    steps.push_back(exchange(inverse, level));
    steps.push_back({StepKind::twiddle, inverse, -1, Role::b, column_digits, row_digits});
    return steps;
  };
  std::vector<Step> steps = {{StepKind::load, false, -1, Role::b, {}, {}}};
  const std::vector<Step> forward = columns(false), back = columns(true);
  steps.insert(steps.end(), forward.begin(), forward.end());
  append_rows(steps, plan.row_plan, first_row_digit);
  steps.insert(steps.end(), back.rbegin(), back.rend());
  steps.push_back({StepKind::store, true, -1, Role::b, {}, {}});
  return steps;
}

}  // namespace ffc
