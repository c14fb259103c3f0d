// What follows from a tiled plan: what its kernel has, and what it leaves out.
#pragma once

#include <cstdint>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// Bytes of the float32 sums of a row of 256 frequencies.
inline constexpr int sums_tile_bytes = 2048;

[[nodiscard]] inline bool has_columns(const InBlockPlan& plan) { return plan.outer_tile > 1; }

[[nodiscard]] inline bool has_butterfly(const InBlockPlan& plan) { return plan.outer_butterfly > 1; }

/// Samples of pairs that 8 values of the outer tile digit hold: half a tile down the columns, as rows of samples are 8
/// or fewer of 9 to 16. Of tiles below 16 whole rows without a butterfly: the others were not timed.
[[nodiscard]] inline bool fits_half_tiles(const InBlockPlan& plan, std::int64_t length) {
  constexpr std::int64_t values = 8, row_samples = 256;
  if (!plan.tile_first() || plan.right_angle()) return false;
  if (plan.outer_tile < 16 && (has_butterfly(plan) || plan.windows)) return false;
  return length <= values * plan.outer_butterfly * row_samples;
}

/// Of shared memory, for what a delay moves behind the samples of a row, or of both rows of a pair: a chunk of each of
/// four tensors. A group has two such places.
[[nodiscard]] inline int ends_bytes(const InBlockPlan& plan) {
  return (plan.packing == Packing::two_rows ? 2 : 1) * 4 * 16;
}

/// Half of the outer tile digit's samples are padding: its first product shrinks to half.
[[nodiscard]] inline bool half_columns(const InBlockPlan& plan) { return fits_half_tiles(plan, plan.loaded_length()); }

/// The inner digits' products are halved.
[[nodiscard]] inline bool halves_rows(const InBlockPlan& plan) {
  return !plan.kept_inner.empty() || !plan.kept_last.empty();
}

/// Half of what the last product makes is padding, or the halo of a window: the product shrinks to half.
[[nodiscard]] inline bool half_results(const InBlockPlan& plan) { return fits_half_tiles(plan, plan.length); }

/// The first products down the columns contract fewer rows than they take from shared memory: slots between hold no
/// samples.
[[nodiscard]] inline bool has_slots_between(const InBlockPlan& plan) {
  return plan.outer_tile > 8 && plan.outer_tile < 16 && !half_columns(plan);
}

/// 16-byte entries of the column twiddles per value of the butterfly digit.
[[nodiscard]] inline int column_twiddle_entries(const InBlockPlan& plan) { return plan.outer_tile == 8 ? 4 : 128; }

/// The matrix of the products down the columns.
enum class ColumnMatrix {
  none,     ///< no such products
  radix8,   ///< of 8, as a real matrix of 16
  radix16,  ///< that of the inner digits
  own,      ///< of 9 to 15, padded
  halves,   ///< of a real row: that of frequencies 0 and radix / 2 of the butterfly, those of the ones between
  between,  ///< at frequencies k + 1/4: each value of the butterfly digit has others, there and back
  made      ///< of a split plan's rows: carries the twiddles of the samples 256 apart, by a block for its frequency
};

[[nodiscard]] inline ColumnMatrix column_matrix(const InBlockPlan& plan) {
  if (!has_columns(plan)) return ColumnMatrix::none;
  if (plan.half_spectrum()) return ColumnMatrix::halves;
  if (!plan.tile_first()) return ColumnMatrix::radix8;
  if (!plan.real_filter() && !plan.in_cluster()) return ColumnMatrix::made;
  if (plan.right_angle()) return ColumnMatrix::between;
  return plan.outer_tile == 16 ? ColumnMatrix::radix16 : ColumnMatrix::own;
}

/// Of a split plan's rows: the twiddles of the samples 256 apart are factors of their own.
[[nodiscard]] inline bool has_shifts(const InBlockPlan& plan) {
  return !plan.real_filter() && plan.rows() > 1 && column_matrix(plan) != ColumnMatrix::made;
}

/// Values of the butterfly digit that have some: all but 0, and at frequencies between that one too, whose matrices
/// carry the part of a frequency. Those that a block makes are in registers where there is no butterfly.
[[nodiscard]] inline int column_factors(const InBlockPlan& plan) {
  if (column_matrix(plan) == ColumnMatrix::made) return plan.outer_butterfly > 1 ? plan.outer_butterfly : 0;
  if (plan.half_spectrum()) return plan.frequency_butterflies();
  return plan.outer_butterfly - (plan.right_angle() ? 0 : 1);
}

[[nodiscard]] inline bool has_column_factors(const InBlockPlan& plan) {
  return plan.outer_tile > 1 && column_factors(plan) > 0;
}

/// Of gradients: tiles of a spectrum in the order of halved products are put in their own on the way to shared memory.
[[nodiscard]] bool puts_spectrum_in_order(const InBlockPlan& plan);

/// Rows are transformed alone as real parts, without imaginary ones, and the real parts of what comes back are theirs.
[[nodiscard]] inline bool right_angle_rows(const InBlockPlan& plan) { return plan.right_angle() && !plan.windows; }

/// Samples of one row are all that is in shared memory before the first stage and behind the last.
[[nodiscard]] inline bool real_rows(const InBlockPlan& plan) { return right_angle_rows(plan) || plan.half_spectrum(); }

/// There are one or two of those matrices each way, which are read once a stage; more are read once an item, or would
/// spill, as they would in kernels that hold more than a pair.
[[nodiscard]] inline bool keeps_column_matrices(const InBlockPlan& plan) {
  if (!plan.tile_first() || !has_column_factors(plan) || plan.outer_butterfly > 2) return false;
  return plan.right_angle() ||
         (plan.real_filter() && !plan.is_backward() && !half_columns(plan) && !half_results(plan));
}

/// Half of the butterfly's inputs are padding, which saves it a level.
[[nodiscard]] inline bool half_butterfly(const InBlockPlan& plan) {
  return plan.outer_butterfly % 2 == 0 && 2 * plan.live_butterflies() == plan.outer_butterfly;
}

[[nodiscard]] inline bool copies_whole_rows(const InBlockPlan& plan) {
  return plan.geometry.whole_rows && has_columns(plan);
}

/// All that comes in of the next pair is copied ahead into a stage.
[[nodiscard]] inline bool stages_all(const InBlockPlan& plan) {
  return plan.geometry.staged_rows == (real_rows(plan) ? 1 : 2);
}

/// Chunks of 16 bytes that a thread of a group copies of so many rows of 256 samples.
[[nodiscard]] inline int chunks_of_thread(const InBlockPlan& plan, int rows) {
  const int threads = plan.geometry.group_threads();
  return (32 * rows + threads - 1) / threads;
}

/// Of a pair's rows of one tensor, and of its gate.
[[nodiscard]] inline int tensor_chunks_of_thread(const InBlockPlan& plan, bool gated) {
  return (real_rows(plan) ? 1 : 2) * (gated ? 2 : 1) * chunks_of_thread(plan, plan.loaded_rows());
}

/// Rows alone come in where imaginary parts will be, so that the next ones are on their way while results are stored.
[[nodiscard]] inline bool loads_beside(const ConvConfig& config, const InBlockPlan& plan) {
  return right_angle_rows(plan) && has_columns(plan) && !plan.is_backward() && config.gating == Gating::none &&
         plan.geometry.buffers == 1 && plan.geometry.staged_rows == 0;
}

/// Gates pass through shared memory, in rows laid out like the pair's: w until the first stage has used it, then v.
[[nodiscard]] inline bool gates_in_shared(const ConvConfig& config, const InBlockPlan& plan) {
  return config.gating != Gating::none && !plan.geometry.gate_at_load;
}

/// Input needs work between shared memory and the first stage: a gate, another type, or a power of two.
[[nodiscard]] inline bool converts_input(const ConvConfig& config, const InBlockPlan& plan) {
  if (plan.geometry.gate_at_load) return false;
  return config.dtype == DataType::bf16 || has_in_gate(config.gating) || scales_input(config);
}

/// Rows may begin between the words of two samples, and are taken so.
[[nodiscard]] inline bool has_odd_rows(const ConvConfig& config, const Transform& plan) {
  return config.row_alignment < 4 && plan.most_delay == 0;
}

/// A warp's sums stay in its registers while it walks over pairs.
[[nodiscard]] inline bool sums_in_registers(const InBlockPlan& plan) {
  return plan.backward.sums && (!has_columns(plan) || plan.geometry.sums == Placement::registers);
}

/// A block has all of them until it ends.
[[nodiscard]] inline bool holds_sums(const InBlockPlan& plan) {
  return sums_in_registers(plan) || plan.geometry.sums == Placement::shared;
}

/// The out gate comes through shared memory.
[[nodiscard]] inline bool copies_out_gate(const ConvConfig& config, const InBlockPlan& plan) {
  return has_out_gate(config.gating) && gates_in_shared(config, plan);
}

/// Registers hold a channel's spectrum beside rows of a warp: what else waits in them costs time in local memory.
[[nodiscard]] inline bool fills_registers(const InBlockPlan& plan) {
  return plan.fractional_rows && has_columns(plan) && plan.geometry.spectrum == Placement::registers;
}

/// Something is multiplied by the filter's spectrum.
[[nodiscard]] inline bool has_spectrum(const InBlockPlan& plan) {
  return !plan.is_backward() || plan.backward.needs_spectrum();
}

/// The blocks of a cluster share a channel's rows, and add to its sums in turns.
[[nodiscard]] inline bool adds_in_turns(const InBlockPlan& plan) {
  return plan.backward.sums && plan.geometry.sums == Placement::turns;
}

/// Of delayed rows, what does not fill a chunk is stored behind all whole chunks: of pairs, where a cluster adds sums
/// in turns, and of rows that a warp holds whose chunks are lines. Of other rows alone that gains nothing.
[[nodiscard]] inline bool stores_ends_apart(const InBlockPlan& plan) {
  constexpr int chunk_bytes = 16;
  if (plan.holds_row_alone()) return plan.delay_line == chunk_bytes;
  const bool pairs = plan.windows ? !plan.right_angle() : !real_rows(plan);
  return plan.most_delay > 0 && (pairs || adds_in_turns(plan));
}

/// There a load, which may be of the next channel, looks up by which power of two it multiplies its rows.
[[nodiscard]] inline bool scales_in_load(const InBlockPlan& plan) {
  return adds_in_turns(plan) && plan.geometry.gate_at_load;
}

/// The column stages' matrices are in shared memory.
[[nodiscard]] inline bool shares_column_factors(const InBlockPlan& plan) {
  return has_column_factors(plan) && plan.geometry.column_factors == Placement::shared;
}

/// The one matrix that a block makes for a frequency is in shared memory, of each frequency whose factors it keeps.
[[nodiscard]] inline bool shares_column_matrix(const InBlockPlan& plan) {
  return plan.geometry.frequencies > 1 && column_matrix(plan) == ColumnMatrix::made && !has_butterfly(plan);
}

/// Products of 8 have registers of their own for all of their matrix, and for lane addresses that results are stored by
/// from the registers that hold them: no register is copied. A cluster's rows and gated ones have none left for that.
[[nodiscard]] inline bool spares_moves(const InBlockPlan& plan) {
  return plan.outer_tile == 8 && !plan.in_cluster() && plan.shared.gate_offset == 0;
}

/// The inner twiddle is kept in fp32, for products that apply it before they round.
[[nodiscard]] inline bool has_wide_twiddle(const InBlockPlan& plan) { return plan.fused_factors > 0; }

/// Of rows of many channels: a channel's spectrum stays in registers while its rows come one after the other.
[[nodiscard]] inline bool keeps_spectrum(const InBlockPlan& plan) {
  return (!plan.real_filter() || plan.geometry.walks_channels) && plan.geometry.spectrum == Placement::registers;
}

/// The twiddles of the samples 256 apart are in shared memory: twiddles made of steps or a spectrum have the registers.
[[nodiscard]] inline bool shares_shifts(const InBlockPlan& plan) {
  constexpr int most_in_registers = 4;
  return plan.geometry.twiddle == Placement::steps ||
         (keeps_spectrum(plan) && plan.outer_tile == 8 && plan.outer_butterfly > most_in_registers);
}

/// The spectrum's tiles are copied ahead, so many at a time.
inline constexpr int staged_tiles = 2;

[[nodiscard]] inline bool stages_spectrum(const InBlockPlan& plan) {
  return has_spectrum(plan) && plan.geometry.spectrum == Placement::staged;
}

/// Of a split plan's rows: whether the next one is there takes a stage to find out, ahead of its copies.
[[nodiscard]] inline bool asks_early(const InBlockPlan& plan) {
  return !plan.real_filter() && !plan.is_backward() && !plan.in_cluster() && has_columns(plan) &&
         !(stages_spectrum(plan) && plan.geometry.buffers > 1);
}

/// Of a split plan's rows: what is done is counted a stage later, when it has been written and nobody waits for that.
/// Where another group works while one waits, or the next row is not on its way, that makes places be waited for.
[[nodiscard]] inline bool counts_behind(const InBlockPlan& plan) {
  return asks_early(plan) && plan.geometry.buffers > 1 && plan.geometry.groups == 1;
}

/// Groups of copies under way when a row is there: the first tiles of its spectrum where they are staged, and what
/// comes behind it.
[[nodiscard]] inline int copies_behind_row(const InBlockPlan& plan) {
  return (stages_spectrum(plan) ? staged_tiles : 0) + (plan.geometry.buffers > 1 && !asks_early(plan) ? 1 : 0);
}

/// Launches take what comes before the rows.
[[nodiscard]] bool has_history(const InBlockPlan& plan);

/// Of a split plan's rows: whether some may be real, those of lone rows that are their own mirrors.
[[nodiscard]] inline bool may_be_real(const InBlockPlan& plan) {
  return !plan.real_filter() && !plan.is_backward() && plan.packing == Packing::two_rows;
}

/// Bytes of a row's sums.
[[nodiscard]] std::int64_t row_sums_bytes(const InBlockPlan& plan);

/// Where tensors take turns: rows of dy come into the place of u's as soon as these have been read, by refill_row.
[[nodiscard]] bool refills_rows(const InBlockPlan& plan);

[[nodiscard]] bool has_gate_or_exponent(const ConvConfig& config);

/// Past one block rows of gradients come through registers on their way to shared memory, where they are gated and
/// scaled.
[[nodiscard]] bool converts_at_load(const ConvConfig& config);

}  // namespace ffc
