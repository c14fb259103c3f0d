// Results of the tiled family on their way out.
#include "tiled_results.hpp"

#include <fmt/format.h>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "plan_steps.hpp"
#include "register_rows.hpp"
#include "report_text.hpp"
#include "row_access.hpp"
#include "row_ends.hpp"
#include "row_source.hpp"
#include "step_text.hpp"
#include "text.hpp"
#include "threads.hpp"
#include "tiled_chunks.hpp"
#include "tiled_copies.hpp"
#include "tiled_magnitudes.hpp"
#include "tiled_pieces.hpp"
#include "tiled_shape.hpp"

namespace ffc {

namespace {

// One chunk from shared memory to y, scaled, and gated by `gate` where there is one.
void emit_scaled_store(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, const RowAccess& access,
                       std::string_view gate) {
  const RowSource& results = access.results;
  out.line("uint4 value = load_shared(at);");
  if (copies_out_gate(config, plan)) out.line("const uint4 gate = load_shared(at + gate_offset);");
  emit_stored_chunk(out, gate, results.scale);
  emit_meet_results(out, config, results_field(plan), existing(access.stored, "value"), access.stored.live);
  out.line(stores_ends_apart(plan) ? write_whole_chunk(access.stored, results.rows, "at")
                                   : write_chunk(access.stored, results.rows));
}

// One chunk of a row that has been put together. Of a row that is its own mirror one half goes back, row 0's earlier
// one, and the later one of row column_length / 2, which the workspace holds as the conjugate.
void emit_half_store(TextWriter& out, const InBlockPlan& plan) {
  const std::string earlier = in_earlier_half(plan);
  out.line(fmt::format("if (is_own_mirror(frequency) && ({}) != (frequency == 0)) continue;", earlier));
  out.line(
      fmt::format("store_global(reinterpret_cast<uint4*>(({} ? y : mirror) + sample), load_shared(at));", earlier));
}

// How many chunks are stored at a time; 0: all. The addresses of rows alone are the same for all: few at a time, or the
// compiler keeps what it has no room for. There is room where blocks walk over channels, unless chunks are stored
// sample by sample.
int store_unroll(const ConvConfig& config, const InBlockPlan& plan) {
  if (!real_rows(plan)) return 0;
  const bool room = counts_from_first(plan) && plan.geometry.walks_channels && config.row_alignment == 16;
  return room ? 0 : 4;
}

bool stores_by_gates(const ConvConfig& config, const InBlockPlan& plan) {
  return has_out_gate(config.gating) && !copies_out_gate(config, plan);
}

ChunkOrder store_order(const ConvConfig& config, const InBlockPlan& plan) {
  const int unroll = store_unroll(config, plan);
  if (stores_by_gates(config, plan)) return chunk_order(plan, stored_rows(plan), measured::most_chunks_of_batch);
  return unroll == 0 ? ChunkOrder::unrolled : chunk_order(plan, stored_rows(plan), unroll);
}

void emit_place(TextWriter& out, const InBlockPlan& plan, const RowAccess& access) {
  emit_position(out, access.stored);
  out.line(fmt::format("const SharedAddress at = rows_at + {}{};", plane_at(access, "plane_bytes"),
                       chunk_place(plan, slot_of_samples)));
}

// A plane whose out gates do not pass through shared memory: all of a batch are on their way before the first is used.
void emit_store_by_gates(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, const RowAccess& access,
                         int rows) {
  const ChunkAccess& chunks = access.stored;
  const std::string_view gate = access.results.gate;
  emit_row_pointer(out, access, gate, "const ");
  ChunkBatches batches = chunk_batches(out, plan, rows, measured::most_chunks_of_batch, copy_sample_line);
  batches.open();
  out.line(fmt::format("uint4 {};", batches.array("gates")));
  batches.open_chunks(true);
  emit_position(out, chunks);
  out.line(fmt::format("{} = {};", batches.of_chunk("gates"), read_chunk(chunks, gate, chunks.live, {.lines = true})));
  out.close();
  batches.open_chunks(true);
  emit_place(out, plan, access);
  emit_scaled_store(out, config, plan, access, batches.of_chunk("gates"));
  out.close();
  batches.close();
}

void emit_store_planes(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, const RowAccess& access) {
  const int rows = stored_rows(plan);
  open_planes(out, access);
  emit_plane(out, access);
  emit_leave_absent(out, access);
  if (config.scaling == Scaling::found)
    out.line(fmt::format("const float {} = scale * found.out[{}];", access.results.scale, access.magnitude));
  emit_row_pointer(out, access, access.results.rows, "");
  emit_mirror_pointer(out, access.stored, access.results.rows, "");
  if (stores_by_gates(config, plan)) {
    emit_store_by_gates(out, config, plan, access, rows);
    return close_planes(out, access);
  }
  open_copy_loop(out, plan, rows, store_unroll(config, plan));
  emit_place(out, plan, access);
  if (!access.in_workspace())
    emit_scaled_store(out, config, plan, access, access.results.gate.empty() ? "" : "gate");
  else if (!access.stored.mirror.empty())
    emit_half_store(out, plan);
  else
    out.line("store_global(reinterpret_cast<uint4*>(y + sample), load_shared(at));");
  out.close();
  close_planes(out, access);
}

}  // namespace

void emit_store(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, std::string_view next_copies) {
  if (copies_out_gate(config, plan)) out.line("wait_copies<0>();");
  if (loads_beside(config, plan)) {
    out.line("// Imaginary parts have been read: the next row comes in beside the results.");
    out.line(next_copies);
  }
  out.line(plan.real_filter() ? step_comment(steps_of(plan, StepKind::store, true, {Tensor::input}),
                                             "store, 16 bytes a lane, scaled and in the rows' own type.")
                              : "// Store: 16 bytes a lane, back into the workspace.");
  emit_first_chunk(out, plan, stored_rows(plan), slot_of_samples);
  const bool meets = reports_each_pair(config, plan);
  if (meets) emit_met_results(out, config, results_field(plan));
  emit_by_window(out, row_access(config, plan, Tensor::input, store_order(config, plan)),
                 [&](const RowAccess& access) { emit_store_planes(out, config, plan, access); });
  if (stores_ends_apart(plan)) {
    const RowAccess access = row_access(config, plan);
    emit_row_ends(out, plan, access, [&](const RowAccess& rows) {
      emit_row_pointer(out, rows, access.results.rows, "");
      out.line(
          fmt::format("if (at_end) store_streamed({} + sample, load_shared2(rows_at + place));", access.results.rows));
    });
  }
  if (meets) emit_report(out, results_field(plan), "channel");
  if (plan.geometry.buffers == 1 && !stages_all(plan) && !loads_beside(config, plan)) {
    out.line(copies_whole_rows(plan)
                 ? "// The same threads copy in what they have just copied out: no barrier is needed."
                 : "// A warp's next copies fall on columns that it alone has just read.");
    out.line(next_copies);
  }
}

std::string tiled_store(const ConvConfig& config, const InBlockPlan& plan) {
  TextWriter out(plan.real_filter() ? 2 : 3);
  emit_store(out, config, plan,
             plan.geometry.walks_channels ? "if (item + groups < walk.items) load_pair(item + groups, 0);"
             : plan.real_filter()         ? "if (pair + groups < end_pair) load_pair(pair + groups, 0);"
                                          : load_behind(plan, "buffer"));
  return out.take();
}

}  // namespace ffc
