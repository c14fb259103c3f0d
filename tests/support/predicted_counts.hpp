// What a kernel counts on the host beside what its plan predicts, for tests that hold one to the other.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>

#include "conv_run.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "ffc/generator/work.hpp"
#include "length_config.hpp"

namespace ffc::conv_tests {

// Counts of so many rows of each channel.
inline HostCounts counts_of_rows(const Kernel& kernel, int batch_rows, int channels = 1) {
  const auto machine = Machine::host();
  const ConvConfig& config = kernel.config();
  const auto length = static_cast<std::size_t>(config.length);
  const auto count = static_cast<std::size_t>(batch_rows * channels) * length;
  const Buffer rows = Buffer::of(machine, std::vector<std::uint16_t>(count, 0x3c00));
  const Buffer y(machine, 2 * count);
  const Buffer k =
      Buffer::of(machine, std::vector<float>(static_cast<std::size_t>(channels * config.filter_length), 0.01f));
  LaunchArguments arguments;
  arguments.u = {rows.data(), channels * config.length, config.length};
  if (has_in_gate(config.gating)) arguments.w = arguments.u;
  if (has_out_gate(config.gating)) arguments.v = arguments.u;
  arguments.y = {y.data(), channels * config.length, config.length};
  arguments.batch = batch_rows;
  arguments.channels = channels;
  arguments.spectrum = kernel.prepare_filter({k.at<float>(0), nullptr, config.filter_length, channels});
  HostOptions options;
  options.slices = 1;
  return profile(kernel, arguments, options);
}

inline HostCounts counts_of(const Kernel& kernel, int pairs) { return counts_of_rows(kernel, 2 * pairs); }

// What a split plan does on the host beside its prediction, which is of a full ring on a GPU whose blocks keep their
// frequencies.
struct HostExtra {
  double wavefronts = 0, barrier_arrivals = 0, bytes_read = 0;
};

// One product makes all the rows of frequencies that a mask keeps of a column.
inline bool contracts_kept(const FourStepPlan& plan, const SplitLaunch& split) {
  const ColumnShape& columns = plan.columns;
  const bool halves = 2 * plan.length <= plan.transform_length;
  return plan.sparsity > 0 && split.spectrum_rows <= 16 && columns.butterfly > 1 &&
         (!halves || columns.butterfly % 2 == 0);
}

// Of a unit of columns, for a tile that comes or leaves by itself: it need not wait for a pair that leaves.
inline int turn_barriers(const FourStepPlan& plan, const ConvConfig& config, const SplitLaunch& split) {
  const ColumnShape& columns = plan.columns;
  const bool both = columns.tiles > 1;
  const int spared = !contracts_kept(plan, split)                       ? 0
                     : !both                                            ? 2
                     : columns.gate_tile && config.gating != Gating::in ? 0
                                                                        : 1;
  return (both ? 4 : 7) - spared;
}

// Of blocks that walk over channels: a group keeps the spectrum that it has read for its first row or window, and reads
// the power of two that a spectrum lacks for each.
inline HostExtra walk_extra(const InBlockPlan& plan, bool lacks_power, int few, int more) {
  if (!plan.geometry.walks_channels) return {};
  const std::int64_t items_of_pair = 2 * (plan.windows ? plan.windows->count : 1);
  const auto working = [&](int pairs) { return std::min<std::int64_t>(plan.geometry.groups, pairs * items_of_pair); };
  HostExtra extra;
  if (plan.geometry.spectrum == Placement::registers)
    extra.bytes_read = 1024.0 * static_cast<double>(working(more) - working(few)) * plan.factor_rows();
  if (lacks_power)
    extra.bytes_read += 4.0 * static_cast<double>((more - few) * items_of_pair) * plan.geometry.group_threads();
  return extra;
}

// A block makes the twiddles of every frequency anew for each round of its groups over the rows; and until the ring is
// full, pairs come and leave by themselves, with barriers of their own. Of rows one by one a pair is two, with a place
// each. A spectrum that blocks keep is read for every row, as they are at another frequency before the next one.
inline HostExtra split_extra(const FourStepPlan& plan, const ConvConfig& config, const SplitLaunch& split,
                             bool lacks_power, int ring, int few, int more) {
  const InBlockPlan& rows = plan.row_plan;
  const int places_of_pair = 2 / packed_rows(plan.packing);
  const int items_of_pair = rows.rows() <= 2 ? places_of_pair : 2;  // a row with its mirror, or one
  const int taken = std::min(rows.geometry.groups, ring * items_of_pair / places_of_pair);
  const auto rounds = [&](int pairs) { return (items_of_pair * pairs + taken - 1) / taken; };
  const double made = (rounds(more) - rounds(few)) * split.spectrum_rows;
  const double row = static_cast<double>(plan.transform_length) / plan.columns.length();
  const double tiles_of_place = row / plan.columns.columns() / (plan.packing == Packing::half_length ? 2 : 1);
  HostExtra extra;
  if (rows.geometry.twiddle == Placement::shared) extra.wavefronts = made * rows.factor_rows() * 8;
  if (rows.geometry.twiddle == Placement::steps) extra.wavefronts = made * 8 * rows.outer_butterfly / 32;
  // Matrices down the rows' columns that carry the twiddles of the samples 256 apart.
  if (rows.tile_first() && rows.outer_butterfly > 1) extra.wavefronts += made * 2 * rows.outer_butterfly * 8;
  const int warps = rows.geometry.threads() / 32;
  extra.barrier_arrivals = made * 2 * warps;
  extra.barrier_arrivals += (std::min(places_of_pair * more, ring) - places_of_pair * few) *
                            turn_barriers(plan, config, split) * tiles_of_place * plan.columns.warps;
  // Where a mask's row of frequencies is, every thread looks up, and those that work on a row where the next one is.
  const double rows_worked_on = static_cast<double>(items_of_pair) * (more - few) * split.spectrum_rows;
  if (!plan.kept_columns.empty())
    extra.bytes_read += (made * rows.geometry.threads() + rows_worked_on * rows.geometry.group_threads()) * 4;
  const int rows_of_pair =
      plan.columns.length() * (plan.right_angle() ? 2 : 1) + (plan.packing == Packing::half_length ? 2 : 0);
  if (rows.geometry.spectrum == Placement::registers)
    extra.bytes_read += 1024.0 * (more - few) * rows_of_pair * rows.factor_rows();
  // The power of two that a spectrum lacks, every thread of a row.
  if (lacks_power) extra.bytes_read += 4.0 * (more - few) * rows_of_pair * rows.geometry.group_threads();
  return extra;
}

inline int groups_of(const Plan& plan) {
  if (const ColumnsAndRowsPlan* const split = plan.columns_and_rows()) return split->row_plan.geometry.groups;
  const auto* const block = plan.as<InBlockPlan>();
  return block != nullptr ? block->geometry.groups : 1;
}

inline HostExtra host_extra(const Plan& plan, const ConvConfig& config, const Generated& generated, int ring, int few,
                            int more) {
  const bool lacks_power = generated.filter_steps == 2;
  if (generated.split)
    return split_extra(*plan.as<FourStepPlan>(), config, *generated.split, lacks_power, ring, few, more);
  const auto* const block = plan.as<InBlockPlan>();
  return block != nullptr ? walk_extra(*block, lacks_power, few, more) : HostExtra{};
}

// Of `more` pairs beyond `few`: what a block does once is in both. `most_conflicts`: of the wavefronts, beside those
// that are predicted.
inline void check_counts(const ConvConfig& config, double most_conflicts = 0) {
  const auto kernel = get_kernel(config, Device::host());
  CAPTURE(kernel->name());
  const Plan plan = make_plans(kernel->config()).front();
  const Work work = predict_work(plan, kernel->config());
  const int few = 1, more = 2 + groups_of(plan);
  const std::optional<SplitLaunch>& split = kernel->generated().split;
  const std::int64_t ring = split ? split->ring_of(static_cast<std::int64_t>(kernel->workspace_bytes())) : few;
  const HostExtra extra = host_extra(plan, kernel->config(), kernel->generated(), static_cast<int>(ring), few, more);
  const HostCounts one = counts_of(*kernel, few), two = counts_of(*kernel, more);
  const double pairs = more - few;
  CHECK(static_cast<double>(two.matrix_products - one.matrix_products) == pairs * work.matrix_products);
  CHECK(static_cast<double>(two.bytes_written - one.bytes_written) == pairs * work.bytes_written);
  if (plan.family() == Family::general) return;
  CHECK(static_cast<double>(two.bytes_read - one.bytes_read) == pairs * work.bytes_read + extra.bytes_read);
  const double wavefronts = static_cast<double>(two.wavefronts - one.wavefronts);
  const double predicted = pairs * work.wavefronts + extra.wavefronts;
  CHECK(wavefronts >= predicted);
  CHECK(wavefronts <= (1 + most_conflicts) * predicted);
  CHECK(static_cast<double>(two.block_barriers - one.block_barriers) ==
        pairs * work.barrier_arrivals + extra.barrier_arrivals);
  if (most_conflicts > 0) return;
  CHECK(two.conflicts == 0);
  for (const HostSite& site : two.sites) {
    CAPTURE(site.line);
    CAPTURE(site.text);
    CHECK(site.conflicts == 0);
  }
}

inline ConvConfig config_of_counts(std::int64_t n, std::int64_t length, Gating gating) {
  ConvConfig config = circular_or_padded(n, length);
  config.gating = gating;
  config.arch = "sm_90a";
  return config;
}

}  // namespace ffc::conv_tests
