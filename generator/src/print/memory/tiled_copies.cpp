// Copies of the tiled family: pairs of rows on their way in.
#include "tiled_copies.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "drop_ahead.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "load_target.hpp"
#include "measure_rows.hpp"
#include "plan_steps.hpp"
#include "register_copies.hpp"
#include "register_rows.hpp"
#include "report_text.hpp"
#include "row_access.hpp"
#include "row_source.hpp"
#include "step_text.hpp"
#include "text.hpp"
#include "threads.hpp"
#include "tiled_chunks.hpp"
#include "tiled_magnitudes.hpp"
#include "tiled_pieces.hpp"
#include "tiled_shape.hpp"
#include "wrapped_ends.hpp"

namespace ffc {

void emit_read_chunk(TextWriter& out, const ConvConfig& config, const RowSource& source, std::string_view field,
                     std::string_view to, std::string_view rows, std::string_view gate) {
  const Met met = met_of(config, source);
  out.line(fmt::format("uint4 value = {};", rows));
  if (!source.gate.empty()) out.line(fmt::format("const uint4 gate = {};", gate));
  if (met != Met::packed) emit_meet(out, met, field, "value", "gate");
  for (const char word : {'x', 'y', 'z', 'w'})
    out.line(fmt::format("value.{0} = {1};", word,
                         packed_sample(source, fmt::format("value.{}", word), fmt::format("gate.{}", word))));
  if (met == Met::packed) emit_meet(out, met, field, "value", "gate");
  out.line(fmt::format("store_shared({}, value);", to));
}

void emit_stored_chunk(TextWriter& out, std::string_view gate, std::string_view scale) {
  for (const char word : {'x', 'y', 'z', 'w'})
    out.line(fmt::format("value.{} = {};", word,
                         stored_sample(fmt::format("value.{}", word), scale,
                                       gate.empty() ? std::string() : fmt::format("{}.{}", gate, word))));
}

namespace {

// A chunk that is copied asynchronously, or from the history.
void emit_copy_chunk(TextWriter& out, const RowAccess& access, std::string_view name, std::string_view to) {
  const bool past = !access.history.empty();
  if (past)
    out.line("if (past)")
        .line(fmt::format("  store_shared({}, history_chunk({}_history, window, {}));", to, name, access.history))
        .line("else");
  out.line(fmt::format("{}{}", past ? "  " : "", load_chunk(access.loaded, to, name, "live")));
}

// One chunk by asynchronous copy, and its gate.
void emit_load_chunk(TextWriter& out, const InBlockPlan& plan, const RowAccess& access) {
  const RowSource& source = access.source;
  emit_copy_chunk(out, access,
                  access.loaded.mirror.empty() ? std::string(source.rows)
                                               : fmt::format("({} ? {} : mirror)", in_earlier_half(plan), source.rows),
                  "at");
  if (!source.gate.empty()) emit_copy_chunk(out, access, source.gate, "at + gate_offset");
}

void emit_load_planes(TextWriter& out, const InBlockPlan& plan, const LoadTarget& target, const RowAccess& access) {
  open_rows(out, access, target.first, target.end);
  open_copy_loop(out, plan, plan.loaded_rows());
  emit_live(out, access);
  out.line(fmt::format("const SharedAddress at = {};", place_of(plan, target, access)));
  emit_load_chunk(out, plan, access);
  out.close();
  close_planes(out, access);
}

// How chunks come to registers. The functions do not outlive `access`.
ChunkReads reads_of(const RowAccess& access) {
  return {copy_sample_line, [&access](TextWriter& out) { emit_live(out, access); },
          [&access](std::string_view name) { return read_chunk_of(access, name); }};
}

// The same of delayed rows as lines, which nothing waits for ahead of all others.
ChunkReads unwaited_reads(const RowAccess& access) {
  if (access.loaded.gone.empty()) return reads_of(access);
  return {copy_sample_line, [&access](TextWriter& out) { emit_live(out, access); },
          [&access](std::string_view name) { return read_chunk(access.loaded, name, "live", {.lines = true}); }, true};
}

ChunkBatches batches_of(TextWriter& out, const InBlockPlan& plan) {
  return chunk_batches(out, plan, plan.loaded_rows(), measured::most_chunks_of_batch, copy_sample_line);
}

// What the group's warps have found, to `found`.
void emit_found(TextWriter& out, const InBlockPlan& plan) {
  emit_group_largest(out, plan);
  out.line(fmt::format("found = {};", found_scales(plan)));
}

// Rows whose gates are applied on the way, all chunks of a thread at once.
void emit_load_at_once(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, const LoadTarget& target,
                       const RowAccess& rows) {
  const RegisterRows held(config, plan, rows, std::string(samples_field(Tensor::input)), place_of(plan, target, rows));
  const bool measures = config.scaling == Scaling::found;
  out.line("// All that is read is on its way before the first of it is used.");
  held.declare(out);
  emit_by_window(out, rows, [&](const RowAccess& access) {
    open_rows(out, access, target.first, target.end);
    held.read(out, unwaited_reads(access));
    close_planes(out, access);
  });
  if (measures) out.line("// How large the rows are, before they are scaled.").line("Largest largest;");
  held.measure(out, unwaited_reads(rows));
  if (measures) emit_found(out, plan);
  held.store(out);
}

// The same in batches. Where the kernel finds how large rows are, they are read twice.
void emit_load_in_batches(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, const LoadTarget& target,
                          const RowAccess& rows) {
  if (config.scaling == Scaling::found) {
    out.line("// How large the rows are, before they are scaled.").line("Largest largest;");
    out.open("{");
    emit_by_window(out, rows, [&](const RowAccess& access) {
      open_rows(out, access, target.first, target.end);
      ChunkBatches batches = batches_of(out, plan);
      emit_measured(out, batches, access, reads_of(access));
      if (plan.most_wrapped > 0) {
        const auto end = [&](std::string_view name) { return read_end(access, name); };
        out.line(fmt::format("if ({})", copies_first_chunk(plan)));
        out.line("  " + add_largest_of(access, end));
      }
      close_planes(out, access);
    });
    out.close();
    emit_found(out, plan);
  }
  emit_by_window(out, rows, [&](const RowAccess& access) {
    open_rows(out, access, target.first, target.end);
    ChunkBatches batches = batches_of(out, plan);
    emit_load_converted(out, batches, config, access, samples_field(Tensor::input), unwaited_reads(access),
                        place_of(plan, target, access));
    close_planes(out, access);
  });
}

bool loads_at_once(const ConvConfig& config, const InBlockPlan& plan) {
  return tensor_chunks_of_thread(plan, has_in_gate(config.gating)) <= measured::most_chunks_of_tensor;
}

void emit_load(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, const LoadTarget& target) {
  if (config.scaling == Scaling::found && plan.geometry.gate_at_load)
    out.line("FoundScales found{};  // of the rows that were loaded last");
  out.open(fmt::format("const auto {} = [&]({}) {{", target.name, target.parameters));
  if (plan.geometry.walks_channels) {
    out.line("next = item_at(walk, item);");
    out.line("const auto [channel, pair] = next;");
    if (config.scaling == Scaling::given && plan.geometry.gate_at_load) emit_input_scale(out, config, "channel");
  }
  if (plan.is_backward() && !plan.real_filter())
    out.line("const long long offset = offset_of(of, tensor, frequency, side);");
  out.line(fmt::format("const SharedAddress to = {};", target.base));
  emit_first_chunk(out, plan, plan.loaded_rows(), slot_in(plan, target));
  const bool in_batches = plan.geometry.gate_at_load && !loads_at_once(config, plan);
  const ChunkOrder order =
      in_batches ? chunk_order(plan, plan.loaded_rows(), measured::most_chunks_of_batch) : ChunkOrder::unrolled;
  const RowAccess rows = row_access(config, plan, Tensor::input, order);
  const bool meets = reports_each_pair(config, plan) && plan.geometry.gate_at_load;
  if (meets) emit_met(out, met_of(config, rows.source), samples_field(Tensor::input));
  if (!plan.geometry.gate_at_load)
    emit_by_window(out, rows, [&](const RowAccess& access) { emit_load_planes(out, plan, target, access); });
  else if (in_batches)
    emit_load_in_batches(out, config, plan, target, rows);
  else
    emit_load_at_once(out, config, plan, target, rows);
  if (plan.takes_tile_powers) {
    out.line(fmt::format("copy_exponents(split, {}, word_of_lane, words_of(buffer), lane);",
                         plan.is_backward() ? "of.place.slot + tensor" : "of.place.slot"));
  }
  emit_load_ends(out, config, plan);
  out.line("commit_copies();");
  if (meets) emit_report(out, samples_field(Tensor::input), "channel");
  out.close("};");
}

// The copy of v into the rows that w has left.
void emit_copy_out_gate(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan) {
  const RowAccess access = row_access(config, plan);
  const std::string_view gate = access.results.gate;
  out.line(
      "// Starts the copy of a pair's out gate into the rows of the in gate. Every lane reads what it has copied.");
  out.open(fmt::format("const auto copy_out_gate = [&]({}) {{",
                       plan.geometry.walks_channels ? "unsigned int channel, unsigned int pair" : "int pair"));
  out.line("const SharedAddress to = shared + gate_offset + group * buffer_bytes;");
  emit_window(out, access);
  open_planes(out, access);
  emit_plane(out, access);
  emit_row_pointer(out, access, gate, "const ");
  open_copy_loop(out, plan, stored_rows(plan));
  emit_position(out, access.stored);
  out.line(fmt::format("const int live = {};", guarded(access, access.stored.live)));
  const std::string to = fmt::format("to + {}{}", plane_at(access, "plane_bytes"), chunk_place(plan, slot_of_samples));
  out.line(load_chunk(access.stored, to, gate, "live"));
  out.close();
  close_planes(out, access);
  out.line("commit_copies();");
  out.close("};");
}

}  // namespace

void emit_drop(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan) {
  const RowAccess access = row_access(config, plan);
  std::vector<ArrivedPlanes> arrived;
  for (const LoadTarget& target : load_targets(config, plan)) {
    const std::string_view row = plan.windows ? "row" : "0", chunk = plan.windows ? "chunk" : "0";
    const std::string at = fmt::format("{} + {}chunk_offset({}, {})", target.base, plane_at(access, target.plane),
                                       slot_in(plan, target)(plan, row), chunk);
    arrived.push_back({target.first, target.end, {at}});
    if (!access.source.gate.empty()) arrived.back().places.push_back(at + " + gate_offset");
  }
  emit_drop_ahead(out, plan, access, arrived);
}

std::string tiled_load(const ConvConfig& config, const InBlockPlan& plan) {
  TextWriter out(1);
  const std::string_view shares = copies_whole_rows(plan) ? "whole rows at a time" : "each warp its own columns";
  out.line(
      plan.real_filter()
          ? step_comment(steps_of(plan, StepKind::load, false, {Tensor::input}),
                         fmt::format("starts the copies of a pair, {}. Samples that do not exist become zero.", shares))
          : fmt::format("// Starts the copies of a complex row, {}.", shares));
  if (plan.geometry.walks_channels) out.line("Item next{};  // whose copies were started last");
  for (const LoadTarget& target : load_targets(config, plan)) emit_load(out, config, plan, target);
  if (measures_ahead(config, plan)) emit_measure_pair(out, config, plan);
  if (copies_out_gate(config, plan)) emit_copy_out_gate(out, config, plan);
  return out.take();
}

std::string tiled_first_load(const ConvConfig& config, const InBlockPlan& plan) {
  TextWriter out(1);
  const int staged = plan.geometry.staged_rows;
  const std::string_view first = plan.geometry.walks_channels ? "group" : "first_pair + group";
  out.open(fmt::format("if ({} < {}) {{", first, plan.geometry.walks_channels ? "walk.items" : "end_pair"));
  if (staged > 0) out.line(fmt::format("stage_pair({});", first));
  if (!stages_all(plan)) out.line(fmt::format("load_pair({}, 0);", first));
  if (measures_ahead(config, plan))
    out.line("wait_copies<0>();").line("measure_pair(0);").line("group_barrier<group_threads>(group);");
  out.close();
  return out.take();
}

std::string load_behind(const InBlockPlan& plan, std::string_view buffer) {
  // Where a row and its mirror come together, nobody asks for what comes behind the row.
  const std::string_view count = asks_early(plan)          ? "count"
                                 : plan.rows_at_once() > 1 ? "side + 1 < mine.end ? 0 : count_behind()"
                                                           : "count_behind()";
  return fmt::format("load_behind(side, {}, {});", buffer, count);
}

}  // namespace ffc
