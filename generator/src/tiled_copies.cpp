// Copies of the tiled family: pairs of rows in, results out.
#include "tiled_copies.hpp"

#include <fmt/format.h>

#include "tiled_windows.hpp"

namespace ffc {

void emit_row_pointer(TextWriter& out, const Plan& plan, std::string_view name, std::string_view qualifiers) {
  if (!plan.real_filter()) {
    out.line(fmt::format("{1}unsigned short* const {0} = static_cast<{1}unsigned short*>(split.workspace) +", name,
                         qualifiers));
    out.line("    offset + part * plane_length;");
    return;
  }
  out.line(
      fmt::format("{1}unsigned short* const {0} = static_cast<{1}unsigned short*>(arguments.{0}) +", name, qualifiers));
  if (plan.windows) {
    out.line(
        fmt::format("    window.row * arguments.{0}_batch_stride + channel * arguments.{0}_channel_stride + "
                    "window.start;",
                    name));
    return;
  }
  if (has_real_rows(plan)) {
    out.line(fmt::format("    pair * arguments.{0}_batch_stride + channel * arguments.{0}_channel_stride;", name));
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

void emit_stored_chunk(TextWriter& out, std::string_view gate, std::string_view scale) {
  for (const char word : {'x', 'y', 'z', 'w'})
    out.line(gate.empty() ? fmt::format("value.{0} = to_stored(value.{0}, {1});", word, scale)
                          : fmt::format("value.{0} = to_stored_gated(value.{0}, {1}, {2}.{0});", word, scale, gate));
}

CopyShape copy_shape(const Plan& plan, int rows) {
  const bool whole = copies_whole_rows(plan);
  const int chunks_per_row = whole ? 32 : 32 / plan.geometry.warps_per_group;
  const int lanes = whole ? plan.geometry.group_threads() : 32;
  return {whole, chunks_per_row, lanes, rows, (rows * chunks_per_row + lanes - 1) / lanes};
}

int stored_rows(const Plan& plan) { return static_cast<int>((plan.length + 255) / 256); }

void open_copy_loop(TextWriter& out, const Plan& plan, int rows, int unroll) {
  const CopyShape shape = copy_shape(plan, rows);
  // Copies through registers are unrolled a few at a time: enough in flight, not more registers than that.
  if (unroll == 0)
    open_loop(out, "i", "0", std::to_string(shape.iterations));
  else
    out.line(fmt::format("#pragma unroll {}", unroll))
        .open(fmt::format("for (int i = 0; i < {}; ++i) {{", shape.iterations));
  emit_copy_position(out, plan, rows);
  out.line(copy_sample_line);
}

void emit_copy_position(TextWriter& out, const Plan& plan, int rows) {
  const CopyShape shape = copy_shape(plan, rows);
  const int rows_per_copy = shape.lanes / shape.chunks_per_row;
  const std::string_view thread = shape.whole ? "thread" : "lane";
  out.line(fmt::format("const int row = {} * i + {} / {};", rows_per_copy, thread, shape.chunks_per_row));
  if (rows % rows_per_copy != 0) out.line(fmt::format("if (row >= {}) break;", rows));
  out.line(shape.chunks_per_row == 32
               ? fmt::format("const int chunk = {} % 32;", thread)
               : fmt::format("const int chunk = warp * columns_per_warp + lane % {};", shape.chunks_per_row));
}

std::string live_samples(const ConvConfig& config, const Plan& plan, int rows) {
  if (stores_positions(plan))
    return config.length % 8 == 0 ? "(position < window.end ? 8 : 0)" : "(window.end - position)";
  if (plan.windows) return config.length % 8 == 0 ? "(sample < window.end ? 8 : 0)" : "(window.end - sample)";
  if (plan.length >= 256L * rows) return "8";
  return plan.length % 8 == 0 ? "(sample < length ? 8 : 0)" : "(length - sample)";
}

void emit_exists(TextWriter& out, const Plan& plan) {
  if (plan.windows)
    out.line(plan.windows->alone ? "const Window window = window_at(pair);"
                                 : "const Window window = window_at(pair, part, arguments.batch);");
  else if (plan.real_filter() && !has_real_rows(plan))
    out.line("const bool exists = 2 * pair + part < arguments.batch;");
}

std::string live_if_exists(const Plan& plan, std::string_view live) {
  if (!plan.real_filter())
    return plan.is_backward() ? std::string(live) : fmt::format("part == 1 && real ? 0 : {}", live);
  return plan.windows || has_real_rows(plan) ? std::string(live) : fmt::format("exists ? {} : 0", live);
}

namespace {

// Opens the loop over planes `first` to `end`, `part`; there is one plane of rows alone.
void open_planes(TextWriter& out, const Plan& plan, int first, int end) {
  if (!has_real_rows(plan)) out.unroll().open(fmt::format("for (int part = {}; part < {}; ++part) {{", first, end));
}
void close_planes(TextWriter& out, const Plan& plan) {
  if (!has_real_rows(plan)) out.close();
}
// "part * bytes + ": where plane `part` begins.
std::string plane_at(const Plan& plan, std::string_view bytes) {
  return has_real_rows(plan) ? std::string() : fmt::format("part * {} + ", bytes);
}

// Where the loads of a pair put the planes `first` to `end`.
struct LoadTarget {
  std::string_view name, parameters, base, plane;
  int first, end;
  bool stage;
};

std::string slot_in(const Plan& plan, const LoadTarget& target) {
  // The stage of a half-padded row keeps its 8 live rows per value of the butterfly digit.
  if (target.stage && half_columns(plan) && has_butterfly(plan)) return "row % butterflies * 8 + row / butterflies";
  return slot_of_samples(plan, "row");
}

// Where a chunk of a load lies: in a row, in a window.
std::string_view position_name(const Plan& plan) { return plan.windows ? "position" : "sample"; }

// A chunk that is read into registers, from the history where there is one.
std::string read_chunk_of(const Plan& plan, std::string_view name) {
  const std::string read = fmt::format("read_chunk<alignment>({} + {}, live)", name, position_name(plan));
  if (!has_history(plan)) return read;
  return fmt::format("past ? history_chunk({}_history, window, position) : {}", name, read);
}

// A chunk that is copied asynchronously, or from the history.
void emit_copy_chunk(TextWriter& out, const Plan& plan, std::string_view name, std::string_view to) {
  if (has_history(plan))
    out.line("if (past)")
        .line(fmt::format("  store_shared({}, history_chunk({}_history, window, position));", to, name))
        .line("else");
  out.line(fmt::format("{}load_chunk<alignment>({}, {} + {}, live);", has_history(plan) ? "  " : "", to, name,
                       position_name(plan)));
}

// One chunk: by asynchronous copy, or through registers with its gate.
void emit_load_chunk(TextWriter& out, const ConvConfig& config, const Plan& plan) {
  if (!plan.geometry.gate_at_load) {
    emit_copy_chunk(out, plan, "u", "at");
    if (has_in_gate(config.gating)) emit_copy_chunk(out, plan, "w", "at + gate_offset");
    return;
  }
  emit_read_chunk(out, config, "at", read_chunk_of(plan, "u"), read_chunk_of(plan, "w"));
}

// Says how much of the chunk at `sample` exists.
void emit_live(TextWriter& out, const ConvConfig& config, const Plan& plan) {
  if (!plan.windows) {
    out.line(fmt::format("const int live = {};", live_if_exists(plan, live_samples(config, plan, plan.loaded_rows()))));
    return;
  }
  out.line(plan.windows->alone ? "const int position = position_of(sample, part);"
                               : "const int position = position_of(sample);");
  out.line(config.length % 8 == 0 ? "const int live = position >= window.begin && position < window.end ? 8 : 0;"
                                  : "const int live = position >= window.begin ? window.end - position : 0;");
  if (has_history(plan)) out.line("const bool past = is_history(window, position);");
}

void emit_history_pointer(TextWriter& out, std::string_view name) {
  out.line(
      fmt::format("const unsigned short* const {0}_history = history_row(stream.{0}, window.row, channel);", name));
}

void emit_load(TextWriter& out, const ConvConfig& config, const Plan& plan, const LoadTarget& target) {
  out.open(fmt::format("const auto {} = [&]({}) {{", target.name, target.parameters));
  if (plan.geometry.walks_channels) out.line("const auto [channel, pair] = item_at(walk, item);");
  out.line(fmt::format("const SharedAddress to = {};", target.base));
  open_planes(out, plan, target.first, target.end);
  emit_exists(out, plan);
  emit_row_pointer(out, plan, "u", "const ");
  if (has_in_gate(config.gating)) emit_row_pointer(out, plan, "w", "const ");
  if (has_history(plan)) {
    emit_history_pointer(out, "u");
    if (has_in_gate(config.gating)) emit_history_pointer(out, "w");
  }
  open_copy_loop(out, plan, plan.loaded_rows(), plan.geometry.gate_at_load ? 4 : 0);
  emit_live(out, config, plan);
  out.line(fmt::format("const SharedAddress at = to + {}chunk_offset({}, chunk);", plane_at(plan, target.plane),
                       slot_in(plan, target)));
  emit_load_chunk(out, config, plan);
  out.close();
  close_planes(out, plan);
  out.line("commit_copies();");
  out.close("};");
}

}  // namespace

namespace {

// Opens the loop over the chunks that are stored. Of windows alone the halo's, in front, are not.
void open_store_loop(TextWriter& out, const Plan& plan, int rows, int unroll = 0) {
  open_copy_loop(out, plan, rows, unroll);
  if (!stores_positions(plan)) return;
  out.line("const int position = position_of(sample, part);");
  out.line("if (position < 0) continue;  // the halo");
}

// Out gates that do not pass through shared memory: all of a lane's are on their way before the first is used.
void emit_read_gates(TextWriter& out, const ConvConfig& config, const Plan& plan, int rows) {
  emit_row_pointer(out, plan, "v", "const ");
  out.line(fmt::format("uint4 gates[{}];", copy_shape(plan, rows).iterations));
  open_store_loop(out, plan, rows);
  out.line(fmt::format("gates[i] = read_chunk<alignment>(v + {}, {});", stored_position(plan),
                       live_samples(config, plan, rows)));
  out.close();
}

// The copy of v into the rows that w has left.
void emit_copy_out_gate(TextWriter& out, const ConvConfig& config, const Plan& plan) {
  const int rows = stored_rows(plan);
  out.line(
      "// Starts the copy of a pair's out gate into the rows of the in gate. Every lane reads what it has copied.");
  out.open("const auto copy_out_gate = [&](int pair) {");
  out.line("const SharedAddress to = shared + gate_offset + group * buffer_bytes;");
  open_planes(out, plan, 0, 2);
  emit_exists(out, plan);
  emit_row_pointer(out, plan, "v", "const ");
  open_store_loop(out, plan, rows);
  out.line(fmt::format("const int live = {};", live_if_exists(plan, live_samples(config, plan, rows))));
  out.line(fmt::format("load_chunk<alignment>(to + {}chunk_offset({}, chunk), v + {}, live);",
                       plane_at(plan, "plane_bytes"), slot_of_samples(plan, "row"), stored_position(plan)));
  out.close();
  close_planes(out, plan);
  out.line("commit_copies();");
  out.close("};");
}

}  // namespace

std::string tiled_load(const ConvConfig& config, const Plan& plan) {
  TextWriter out(1);
  const int staged = plan.geometry.staged_rows;
  const std::string_view shares = copies_whole_rows(plan) ? "whole rows at a time" : "each warp its own columns";
  out.line(plan.real_filter()
               ? fmt::format("// Starts the copies of a pair, {}. Samples that do not exist become zero.", shares)
               : fmt::format("// Starts the copies of a complex row, {}.", shares));
  if (staged > 0)
    emit_load(out, config, plan,
              {"stage_pair", "int pair", "shared + stage_offset", "stage_plane_bytes", 0, staged, true});
  if (!stages_all(plan))
    emit_load(out, config, plan,
              {plan.real_filter() ? "load_pair" : "load_row",
               plan.geometry.walks_channels ? "int item, int buffer"
               : plan.real_filter()         ? "int pair, int buffer"
               : plan.is_backward()         ? "long long offset, int buffer"
                                            : "long long offset, bool real, int buffer",
               loads_beside(config, plan) ? "shared + (group * buffers + buffer) * buffer_bytes + plane_bytes"
                                          : "shared + (group * buffers + buffer) * buffer_bytes",
               "plane_bytes", staged, 2, false});
  if (copies_out_gate(config, plan)) emit_copy_out_gate(out, config, plan);
  return out.take();
}

std::string tiled_first_load(const Plan& plan) {
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

namespace {

// One chunk from shared memory to y, scaled and gated.
void emit_scaled_store(TextWriter& out, const ConvConfig& config, const Plan& plan, int rows) {
  const bool gated = has_out_gate(config.gating);
  const bool shared_gate = copies_out_gate(config, plan);
  out.line("uint4 value = load_shared(at);");
  if (shared_gate) out.line("const uint4 gate = load_shared(at + gate_offset);");
  emit_stored_chunk(out, !gated ? "" : shared_gate ? "gate" : "gates[i]");
  out.line(fmt::format("write_chunk<alignment>(y + {}, value, {});", stored_position(plan),
                       live_samples(config, plan, rows)));
}

}  // namespace

void emit_store(TextWriter& out, const ConvConfig& config, const Plan& plan, std::string_view next_copies) {
  const bool gated = has_out_gate(config.gating);
  const bool shared_gate = copies_out_gate(config, plan);
  const int rows = stored_rows(plan);
  if (shared_gate) out.line("wait_copies<0>();");
  if (loads_beside(config, plan)) {
    out.line("// Imaginary parts have been read: the next row comes in beside the results.");
    out.line(next_copies);
  }
  out.line(plan.real_filter() ? "// Store: 16 bytes a lane, scaled and in the rows' own type."
                              : "// Store: 16 bytes a lane, back into the workspace.");
  open_planes(out, plan, 0, 2);
  emit_exists(out, plan);
  if (plan.mirrors_rows())
    out.line(plan.windows ? "if (window.end <= 0) break;" : "if (!exists) break;");
  else if (!plan.real_filter() && !plan.is_backward())
    out.line("if (part == 1 && mine.real) break;");
  emit_row_pointer(out, plan, "y", "");
  const bool held_gates = gated && !shared_gate;
  if (held_gates) emit_read_gates(out, config, plan, rows);
  // The addresses of rows alone are the same for all: fewer at a time, or the compiler keeps what it has no room for.
  open_store_loop(out, plan, rows, has_real_rows(plan) && !held_gates ? 4 : 0);
  out.line(fmt::format("const SharedAddress at = rows_at + {}chunk_offset({}, chunk);", plane_at(plan, "plane_bytes"),
                       slot_of_samples(plan, "row")));
  if (plan.real_filter())
    emit_scaled_store(out, config, plan, rows);
  else
    out.line("store_global(reinterpret_cast<uint4*>(y + sample), load_shared(at));");
  out.close();
  close_planes(out, plan);
  if (plan.geometry.buffers == 1 && !stages_all(plan) && !loads_beside(config, plan)) {
    out.line(copies_whole_rows(plan)
                 ? "// The same threads copy in what they have just copied out: no barrier is needed."
                 : "// A warp's next copies fall on columns that it alone has just read.");
    out.line(next_copies);
  }
}

std::string tiled_store(const ConvConfig& config, const Plan& plan) {
  TextWriter out(plan.real_filter() ? 2 : 4);
  emit_store(out, config, plan,
             plan.geometry.walks_channels ? "if (item + groups < walk.items) load_pair(item + groups, 0);"
             : plan.real_filter()         ? "if (pair + groups < end_pair) load_pair(pair + groups, 0);"
                                          : "load_behind(side, buffer);");
  return out.take();
}

}  // namespace ffc
