// Counts from the list of steps, over rates measured on an H200 (design section 5).
#include "cost_model.hpp"

#include <algorithm>
#include <cmath>

namespace ffc {
namespace {

// Rates of the whole device, per nanosecond.
constexpr double copy_bytes = 4200;        // read and written
constexpr double matrix_products = 138;    // m16n8k16, mma.sync
constexpr double issued = 132 * 4 * 1.75;  // warp instructions
constexpr double wavefronts = 132 * 1.75;  // of 128 bytes of shared memory

// How much of the work beside the copies is left after overlap, fitted to N = 256 ... 32768 (BENCHMARKS.md).
constexpr double exposed_tiled = 0.62;
constexpr double exposed_general = 1.6;
constexpr double lone_pair = 1.2;  // one pair on an SM: its copies overlap with little

struct Counts {
  double products = 0, instructions = 0, wavefronts = 0;
};

// What a step costs for every 256 complex points of a tiled kernel.
Counts tiled_counts(const Plan& plan, const Step& step) {
  switch (step.kind) {
    case StepKind::load:
    case StepKind::store:
      return {0, 16, 8};
    case StepKind::exchange:
      return {0, 8, 16};
    case StepKind::pointwise:
      return {0, 18, plan.geometry.spectrum == Placement::shared ? 8.0 : 0.0};
    case StepKind::twiddle:
      return {0, 16, step.done.size() == 1 && step.open.size() == 1 ? 0.0 : 4.0};
    case StepKind::butterfly: {
      const int radix = plan.digits[static_cast<std::size_t>(step.digit)].radix;
      return {0, 8 * std::log2(radix) * (radix % 2 == 0 ? 1 : 2), 0};
    }
    case StepKind::contract: {
      const int radix = plan.digits[static_cast<std::size_t>(step.digit)].radix;
      const bool outermost = step.digit == 0 && plan.tile_first();
      const double live = outermost && 2 * plan.length <= plan.transform_length ? 0.5 : 1;
      return {radix == 8 ? 4.0 : 8.0 * live * 16 / radix, 12, 0};
    }
  }
  return {};
}

// The general family does a digit at a time through shared memory, word by word.
Counts general_counts(const Plan& plan, const Step& step) {
  if (step.kind != StepKind::contract) return {0, 24, 8};
  const int radix = plan.digits[static_cast<std::size_t>(step.digit)].radix;
  const double tiles = (radix + 15) / 16;
  return {8 * tiles * tiles * 16 / radix, 60 * tiles * 16 / radix, 16};
}

}  // namespace

Cost predict_cost(const Plan& plan, const ConvConfig& config) {
  const bool tiled = plan.family == Family::tiled;
  const double blocks_of_256 = static_cast<double>(plan.transform_length) / 256;
  Counts total;
  for (const Step& step : plan.steps) {
    const Counts counts = tiled ? tiled_counts(plan, step) : general_counts(plan, step);
    total.products += counts.products * blocks_of_256;
    total.instructions += counts.instructions * blocks_of_256;
    total.wavefronts += counts.wavefronts * blocks_of_256;
  }
  // A fused factor works in fp32 on unpacked halves: twice the instructions, and the conversions.
  total.instructions += 28.0 * plan.fused_factors * blocks_of_256;
  const double tensors = 2 + (has_in_gate(config.gating) ? 1 : 0) + (has_out_gate(config.gating) ? 1 : 0);

  Cost cost;
  cost.memory = tensors * 2 * 2 * static_cast<double>(plan.length) / copy_bytes;
  if (config.row_alignment < 4) cost.memory *= 3;  // sample by sample
  cost.matrix = total.products / matrix_products;
  cost.general = total.instructions / issued;
  cost.exchange = total.wavefronts / wavefronts;
  const double beside = (tiled ? exposed_tiled : exposed_general) * (cost.matrix + cost.general + cost.exchange);
  // The fourth norm: the larger of the two, and a little of the other.
  cost.total = std::pow(std::pow(cost.memory, 4) + std::pow(beside, 4), 0.25);
  if (plan.rows() > 64) cost.total *= lone_pair;
  return cost;
}

}  // namespace ffc
