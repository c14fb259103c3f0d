// How the threads of a tiled kernel go over the chunks of a pair's rows, and which of these exist.
#pragma once

#include <string>
#include <string_view>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "text.hpp"

namespace ffc {

/// How a warp (or, for whole rows, a group) goes over the chunks of a pair: `lanes` at a time, chunks of a row first.
struct CopyShape {
  bool whole;
  int chunks_per_row, lanes, rows, iterations;
};
[[nodiscard]] CopyShape copy_shape(const InBlockPlan& plan, int rows);

/// Rows of 256 samples that are stored.
[[nodiscard]] int stored_rows(const InBlockPlan& plan);

/// Results are stored where their window says (windows alone), not from its first sample on.
[[nodiscard]] inline bool stores_positions(const InBlockPlan& plan) { return plan.windows && plan.right_angle(); }
/// What a stored chunk's place in the row is called.
[[nodiscard]] inline std::string_view stored_position(const InBlockPlan& plan) {
  return stores_positions(plan) ? "position" : "sample";
}

/// The slot of a row of samples as an expression: slot_of_samples(), or another in a stage.
using SlotOfRow = std::string (*)(const InBlockPlan& plan, std::string_view row);

/// Rows and windows alone, and complex rows of the workspace, whose chunks are counted from the first one of their
/// thread. Those lie in one column, and their slots are as far apart as their rows, without a carry: the swizzle is
/// linear in xor, and so all that a chunk needs is a constant away from the first one's. With gates, and in real rows
/// of up to 4096 samples, no register is left for that.
[[nodiscard]] bool counts_from_first(const InBlockPlan& plan);
/// Declares where that first one is: `first_sample` in its row, `first_place` in shared memory, and, of a row that does
/// not fill the transform, how many samples there are from it on: `end`.
void emit_first_chunk(TextWriter& out, const InBlockPlan& plan, int rows, SlotOfRow slot);
/// Where a chunk lies in the rows in shared memory.
[[nodiscard]] std::string chunk_place(const InBlockPlan& plan, SlotOfRow slot);
/// Where a chunk lies in its window: `position` may be counted from the thread's first one.
[[nodiscard]] std::string_view position_in_window(const InBlockPlan& plan);

/// Of windows alone: those that have all of their samples, as nearly all have, are copied without asking what exists.
/// Up to 32 rows that is no faster, or 2% slower.
[[nodiscard]] bool copies_whole_windows(const InBlockPlan& plan);

/// Where the chunk of iteration `i` is in its row of the tensor: `sample`.
inline constexpr std::string_view copy_sample_line = "const int sample = row * row_samples + chunk * 8;";

/// Opens the loop over the chunks of `rows` rows; `sample`, which the line of that name declares, is in scope inside,
/// and what chunk_place() needs.
void open_copy_loop(TextWriter& out, const InBlockPlan& plan, int rows, int unroll = 0,
                    std::string_view sample = copy_sample_line);

/// Declares where the chunk of iteration `i` is: `row` and `chunk`. Breaks behind the last row.
void emit_copy_position(TextWriter& out, const InBlockPlan& plan, int rows);

/// The number of samples of a chunk that exist, as an expression; a constant where every chunk of `rows` is whole.
[[nodiscard]] std::string live_samples(const ConvConfig& config, const InBlockPlan& plan, int rows);

/// Says whether plane `part` of the pair is there, or what window it is, and where it ends if it is not a `whole` one.
/// In the workspace both are, but for rows that are real.
void emit_exists(TextWriter& out, const InBlockPlan& plan, bool whole = false);
[[nodiscard]] std::string live_if_exists(const InBlockPlan& plan, std::string_view live);

/// Opens the loop over planes `first` to `end`, `part`; there is one plane of rows alone.
void open_planes(TextWriter& out, const InBlockPlan& plan, int first, int end);
void close_planes(TextWriter& out, const InBlockPlan& plan);
/// "part * bytes + ": where plane `part` begins.
[[nodiscard]] std::string plane_at(const InBlockPlan& plan, std::string_view bytes);

/// Of rows that are taken apart: whether the chunk of iteration `i` is of the earlier half.
[[nodiscard]] std::string in_earlier_half(const InBlockPlan& plan);
/// Where the later half of a row that is taken apart lies: it is the mirror's.
void emit_mirror_pointer(TextWriter& out, const InBlockPlan& plan, std::string_view name, std::string_view qualifiers);

/// Of windows alone both planes are of one window.
void emit_lone_window(TextWriter& out, const InBlockPlan& plan);

/// Opens the loop over the chunks that are stored. Of windows alone the halo's, in front, are not.
void open_store_loop(TextWriter& out, const InBlockPlan& plan, int rows, int unroll = 0);

/// What copies the chunks of windows, in or out: of those that have all of their samples without asking.
template <class Planes>
void emit_by_window(TextWriter& out, const InBlockPlan& plan, const Planes& planes) {
  emit_lone_window(out, plan);
  if (!copies_whole_windows(plan)) return planes(false);
  out.open("if (is_whole(window)) {  // as nearly all are");
  planes(true);
  out.otherwise();
  planes(false);
  out.close();
}

}  // namespace ffc
