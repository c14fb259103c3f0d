// Work, choice and geometry of backward plans.
#include "backward_plan.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "choices.hpp"
#include "cost_model.hpp"
#include "ffc/generator/arch.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/frequency_mask.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "forced_radices.hpp"
#include "outer_digits.hpp"
#include "plan_limits.hpp"
#include "split_plan.hpp"
#include "tiled_plan.hpp"
#include "window_plan.hpp"

namespace ffc {
namespace {

constexpr std::int64_t window_step = 256;  // from one length of windows to the next

}  // namespace

namespace {

ConvConfig with_radices_of(const Plan& plan, ConvConfig config) {
  config.radices.clear();
  for (const Digit& digit : plan->digits) config.radices.push_back(digit.radix);
  return config;
}

// The backward plan with the digits of a forward one, so that one spectrum serves both; nothing where there is none.
std::optional<Plan> with_digits_of(const Plan& forward, const ConvConfig& config, const Arch& arch) {
  const auto as_plan = [](auto plan) { return plan ? std::optional<Plan>(*std::move(plan)) : std::nullopt; };
  if (forward->right_angle() && forward.as<FourStepPlan>() != nullptr)
    return as_plan(split_right_angle_plan(with_radices_of(forward, config), forward->transform_length,
                                          forward.as<FourStepPlan>()->columns, arch));
  if (forward->windows) return std::nullopt;  // u and dy travel whole
  if (forward->right_angle()) {
    const auto* const in_block = forward.as<InBlockPlan>();
    if (in_block == nullptr) return std::nullopt;
    auto plan = tiled_right_angle_plan(config, {in_block->outer_butterfly, in_block->outer_tile}, arch);
    if (plan) plan->spectrum_of_fractional = in_block->fractional_rows;
    return as_plan(std::move(plan));
  }
  // Both tensors of a pair go through the ring, whatever the convolution takes.
  if (const auto* const split = forward.as<FourStepPlan>())
    return as_plan(split_plan(config, split->transform_length, split->columns, arch, Packing::two_rows));
  if (const auto* const in_block = forward.as<InBlockPlan>(); in_block != nullptr && in_block->half_spectrum())
    return as_plan(tiled_real_row_plan(config, {in_block->outer_butterfly, in_block->outer_tile}, arch));
  if (const auto* const in_block = forward.as<InBlockPlan>())
    return as_plan(tiled_plan(config, OuterDigits{in_block->outer_butterfly, in_block->outer_tile}, arch));
  return std::nullopt;
}

void sort_by_cost(std::vector<Plan>& plans) {
  std::stable_sort(plans.begin(), plans.end(),
                   [](const Plan& a, const Plan& b) { return a->cost.total < b->cost.total; });
}

bool are_alone(const Plan& plan) { return plan.as<FourStepPlan>() != nullptr && plan->right_angle(); }

// The cheapest of the convolution's whose rows gradients can have: blocks of theirs have no shares of rows of
// frequencies, and without these others are cheapest for both.
const Plan& plan_to_follow(const std::vector<Plan>& forwards) {
  const auto found = std::find_if(forwards.begin(), forwards.end(), [](const Plan& forward) {
    const auto* const split = forward.as<FourStepPlan>();
    return split == nullptr || split->row_plan.geometry.frequencies == 1;
  });
  return found != forwards.end() ? *found : forwards.front();
}

// The cheapest first. Rows go alone where those of the convolution do, in its digits: a spectrum that serves both
// passes is worth more than digits of one's own. Elsewhere the spectrum is another in any case, and pairs are what was
// measured; but where the convolution goes at right angles through a cluster, which has no gradients, rows may as well
// go alone.
void sort_past_one_block(std::vector<Plan>& plans, const Plan& forward) {
  sort_by_cost(plans);
  if (forward.as<ClusterPlan>() != nullptr && forward->right_angle()) return;
  const bool alone = are_alone(forward);
  std::stable_partition(plans.begin(), plans.end(),
                        [&](const Plan& plan) { return alone ? share_digits_alone(plan, forward) : !are_alone(plan); });
}

// Where the forward plan goes digit by digit: columns and rows, into which the transform is folded.
std::vector<Plan> folded_plans(const ConvConfig& config, const Arch& arch) {
  constexpr std::int64_t step = 4096, longest = 65536;
  std::vector<Plan> plans;
  if (!config.mask.empty() || !config.radices.empty() || config.column_length != 0) return plans;
  const bool causal = config.padding == Padding::causal;
  const std::int64_t needed = config.length + (causal ? reached_taps(config) : config.length) - 1;
  for (std::int64_t length = (needed + step - 1) / step * step; length <= longest; length += step)
    for (const ColumnShape& shape : column_shapes(length))
      if (auto plan = split_plan(config, length, shape, arch, Packing::two_rows)) plans.push_back(std::move(*plan));
  for (Plan& plan : plans) plan->cost = predict_cost(plan, config);
  sort_by_cost(plans);
  return plans;
}

// Of rows whose filter is shorter: windows of every length, or of the one that is forced.
std::vector<Plan> window_plans(const ConvConfig& config, const Arch& arch) {
  std::vector<Plan> plans;
  const bool forced = config.fft_length != 0;
  if (windows_refusal(config) || (!forced && config.filter_length >= config.length)) return plans;
  const std::int64_t first = forced ? config.fft_length : window_step, last = forced ? first : longest_tiled;
  for (std::int64_t length = first; length <= last; length += window_step) {
    if (fits_whole(config, length) || reached_taps(config) > most_window_taps(config, length)) continue;
    const auto add = [&](const std::vector<OuterDigits>& outers) {
      for (const OuterDigits& outer : outers)
        if (auto plan = tiled_plan(config, outer, arch)) plans.push_back(std::move(*plan));
    };
    if (config.radices.empty()) {
      add(outer_digits(length));
      continue;
    }
    for (const auto& lists : lists_for_radices(config)) {
      for (const std::vector<int>& list : lists) add(list.empty() ? outer_digits(length) : outer_digits(list));
      if (!plans.empty()) break;
    }
  }
  for (Plan& plan : plans) plan->cost = predict_cost(plan, config);
  sort_by_cost(plans);
  return plans;
}

std::vector<Plan> whole_plans(const ConvConfig& config, const Arch& arch) {
  std::vector<Plan> plans;
  const std::optional<ConvConfig> followed = followed_config(config);
  if (!followed) return plans;
  const std::vector<Plan> forwards = find_plans(*followed);
  for (const Plan& forward : forwards) {
    auto plan = with_digits_of(forward, config.radices.empty() ? config : with_radices_of(forward, config), arch);
    if (!plan) continue;
    (*plan)->sparsity =
        forward->sparsity;  // rows are transformed whole; spectrum and sums are zero where it is not kept
    (*plan)->cost = predict_cost(*plan, config);
    plans.push_back(std::move(*plan));
  }
  // Up to one block the order is that of the forward plans, so that one spectrum serves both; past it the cheapest.
  if (!plans.empty() && plans.front().as<FourStepPlan>() != nullptr)
    sort_past_one_block(plans, plan_to_follow(forwards));
  if (plans.empty() && !forwards.empty()) plans = folded_plans(config, arch);
  return plans;
}

}  // namespace

bool share_digits_alone(const Plan& a, const Plan& b) {
  return are_alone(a) && are_alone(b) && a->digits == b->digits &&
         a.as<FourStepPlan>()->columns.length() == b.as<FourStepPlan>()->columns.length();
}

std::optional<ConvConfig> followed_config(const ConvConfig& config) {
  if (config.padding == Padding::causal && config.fft_length != 0 && !fits_whole(config, config.fft_length))
    return std::nullopt;
  ConvConfig forward = config;
  forward.pass = Pass::forward;
  forward.gradients = {};
  forward.gradient_exponent = 0;
  return forward;
}

std::vector<Plan> backward_plans(const ConvConfig& config) {
  const Arch& arch = find_arch(config.arch);
  std::vector<Plan> whole = whole_plans(config, arch), windows = window_plans(config, arch);
  // Where both cost about the same, whole rows keep the spectrum of the forward kernel's.
  const bool in_windows =
      !windows.empty() &&
      (whole.empty() || windows.front()->cost.total < measured::worth_windows * whole.front()->cost.total);
  std::vector<Plan>& plans = in_windows ? windows : whole;
  std::vector<Plan>& others = in_windows ? whole : windows;
  std::move(others.begin(), others.end(), std::back_inserter(plans));
  if (!plans.empty() || config.radices.empty() || config.column_length != 0) return std::move(plans);
  // Nothing computes gradients digit by digit.
  ConvConfig free = config;
  free.radices.clear();
  return backward_plans(free);
}

}  // namespace ffc
