// Counts from the list of steps, over rates measured on an H200 (generator/README.md, "The cost model").
#include "cost_model.hpp"

#include <algorithm>
#include <cmath>

#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/work.hpp"
#include "kept_digits.hpp"
#include "lower_general.hpp"
#include "statement.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

// Rates of the whole device, per nanosecond.
constexpr double copy_bytes = 4200;        // read and written
constexpr double matrix_products = 138;    // m16n8k16, mma.sync
constexpr double issued = 132 * 4 * 1.75;  // warp instructions
constexpr double wavefronts = 132 * 1.75;  // of 128 bytes of shared memory

// How much of the work beside the copies is left after overlap, fitted to N = 256 ... 32768 (MEASURED.md).
constexpr double exposed_tiled = 0.62;
constexpr double exposed_general = 1.6;
constexpr double cache_bytes = 7200;  // read and written, in L2
constexpr double exposed_columns = 0.5;
constexpr double lone_pair = 1.2;  // one pair on an SM: its copies overlap with little

struct Counts {
  double products = 0, instructions = 0, wavefronts = 0;
};

// General instructions of a step for every 256 complex points of a tiled kernel.
double tiled_instructions(const InBlockPlan& plan, const Step& step) {
  switch (step.kind) {
    case StepKind::load:
    case StepKind::store:
    case StepKind::twiddle:
      return 16;
    case StepKind::exchange:
      return 8;
    case StepKind::pointwise:
      return 18;
    case StepKind::accumulate:
      return 72;  // in fp32, on unpacked halves
    case StepKind::butterfly: {
      const int radix = plan.digits[static_cast<std::size_t>(step.digit)].radix;
      return 8 * std::log2(radix) * (radix % 2 == 0 ? 1 : 2);
    }
    case StepKind::contract:
      return 12;
  }
  return 0;
}

// Of a step of the general family for every 256 complex points: a digit at a time through shared memory, word by word.
Counts general_step(const MixedRadixPlan& plan, const Step& step) {
  if (step.kind != StepKind::contract) return {0, 24, 8};
  const int radix = plan.digits[static_cast<std::size_t>(step.digit)].radix;
  const int whole_tiles = (radix + 15) / 16;
  const double tiles = whole_tiles;
  return {8 * tiles * tiles * 16 / radix, 60 * tiles * 16 / radix, 16};
}

// Of two rows that are transformed alone, each has half of the samples of a pair.
double turns_of_pair(const Transform& plan) { return plan.right_angle() ? 2 : 1; }

// Transforms of a pair of rows.
double transforms(const InBlockPlan& plan) {
  return turns_of_pair(plan) * (plan.windows ? static_cast<double>(plan.windows->count) : 1);
}

// What one pair of rows takes of a tiled kernel: what it counts on the host, and instructions by step.
Counts tiled_counts(const InBlockPlan& plan, const ConvConfig& config) {
  const double blocks_of_256 = static_cast<double>(plan.transform_length) / 256;
  const Work work = predict_work(plan, config);
  Counts total{work.matrix_products, 0, work.wavefronts};
  for (const Step& step : plan.steps) total.instructions += tiled_instructions(plan, step) * blocks_of_256;
  // A fused factor works in fp32 on unpacked halves: twice the instructions, and the conversions.
  total.instructions += 28.0 * plan.fused_factors * blocks_of_256;
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
  return total;
}

// Work beside the copies, measured over what the counts say, where whole rows and windows are weighed against each
// other.
double partial_slowdown(const InBlockPlan& plan, const ConvConfig& config) {
  if (config.padding != Padding::causal || (config.filter_length >= config.length && !config.history)) return 1;
  if (plan.is_backward()) return 1;
  const int rows = plan.rows();
  if (config.gating != Gating::none && rows > 8) return rows <= 32 ? 1 : rows <= 64 ? 1.5 : 1.7;
  if (rows <= 4 && plan.windows && 2 * plan.windows->halo() >= plan.windows->length) return 1.4;
  // To rows alone of 8192 and windows of 24 rows, which take the same there, and to windows of 28 to 32.
  if (plan.right_angle() && rows > 16 && rows <= 32) return !plan.windows ? 1 : rows <= 24 ? 1.08 : 1.1;
  // To windows of 64 rows, of 60, whose warps have not the registers that those of 64 have, and of 128.
  if (plan.windows && plan.right_angle() && rows > 32) return fills_registers(plan) ? 1.28 : rows <= 64 ? 1.37 : 1.45;
  // Butterflies of other radices than 2, 4 and 8, and tiles of 16 for fewer rows, waste what they hold.
  if (rows == 6 || rows == 7) return 1.5;
  return rows == 5 || (rows >= 9 && rows <= 12) ? 1.27 : 1.14;
}

double tensors(const ConvConfig& config) {
  if (config.pass == Pass::backward) {
    const Gradients& wanted = config.gradients;
    const double written = (wanted.u ? 1 : 0) + (wanted.w ? 1 : 0) + (wanted.v ? 1 : 0);
    return 2 + (has_in_gate(config.gating) ? 1 : 0) + (has_out_gate(config.gating) ? 1 : 0) + written;
  }
  return 2 + (has_in_gate(config.gating) ? 1 : 0) + (has_out_gate(config.gating) ? 1 : 0);
}

// Measured on an H200, in times of the plain floor of a pair: the columns of a split plan, by their length ...
double columns_cost(int length) {
  return length <= 16    ? 3.0  // tiles so small that units wait for their copies
         : length <= 32  ? 1.75
         : length <= 64  ? 1.45
         : length <= 128 ? 1.5
         : length <= 256 ? 1.68
         : length <= 512 ? 2.9
                         : 4.6;
}

// ... what gates on both sides add ...
double gates_cost(int length) { return length <= 64 ? 1.1 : length <= 128 ? 1.0 : 1.6; }

// ... and the rows of 256 times `rows` samples beside them.
double workspace_rows_cost(int rows) {
  return rows == 1    ? 2.2
         : rows <= 2  ? 1.2
         : rows <= 8  ? 1.63
         : rows <= 16 ? 1.55
         : rows <= 32 ? 2.36
         : rows <= 64 ? 3.4
                      : 7.7;
}

// The same of rows one by one, in places half as large ...
double half_length_rows_cost(int rows) { return rows <= 16 ? 1.4 : rows <= 32 ? 1.6 : 2.3; }

// ... and of rows alone at frequencies k + 1/4, of which each has a place of its own: long ones stay in the cache.
double right_angle_columns_cost(int length) { return (length > 128 ? 1.3 : 1) * columns_cost(length); }
double right_angle_rows_cost(int rows) {
  if (rows < 16) return std::max(1.47, 0.95 * workspace_rows_cost(rows));
  return rows <= 16 ? 1.32 : rows <= 32 ? 1.55 : rows <= 64 ? 1.65 : workspace_rows_cost(rows);
}

// The same where a mask leaves the rows so little that they have half of the warps, and the columns more units.
double light_columns_cost(int length) { return length <= 128 ? 2.0 : 1.7; }
double light_rows_cost(int rows) { return rows <= 32 ? 3.7 : 1.75; }

// Of gradients, whose gates come through registers at any length of columns; what their rows take over those of a
// convolution, fitted to what was measured from 65536 to 4194304.
constexpr double gradient_gates = 1.0;
double gradient_slowdown(int rows) { return rows <= 2 ? 1 : rows <= 4 ? 1.5 : rows <= 32 ? 1.12 : 1.2; }

constexpr double saved_rows = 0.57;    // of the time of rows that a mask drops: columns do not get faster beside fewer
constexpr double sums_bytes = 16;      // of gradients: for each point, read and written for a row and its mirror
constexpr double beside_copies = 0.5;  // of a row's time: what is not moving it, a guess
constexpr double samples_cost = 0.6;   // of columns_cost: what does not exist need not come or go

// In times of the plain floor of a pair. A mask saves rows, and of a row most of its time by those of its 256-sample
// rows that are left.
double columns_and_rows_cost(const FourStepPlan& plan) {
  const InBlockPlan& rows = plan.row_plan;
  const int columns = plan.columns.length();
  const double kept_rows = static_cast<double>(workspace_rows(plan)) / columns;
  const double kept_tiles = 1 - static_cast<double>(dropped_rows(rows).size()) / rows.rows();
  const double share = kept_rows * (1 - beside_copies * (1 - kept_tiles));
  if (plan.right_angle()) return right_angle_columns_cost(columns) + right_angle_rows_cost(rows.rows());
  if (plan.packing == Packing::half_length) return columns_cost(columns) + half_length_rows_cost(rows.rows());
  if (plan.columns.light_rows) return light_columns_cost(columns) + share * light_rows_cost(rows.rows());
  return columns_cost(columns) + (1 - saved_rows * (1 - share)) * workspace_rows_cost(rows.rows());
}

Cost split_cost(const FourStepPlan& plan, const ConvConfig& config) {
  const double floor = 8 * static_cast<double>(plan.transform_length) / copy_bytes;
  const Work work = predict_work(plan, config);
  Cost cost;
  cost.memory = tensors(config) * 2 * 2 * static_cast<double>(plan.length) / copy_bytes;
  cost.matrix = work.matrix_products / matrix_products;
  cost.exchange = work.wavefronts / wavefronts;
  const int columns = plan.columns.length();
  const double turns = turns_of_pair(plan);
  const double live = static_cast<double>(plan.length) / static_cast<double>(plan.transform_length) / turns;
  cost.total = turns * floor *
               (columns_and_rows_cost(plan) - samples_cost * (1 - live) +
                (plan.is_backward() ? gradient_gates : gates_cost(columns)) * (tensors(config) - 2) / 2 * live);
  if (plan.is_backward()) {
    const BackwardWork& wanted = plan.backward;
    const double back = (wanted.inverts_input ? 1 : 0) + (wanted.inverts_gradient ? 1 : 0);
    cost.total *= gradient_slowdown(plan.row_plan.rows()) * (wanted.tensors() + back) / 2;
    if (wanted.sums) cost.total += sums_bytes * static_cast<double>(plan.transform_length) / cache_bytes;
  }
  return cost;
}

// Measured on an H200, in times of the plain floor of a pair: clusters of 4 and of 8 blocks with rows of 16384 ...
double cluster_time(int blocks) { return blocks <= 4 ? 2.4 : 2.55; }

constexpr double cluster_samples = 0.7;  // ... what samples that do not exist save of it ...
constexpr double cluster_gates = 0.9;    // ... and what gates on both sides add, twice where all samples exist
constexpr double lone_split_row = 0.6;   // of a pair

Cost cluster_cost(const ClusterPlan& plan, const ConvConfig& config) {
  const double floor = 8 * static_cast<double>(plan.transform_length) / copy_bytes;
  const double turns = turns_of_pair(plan);
  const double live = static_cast<double>(plan.length) / static_cast<double>(plan.transform_length) / turns;
  const Work work = predict_work(plan, config);
  Cost cost;
  cost.memory = tensors(config) * 2 * 2 * static_cast<double>(plan.length) / copy_bytes;
  cost.matrix = work.matrix_products / matrix_products;
  cost.exchange = work.wavefronts / wavefronts;
  cost.total = turns * floor *
               (cluster_time(plan.columns.length()) - cluster_samples * (1 - live) +
                cluster_gates * (1 + live) * (tensors(config) - 2) / 2);
  return cost;
}

// What a batch of the config's size takes over so many halves of pairs: its last row may have no partner.
double lone_share(const Transform& plan, const ConvConfig& config, double lone) {
  if (config.batch % 2 == 0 || packed_rows(plan.packing) == 1) return 1;
  const int whole_pairs = config.batch / 2;
  const double pairs = whole_pairs;
  return (pairs + lone) / (config.batch / 2.0);
}

// Of a kernel of one block: copies overlap with the rest, of which a part is exposed.
Cost block_cost(const Transform& plan, const ConvConfig& config, const Counts& total, double exposed) {
  Cost cost;
  cost.memory = tensors(config) * 2 * 2 * static_cast<double>(plan.windows ? config.length : plan.length) / copy_bytes;
  if (config.row_alignment < 4) cost.memory *= 3;  // MEASURED.md, "Rows at odd addresses"
  cost.matrix = total.products / matrix_products;
  cost.general = total.instructions / issued;
  cost.exchange = total.wavefronts / wavefronts;
  const double beside = exposed * (cost.matrix + cost.general + cost.exchange);
  // The fourth norm: the larger of the two, and a little of the other.
  cost.total = std::pow(std::pow(cost.memory, 4) + std::pow(beside, 4), 0.25);
  if (!plan.windows) cost.total *= lone_share(plan, config, 1);
  return cost;
}

Cost cost_of(const InBlockPlan& plan, const ConvConfig& config) {
  Cost cost = block_cost(plan, config, tiled_counts(plan, config), exposed_tiled * partial_slowdown(plan, config));
  if (plan.rows() > 64) cost.total *= lone_pair;
  return cost;
}
Cost cost_of(const MixedRadixPlan& plan, const ConvConfig& config) {
  return block_cost(plan, config, general_counts(plan), exposed_general);
}
Cost cost_of(const FourStepPlan& plan, const ConvConfig& config) {
  Cost cost = split_cost(plan, config);
  cost.total *= lone_share(plan, config, lone_split_row);
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

}  // namespace ffc
