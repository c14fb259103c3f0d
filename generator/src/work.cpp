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

// Rows of shared memory that the first stage reads, or the last one writes, of so many of the butterfly's values:
// without those that are padding.
double live_slots(const Plan& plan, int butterflies, bool half) {
  if (!has_columns(plan)) return butterflies;
  if (!plan.tile_first()) return 8 * butterflies;
  return half ? 8 * plan.outer_butterfly : plan.slots();
}

// Products of the outer digits, on the way in or back.
double column_products(const Plan& plan, bool half) {
  if (!has_columns(plan)) return 0;
  const double tiles = static_cast<double>(column_items) * plan.outer_butterfly;
  if (plan.outer_tile == 8) return 2 * tiles;
  return (half ? 4 : 8) * tiles;
}

// What the butterfly digit's values take from shared memory, both ways.
double column_factor_wavefronts(const Plan& plan) {
  if (!has_columns(plan) || !has_butterfly(plan)) return 0;
  const double tables = column_items * (plan.outer_butterfly - 1);
  return 2 * tables * (plan.outer_tile == 8 ? 4 : tile_wavefronts);
}

// What the filter does not reach of a chunk is made zeros, in either row.
double reach_wavefronts(const ConvConfig& config, const Plan& plan) {
  if (!plan.windows || plan.windows->reach == plan.windows->read_back()) return 0;
  return has_in_gate(config.gating) && gates_in_shared(config, plan) ? 8 : 4;
}

double tiled_wavefronts(const Plan& plan, const ConvConfig& config) {
  const double loaded = plan.loaded_rows(), stored = static_cast<double>((plan.length + 255) / 256);
  const double slots = has_columns(plan) ? plan.slots() : plan.rows();
  const double read = live_slots(plan, plan.live_butterflies(), half_columns(plan));
  const double written = live_slots(plan, plan.stored_butterflies(), half_results(plan));
  double rows = loaded + stored + read + written;              // in, out, first and last stage
  if (has_columns(plan)) rows += 2 * slots + 2 * plan.rows();  // between the stages, and the middle one
  if (gates_in_shared(config, plan)) {
    if (has_in_gate(config.gating)) rows += loaded + read;
    if (has_out_gate(config.gating)) rows += 2 * stored;
  }
  if (plan.has_outer_twiddle() && plan.geometry.twiddle == Placement::shared) rows += factor_tiles(plan);
  if (plan.geometry.spectrum == Placement::shared) rows += factor_tiles(plan);
  return rows * tile_wavefronts + column_factor_wavefronts(plan) + reach_wavefronts(config, plan);
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
  work.matrix_products = 32.0 * plan.rows();
  work.matrix_products += column_products(plan, half_columns(plan)) + column_products(plan, half_results(plan));
  work.matrix_products += 32 * idle_rows(plan);
  work.wavefronts = tiled_wavefronts(plan, config) + idle_rows(plan) * tile_wavefronts;
  if (has_columns(plan) && plan.real_filter()) work.wavefronts += (plan.rows() % 2) * tile_wavefronts;
  if (plan.rows() > 1 && plan.real_filter() && plan.geometry.twiddle == Placement::global)
    work.bytes_read += factor_tiles(plan) * tile_bytes;
  if (plan.geometry.spectrum == Placement::global) work.bytes_read += factor_tiles(plan) * tile_bytes;
  work.barrier_arrivals = tiled_arrivals(plan);
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
  const double samples = halves_samples(plan) ? 0.5 : 1;  // of the tile's, that products read or write
  Work work;
  work.matrix_products = columns.length() * row.matrix_products +
                         2 * 4 * (samples + columns.products - 1) * tiles * columns.chunks * columns.sections();
  work.wavefronts = columns.length() * row.wavefronts;
  work.bytes_read = columns.length() * row.bytes_read + 2 * workspace;
  // Matrices, for every share of a tile; the scale, for every thread.
  const double shares = columns.sections() * std::max(1, columns.warps / columns.sections()) +
                        (columns.products - 1) * columns.butterfly * columns.warps;
  work.bytes_read += 2 * tiles * shares * tile_bytes + tiles * columns.warps * scale_bytes;
  work.bytes_written = 2 * workspace;
  // Columns come in, are read and written back twice, and go out, in either direction; as samples only where there are
  // any.
  const double live_rows = std::ceil(static_cast<double>(plan.length) / static_cast<double>(rows.fft_length));
  const double in_gate = has_in_gate(config.gating) ? 2 : 0, out_gate = has_out_gate(config.gating) ? 2 : 0;
  work.wavefronts +=
      (8 + (3 + in_gate) * samples + (1 + out_gate) * live_rows / columns.length()) * workspace / wavefront_bytes;
  // Of a tile of both directions: open, copied, multiplied twice, transformed, stored. Of a row: stored.
  const int row_warps = plan.row_plan->geometry.warps_per_group;
  work.barrier_arrivals = columns.length() * (row.barrier_arrivals + (row_warps > 1 ? row_warps : 0)) +
                          (columns.tiles > 1 ? 5 : 9) * tiles * columns.warps;
  return work;
}

// All windows of two rows: each reads a part of the one before again.
Work windows_work(const Plan& plan, const ConvConfig& config) {
  const Windows& windows = *plan.windows;
  const auto count = static_cast<double>(windows.count);
  Work work = tiled_work(plan, config);
  for (double* const value : {&work.matrix_products, &work.wavefronts, &work.bytes_read, &work.barrier_arrivals})
    *value *= count;
  // The first windows look back on less than the filter reaches: there the row begins.
  const std::int64_t early = std::min(windows.count - 1, windows.read_back() / windows.step);
  const std::int64_t read_again =
      early * (early + 1) / 2 * windows.step + (windows.count - 1 - early) * windows.read_back();
  work.bytes_read += 2 * 2 * static_cast<double>(read_again) * (has_in_gate(config.gating) ? 2 : 1);
  return work;
}

Work work_of_family(const Plan& plan, const ConvConfig& config) {
  switch (plan.family) {
    case Family::tiled:
      return plan.windows ? windows_work(plan, config) : tiled_work(plan, config);
    case Family::general:
      return general_work(plan);
    case Family::split:
      return split_work(plan, config);
  }
  return {};
}

}  // namespace

Work predict_work(const Plan& plan, const ConvConfig& config) {
  Work work = work_of_family(plan, config);
  const double row_bytes = 2 * 2 * static_cast<double>(plan.windows ? config.length : plan.length);
  const int gates = (has_in_gate(config.gating) ? 1 : 0) + (has_out_gate(config.gating) ? 1 : 0);
  work.bytes_read += (1 + gates) * row_bytes;
  work.bytes_written += row_bytes;
  return work;
}

}  // namespace ffc
