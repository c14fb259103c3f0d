// Counts of a pair of rows as columns and rows.
#include "split_work.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "block_work.hpp"
#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/work.hpp"
#include "kept_digits.hpp"
#include "split_shape.hpp"

namespace ffc {
namespace {

// Rows of M frequencies of a pair. Two rows one by one have R / 2 + 1 each.
double convolved_rows(const FourStepPlan& plan) {
  return workspace_rows(plan) + (plan.packing == Packing::half_length ? 2 : 0);
}

// Barriers of a unit for a tile of either direction: open, copied, multiplied twice, stored, and in turn copied and
// transformed by itself.
int turn_barriers(const FourStepPlan& plan, const ConvConfig& config) {
  const bool both = plan.columns.tiles > 1, out_gates = has_out_gate(config.gating) && plan.columns.gate_tile;
  const int spared = !contracts_kept(plan) ? 0 : !both ? 2 : out_gates ? 0 : 1;
  return (both ? 5 : 8) - spared;
}

// Of a column's blocks of 16 rows of frequencies, those that any kept row is in.
double kept_share_of_blocks(const FourStepPlan& plan) {
  return drops_blocks(plan) ? static_cast<double>(std::popcount(kept_blocks(plan))) / plan.columns.butterfly : 1;
}

// How often a tile's rows are read and written between samples and frequencies, both ways: by products and by what
// comes behind them. Where one product does all, they are slots for 32 rows of frequencies, written, and copied in and
// read.
double passes_between(const FourStepPlan& plan) {
  return contracts_kept(plan) ? 3 * 32.0 / plan.columns.length() : 4 + 3 * kept_share_of_blocks(plan);
}

// How often a tile's warps read a matrix, either way.
double matrix_reads(const FourStepPlan& plan) {
  const ColumnShape& columns = plan.columns;
  if (contracts_kept(plan)) return columns.sections() * columns.warps * (halves_samples(plan) ? 0.5 : 1);
  return columns.sections() * std::max(1, columns.warps / columns.sections()) +
         (columns.products - 1) * columns.butterfly * columns.warps;
}

// Both passes over the columns of a place, and its rows; the workspace is written and read twice.
Work split_place_work(const FourStepPlan& plan, const ConvConfig& config) {
  const ConvConfig rows = row_config(config, plan);
  const ColumnShape& columns = plan.columns;
  const Work row = tiled_work(plan.row_plan, rows);
  const double tiles = static_cast<double>(rows.fft_length) / columns.columns();
  const double parts = plan.right_angle() ? 0.5 : 1;          // that samples have, of both
  const double samples = halves_samples(plan) ? 0.5 : parts;  // of the tile's, that products read or write
  const double tile_bytes_of_all = 4 * static_cast<double>(plan.transform_length);
  const double rows_kept = workspace_rows(plan), share = rows_kept / columns.length();
  const double workspace = share * tile_bytes_of_all;
  const double rows_done = convolved_rows(plan);
  Work work;
  work.matrix_products = rows_done * row.matrix_products +
                         2 * 4 * (samples + columns.products - 1) * tiles * columns.chunks * columns.sections();
  work.wavefronts = rows_done * row.wavefronts;
  work.bytes_read = rows_done * row.bytes_read + 2 * workspace;
  // Of two rows one by one, four rows of frequencies are their own mirrors, which come twice.
  if (plan.packing == Packing::half_length) work.bytes_read += 4 * 0.5 * 4 * static_cast<double>(rows.fft_length);
  // Where rows are dropped, a lane looks up where each of its chunks lies, in both parts.
  if (share < 1 && !contracts_kept(plan))
    work.bytes_read += tiles * 2 * (rows_kept + kept_share_of_blocks(plan) * columns.length()) * columns.chunks * 4;
  // The scale of either row is read by every thread.
  const double matrices = 2 * tiles * matrix_reads(plan) * bytes_of_tile;
  (columns.shared_matrices ? work.wavefronts : work.bytes_read) +=
      columns.shared_matrices ? matrices / bytes_of_wavefront : matrices;
  work.bytes_read += 2 * parts * tiles * columns.warps * bytes_of_scale;
  work.bytes_written = 2 * workspace;
  // Columns come in, are read and written back twice, and go out, in either direction; as samples only where there are
  // any.
  const double live_rows = std::ceil(static_cast<double>(plan.length) / static_cast<double>(rows.fft_length));
  const double in_gate = has_in_gate(config.gating) ? 2 : 0, out_gate = has_out_gate(config.gating) ? 2 : 0;
  work.wavefronts +=
      (passes_between(plan) + share + (3 + in_gate) * samples + (1 + out_gate) * parts * live_rows / columns.length()) *
      tile_bytes_of_all / bytes_of_wavefront;
  // And of their own mirrors half is stored.
  if (plan.packing == Packing::half_length)
    work.wavefronts -= 4 * 0.5 / columns.length() * tile_bytes_of_all / bytes_of_wavefront;
  // Of a row: stored.
  const int row_warps = plan.row_plan.geometry.warps_per_group;
  work.barrier_arrivals = rows_done * (row.barrier_arrivals + (row_warps > 1 ? row_warps : 0)) +
                          turn_barriers(plan, config) * tiles * columns.warps;
  return work;
}

// Of two rows that have a place each, twice that.
Work forward_work(const FourStepPlan& plan, const ConvConfig& config) {
  return times(split_place_work(plan, config), plan.right_angle() ? 2 : 1);
}

// What both tensors take there, and what is inverted back: half of a convolution's work each way.
Work backward_split_work(const FourStepPlan& plan, const ConvConfig& config) {
  const BackwardWork& wanted = plan.backward;
  const double back = (wanted.inverts_input ? 1 : 0) + (wanted.inverts_gradient ? 1 : 0);
  ConvConfig ungated = config;
  ungated.gating = Gating::none;
  FourStepPlan forward = plan;
  forward.backward = {};
  Work work = forward_work(forward, ungated);
  for (double* const value : {&work.matrix_products, &work.wavefronts, &work.bytes_read, &work.bytes_written})
    *value *= (wanted.tensors() + back) / 2;
  const Work rows = backward_row_bytes(plan, config);
  work.bytes_read += rows.bytes_read;
  work.bytes_written += rows.bytes_written;
  return work;
}

}  // namespace

Work split_work(const FourStepPlan& plan, const ConvConfig& config) {
  return plan.is_backward() ? backward_split_work(plan, config) : forward_work(plan, config);
}

// R rows, each in the memory of its block; their columns come and go in registers.
Work cluster_work(const ClusterPlan& plan, const ConvConfig& config) {
  const ConvConfig rows = row_config(config, plan);
  const Work row = tiled_work(plan.row_plan, rows);
  const double count = (plan.right_angle() ? 2 : 1) * plan.columns.length();
  Work work;
  work.matrix_products = count * row.matrix_products;
  work.bytes_read = count * (row.bytes_read + plan.columns.warps * bytes_of_scale);
  work.wavefronts = count * row.wavefronts;
  work.barrier_arrivals = count * 2 * plan.row_plan.geometry.warps_per_group;
  return work;
}

}  // namespace ffc
