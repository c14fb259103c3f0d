// Copies of the tiled family: pairs of rows on their way in.
#include "tiled_copies.hpp"

#include <fmt/format.h>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "plan_steps.hpp"
#include "row_source.hpp"
#include "step_text.hpp"
#include "text.hpp"
#include "tiled_chunks.hpp"
#include "tiled_pieces.hpp"
#include "tiled_shape.hpp"

namespace ffc {

void emit_row_pointer(TextWriter& out, const InBlockPlan& plan, std::string_view name, std::string_view qualifiers) {
  const std::string_view first = counts_from_first(plan) ? " + first_sample" : "";
  if (!plan.real_filter()) {
    out.line(fmt::format("{1}unsigned short* const {0} = static_cast<{1}unsigned short*>(split.workspace) +", name,
                         qualifiers));
    out.line(fmt::format("    offset + part * plane_length{};", first));
    return;
  }
  out.line(
      fmt::format("{1}unsigned short* const {0} = static_cast<{1}unsigned short*>(arguments.{0}) +", name, qualifiers));
  if (plan.windows) {
    out.line(
        fmt::format("    window.row * arguments.{0}_batch_stride + channel * arguments.{0}_channel_stride + "
                    "window.start{1};",
                    name, first));
    return;
  }
  if (right_angle_rows(plan)) {
    out.line(
        fmt::format("    pair * arguments.{0}_batch_stride + channel * arguments.{0}_channel_stride{1};", name, first));
    return;
  }
  out.line(
      fmt::format("    (2 * pair + (exists ? part : 0)) * arguments.{0}_batch_stride + "
                  "channel * arguments.{0}_channel_stride;",
                  name));
}

void emit_read_chunk(TextWriter& out, const ConvConfig& config, std::string_view to, std::string_view u,
                     std::string_view w) {
  emit_read_chunk(out, input_source(config), to, u, w);
}

void emit_read_chunk(TextWriter& out, const RowSource& source, std::string_view to, std::string_view rows,
                     std::string_view gate) {
  out.line(fmt::format("uint4 value = {};", rows));
  if (!source.gate.empty()) out.line(fmt::format("const uint4 gate = {};", gate));
  for (const char word : {'x', 'y', 'z', 'w'})
    out.line(fmt::format("value.{0} = {1};", word,
                         packed_sample(source, fmt::format("value.{}", word), fmt::format("gate.{}", word))));
  out.line(fmt::format("store_shared({}, value);", to));
}

void emit_share_largest(TextWriter& out, const InBlockPlan& plan) {
  const std::string_view of_warp = plan.right_angle() ? "of_one_row(largest.of_warp())" : "largest.of_warp()";
  out.line(fmt::format("const Packed of_warp = {};", of_warp));
  if (plan.geometry.warps_per_group == 1) return;
  out.line("const SharedAddress magnitudes_at = shared + magnitudes_offset + group * group_warps * 4;");
  out.line("if (lane == 0) store_shared4(magnitudes_at + 4 * warp, of_warp);");
}

std::string found_scales(const InBlockPlan& plan) {
  return plan.geometry.warps_per_group == 1 ? "scales_of(of_warp)"
                                            : "scales_of(largest_of<group_warps>(magnitudes_at))";
}

void emit_stored_chunk(TextWriter& out, std::string_view gate, std::string_view scale) {
  for (const char word : {'x', 'y', 'z', 'w'})
    out.line(gate.empty() ? fmt::format("value.{0} = to_stored(value.{0}, {1});", word, scale)
                          : fmt::format("value.{0} = to_stored_gated(value.{0}, {1}, {2}.{0});", word, scale, gate));
}

namespace {

// Where the loads of a pair put the planes `first` to `end`.
struct LoadTarget {
  std::string_view name, parameters, base, plane;
  int first, end;
  bool stage;
};

// The stage of a half-padded row keeps its 8 live rows per value of the butterfly digit.
SlotOfRow slot_in(const InBlockPlan& plan, const LoadTarget& target) {
  if (!target.stage || !half_columns(plan) || !has_butterfly(plan)) return slot_of_samples;
  return [](const InBlockPlan&, std::string_view row) {
    return fmt::format("{0} % butterflies * 8 + {0} / butterflies", row);
  };
}

// Where a chunk of a load lies: in a row, in a window.
std::string_view position_name(const InBlockPlan& plan) { return plan.windows ? "position" : "sample"; }

// A chunk that is read into registers, from the history where there is one.
std::string read_chunk_of(const InBlockPlan& plan, std::string_view name) {
  std::string read = fmt::format("read_chunk<alignment>({} + {}, live)", name, position_name(plan));
  if (!has_history(plan)) return read;
  return fmt::format("past ? history_chunk({}_history, window, {}) : {}", name, position_in_window(plan), read);
}

// A chunk that is copied asynchronously, or from the history.
void emit_copy_chunk(TextWriter& out, const InBlockPlan& plan, std::string_view name, std::string_view to) {
  if (has_history(plan))
    out.line("if (past)")
        .line(fmt::format("  store_shared({}, history_chunk({}_history, window, {}));", to, name,
                          position_in_window(plan)))
        .line("else");
  out.line(fmt::format("{}load_chunk<alignment>({}, {} + {}, live);", has_history(plan) ? "  " : "", to, name,
                       position_name(plan)));
}

// One chunk: by asynchronous copy, or through registers with its gate.
void emit_load_chunk(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan) {
  if (!plan.geometry.gate_at_load) {
    emit_copy_chunk(out, plan, plan.untangles() ? fmt::format("({} ? u : mirror)", in_earlier_half(plan)) : "u", "at");
    if (has_in_gate(config.gating)) emit_copy_chunk(out, plan, "w", "at + gate_offset");
    return;
  }
  RowSource source = input_source(config);
  if (config.scaling == Scaling::found) source.scale = plan.right_angle() ? "found.in[0]" : "found.in[part]";
  emit_read_chunk(out, source, "at", read_chunk_of(plan, "u"), read_chunk_of(plan, "w"));
}

// Says how much of the chunk at `sample` exists; `whole`: of a window that has all of its samples.
void emit_live(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, bool whole) {
  if (!plan.windows) {
    out.line(fmt::format("const int live = {};", live_if_exists(plan, live_samples(config, plan, plan.loaded_rows()))));
    return;
  }
  const bool counts = counts_from_first(plan);
  out.line(plan.right_angle() ? "const int position = position_of(sample, part);"
                              : "const int position = position_of(sample);");
  if (whole) {
    out.line("constexpr int live = 8;");
    return;
  }
  // The real part of a window alone, its later half, has nothing in front of the window's first new sample.
  const std::string_view begun = counts ? "(part == 0 || position >= begin)" : "position >= window.begin";
  const std::string_view end = counts ? "end" : "window.end";
  out.line(config.length % 8 == 0 ? fmt::format("const int live = {} && position < {} ? 8 : 0;", begun, end)
                                  : fmt::format("const int live = {} ? {} - position : 0;", begun, end));
  if (has_history(plan)) out.line(fmt::format("const bool past = is_history(window, {});", position_in_window(plan)));
}

void emit_history_pointer(TextWriter& out, std::string_view name) {
  out.line(
      fmt::format("const unsigned short* const {0}_history = history_row(stream.{0}, window.row, channel);", name));
}

// The samples of a chunk as `largest` takes them.
std::string_view add_largest(const ConvConfig& config, const InBlockPlan& plan) {
  const bool gated = has_in_gate(config.gating);
  if (plan.right_angle()) return gated ? "largest.add_gated(0, value, gate);" : "largest.add(0, value);";
  return gated ? "largest.add_gated(part, value, gate);" : "largest.add(part, value);";
}

// `measures`: chunks are read for their magnitudes alone.
void emit_load_planes(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, const LoadTarget& target,
                      bool whole, bool measures = false) {
  const SlotOfRow slot = slot_in(plan, target);
  open_planes(out, plan, target.first, target.end);
  emit_exists(out, plan, whole);
  if (plan.windows && counts_from_first(plan) && !whole) out.line("const int begin = window.begin - first_sample;");
  emit_row_pointer(out, plan, "u", "const ");
  emit_mirror_pointer(out, plan, "u", "const ");
  if (has_in_gate(config.gating)) emit_row_pointer(out, plan, "w", "const ");
  if (has_history(plan)) {
    emit_history_pointer(out, "u");
    if (has_in_gate(config.gating)) emit_history_pointer(out, "w");
  }
  open_copy_loop(out, plan, plan.loaded_rows(), plan.geometry.gate_at_load ? 4 : 0);
  emit_live(out, config, plan, whole);
  if (measures) {
    out.line(fmt::format("const uint4 value = {};", read_chunk_of(plan, "u")));
    if (has_in_gate(config.gating)) out.line(fmt::format("const uint4 gate = {};", read_chunk_of(plan, "w")));
    out.line(add_largest(config, plan));
  } else {
    out.line(fmt::format("const SharedAddress at = to + {}{};", plane_at(plan, target.plane), chunk_place(plan, slot)));
    emit_load_chunk(out, config, plan);
  }
  out.close();
  close_planes(out, plan);
}

// Rows whose gates are applied on the way to shared memory are read twice: their power of two comes first.
void emit_find_ahead(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, const LoadTarget& target) {
  if (config.scaling != Scaling::found || !plan.geometry.gate_at_load) return;
  out.line("// How large the rows are, before they are scaled.");
  out.line("Largest largest;");
  out.open("{");
  emit_by_window(out, plan, [&](bool whole) { emit_load_planes(out, config, plan, target, whole, true); });
  out.close();
  emit_share_largest(out, plan);
  out.line("group_barrier<group_threads>(group);");
  out.line(fmt::format("found = {};", found_scales(plan)));
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
  out.line(fmt::format("const SharedAddress to = {};", target.base));
  emit_first_chunk(out, plan, plan.loaded_rows(), slot_in(plan, target));
  emit_find_ahead(out, config, plan, target);
  emit_by_window(out, plan, [&](bool whole) { emit_load_planes(out, config, plan, target, whole); });
  out.line("commit_copies();");
  out.close("};");
}

// The copy of v into the rows that w has left.
void emit_copy_out_gate(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan) {
  const int rows = stored_rows(plan);
  out.line(
      "// Starts the copy of a pair's out gate into the rows of the in gate. Every lane reads what it has copied.");
  out.open("const auto copy_out_gate = [&](int pair) {");
  out.line("const SharedAddress to = shared + gate_offset + group * buffer_bytes;");
  emit_lone_window(out, plan);
  open_planes(out, plan, 0, 2);
  emit_exists(out, plan);
  emit_row_pointer(out, plan, "v", "const ");
  open_store_loop(out, plan, rows);
  out.line(fmt::format("const int live = {};", live_if_exists(plan, live_samples(config, plan, rows))));
  out.line(fmt::format("load_chunk<alignment>(to + {}{}, v + {}, live);", plane_at(plan, "plane_bytes"),
                       chunk_place(plan, slot_of_samples), stored_position(plan)));
  out.close();
  close_planes(out, plan);
  out.line("commit_copies();");
  out.close("};");
}

// What brings a pair's rows in: ahead, to a stage, and to the pair's buffer.
std::vector<LoadTarget> load_targets(const ConvConfig& config, const InBlockPlan& plan) {
  const int staged = plan.geometry.staged_rows;
  std::vector<LoadTarget> targets;
  if (staged > 0)
    targets.push_back({"stage_pair", "int pair", "shared + stage_offset", "stage_plane_bytes", 0, staged, true});
  if (!stages_all(plan))
    targets.push_back({plan.real_filter() ? "load_pair" : "load_row",
                       plan.geometry.walks_channels ? "int item, int buffer"
                       : plan.real_filter()         ? "int pair, int buffer"
                       : plan.is_backward()         ? "long long offset, int buffer"
                                                    : "long long offset, const Rows& of, int buffer",
                       loads_beside(config, plan) ? "shared + (group * buffers + buffer) * buffer_bytes + plane_bytes"
                                                  : "shared + (group * buffers + buffer) * buffer_bytes",
                       "plane_bytes", staged, 2, false});
  return targets;
}

// The chunks of a target that this thread has copied.
void emit_measure(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, const LoadTarget& target) {
  const SlotOfRow slot = slot_in(plan, target);
  out.open("{");
  out.line(fmt::format("const SharedAddress from = {};", target.base));
  emit_first_chunk(out, plan, plan.loaded_rows(), slot);
  open_planes(out, plan, target.first, target.end);
  open_copy_loop(out, plan, plan.loaded_rows(), 0, "");
  out.line(fmt::format("const SharedAddress at = from + {}{};", plane_at(plan, target.plane), chunk_place(plan, slot)));
  out.line("const uint4 value = load_shared(at);");
  if (has_in_gate(config.gating)) out.line("const uint4 gate = load_shared(at + gate_offset);");
  out.line(add_largest(config, plan));
  out.close();
  close_planes(out, plan);
  out.close();
}

}  // namespace

void emit_find_largest(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan) {
  out.line("// How large each row is: what this thread has copied of it, then its warp.");
  out.line("Largest largest;");
  for (const LoadTarget& target : load_targets(config, plan)) emit_measure(out, config, plan, target);
  emit_share_largest(out, plan);
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
  if (copies_out_gate(config, plan)) emit_copy_out_gate(out, config, plan);
  return out.take();
}

std::string tiled_first_load(const InBlockPlan& plan) {
  TextWriter out(1);
  const int staged = plan.geometry.staged_rows;
  if (plan.geometry.walks_channels) {
    out.line("if (group < walk.items) load_pair(group, 0);");
    return out.take();
  }
  out.open("if (first_pair + group < end_pair) {");
  if (staged > 0) out.line("stage_pair(first_pair + group);");
  if (!stages_all(plan)) out.line("load_pair(first_pair + group, 0);");
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
