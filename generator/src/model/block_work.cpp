// Counts of a pair of rows in one block, from the plan alone.
#include "block_work.hpp"

#include <algorithm>
#include <cmath>

#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/windows.hpp"
#include "ffc/generator/work.hpp"
#include "kept_digits.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

constexpr double tile_wavefronts = 8;         // 1 KiB
constexpr double halves_bytes = 3 * 32 * 16;  // the matrix that a row's products of 8 share, read by a warp
constexpr double fractional_tiles = 2;        // the twiddle, and half a tile of the matrix there and back
constexpr int column_items = 16;              // tiles of 16 columns across a row

// Rows by outer frequency that are transformed.
double kept_rows(const InBlockPlan& plan) { return plan.rows() - static_cast<double>(dropped_rows(plan).size()); }

// Values of the butterfly digit, as a frequency, that are.
double kept_butterflies(const InBlockPlan& plan) {
  double kept = 0;
  for (int a = 0; a < plan.outer_butterfly; ++a) kept += keeps_butterfly(plan, a) ? 1 : 0;
  return kept;
}

// Products of a row, there and back.
double row_products(const InBlockPlan& plan) {
  if (plan.fractional_rows) return plan.row_sums == RowSums::rounded ? 20 : 24;
  return !plan.kept_inner.empty() ? 16 : !plan.kept_last.empty() ? 24 : 32;
}

// Factors are taken a couple at a time; each warp takes those of its first couple twice where rows / 2 is a row.
double factor_tiles(const InBlockPlan& plan) {
  if (!has_columns(plan)) return kept_rows(plan);
  const bool lone = plan.mirrors_rows() && plan.rows() % 2 == 0 && keeps_row(plan, 0);
  return (plan.couples_per_warp() + (lone ? 1 : 0)) * plan.geometry.warps_per_group;
}

// Rows of shared memory that the first stage reads, or the last one writes, of so many of the butterfly's values:
// without those that are padding.
double live_slots(const InBlockPlan& plan, int butterflies, bool half) {
  if (!has_columns(plan)) return butterflies;
  if (!plan.tile_first()) return 8 * butterflies;
  return half ? 8 * plan.outer_butterfly : plan.slots();
}

// Products of the outer digits, on the way in or back.
double column_products(const InBlockPlan& plan, bool half) {
  if (!has_columns(plan)) return 0;
  const double tiles = column_items * (plan.tile_first() ? plan.outer_butterfly : kept_butterflies(plan));
  if (plan.outer_tile == 8) return 2 * tiles;
  return (half || right_angle_rows(plan) ? 4 : 8) * tiles;
}

// How often a pair's warps read a matrix of the butterfly digit, either way.
double column_reads(const InBlockPlan& plan) {
  return keeps_column_matrices(plan) ? plan.geometry.warps_per_group : column_items;
}

// What the butterfly digit's values take from shared memory, both ways.
double column_factor_wavefronts(const InBlockPlan& plan) {
  if (!shares_column_factors(plan)) return 0;
  const double reads = column_reads(plan);
  if (plan.right_angle() || makes_column_matrices(plan)) return 2 * reads * column_factors(plan) * tile_wavefronts;
  const double values =
      plan.tile_first() ? plan.outer_butterfly : kept_butterflies(plan) + (keeps_butterfly(plan, 0) ? 0 : 1);
  const double tables = reads * (values - 1);
  return 2 * tables * (plan.outer_tile == 8 ? 4 : tile_wavefronts);
}

// Twiddles of the samples 256 apart that are in shared memory: 8 bytes a lane, there and back.
double shift_wavefronts(const InBlockPlan& plan) {
  return shares_shifts(plan) ? 4 * column_items * plan.outer_butterfly : 0;
}

// What the filter does not reach of a chunk is made zeros, in either row.
double reach_wavefronts(const ConvConfig& config, const InBlockPlan& plan) {
  if (!plan.windows || plan.windows->reach == plan.windows->read_back()) return 0;
  const double either = has_in_gate(config.gating) && gates_in_shared(config, plan) ? 8 : 4;
  return plan.right_angle() ? either / 2 : either;
}

// Rows of a couple, or of a row by itself.
double sides(const InBlockPlan& plan) { return plan.mirrors_rows() ? 2 : 1; }

// Rows of the middle stage, with those that warps without rows of their own compute and throw away.
double middle_rows(const InBlockPlan& plan) {
  if (!has_columns(plan)) return kept_rows(plan);
  return sides(plan) * plan.couples_per_warp() * plan.geometry.warps_per_group;
}

// Of a whole tile, what the spectrum of a row takes.
double spectrum_share(const InBlockPlan& plan) { return halves_rows(plan) ? 0.5 : 1; }

// Rows of 256 samples that are stored, of either plane.
double stored_plane_rows(const InBlockPlan& plan) {
  if (plan.windows && plan.right_angle()) return static_cast<double>(plan.windows->step) / 512;
  return static_cast<double>(((plan.windows ? plan.windows->step : plan.length) + 255) / 256);
}

// Of a pair's planes, what comes in and goes out.
double planes(const InBlockPlan& plan) { return right_angle_rows(plan) ? 0.5 : 1; }

double tiled_wavefronts(const InBlockPlan& plan, const ConvConfig& config) {
  const double loaded = plan.loaded_rows(), stored = stored_plane_rows(plan);
  const double read = live_slots(plan, plan.live_butterflies(), half_columns(plan));
  const double written = live_slots(plan, plan.stored_butterflies(), half_results(plan));
  double rows = planes(plan) * (loaded + stored + read + written);  // in, out, first and last stage
  if (has_columns(plan)) {
    rows += 2 * kept_butterflies(plan) * plan.slot_stride();  // between the stages
    rows += middle_rows(plan) + sides(plan) * plan.couples();
  }
  if (gates_in_shared(config, plan)) {
    if (has_in_gate(config.gating)) rows += planes(plan) * (loaded + read);
    if (has_out_gate(config.gating)) rows += planes(plan) * 2 * stored;
  }
  const bool twiddle_tiles = plan.geometry.twiddle == Placement::shared || plan.geometry.twiddle == Placement::steps;
  if (plan.has_outer_twiddle() && twiddle_tiles)
    rows += (plan.fractional_rows ? fractional_tiles : 1) * factor_tiles(plan);
  if (plan.geometry.spectrum == Placement::shared) rows += factor_tiles(plan) * spectrum_share(plan);
  if (plan.geometry.spectrum == Placement::staged) rows += 2 * factor_tiles(plan);  // copied in and read
  return rows * tile_wavefronts + column_factor_wavefronts(plan) + shift_wavefronts(plan) +
         reach_wavefronts(config, plan);
}

// Warps that arrive at barriers of several warps.
double tiled_arrivals(const InBlockPlan& plan) {
  const int warps = plan.geometry.warps_per_group;
  if (warps == 1) return 0;
  return warps * (2.0 + (copies_whole_rows(plan) ? 2 : 0));
}

double wavefronts_of_sums(const InBlockPlan& plan) {
  if (!plan.backward.sums || !has_columns(plan) || plan.geometry.sums == Placement::registers) return 0;
  const double lone = plan.rows() % 2 == 0 ? 1 : 0;
  const double tiles = plan.geometry.sums == Placement::shared
                           ? plan.couples() + lone
                           : plan.shared.resident_couples * plan.geometry.warps_per_group;
  return 2 * 2 * tile_wavefronts * tiles;  // in fp32, there and back
}

// Samples that the windows of a row read before their new ones: the first ones less, where the row begins.
double read_before(const Windows& windows) {
  const std::int64_t early = std::min(windows.count - 1, windows.read_back() / windows.step);
  return static_cast<double>(early * (early + 1) / 2 * windows.step +
                             (windows.count - 1 - early) * windows.read_back());
}

// Behind their new ones, of gradients: the last ones less, where it ends.
double read_behind(const Windows& windows, std::int64_t length) {
  std::int64_t samples = 0, window = windows.count;
  for (; window > 0; --window) {
    const std::int64_t left = length - window * windows.step;
    if (left >= windows.read_back()) break;
    samples += std::max<std::int64_t>(left, 0);
  }
  return static_cast<double>(samples + window * windows.read_back());
}

}  // namespace

Work times(Work work, double count) {
  for (double* const value :
       {&work.matrix_products, &work.wavefronts, &work.bytes_read, &work.bytes_written, &work.barrier_arrivals})
    *value *= count;
  return work;
}

Work tiled_work(const InBlockPlan& plan, const ConvConfig& config) {
  Work work;
  work.matrix_products = row_products(plan) * middle_rows(plan);
  work.matrix_products += column_products(plan, half_columns(plan)) + column_products(plan, half_results(plan));
  work.wavefronts = tiled_wavefronts(plan, config);
  if (plan.rows() > 1 && plan.real_filter() && plan.geometry.twiddle == Placement::global)
    work.bytes_read += factor_tiles(plan) * bytes_of_tile;
  if (plan.geometry.spectrum == Placement::global || plan.geometry.spectrum == Placement::staged)
    work.bytes_read += factor_tiles(plan) * spectrum_share(plan) * bytes_of_tile;
  if (has_column_factors(plan) && !shares_column_factors(plan))
    work.bytes_read += 2 * column_reads(plan) * column_factors(plan) * bytes_of_tile;
  // The scale of a channel that blocks come to with each pair.
  if (plan.geometry.walks_channels) work.bytes_read += plan.geometry.warps_per_group * bytes_of_scale;
  if (fills_registers(plan)) work.bytes_read += plan.geometry.warps_per_group * halves_bytes;
  work.barrier_arrivals = tiled_arrivals(plan);
  return work;
}

// Of the rows of gradients and what they are made of.
Work backward_row_bytes(const Transform& plan, const ConvConfig& config) {
  const BackwardWork& wanted = plan.backward;
  Work work;
  const double row_bytes = 2 * 2 * static_cast<double>(plan.windows ? config.length : plan.length);
  const Gradients& gradients = config.gradients;
  const double in_gate = has_in_gate(config.gating) ? 1 : 0, out_gate = has_out_gate(config.gating) ? 1 : 0;
  const double read = (wanted.transforms_input ? 1 + in_gate : 0) + (wanted.transforms_gradient ? 1 + out_gate : 0) +
                      (gradients.u ? in_gate : 0) + (gradients.w ? 1 : 0) + (gradients.v ? 1 : 0);
  work.bytes_read = read * row_bytes;
  if (plan.windows && wanted.looks_back()) work.bytes_read += 2 * 2 * (1 + in_gate) * read_before(*plan.windows);
  if (plan.windows && wanted.looks_ahead())
    work.bytes_read += 2 * 2 * (1 + out_gate) * read_behind(*plan.windows, config.length);
  work.bytes_written = ((gradients.u ? 1 : 0) + (gradients.w ? 1 : 0) + (gradients.v ? 1 : 0)) * row_bytes;
  return work;
}

namespace {

// Of both tensors there, and back of what is inverted. Where a warp holds the pair, u's frequencies wait in shared
// memory; where tensors take turns, in global memory.
Work backward_tiled_work(const InBlockPlan& plan, const ConvConfig& config) {
  const BackwardWork& wanted = plan.backward;
  const double there = wanted.tensors(), back = (wanted.inverts_input ? 1 : 0) + (wanted.inverts_gradient ? 1 : 0);
  const double turns = plan.geometry.in_turn ? there : 1,
               idle = has_columns(plan) ? middle_rows(plan) - plan.rows() : 0;
  const double products =
      there * column_products(plan, half_columns(plan)) + back * column_products(plan, half_results(plan));
  const double read_slots = live_slots(plan, plan.live_butterflies(), half_columns(plan));
  const double written_slots = live_slots(plan, plan.stored_butterflies(), half_results(plan));
  Work work;
  work.matrix_products = (there + back) * 16.0 * (plan.rows() + idle) + products;
  const double loaded = plan.loaded_rows(), stored = stored_plane_rows(plan);
  double rows = there * (loaded + read_slots) + back * (written_slots + stored);
  if (has_columns(plan)) {
    const double mirrored = plan.rows() + plan.rows() % 2;  // row 0 goes with itself where there is no other
    rows += there * (plan.slots() + plan.rows() + idle) + back * (mirrored + plan.slots());
  } else if (wanted.tensors() > 1) {
    rows += (1 + (wanted.sums ? 1 : 0) + (wanted.inverts_input ? 1 : 0)) * plan.rows();
  }
  const double chains = has_columns(plan) ? turns : there + (wanted.tensors() > 1 && wanted.inverts_input ? 1 : 0);
  const double twiddled = plan.has_outer_twiddle() ? chains * factor_tiles(plan) : 0;
  // Both tensors of a turn share it, and a turn of which nothing goes back takes none.
  const double multiplying = has_columns(plan) && !plan.geometry.in_turn ? std::min(back, 1.0) : back;
  const double multiplied = multiplying * factor_tiles(plan);
  const auto take = [&](Placement placement, double tiles) {
    if (placement == Placement::shared) rows += tiles;
    if (placement == Placement::global) work.bytes_read += tiles * bytes_of_tile;
  };
  take(plan.geometry.twiddle, twiddled);
  take(plan.geometry.spectrum, multiplied);
  work.wavefronts =
      rows * tile_wavefronts + (there + back) / 2 * column_factor_wavefronts(plan) + wavefronts_of_sums(plan);
  if (plan.windows) {
    work.wavefronts += static_cast<double>(plan.windows->gap) / 256 * tile_wavefronts;  // what the gap adds to results
    work = times(work, static_cast<double>(plan.windows->count));
  }
  const Work bytes = backward_row_bytes(plan, config);
  work.bytes_read += bytes.bytes_read;
  work.bytes_written = bytes.bytes_written;
  return work;
}

// Beside the rows that are read and written: so many transforms.
Work transforms_work(const InBlockPlan& plan, const ConvConfig& config, double count) {
  return times(tiled_work(plan, config), count);
}

// All windows of two rows: each reads a part of the one before again.
Work windows_work(const InBlockPlan& plan, const ConvConfig& config) {
  const Windows& windows = *plan.windows;
  const auto count = static_cast<double>(plan.right_angle() ? 2 * windows.count : windows.count);
  Work work = transforms_work(plan, config, count);
  work.bytes_read += 2 * 2 * read_before(windows) * (has_in_gate(config.gating) ? 2 : 1);
  return work;
}

}  // namespace

Work block_work(const InBlockPlan& plan, const ConvConfig& config) {
  if (plan.is_backward()) return backward_tiled_work(plan, config);
  if (right_angle_rows(plan)) return transforms_work(plan, config, 2);  // of two rows
  return plan.windows ? windows_work(plan, config) : tiled_work(plan, config);
}

}  // namespace ffc
