// Work, choice and geometry of backward plans.
#include "backward_plan.hpp"

#include <algorithm>

#include "cost_model.hpp"
#include "no_plan.hpp"
#include "split_plan.hpp"
#include "tiled_plan.hpp"
#include "window_plan.hpp"

namespace ffc {
namespace {

ConvConfig forward_of(const ConvConfig& config) {
  ConvConfig forward = config;
  forward.pass = Pass::forward;
  forward.gradients = {};
  forward.gradient_exponent = 0;
  return forward;
}

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

}  // namespace

std::vector<Plan> backward_plans(const ConvConfig& config) {
  const Arch& arch = find_arch(config.arch);
  std::vector<Plan> plans;
  ConvConfig forward_config = forward_of(config);
  if (config.column_length != 0) forward_config.batch = 0;  // a batch of one would leave no plan but rows alone
  for (const Plan& forward : make_plans(forward_config)) {
    auto plan = with_digits_of(forward, config, arch);
    if (!plan) continue;
    plan->sparsity = forward.sparsity;  // rows are transformed whole; spectrum and sums are zero where it is not kept
    plan->cost = predict_cost(*plan, config);
    plans.push_back(std::move(*plan));
  }
  // Up to one block the order is that of the forward plans, so that one spectrum serves both; past it the cheapest.
  if (!plans.empty() && plans.front().family == Family::split) sort_by_cost(plans);
  if (plans.empty()) plans = folded_plans(config, arch);
  if (plans.empty()) throw_no_backward_plan(config);
  return plans;
}

}  // namespace ffc
