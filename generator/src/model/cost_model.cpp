// Counts from the list of steps, over rates measured on an H200 (generator/README.md, "The cost model").
#include "cost_model.hpp"

#include <algorithm>
#include <cmath>

#include "cost_parts.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/work.hpp"
#include "lower_general.hpp"
#include "rates.hpp"
#include "split_cost.hpp"
#include "split_times.hpp"
#include "statement.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

struct Counts {
  double products = 0, instructions = 0, wavefronts = 0;
};

// General instructions of a step for every 256 complex points of a tiled kernel.
double tiled_instructions(const InBlockPlan& plan, const Step& step) {
  const measured::StepInstructions& of = measured::step_instructions;
  switch (step.kind) {
    case StepKind::load:
    case StepKind::store:
      return of.memory;
    case StepKind::twiddle:
      return of.twiddle;
    case StepKind::exchange:
      return of.exchange;
    case StepKind::pointwise:
    case StepKind::take_sums:
      return of.spectrum;
    case StepKind::accumulate:
      return of.sums;
    case StepKind::butterfly: {
      const int radix = plan.digits[static_cast<std::size_t>(step.digit)].radix;
      return of.butterfly * std::log2(radix) * (radix % 2 == 0 ? 1 : 2);
    }
    case StepKind::contract:
      return of.product;
  }
  return 0;
}

// That a radix fills, or begins to.
int tiles_of(int radix) { return (radix + 15) / 16; }

// Of a step of the general family for every 256 complex points: a digit at a time through shared memory, word by word.
// One that goes through the workspace is no more than a copy.
Counts general_step(const MixedRadixPlan& plan, const Step& step) {
  const measured::WordInstructions& of = measured::word_instructions;
  if (step.kind != StepKind::contract || step.digit < plan.outer_digits) return {0, of.other, of.other_wavefronts};
  const int radix = plan.digits[static_cast<std::size_t>(step.digit)].radix;
  const double tiles = tiles_of(radix);
  return {8 * tiles * tiles * 16 / radix, of.product * tiles * 16 / radix, of.product_wavefronts};
}

// Transforms of a pair of rows.
double transforms(const InBlockPlan& plan) {
  return turns_of_pair(plan) * (plan.windows ? static_cast<double>(plan.windows->count) : 1);
}

// What one pair of rows takes of a tiled kernel: what it counts on the host, and instructions by step.
Counts tiled_counts(const InBlockPlan& plan, const ConvConfig& config) {
  const double blocks_of_256 = static_cast<double>(plan.transform_length) / 256;
  const Work work = predict_work(plan, config);
  Counts total{work.matrix_products, 0, work.wavefronts};
  for (const Step& step : plan.steps)  // taps are made once a channel
    if (step.tensor != Tensor::taps) total.instructions += tiled_instructions(plan, step) * blocks_of_256;
  total.instructions += measured::step_instructions.fused_factor * plan.fused_factors * blocks_of_256;
  total.instructions *= transforms(plan);
  return total;
}

// The same of a general one, by its statements.
Counts general_counts(const MixedRadixPlan& plan) {
  const double blocks_of_256 = static_cast<double>(plan.transform_length) / 256;
  Counts total;
  for (const Statement& statement : lower_general(plan))
    for (const std::size_t step : statement.steps) {
      const Counts counts = general_step(plan, plan.steps[step]);
      total.products += counts.products * blocks_of_256;
      total.instructions += counts.instructions * blocks_of_256;
      total.wavefronts += counts.wavefronts * blocks_of_256;
    }
  for (const Step& step : plan.steps)
    if (step.kind == StepKind::contract && step.digit >= plan.outer_digits)
      total.instructions +=
          measured::word_instructions.pass * tiles_of(plan.digits[static_cast<std::size_t>(step.digit)].radix);
  return total;
}

// The first row of a table that reaches so many rows of 256.
template <class Row>
const Row& look_up(const Row* row, int rows) {
  while (rows > row->rows) ++row;
  return *row;
}

double look_up(const measured::GatedSlowdown* table, const InBlockPlan& plan, const ConvConfig& config) {
  const measured::GatedSlowdown& of = look_up(table, plan.rows());
  return config.gating == Gating::none ? of.plain : of.gated;
}

// Work beside the copies over what the counts say, where whole rows and windows are weighed against each other.
double partial_slowdown(const InBlockPlan& plan, const ConvConfig& config) {
  const measured::PartialSlowdown& of = measured::partial_slowdown;
  if (config.padding != Padding::causal || (config.filter_length >= config.length && !config.history)) return 1;
  if (plan.is_backward()) return 1;
  const int rows = plan.rows();
  if (config.gating != Gating::none && rows > 8)
    return rows <= 32 ? of.gated_middle : rows <= 64 ? of.gated_large : of.gated_largest;
  if (rows <= 4 && plan.windows && 2 * plan.windows->halo() >= plan.windows->length) return of.half_halo;
  if (plan.right_angle() && rows > 16 && rows <= 32)
    return !plan.windows ? of.alone : rows <= 24 ? of.alone_windows_to_24 : of.alone_windows_to_32;
  if (plan.windows && plan.right_angle() && rows > 32)
    return fills_registers(plan) ? of.kept_spectrum_windows : rows <= 64 ? of.windows_to_64 : of.largest_windows;
  if (rows == 6 || rows == 7) return of.six_or_seven;
  return rows == 5 || (rows >= 9 && rows <= 12) ? of.uneven : of.other;
}

// The same of gradients: what their rows take that do not lie on lines.
double gradient_slowdown(const InBlockPlan& plan, const ConvConfig& config) {
  const bool alone = plan.right_angle();
  if (plan.most_delay > 0)
    return look_up(alone ? measured::slowdown_of_delayed_gradients_alone : measured::slowdown_of_delayed_gradients,
                   plan, config);
  if (config.row_alignment >= 16) return 1;
  return look_up(alone ? measured::narrow_gradients_alone : measured::narrow_gradients, plan, config);
}

// The same of whole rows alone or in pairs, where no window is beside them.
double whole_slowdown(const InBlockPlan& plan, const ConvConfig& config) {
  if (plan.windows) return 1;
  if (plan.is_backward()) return gradient_slowdown(plan, config);
  const measured::WholeSlowdown& of = look_up(plan.half_spectrum() ? measured::slowdown_of_real_rows
                                              : plan.right_angle() ? measured::slowdown_of_rows_alone
                                                                   : measured::slowdown_of_pairs,
                                              plan.rows());
  const bool weighed = config.padding == Padding::causal && (config.filter_length < config.length || config.history);
  const double kind = weighed ? 1 : config.gating == Gating::none ? of.on_lines : of.gated;
  if (plan.most_delay > 0) return kind * of.delayed;
  return kind * (config.row_alignment < 16 ? measured::narrow_rows : 1);
}

// What a batch of the config's size takes over so many halves of pairs: its last row may have no partner.
double lone_share(const Transform& plan, const ConvConfig& config, double lone) {
  if (config.batch % 2 == 0 || are_alone(plan.packing)) return 1;
  const int whole_pairs = config.batch / 2;
  const double pairs = whole_pairs;
  return (pairs + lone) / (config.batch / 2.0);
}

// Of a kernel of one block: copies overlap with the rest, of which a part is exposed.
Cost block_cost(const Transform& plan, const ConvConfig& config, const Counts& total, double exposed) {
  Cost cost;
  cost.memory =
      tensors(config) * 2 * 2 * static_cast<double>(plan.windows ? config.length : plan.length) / measured::copy_bytes;
  cost.matrix = total.products / measured::matrix_products;
  cost.general = total.instructions / measured::issued;
  cost.exchange = total.wavefronts / measured::wavefronts;
  const double beside = exposed * (cost.matrix + cost.general + cost.exchange);
  // The fourth norm: the larger of the two, and a little of the other.
  const double copies = cost.memory * (has_odd_rows(config, plan) ? measured::odd_copies : 1);
  cost.total = std::pow(std::pow(copies, 4) + std::pow(beside, 4), 0.25);
  if (!plan.windows) cost.total *= lone_share(plan, config, 1);
  return cost;
}

// Of gradients, over what their steps come to.
double gradients_slowdown(const InBlockPlan& plan, const ConvConfig& config) {
  if (!plan.is_backward()) return 1;
  const double slowdown = look_up(plan.windows             ? measured::window_gradients
                                  : plan.holds_row_alone() ? measured::lone_warp_gradients
                                                           : measured::block_gradients,
                                  plan, config);
  if (!plan.right_angle() || !plan.geometry.in_turn) return slowdown;
  return slowdown * (adds_in_turns(plan) ? measured::lone_gradients_of_cluster : measured::lone_gradients_in_turn);
}

// Of windows of delayed rows, over those of others.
double delayed_windows_slowdown(const InBlockPlan& plan, const ConvConfig& config) {
  if (!plan.windows || plan.most_delay == 0) return 1;
  return look_up(
      plan.is_backward() ? measured::slowdown_of_delayed_window_gradients : measured::slowdown_of_delayed_windows, plan,
      config);
}

Cost cost_of(const InBlockPlan& plan, const ConvConfig& config) {
  const double slowdown = partial_slowdown(plan, config) * whole_slowdown(plan, config);
  Cost cost = block_cost(plan, config, tiled_counts(plan, config), measured::exposed_tiled * slowdown);
  if (plan.rows() > 64 && !plan.half_spectrum()) cost.total *= measured::lone_pair;
  cost.total *= gradients_slowdown(plan, config) * delayed_windows_slowdown(plan, config);
  return cost;
}
Cost cost_of(const MixedRadixPlan& plan, const ConvConfig& config) {
  return block_cost(plan, config, general_counts(plan), measured::exposed_general);
}
Cost cost_of(const FourStepPlan& plan, const ConvConfig& config) {
  Cost cost = split_cost(plan, config);
  cost.total *= lone_share(plan, config, measured::lone_split_row);
  return cost;
}
Cost cost_of(const ClusterPlan& plan, const ConvConfig& config) {
  Cost cost = cluster_cost(plan, config);
  cost.total *= lone_share(plan, config, 1);
  return cost;
}

}  // namespace

Cost predict_cost(const Plan& plan, const ConvConfig& config) {
  return plan.visit([&](const auto& of_family) { return cost_of(of_family, config); });
}

double predict_ratio(const Cost& cost, const ConvConfig& config) {
  const int rows = config.batch > 0 ? config.batch : measured::rows_of_ratio;
  const double pairs = rows * measured::channels_of_ratio / 2.0;
  const double copy = std::max(pairs * cost.memory + measured::copy_launch_time, measured::least_copy_time);
  return (pairs * cost.total + measured::launch_time) / copy;
}

}  // namespace ffc
