// How the threads of a tiled kernel go over the chunks of a pair's rows, and which of these exist.
#include "tiled_chunks.hpp"

#include <fmt/format.h>

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

bool has_end(const InBlockPlan& plan, int rows) { return !plan.windows && plan.length < 256L * rows; }

}  // namespace

CopyShape copy_shape(const InBlockPlan& plan, int rows) {
  const bool whole = copies_whole_rows(plan);
  const int chunks_per_row = whole ? 32 : 32 / plan.geometry.warps_per_group;
  const int lanes = whole ? plan.geometry.group_threads() : 32;
  return {whole, chunks_per_row, lanes, rows, (rows * chunks_per_row + lanes - 1) / lanes};
}

int stored_rows(const InBlockPlan& plan) {
  const std::int64_t gap = plan.windows ? plan.windows->gap : 0;
  return static_cast<int>((plan.length - gap + 255) / 256);
}

bool counts_from_first(const InBlockPlan& plan) {
  // Of a split plan's rows those of a convolution: gradients' were measured without.
  if (!plan.real_filter() && (plan.is_backward() || plan.geometry.ring > 0)) return false;
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
  if (has_end(plan, rows)) out.line("const int end = length - first_sample;");
}

std::string chunk_place(const InBlockPlan& plan, SlotOfRow slot) {
  if (!counts_from_first(plan)) return fmt::format("chunk_offset({}, chunk)", slot(plan, "row"));
  const int slots = rows_per_copy(copy_shape(plan, 1)) / slot_radix(plan);
  return fmt::format("place_below(first_place, {})", times_i(slots));
}

std::string_view position_in_window(const InBlockPlan& plan) {
  return counts_from_first(plan) ? "first_sample + position" : "position";
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
  if (rows % step != 0) out.line(fmt::format("if ({} + first_row >= {}) break;", times_i(step), rows));
  out.line(fmt::format("const int sample = {} * row_samples;  // from the first chunk on", times_i(step)));
}

void emit_copy_position(TextWriter& out, const InBlockPlan& plan, int rows) {
  const CopyShape shape = copy_shape(plan, rows);
  out.line(
      fmt::format("const int row = {} * i + {} / {};", rows_per_copy(shape), row_in_copy(shape), shape.chunks_per_row));
  if (rows % rows_per_copy(shape) != 0) out.line(fmt::format("if (row >= {}) break;", rows));
  out.line(fmt::format("const int chunk = {};", chunk_of(shape)));
}

std::string live_samples(const ConvConfig& config, const InBlockPlan& plan, int rows) {
  // At odd addresses a chunk is read with what is behind it: it must be said how far the row goes on.
  const bool odd = config.row_alignment < 4, chunks = config.length % 8 == 0 && !odd;
  if (stores_positions(plan)) {
    const std::string_view end = counts_from_first(plan) ? "end" : "window.end";
    return chunks ? fmt::format("(position < {} ? 8 : 0)", end) : fmt::format("({} - position)", end);
  }
  if (plan.windows) return chunks ? "(sample < window.end ? 8 : 0)" : "(window.end - sample)";
  if (!has_end(plan, rows) && !odd) return "8";
  const std::string_view end = counts_from_first(plan) ? "end" : "length";
  return plan.length % 8 == 0 && !odd ? fmt::format("(sample < {} ? 8 : 0)", end) : fmt::format("({} - sample)", end);
}

bool copies_whole_windows(const InBlockPlan& plan) {
  return stores_positions(plan) && !plan.windows->history && counts_from_first(plan) && fills_registers(plan);
}

void emit_exists(TextWriter& out, const InBlockPlan& plan, bool whole) {
  if (plan.windows && !plan.right_angle())
    out.line("const Window window = window_at(pair, part, arguments.batch);");
  else if (plan.real_filter() && !plan.windows && !right_angle_rows(plan))
    out.line("const bool exists = 2 * pair + part < arguments.batch;");
  if (plan.windows && counts_from_first(plan) && !whole)
    out.line("const int end = window.end - first_sample;  // counted, as positions are, from the first chunk");
}

std::string live_if_exists(const InBlockPlan& plan, std::string_view live) {
  if (may_be_real(plan)) return fmt::format("part == 1 && of.real ? 0 : {}", live);
  if (!plan.real_filter()) return std::string(live);
  return plan.windows || right_angle_rows(plan) ? std::string(live) : fmt::format("exists ? {} : 0", live);
}

void open_planes(TextWriter& out, const InBlockPlan& plan, int first, int end) {
  if (!right_angle_rows(plan)) out.unroll().open(fmt::format("for (int part = {}; part < {}; ++part) {{", first, end));
}

void close_planes(TextWriter& out, const InBlockPlan& plan) {
  if (!right_angle_rows(plan)) out.close();
}

std::string plane_at(const InBlockPlan& plan, std::string_view bytes) {
  return right_angle_rows(plan) ? std::string() : fmt::format("part * {} + ", bytes);
}

std::string in_earlier_half(const InBlockPlan& plan) {
  return fmt::format("i < {}", copy_shape(plan, plan.rows()).iterations / 2);
}

void emit_mirror_pointer(TextWriter& out, const InBlockPlan& plan, std::string_view name, std::string_view qualifiers) {
  if (!plan.untangles()) return;
  out.line(fmt::format("{}unsigned short* const mirror = {} + {}.mirror;  // where the later half is", qualifiers, name,
                       name == "u" ? "of" : "mine"));
}

void emit_lone_window(TextWriter& out, const InBlockPlan& plan) {
  if (stores_positions(plan)) out.line("const Window window = window_at(pair);");
}

void open_store_loop(TextWriter& out, const InBlockPlan& plan, int rows, int unroll) {
  open_copy_loop(out, plan, rows, unroll);
  if (!stores_positions(plan)) return;
  out.line("const int position = position_of(sample, part);");
  out.line(fmt::format("if ({} < 0) continue;  // the halo", position_in_window(plan)));
}

}  // namespace ffc
