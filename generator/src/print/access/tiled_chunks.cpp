// How the threads of a tiled kernel go over the chunks of a pair's rows, and which of these exist.
#include "tiled_chunks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "text.hpp"
#include "tiled_pieces.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

int rows_per_copy(const CopyShape& shape) { return shape.lanes / shape.chunks_per_row; }
std::string_view row_in_copy(const CopyShape& shape) { return shape.whole ? "thread" : "lane"; }

std::string chunk_of(const CopyShape& shape) {
  return shape.chunks_per_row == 32 ? fmt::format("{} % 32", row_in_copy(shape))
                                    : fmt::format("warp * columns_per_warp + lane % {}", shape.chunks_per_row);
}

// Rows whose number differs by that are in neighbouring slots.
int slot_radix(const InBlockPlan& plan) { return has_butterfly(plan) && plan.tile_first() ? plan.outer_butterfly : 1; }

std::string times_i(int step) { return step == 1 ? "i" : fmt::format("{} * i", step); }

}  // namespace

CopyShape copy_shape(const InBlockPlan& plan, int rows) {
  const bool whole = copies_whole_rows(plan);
  const int chunks_per_row = whole ? 32 : 32 / plan.geometry.warps_per_group;
  const int lanes = whole ? plan.geometry.group_threads() : 32;
  return {whole, chunks_per_row, lanes, rows, chunks_of_thread(plan, rows)};
}

int stored_rows(const InBlockPlan& plan) {
  const std::int64_t gap = plan.windows ? plan.windows->gap : 0;
  return static_cast<int>((plan.length - gap + 255) / 256);
}

bool has_end(const InBlockPlan& plan, int rows) {
  return !plan.windows && (plan.length < 256L * rows || plan.most_delay > 0);
}

bool counts_from_first(const InBlockPlan& plan) {
  // Gradients' were measured without.
  if (plan.is_backward() || plan.in_cluster()) return false;
  if (!has_columns(plan) || (plan.real_filter() && !plan.right_angle())) return false;
  const bool gated = plan.geometry.gate_at_load || plan.shared.gate_offset > 0;
  if (plan.real_filter() && (gated || (right_angle_rows(plan) && plan.rows() <= 16))) return false;
  // With 128 registers a thread that is 2% slower: 4194304 samples, filters of 8192.
  if (plan.windows && plan.rows() > 32 && !fills_registers(plan)) return false;
  const int rows = rows_per_copy(copy_shape(plan, 1));
  return (rows & (rows - 1)) == 0 && rows % slot_radix(plan) == 0;
}

void emit_first_chunk(TextWriter& out, const InBlockPlan& plan, int rows, SlotOfRow slot) {
  if (!counts_from_first(plan)) return;
  const CopyShape shape = copy_shape(plan, rows);
  out.line(
      fmt::format("// A thread's chunks are {} rows apart: all that they need is a constant away from the first one's.",
                  rows_per_copy(shape)));
  out.line(fmt::format("const int first_row = {} / {};", row_in_copy(shape), shape.chunks_per_row));
  out.line(fmt::format("const int chunk = {};", chunk_of(shape)));
  out.line("const int first_sample = first_row * row_samples + chunk * 8;");
  out.line(fmt::format("const SharedAddress first_place = chunk_offset({}, chunk);", slot(plan, "first_row")));
  if (has_end(plan, rows) && plan.most_delay == 0) out.line("const int end = length - first_sample;");
}

std::string chunk_place(const InBlockPlan& plan, SlotOfRow slot) {
  if (!counts_from_first(plan)) return fmt::format("chunk_offset({}, chunk)", slot(plan, "row"));
  const int slots = rows_per_copy(copy_shape(plan, 1)) / slot_radix(plan);
  return fmt::format("place_below(first_place, {})", times_i(slots));
}

void open_copy_loop(TextWriter& out, const InBlockPlan& plan, int rows, int unroll, std::string_view sample) {
  const CopyShape shape = copy_shape(plan, rows);
  // Copies through registers are unrolled a few at a time: enough in flight, not more registers than that.
  if (unroll == 0)
    open_loop(out, "i", "0", std::to_string(shape.iterations));
  else
    out.line(fmt::format("#pragma unroll {}", unroll))
        .open(fmt::format("for (int i = 0; i < {}; ++i) {{", shape.iterations));
  if (!counts_from_first(plan)) {
    emit_copy_position(out, plan, rows);
    out.line(sample);
    return;
  }
  const int step = rows_per_copy(shape);
  if (copies_end_early(plan, rows)) out.line(fmt::format("if ({} + first_row >= {}) break;", times_i(step), rows));
  out.line(fmt::format("const int sample = {} * row_samples;  // from the first chunk on", times_i(step)));
}

bool copies_end_early(const InBlockPlan& plan, int rows) { return rows % rows_per_copy(copy_shape(plan, rows)) != 0; }

void emit_copy_position(TextWriter& out, const InBlockPlan& plan, int rows) {
  const CopyShape shape = copy_shape(plan, rows);
  out.line(
      fmt::format("const int row = {} * i + {} / {};", rows_per_copy(shape), row_in_copy(shape), shape.chunks_per_row));
  if (copies_end_early(plan, rows)) out.line(fmt::format("if (row >= {}) break;", rows));
  out.line(fmt::format("const int chunk = {};", chunk_of(shape)));
}

ChunkOrder chunk_order(const InBlockPlan& plan, int rows, int at_once) {
  return chunks_of_thread(plan, rows) <= at_once ? ChunkOrder::unrolled : ChunkOrder::any;
}

int whole_chunks(const ConvConfig& config, const InBlockPlan& plan) {
  // The plan's length is that of a row with its delay, or of a row of the workspace.
  return static_cast<int>(std::min(config.length, plan.length) / (256L * rows_per_copy(copy_shape(plan, 1))));
}

std::string copies_first_chunk(const InBlockPlan& plan) {
  const CopyShape shape = copy_shape(plan, 1);
  if (shape.chunks_per_row == 32) return fmt::format("{} == 0", row_in_copy(shape));
  return "warp == 0 && lane == 0";
}

std::string copies_chunk(const InBlockPlan& plan) {
  const CopyShape shape = copy_shape(plan, 1);
  if (shape.whole) return "(32 * row + chunk) % group_threads == thread";
  if (shape.chunks_per_row == 32) return "chunk == lane";
  return fmt::format("chunk / columns_per_warp == warp && row % {0} * {1} + chunk % {1} == lane", rows_per_copy(shape),
                     shape.chunks_per_row);
}

bool copies_whole_windows(const InBlockPlan& plan) {
  return plan.windows && plan.right_angle() && !plan.windows->history && counts_from_first(plan) &&
         fills_registers(plan);
}

std::string in_earlier_half(const InBlockPlan& plan) {
  return fmt::format("i < {}", copy_shape(plan, plan.rows()).iterations / 2);
}

}  // namespace ffc
