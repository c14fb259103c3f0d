// Counts of one pair of rows, from the plan alone: what a kernel run on the host is held against.
#include <algorithm>
#include <cmath>

#include "ffc/generator/plan.hpp"
#include "split_plan.hpp"
#include "tiled_stages.hpp"
#include "tiled_tables.hpp"

namespace ffc {
namespace {

constexpr double tile_wavefronts = 8;  // 1 KiB
constexpr double tile_bytes = 1024;
constexpr double wavefront_bytes = 128;
constexpr double scale_bytes = 32 * 4;  // of a warp's lanes
constexpr int column_items = 16;        // tiles of 16 columns across a row

// Factors are taken a couple at a time; each warp takes those of its first couple twice where rows / 2 is a row.
double factor_tiles(const Plan& plan) {
  if (!has_columns(plan)) return plan.outer_butterfly;
  const bool lone = plan.real_filter() && plan.rows() % 2 == 0;
  return (plan.couples_per_warp() + (lone ? 1 : 0)) * plan.geometry.warps_per_group;
}

// Rows of shared memory that the first stage reads, and the last one writes: without those that are padding.
double live_slots(const Plan& plan) {
  if (!has_columns(plan)) return plan.live_butterflies();
  if (!plan.tile_first()) return 8 * plan.live_butterflies();
  return half_columns(plan) ? 8 * plan.outer_butterfly : plan.slots();
}

// Products of the outer digits, on the way in or back.
double column_products(const Plan& plan) {
  if (!has_columns(plan)) return 0;
  const double tiles = static_cast<double>(column_items) * plan.outer_butterfly;
  if (plan.outer_tile == 8) return 2 * tiles;
  return (half_columns(plan) ? 4 : 8) * tiles;
}

// What the butterfly digit's values take from shared memory, both ways.
double column_factor_wavefronts(const Plan& plan) {
  if (!has_columns(plan) || !has_butterfly(plan)) return 0;
  const double tables = column_items * (plan.outer_butterfly - 1);
  return 2 * tables * (plan.outer_tile == 8 ? 4 : tile_wavefronts);
}

double tiled_wavefronts(const Plan& plan, const ConvConfig& config) {
  const double loaded = plan.loaded_rows(), stored = static_cast<double>((plan.length + 255) / 256);
  const double slots = has_columns(plan) ? plan.slots() : plan.rows();
  double rows = loaded + stored + 2 * live_slots(plan);        // in, out, first and last stage
  if (has_columns(plan)) rows += 2 * slots + 2 * plan.rows();  // between the stages, and the middle one
  if (gates_in_shared(config, plan)) {
    if (has_in_gate(config.gating)) rows += loaded + live_slots(plan);
    if (has_out_gate(config.gating)) rows += 2 * stored;
  }
  if (plan.has_outer_twiddle() && plan.geometry.twiddle == Placement::shared) rows += factor_tiles(plan);
  if (plan.geometry.spectrum == Placement::shared) rows += factor_tiles(plan);
  return rows * tile_wavefronts + column_factor_wavefronts(plan);
}

// Warps that arrive at barriers of several warps.
double tiled_arrivals(const Plan& plan) {
  const int warps = plan.geometry.warps_per_group;
  if (warps == 1) return 0;
  return warps * (2.0 + (copies_whole_rows(plan) ? 2 : 0));
}

// Rows that warps without rows of their own compute and throw away.
double idle_rows(const Plan& plan) {
  if (!has_columns(plan)) return 0;
  const int side = plan.real_filter() ? 2 : 1;
  return static_cast<double>(side) * plan.couples_per_warp() * plan.geometry.warps_per_group - plan.rows();
}

Work tiled_work(const Plan& plan, const ConvConfig& config) {
  Work work;
  work.matrix_products = 32.0 * plan.rows() + 2 * column_products(plan);
  work.matrix_products += 32 * idle_rows(plan);
  work.wavefronts = tiled_wavefronts(plan, config) + idle_rows(plan) * tile_wavefronts;
  if (has_columns(plan) && plan.real_filter()) work.wavefronts += (plan.rows() % 2) * tile_wavefronts;
  if (plan.rows() > 1 && plan.real_filter() && plan.geometry.twiddle == Placement::global)
    work.bytes_read += factor_tiles(plan) * tile_bytes;
  if (plan.geometry.spectrum == Placement::global) work.bytes_read += factor_tiles(plan) * tile_bytes;
  work.barrier_arrivals = tiled_arrivals(plan);
  return work;
}

double wavefronts_of_sums(const Plan& plan) {
  if (!plan.backward.sums || !has_columns(plan) || plan.geometry.sums != Placement::shared) return 0;
  const double lone = plan.rows() % 2 == 0 ? 1 : 0;
  return 2 * 2 * tile_wavefronts * (plan.couples() + lone);  // in fp32, there and back
}

// Of both tensors there, and back of what is inverted. Where a warp holds the pair, u's frequencies wait in shared
// memory; where tensors take turns, in global memory.
Work backward_tiled_work(const Plan& plan, const ConvConfig& config) {
  const BackwardWork& wanted = plan.backward;
  const double there = wanted.tensors(), back = (wanted.inverts_input ? 1 : 0) + (wanted.inverts_gradient ? 1 : 0);
  const double turns = plan.geometry.in_turn ? there : 1, idle = idle_rows(plan);
  Work work;
  work.matrix_products = (there + back) * (16.0 * (plan.rows() + idle) + column_products(plan));
  const double loaded = plan.loaded_rows(), stored = static_cast<double>((plan.length + 255) / 256);
  double rows = there * (loaded + live_slots(plan)) + back * (live_slots(plan) + stored);
  if (has_columns(plan)) {
    const double mirrored = plan.rows() + plan.rows() % 2;  // row 0 goes with itself where there is no other
    rows += there * (plan.slots() + plan.rows() + idle) + back * (mirrored + plan.slots());
  } else if (wanted.tensors() > 1) {
    rows += (1 + (wanted.sums ? 1 : 0) + (wanted.inverts_input ? 1 : 0)) * plan.rows();
  }
  const double chains = has_columns(plan) ? turns : there + (wanted.tensors() > 1 && wanted.inverts_input ? 1 : 0);
  const double twiddled = plan.has_outer_twiddle() ? chains * factor_tiles(plan) : 0;
  const double multiplied = wanted.needs_spectrum() ? (has_columns(plan) ? chains : back) * factor_tiles(plan) : 0;
  const auto take = [&](Placement placement, double tiles) {
    if (placement == Placement::shared) rows += tiles;
    if (placement == Placement::global) work.bytes_read += tiles * tile_bytes;
  };
  take(plan.geometry.twiddle, twiddled);
  take(plan.geometry.spectrum, multiplied);
  work.wavefronts =
      rows * tile_wavefronts + (there + back) / 2 * column_factor_wavefronts(plan) + wavefronts_of_sums(plan);
  const double row_bytes = 2 * 2 * static_cast<double>(plan.length);
  const Gradients& gradients = config.gradients;
  const double in_gate = has_in_gate(config.gating) ? 1 : 0, out_gate = has_out_gate(config.gating) ? 1 : 0;
  const double read = (wanted.transforms_input ? 1 + in_gate : 0) + (wanted.transforms_gradient ? 1 + out_gate : 0) +
                      (gradients.u ? in_gate : 0) + (gradients.w ? 1 : 0) + (gradients.v ? 1 : 0);
  work.bytes_read += read * row_bytes;
  work.bytes_written = ((gradients.u ? 1 : 0) + (gradients.w ? 1 : 0) + (gradients.v ? 1 : 0)) * row_bytes;
  return work;
}

Work general_work(const Plan& plan) {
  Work work;
  const std::int64_t points = plan.transform_length / plan.sweeps;
  for (std::size_t digit = plan.sweeps > 1 ? 1 : 0; digit < plan.digits.size(); ++digit) {
    const int radix = plan.digits[digit].radix;
    const std::int64_t tiles = (radix + 15) / 16, groups = (points / radix + 7) / 8;
    work.matrix_products += static_cast<double>(2 * plan.sweeps * groups * tiles * tiles * 4);
  }
  return work;
}

// Both passes over the columns, and R rows; the workspace is written and read twice.
Work split_work(const Plan& plan, const ConvConfig& config) {
  const ConvConfig rows = row_config(config, plan);
  const ColumnShape& columns = plan.columns;
  const Work row = tiled_work(*plan.row_plan, rows);
  const double tiles = static_cast<double>(rows.fft_length) / columns.columns();
  const double workspace = 4 * static_cast<double>(plan.transform_length);
  Work work;
  work.matrix_products = columns.length() * row.matrix_products + 2 * 4 * tiles * columns.chunks * columns.butterfly;
  work.wavefronts = columns.length() * row.wavefronts;
  work.bytes_read = columns.length() * row.bytes_read + 2 * workspace;
  // Matrices, for every share of a tile; the scale, for every thread.
  const double shares = columns.butterfly * std::max(1, columns.warps / columns.butterfly);
  work.bytes_read += 2 * tiles * shares * tile_bytes + tiles * columns.warps * scale_bytes;
  work.bytes_written = 2 * workspace;
  // Columns come in, are read and written back twice, and go out, in either direction; out only where there are
  // samples.
  const double live_rows = std::ceil(static_cast<double>(plan.length) / static_cast<double>(rows.fft_length));
  const double in_gate = has_in_gate(config.gating) ? 2 : 0, out_gate = has_out_gate(config.gating) ? 2 : 0;
  work.wavefronts += (11 + in_gate + (1 + out_gate) * live_rows / columns.length()) * workspace / wavefront_bytes;
  // Of a tile of both directions: open, copied, multiplied twice, transformed, stored. Of a row: stored.
  const int row_warps = plan.row_plan->geometry.warps_per_group;
  work.barrier_arrivals = columns.length() * (row.barrier_arrivals + (row_warps > 1 ? row_warps : 0)) +
                          (columns.tiles > 1 ? 5 : 9) * tiles * columns.warps;
  return work;
}

Work work_of_family(const Plan& plan, const ConvConfig& config) {
  switch (plan.family) {
    case Family::tiled:
      return tiled_work(plan, config);
    case Family::general:
      return general_work(plan);
    case Family::split:
      return split_work(plan, config);
  }
  return {};
}

}  // namespace

Work predict_work(const Plan& plan, const ConvConfig& config) {
  if (plan.is_backward()) return backward_tiled_work(plan, config);
  Work work = work_of_family(plan, config);
  const double row_bytes = 2 * 2 * static_cast<double>(plan.length);
  const int gates = (has_in_gate(config.gating) ? 1 : 0) + (has_out_gate(config.gating) ? 1 : 0);
  work.bytes_read += (1 + gates) * row_bytes;
  work.bytes_written += row_bytes;
  return work;
}

}  // namespace ffc
