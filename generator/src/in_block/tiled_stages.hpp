// The blocks of a tiled kernel that depend on the plan, as text.
#pragma once

#include <string>
#include <string_view>

#include "ffc/generator/plan.hpp"
#include "text.hpp"
#include "tiled_tables.hpp"

namespace ffc {

/// Constants that every thread or block keeps for the whole batch.
[[nodiscard]] std::string tiled_setup(const ConvConfig& config, const Plan& plan, const TiledTables& tables);
/// Of a split plan's rows: what depends on the frequency of the row.
[[nodiscard]] std::string tiled_frequency(const Plan& plan);
/// The lambda that starts the copies of one pair.
[[nodiscard]] std::string tiled_load(const ConvConfig& config, const Plan& plan);
/// The copies that start before the loop.
[[nodiscard]] std::string tiled_first_load(const Plan& plan);
/// From rows in shared memory to results in shared memory.
[[nodiscard]] std::string tiled_stages(const ConvConfig& config, const Plan& plan);
/// Results to global memory, scaled and gated.
[[nodiscard]] std::string tiled_store(const ConvConfig& config, const Plan& plan);
/// The same, with the line that starts the next copies where one buffer serves all.
void emit_store(TextWriter& out, const ConvConfig& config, const Plan& plan, std::string_view next_copies);

// What the blocks have in common.

[[nodiscard]] inline bool has_columns(const Plan& plan) { return plan.outer_tile > 1; }
[[nodiscard]] inline bool has_butterfly(const Plan& plan) { return plan.outer_butterfly > 1; }
[[nodiscard]] inline bool copies_whole_rows(const Plan& plan) { return plan.geometry.whole_rows && has_columns(plan); }

/// All that comes in of the next pair is copied ahead into a stage.
[[nodiscard]] inline bool stages_all(const Plan& plan) {
  return plan.geometry.staged_rows == (has_real_rows(plan) ? 1 : 2);
}

/// Rows alone come in where imaginary parts will be, so that the next ones are on their way while results are stored.
[[nodiscard]] inline bool loads_beside(const ConvConfig& config, const Plan& plan) {
  return has_real_rows(plan) && config.gating == Gating::none && plan.geometry.buffers == 1 &&
         plan.geometry.staged_rows == 0;
}

/// Gates pass through shared memory, in rows laid out like the pair's: w until the first stage has used it, then v.
[[nodiscard]] inline bool gates_in_shared(const ConvConfig& config, const Plan& plan) {
  return config.gating != Gating::none && !plan.geometry.gate_at_load;
}

/// The out gate comes through shared memory.
[[nodiscard]] inline bool copies_out_gate(const ConvConfig& config, const Plan& plan) {
  return has_out_gate(config.gating) && gates_in_shared(config, plan);
}

/// Registers hold a channel's spectrum beside rows of a warp: what else waits in them costs time in local memory.
[[nodiscard]] inline bool fills_registers(const Plan& plan) {
  return plan.fractional_rows && plan.geometry.spectrum == Placement::registers;
}

/// The matrix of fractional rows' products of 8 as `load` reads it at `halves`.
[[nodiscard]] std::string read_halves(std::string_view load);

/// Something is multiplied by the filter's spectrum.
[[nodiscard]] inline bool has_spectrum(const Plan& plan) {
  return !plan.is_backward() || plan.backward.needs_spectrum();
}

/// The column stages' matrices are in shared memory.
[[nodiscard]] inline bool shares_column_factors(const Plan& plan) {
  return has_column_factors(plan) && plan.geometry.column_factors == Placement::shared;
}

/// Products of 8 have registers of their own for all of their matrix, and for lane addresses that results are stored by
/// from the registers that hold them: no register is copied. A cluster's rows and gated ones have none left for that.
[[nodiscard]] inline bool spares_moves(const Plan& plan) {
  return plan.outer_tile == 8 && plan.geometry.ring == 0 && plan.shared.gate_offset == 0;
}

/// The inner twiddle is kept in fp32, for products that apply it before they round.
[[nodiscard]] inline bool has_wide_twiddle(const Plan& plan) { return plan.fused_factors > 0; }

/// Declares `name`, the pointer to plane `part` of the rows that the loop is at, in the tensor of that name.
void emit_row_pointer(TextWriter& out, const Plan& plan, std::string_view name, std::string_view qualifiers);

/// Of rows of many channels: a channel's spectrum stays in registers while its rows come one after the other.
[[nodiscard]] inline bool keeps_spectrum(const Plan& plan) {
  return (!plan.real_filter() || plan.geometry.walks_channels) && plan.geometry.spectrum == Placement::registers;
}
/// The twiddles of the samples 256 apart are in shared memory: twiddles made of steps or a spectrum have the registers.
[[nodiscard]] inline bool shares_shifts(const Plan& plan) {
  constexpr int most_in_registers = 4;
  return plan.geometry.twiddle == Placement::steps ||
         (keeps_spectrum(plan) && plan.outer_tile == 8 && plan.outer_butterfly > most_in_registers);
}

/// The spectrum's tiles are copied ahead, so many at a time.
inline constexpr int staged_tiles = 2;
[[nodiscard]] inline bool stages_spectrum(const Plan& plan) {
  return has_spectrum(plan) && plan.geometry.spectrum == Placement::staged;
}

/// Of a split plan's rows: whether the next one is there takes a stage to find out, ahead of its copies.
[[nodiscard]] inline bool asks_early(const Plan& plan) {
  return !plan.real_filter() && !plan.is_backward() && plan.geometry.ring == 0 && has_columns(plan) &&
         !(stages_spectrum(plan) && plan.geometry.buffers > 1);
}

/// Of a split plan's rows: what is done is counted a stage later, when it has been written and nobody waits for that.
/// Where another group works while one waits, or the next row is not on its way, that makes places be waited for.
[[nodiscard]] inline bool counts_behind(const Plan& plan) {
  return asks_early(plan) && plan.geometry.buffers > 1 && plan.geometry.groups == 1;
}

/// Of a split plan's rows: the statement that starts the copies of the next one into `buffer`.
[[nodiscard]] std::string load_behind(const Plan& plan, std::string_view buffer);

/// Groups of copies under way when a row is there: the first tiles of its spectrum where they are staged, and what
/// comes behind it.
[[nodiscard]] inline int copies_behind_row(const Plan& plan) {
  return (stages_spectrum(plan) ? staged_tiles : 0) + (plan.geometry.buffers > 1 && !asks_early(plan) ? 1 : 0);
}

/// The slot of the row of samples `row`, as an expression.
[[nodiscard]] std::string slot_of_samples(const Plan& plan, std::string_view row);
/// The slot of row `row` of the middle stage, counted by frequency.
[[nodiscard]] std::string slot_of_row(const Plan& plan, std::string_view row);
/// The row of samples in the slot of the row of frequencies `row`.
[[nodiscard]] std::string samples_of_slot(const Plan& plan, std::string_view row);

/// Rows of a tensor and what they become on the way in: names in the text, empty where there is none.
struct RowSource {
  std::string_view rows;   ///< the samples: "u"
  std::string_view gate;   ///< what they are multiplied by: "w"
  std::string_view scale;  ///< a power of two: "input_scale"
};

/// u with its gate, as the config asks.
[[nodiscard]] RowSource input_source(const ConvConfig& config);

/// Two stored samples as packed fp16, gated and scaled as the config asks, as an expression.
[[nodiscard]] std::string packed_sample(const ConvConfig& config, std::string_view sample, std::string_view gate);

/// The same for rows of any tensor.
[[nodiscard]] std::string packed_sample(const RowSource& source, std::string_view sample, std::string_view gate);
/// Lines that store to `to` in shared memory, as packed fp16, gated and scaled as the source says, the chunk that the
/// expression `rows` reads; `gate` reads that of the gate.
void emit_read_chunk(TextWriter& out, const RowSource& source, std::string_view to, std::string_view rows,
                     std::string_view gate);
/// The same for u and the in gate w, as the config asks.
void emit_read_chunk(TextWriter& out, const ConvConfig& config, std::string_view to,
                     std::string_view u = "read_chunk<alignment>(u + sample, live)",
                     std::string_view w = "read_chunk<alignment>(w + sample, live)");
/// Lines that turn the chunk `value` into the rows' own type, scaled, and gated by the chunk `gate` where it is named.
void emit_stored_chunk(TextWriter& out, std::string_view gate, std::string_view scale = "scale");

/// Lines that turn the tile `name`, read from `address`, into fp16: gate, other type, power of two.
void convert_input(TextWriter& out, const ConvConfig& config, const Plan& plan, bool half_tile, std::string_view name,
                   std::string_view address);
/// A split plan's twiddle, the part of the digits outside the 16 x 16, on tile `tile` of butterfly value `a`.
void emit_shift(TextWriter& out, const Plan& plan, std::string_view function, std::string_view tile);
/// The butterfly over `tiles` on the way in, with padding as zeros.
void emit_forward_butterfly(TextWriter& out, const Plan& plan, std::string_view tiles);
/// The first or, `inverse`, the last stage of a kernel with a column stage, on the rows at the address named `rows`.
void emit_columns_stage(TextWriter& out, const ConvConfig& config, const Plan& plan, bool inverse,
                        std::string_view rows = "rows_at");
enum class Turn;
/// The middle stage of a kernel with a column stage; `turn` of a backward plan says on which tensors.
void emit_rows(TextWriter& out, const Plan& plan, Turn turn);
/// The only stage of a kernel whose warps hold whole pairs: butterfly over rows in registers around the chain; `turn`
/// of a backward plan says on which tensor.
void emit_warp_rows(TextWriter& out, const ConvConfig& config, const Plan& plan, Turn turn);

/// Opens an unrolled loop over `a`, the value of the butterfly digit.
void open_butterfly_loop(TextWriter& out, int first, int end);
/// Opens an unrolled loop over `index` from `first` to `end`.
void open_loop(TextWriter& out, std::string_view index, std::string_view first, std::string_view end);

}  // namespace ffc
