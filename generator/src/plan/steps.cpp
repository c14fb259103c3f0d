// A plan's forward half is written down once; the inverse mirrors it.
#include "steps.hpp"

#include <algorithm>
#include <numeric>

#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/plan.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

Step load() { return {StepKind::load, false, -1, Role::b, {}, {}}; }
Step store() { return {StepKind::store, true, -1, Role::b, {}, {}}; }
Step pointwise() { return {StepKind::pointwise, false, -1, Role::b, {}, {}}; }
Step exchange(bool inverse) { return {StepKind::exchange, inverse, -1, Role::b, {}, {}}; }
Step contract(int digit, Role role, bool inverse) { return {StepKind::contract, inverse, digit, role, {}, {}}; }
Step butterfly(int digit, bool inverse) { return {StepKind::butterfly, inverse, digit, Role::b, {}, {}}; }
Step twiddle(std::vector<int> done, std::vector<int> open, bool inverse) {
  return {StepKind::twiddle, inverse, -1, Role::b, std::move(done), std::move(open)};
}

std::vector<int> range(int first, int end) {
  std::vector<int> digits(static_cast<std::size_t>(std::max(end - first, 0)));
  std::iota(digits.begin(), digits.end(), first);
  return digits;
}

// Appends the steps before the exchange, in order or mirrored. Role A leaves the rows where it found them: one address
// and one table serve both directions.
void append_outer(std::vector<Step>& steps, const InBlockPlan& plan, bool inverse) {
  std::vector<Step> outer;
  const bool has_butterfly = plan.outer_butterfly > 1;
  if (plan.outer_tile == 1) {
    if (has_butterfly) outer.push_back(butterfly(0, inverse));
  } else if (plan.tile_first()) {
    outer.push_back(contract(0, Role::a, inverse));
    if (has_butterfly) outer.insert(outer.end(), {twiddle({0}, {1}, inverse), butterfly(1, inverse)});
    outer.push_back(exchange(inverse));
  } else {
    if (has_butterfly) outer.insert(outer.end(), {butterfly(0, inverse), twiddle({0}, {1}, inverse)});
    outer.push_back(contract(has_butterfly ? 1 : 0, inverse || plan.half_spectrum() ? Role::a : Role::b, inverse));
    outer.push_back(exchange(inverse));
  }
  if (inverse) std::reverse(outer.begin(), outer.end());
  steps.insert(steps.end(), outer.begin(), outer.end());
}

}  // namespace

std::vector<Step> tiled_steps(const InBlockPlan& plan) {
  const int last = static_cast<int>(plan.digits.size()) - 1;
  const std::vector<int> outer = range(0, last - 1);
  std::vector<Step> steps = {load()};
  append_outer(steps, plan, false);
  // Fractional rows have what the outer digits give to the first inner one in its matrix, and the rest behind it.
  const bool fractional = plan.fractional_rows;
  const std::vector<int> before = fractional ? std::vector<int>{last - 1} : std::vector<int>{last - 1, last};
  const std::vector<int> done = fractional ? range(0, last) : std::vector<int>{last - 1};
  // Of rows of a longer transform it is there without outer digits, too: that transform's columns are done.
  if (plan.has_outer_twiddle()) steps.push_back(twiddle(outer, before, false));
  steps.push_back(contract(last - 1, Role::b, false));
  steps.push_back(twiddle(done, {last}, false));
  steps.push_back(contract(last, Role::a, false));
  steps.push_back(pointwise());
  steps.push_back(contract(last, Role::b, true));
  steps.push_back(twiddle(done, {last}, true));
  steps.push_back(contract(last - 1, Role::a, true));
  if (plan.has_outer_twiddle()) steps.push_back(twiddle(outer, before, true));
  append_outer(steps, plan, true);
  steps.push_back(store());
  return steps;
}

std::vector<Step> gradient_steps(const std::vector<Step>& convolution, const BackwardWork& work) {
  const auto middle = std::find_if(convolution.begin(), convolution.end(),
                                   [](const Step& step) { return step.kind == StepKind::pointwise; });
  std::vector<Step> steps;
  const auto append = [&](bool wanted, auto first, auto end, Tensor tensor) {
    if (!wanted) return;
    for (auto step = first; step != end; ++step) {
      steps.push_back(*step);
      steps.back().tensor = tensor;
    }
  };
  append(work.transforms_input, convolution.begin(), middle, Tensor::input);
  append(work.transforms_gradient, convolution.begin(), middle, Tensor::gradient);
  if (work.sums) steps.push_back({StepKind::accumulate, false, -1, Role::b, {}, {}});
  if (work.returns_sums) steps.push_back({StepKind::take_sums, false, -1, Role::b, {}, {}});
  append(work.returns_sums, middle + 1, convolution.end(), Tensor::input);
  append(work.inverts_input, middle, convolution.end(), Tensor::input);
  append(work.inverts_gradient, middle, convolution.end(), Tensor::gradient);
  if (work.ends_in_taps) steps.push_back({.kind = StepKind::take_sums, .tensor = Tensor::taps});
  append(work.ends_in_taps, middle + 1, convolution.end(), Tensor::taps);
  return steps;
}

std::vector<Step> backward_steps(const InBlockPlan& plan) { return gradient_steps(tiled_steps(plan), plan.backward); }

std::vector<Step> general_steps(const MixedRadixPlan& plan) {
  const int last = static_cast<int>(plan.digits.size()) - 1;
  std::vector<Step> steps = {load()};
  const auto exchange_behind = [&](int digit, bool inverse) {
    Step step = exchange(inverse);
    step.level = digit < plan.outer_digits ? Level::grid : Level::block;
    return step;
  };
  for (int digit = 0; digit < last; ++digit) {
    steps.push_back(contract(digit, Role::a, false));
    steps.push_back(twiddle({digit}, range(digit + 1, last + 1), false));
    steps.push_back(exchange_behind(digit, false));
  }
  // The last digit stays in registers.
  steps.insert(steps.end(), {contract(last, Role::a, false), pointwise(), contract(last, Role::a, true)});
  for (int digit = last - 1; digit >= 0; --digit) {
    steps.push_back(exchange_behind(digit, true));
    steps.push_back(twiddle({digit}, range(digit + 1, last + 1), true));
    steps.push_back(contract(digit, Role::a, true));
  }
  steps.push_back(store());
  return steps;
}

}  // namespace ffc
