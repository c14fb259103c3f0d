// Work, choice and geometry of backward plans.
#include "backward_plan.hpp"

#include <algorithm>
#include <iterator>

#include "cost_model.hpp"
#include "forced_radices.hpp"
#include "plan_choice.hpp"
#include "plan_limits.hpp"
#include "split_plan.hpp"
#include "tiled_plan.hpp"
#include "window_plan.hpp"

namespace ffc {
namespace {

constexpr std::int64_t window_step = 256;  // from one length of windows to the next
constexpr double worth_windows = 0.9;      // of the time of whole rows

// A warp a pair; the sums of all its rows are in its registers. A block more an SM would take registers from both.
Geometry warp_geometry(const Plan& plan, bool through_registers) {
  constexpr int blocks[9] = {0, 4, 3, 3, 2, 2, 2, 2, 2};
  Geometry geometry;
  geometry.groups = 4;
  geometry.buffers = through_registers ? 1 : 2;
  geometry.blocks_per_sm = blocks[plan.outer_butterfly];
  return geometry;
}

// Warps that hold one couple each, and its sums in registers.
Geometry couple_geometry(int warps, int blocks_per_sm, bool through_registers) {
  Geometry geometry;
  geometry.warps_per_group = warps;
  geometry.blocks_per_sm = blocks_per_sm;
  geometry.buffers = through_registers ? 1 : 2;
  geometry.whole_rows = warps > 4;
  return geometry;
}

// Several couples a warp: sums beside the rows in shared memory, other factors from the cache.
Geometry large_geometry(int warps, int blocks_per_sm) {
  Geometry geometry;
  geometry.warps_per_group = warps;
  geometry.blocks_per_sm = blocks_per_sm;
  geometry.whole_rows = true;
  geometry.twiddle = geometry.spectrum = Placement::global;
  geometry.sums = Placement::shared;
  return geometry;
}

}  // namespace

BackwardWork backward_work(const ConvConfig& config) {
  BackwardWork work;
  if (config.pass == Pass::forward) return work;
  const Gradients& wanted = config.gradients;
  work.sums = wanted.k || wanted.d;
  work.inverts_input = wanted.v;
  work.inverts_gradient = wanted.u || wanted.w;
  work.transforms_input = work.sums || work.inverts_input;
  work.transforms_gradient = work.sums || work.inverts_gradient;
  return work;
}

bool converts_at_load(const ConvConfig& config) {
  return config.gating != Gating::none || config.input_exponent != 0 || config.gradient_exponent != 0;
}

Geometry backward_geometry(const Plan& plan, const ConvConfig& config) {
  const bool through_registers = converts_at_load(config);
  Geometry geometry;
  if (plan.outer_tile == 1)
    geometry = warp_geometry(plan, through_registers);
  else if (plan.rows() <= 8)
    geometry = couple_geometry(4, 3, through_registers);
  else if (plan.rows() <= 16)
    geometry = couple_geometry(8, 2, through_registers);
  else if (plan.rows() <= 32)
    geometry = large_geometry(8, 2);
  else if (plan.rows() <= 64)
    geometry = large_geometry(16, 1);
  else
    geometry = large_geometry(8, 1);  // a butterfly of 8 tiles takes more registers than 16 warps leave
  // What the gap holds is in other warps' columns.
  if (plan.outer_tile > 1 && plan.windows && plan.windows->gap > 0) geometry.whole_rows = true;
  geometry.in_turn = plan.rows() > 64 && plan.backward.tensors() > 1;
  geometry.gate_at_load = through_registers;
  return geometry;
}

namespace {

// The backward plan with the digits of a forward one, so that one spectrum serves both; nothing where there is none.
std::optional<Plan> with_digits_of(const Plan& forward, const ConvConfig& config, const Arch& arch) {
  if (forward.windows || forward.quarters) return std::nullopt;  // u and dy travel in pairs, whole
  if (forward.family == Family::split) {
    ColumnShape columns = forward.columns;
    columns.single_rows = false;  // both tensors of a pair go through the ring, whatever the convolution takes
    return split_plan(config, forward.transform_length, columns, arch);
  }
  if (forward.family != Family::tiled) return std::nullopt;
  return tiled_plan(config, OuterDigits{forward.outer_butterfly, forward.outer_tile}, arch);
}

void sort_by_cost(std::vector<Plan>& plans) {
  std::stable_sort(plans.begin(), plans.end(),
                   [](const Plan& a, const Plan& b) { return a.cost.total < b.cost.total; });
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
      if (auto plan = split_plan(config, length, shape, arch)) plans.push_back(std::move(*plan));
  for (Plan& plan : plans) plan.cost = predict_cost(plan, config);
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
    for (const OuterDigits& outer : config.radices.empty() ? outer_digits(length) : outer_digits(config.radices))
      if (auto plan = tiled_plan(config, outer, arch)) plans.push_back(std::move(*plan));
  }
  for (Plan& plan : plans) plan.cost = predict_cost(plan, config);
  sort_by_cost(plans);
  return plans;
}

std::vector<Plan> whole_plans(const ConvConfig& config, const Arch& arch) {
  std::vector<Plan> plans;
  const std::optional<ConvConfig> followed = followed_config(config);
  if (!followed) return plans;
  const std::vector<Plan> forwards = find_plans(*followed);
  for (const Plan& forward : forwards) {
    auto plan = with_digits_of(forward, config, arch);
    if (!plan) continue;
    plan->sparsity = forward.sparsity;  // rows are transformed whole; spectrum and sums are zero where it is not kept
    plan->cost = predict_cost(*plan, config);
    plans.push_back(std::move(*plan));
  }
  // Up to one block the order is that of the forward plans, so that one spectrum serves both; past it the cheapest.
  if (!plans.empty() && plans.front().family == Family::split) sort_by_cost(plans);
  if (plans.empty() && !forwards.empty()) plans = folded_plans(config, arch);
  return plans;
}

}  // namespace

std::optional<ConvConfig> followed_config(const ConvConfig& config) {
  if (config.padding == Padding::causal && config.fft_length != 0 && !fits_whole(config, config.fft_length))
    return std::nullopt;
  ConvConfig forward = config;
  forward.pass = Pass::forward;
  forward.gradients = {};
  forward.gradient_exponent = 0;
  if (config.column_length != 0) forward.batch = 0;  // a batch of one would leave no plan but rows alone
  return forward;
}

std::vector<Plan> backward_plans(const ConvConfig& config) {
  const Arch& arch = find_arch(config.arch);
  std::vector<Plan> whole = whole_plans(config, arch), windows = window_plans(config, arch);
  // Where both cost about the same, whole rows keep the spectrum of the forward kernel's.
  const bool in_windows =
      !windows.empty() && (whole.empty() || windows.front().cost.total < worth_windows * whole.front().cost.total);
  std::vector<Plan>& plans = in_windows ? windows : whole;
  std::vector<Plan>& others = in_windows ? whole : windows;
  std::move(others.begin(), others.end(), std::back_inserter(plans));
  leave_out_other_digits(plans, config);
  return std::move(plans);
}

}  // namespace ffc
