// How large rows are: what a thread has copied of them, then its warp, then the group.
#include "measure_rows.hpp"

#include <fmt/format.h>

#include "load_target.hpp"
#include "register_copies.hpp"
#include "row_access.hpp"
#include "tiled_chunks.hpp"
#include "tiled_magnitudes.hpp"
#include "tiled_pieces.hpp"
#include "tiled_shape.hpp"
#include "wrapped_ends.hpp"

namespace ffc {

namespace {

void emit_words(TextWriter& out, std::string_view words) {
  out.line(
      fmt::format("const SharedAddress magnitudes_at = shared + magnitudes_offset + {} * group_warps * 4;", words));
}

// Of gradients a pair has one power of two for each tensor, which the halves of a word are of then.
void emit_largest_of_warp(TextWriter& out, const InBlockPlan& plan) {
  const bool one_row = are_alone(plan.packing) && !plan.is_backward();
  out.line(fmt::format("const Packed of_warp = largest.{}();", one_row ? "of_one_row" : "of_warp"));
}

constexpr std::string_view store_word = "if (lane == 0) store_shared4(magnitudes_at + 4 * warp, of_warp);";

}  // namespace

void emit_share_largest(TextWriter& out, const InBlockPlan& plan, std::string_view words) {
  emit_largest_of_warp(out, plan);
  if (plan.geometry.warps_per_group == 1) return;
  emit_words(out, words);
  out.line(store_word);
}

void emit_group_largest(TextWriter& out, const InBlockPlan& plan, std::string_view words) {
  emit_share_largest(out, plan, words);
  if (plan.geometry.warps_per_group > 1) out.line("group_barrier<group_threads>(group);");
}

std::string_view shared_largest(const InBlockPlan& plan) {
  return plan.geometry.warps_per_group == 1 ? "of_warp" : "largest_of<group_warps>(magnitudes_at)";
}

std::string found_scales(const InBlockPlan& plan) { return fmt::format("scales_of({})", shared_largest(plan)); }

void emit_measure_end(TextWriter& out, const InBlockPlan& plan, const RowAccess& access) {
  if (plan.most_wrapped == 0) return;
  const auto end = [&](std::string_view name) { return fmt::format("load_shared({})", wrapped_end(access, name)); };
  out.line(fmt::format("if ({}) {}", copies_first_chunk(plan), add_largest_of(access, end)));
}

namespace {

// The chunks of a target that this thread has copied, but those that are zeros.
void emit_measure(TextWriter& out, const InBlockPlan& plan, const LoadTarget& target, const RowAccess& access) {
  const SlotOfRow slot = slot_in(plan, target);
  out.open("{");
  out.line(fmt::format("const SharedAddress from = {};", target.base));
  emit_first_chunk(out, plan, plan.loaded_rows(), slot);
  open_planes(out, access, target.first, target.end);
  open_copy_loop(out, plan, measured_rows(plan), 0, "");
  out.line(
      fmt::format("const SharedAddress at = from + {}{};", plane_at(access, target.plane), chunk_place(plan, slot)));
  out.line("const uint4 value = load_shared(at);");
  if (!access.source.gate.empty()) out.line("const uint4 gate = load_shared(at + gate_offset);");
  out.line(add_largest(access, "value", access.source.gate.empty() ? "" : "gate"));
  out.close();
  emit_measure_end(out, plan, access);
  close_planes(out, access);
  out.close();
}

void emit_measures(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan) {
  out.line("// How large each row is: what this thread has copied of it, then its warp.");
  out.line("Largest largest;");
  const RowAccess access = row_access(config, plan);
  for (const LoadTarget& target : load_targets(config, plan)) emit_measure(out, plan, target, access);
}

}  // namespace

void emit_find_largest(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan) {
  emit_measures(out, config, plan);
  emit_share_largest(out, plan);
}

void emit_measure_pair(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan) {
  emit_words(out, "group");
  out.open("const auto measure_pair = [&](int buffer) {");
  emit_measures(out, config, plan);
  emit_largest_of_warp(out, plan);
  out.line(store_word);
  out.close("};");
}

}  // namespace ffc
