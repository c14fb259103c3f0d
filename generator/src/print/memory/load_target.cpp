// Text of where rows go.
#include "load_target.hpp"

#include <fmt/format.h>

#include "chunk_access.hpp"
#include "row_source.hpp"
#include "tiled_pieces.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

void emit_history_pointer(TextWriter& out, std::string_view name) {
  out.line(
      fmt::format("const unsigned short* const {0}_history = history_row(stream.{0}, window.row, channel);", name));
}

}  // namespace

// The stage of a half-padded row keeps its 8 live rows per value of the butterfly digit.
SlotOfRow slot_in(const InBlockPlan& plan, const LoadTarget& target) {
  if (!target.stage || !half_columns(plan) || !has_butterfly(plan)) return slot_of_samples;
  return [](const InBlockPlan&, std::string_view row) {
    return fmt::format("{0} % butterflies * 8 + {0} / butterflies", row);
  };
}

std::string place_of(const InBlockPlan& plan, const LoadTarget& target, const RowAccess& access) {
  return fmt::format("to + {}{}", plane_at(access, target.plane), chunk_place(plan, slot_in(plan, target)));
}

void open_rows(TextWriter& out, const RowAccess& access, int first, int end) {
  const std::string_view rows = access.source.rows, gate = access.source.gate;
  open_planes(out, access, first, end);
  emit_plane(out, access);
  if (!access.loaded.bounds.empty()) out.line(access.loaded.bounds);
  emit_row_pointer(out, access, rows, "const ");
  emit_mirror_pointer(out, access.loaded, rows, "const ");
  if (!gate.empty()) emit_row_pointer(out, access, gate, "const ");
  if (access.history.empty()) return;
  emit_history_pointer(out, rows);
  if (!gate.empty()) emit_history_pointer(out, gate);
}

void emit_live(TextWriter& out, const RowAccess& access) {
  const ChunkAccess& chunks = access.loaded;
  emit_position(out, chunks);
  out.line(fmt::format("{} int live = {};", chunks.whole && chunks.live == "8" ? "constexpr" : "const", chunks.live));
  if (!access.history.empty()) out.line(fmt::format("const bool past = is_history(window, {});", access.history));
}

std::string read_chunk_of(const RowAccess& access, std::string_view name) {
  std::string read = read_chunk(access.loaded, name, "live");
  if (access.history.empty()) return read;
  return fmt::format("past ? history_chunk({}_history, window, {}) : {}", name, access.history, read);
}

std::vector<LoadTarget> load_targets(const ConvConfig& config, const InBlockPlan& plan) {
  const int staged = plan.geometry.staged_rows;
  std::vector<LoadTarget> targets;
  if (staged > 0)
    targets.push_back({"stage_pair", plan.geometry.walks_channels ? "int item" : "int pair", "shared + stage_offset",
                       "stage_plane_bytes", 0, staged, true});
  if (!stages_all(plan))
    targets.push_back({plan.real_filter() ? "load_pair" : "load_row",
                       plan.geometry.walks_channels ? "int item, int buffer"
                       : plan.real_filter()         ? "int pair, int buffer"
                       : !plan.is_backward()        ? "long long offset, const Rows& of, int buffer"
                                                    : "const Rows& of, int tensor, int frequency, int side, int buffer",
                       loads_beside(config, plan) ? "shared + (group * buffers + buffer) * buffer_bytes + plane_bytes"
                                                  : "shared + (group * buffers + buffer) * buffer_bytes",
                       "plane_bytes", staged, 2, false});
  return targets;
}

}  // namespace ffc
