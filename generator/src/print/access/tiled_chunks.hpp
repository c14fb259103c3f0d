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
/// Of windows alone: those that have all of their samples, as nearly all have, are copied without asking what exists.
/// Up to 32 rows that is no faster, or 2% slower.
[[nodiscard]] bool copies_whole_windows(const InBlockPlan& plan);

/// Where the chunk of iteration `i` is in its row of the tensor: `sample`.
inline constexpr std::string_view copy_sample_line = "const int sample = row * row_samples + chunk * 8;";

/// Opens the loop over the chunks of `rows` rows; `sample`, which the line of that name declares, is in scope inside,
/// and what chunk_place() needs.
void open_copy_loop(TextWriter& out, const InBlockPlan& plan, int rows, int unroll = 0,
                    std::string_view sample = copy_sample_line);

/// The thread that copies a row's first chunk, as a condition.
[[nodiscard]] std::string copies_first_chunk(const InBlockPlan& plan);

/// Whether this thread copies the chunk at `row` and `chunk`, as a condition.
[[nodiscard]] std::string copies_chunk(const InBlockPlan& plan);

/// How a thread's chunks are gone over: in an unrolled loop, where each has a number, `i`, and nothing is asked of
/// those that are known to be whole; or otherwise.
enum class ChunkOrder { unrolled, any };

/// That of loops over the chunks of `rows` rows, so many at a time.
[[nodiscard]] ChunkOrder chunk_order(const InBlockPlan& plan, int rows, int at_once);

/// Whether some threads have fewer of the chunks of `rows` rows than others.
[[nodiscard]] bool copies_end_early(const InBlockPlan& plan, int rows);

/// Declares where the chunk of iteration `i` is: `row` and `chunk`. Breaks behind the last row.
void emit_copy_position(TextWriter& out, const InBlockPlan& plan, int rows);

/// Of the chunks of `rows` rows some are behind the samples that exist.
[[nodiscard]] bool has_end(const InBlockPlan& plan, int rows);

/// Of a thread's chunks of a row so many, the first ones, have all of their samples, whatever thread it is.
[[nodiscard]] int whole_chunks(const ConvConfig& config, const InBlockPlan& plan);

/// Of rows that are taken apart: whether the chunk of iteration `i` is of the earlier half.
[[nodiscard]] std::string in_earlier_half(const InBlockPlan& plan);

}  // namespace ffc
