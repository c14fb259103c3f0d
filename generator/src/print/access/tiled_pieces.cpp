// Pieces of a tiled kernel's text that its blocks have in common.
#include "tiled_pieces.hpp"

#include <fmt/format.h>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "gradient_results.hpp"
#include "report_text.hpp"
#include "row_source.hpp"
#include "step_text.hpp"
#include "text.hpp"
#include "tiled_shape.hpp"

namespace ffc {

namespace {

// Which of the outer digits is the outermost, where there are two.
enum class Outer { one, tile, butterfly };

Outer outermost(const InBlockPlan& plan) {
  if (!has_columns(plan) || !has_butterfly(plan)) return Outer::one;
  return plan.tile_first() ? Outer::tile : Outer::butterfly;
}

constexpr std::string_view by_butterfly = "{0} % butterflies * slot_stride + {0} / butterflies";

}  // namespace

std::string slot_of_samples(const InBlockPlan& plan, std::string_view row) {
  if (plan.half_spectrum())
    return plan.slot_stride() == plan.outer_tile
               ? std::string(row)
               : fmt::format("{0} / {1} * slot_stride + {0} % {1}", row, plan.outer_tile);
  // Radix 8 behind a butterfly fills its blocks of slots.
  return outermost(plan) == Outer::tile ? fmt::format(by_butterfly, row) : std::string(row);
}

std::string slot_of_row(const InBlockPlan& plan, std::string_view row) {
  const Outer outer = outermost(plan);
  if (plan.half_spectrum() && !has_butterfly(plan)) return fmt::format("{} % (rows / 2)", row);  // two share one
  if (plan.half_spectrum()) return fmt::format("slot_of_frequencies({})", row);
  if (outer == Outer::butterfly) return fmt::format(by_butterfly, row);
  if (outer == Outer::one || plan.slot_stride() == plan.outer_tile) return std::string(row);
  return fmt::format("{0} / {1} * slot_stride + {0} % {1}", row, plan.outer_tile);
}

std::string samples_of_slot(const InBlockPlan& plan, std::string_view row) {
  return outermost(plan) == Outer::tile ? fmt::format("{0} % {1} * butterflies + {0} / {1}", row, plan.outer_tile)
                                        : slot_of_row(plan, row);
}

std::string spectrum_scale(const InBlockPlan& plan) {
  // Of a real row the frequencies that are there stand for their mirrors, too.
  const std::string_view factor = plan.spectrum_of_fractional ? "spectrum_factor * "
                                  : plan.half_spectrum()      ? "2 * "
                                                              : "";
  return fmt::format(
      "const float scale = {}load_constant(reinterpret_cast<const float*>(spectrum_row + spectrum_row_bytes - 16));",
      factor);
}

std::string_view next_exists(const InBlockPlan& plan) {
  return plan.geometry.walks_channels ? "item + groups < walk.items" : "pair + groups < end_pair";
}

std::string call_for_next(const InBlockPlan& plan, std::string_view call, std::string_view arguments) {
  return fmt::format("if ({}) {}({} + groups{});", next_exists(plan), call,
                     plan.geometry.walks_channels ? "item" : "pair", arguments);
}

void open_loop(TextWriter& out, std::string_view index, std::string_view first, std::string_view end) {
  out.unroll().open(fmt::format("for (int {0} = {1}; {0} < {2}; ++{0}) {{", index, first, end));
}

void emit_gate(TextWriter& out, const InBlockPlan& plan, bool half_tile, std::string_view address) {
  const bool real = real_rows(plan);
  const std::string_view type = real ? "RealTile" : half_tile ? "HalfTile" : "Tile";
  const std::string_view reader = real ? "load_real_rows" : half_tile ? "load_half_rows" : "load_rows";
  out.line(fmt::format("const {} gate = {}({} + gate_offset);", type, reader, address));
}

std::string_view tensor_scale(const ConvConfig& config, const InBlockPlan& plan, Tensor tensor) {
  if (!plan.is_backward() || !plan.real_filter() || plan.geometry.gate_at_load) return {};
  return source_of(config, tensor).scale;
}

void emit_meeting(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, Tensor tensor,
                  std::string_view name, std::string_view field) {
  for (const std::string_view part : {"re", "im"})
    if (!real_rows(plan) || part == "re")
      emit_meet(out, met_of(config, source_of(config, tensor)), field, fmt::format("{}.{}", name, part),
                fmt::format("gate.{}", part));
}

void emit_conversion(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, bool half_tile,
                     std::string_view name, std::string_view scale) {
  out.unroll().open(fmt::format("for (int e = 0; e < {}; ++e) {{", half_tile ? 2 : 4));
  for (const std::string_view part : {"re", "im"}) {
    if (real_rows(plan) && part == "im") continue;
    const std::string register_e = fmt::format("{}.{}[e]", name, part);
    out.line(fmt::format("{} = {};", register_e,
                         scale.empty() ? packed_part(config, part, register_e, fmt::format("gate.{}[e]", part))
                                       : packed_sample(RowSource{{}, {}, scale}, register_e, {})));
  }
  out.close();
}

void emit_shift(TextWriter& out, const InBlockPlan& plan, std::string_view function, std::string_view tile,
                const Statement& factor, std::string_view powers) {
  // Without a tile digit the first value's samples have the root 1.
  std::string shift = shares_shifts(plan) ? "shift(a)" : "shifts[a]";
  if (!powers.empty() && plan.in_cluster())
    shift = "load_shared8(item_shifts + 8 * (4 * a + lane % 4))";
  else if (!powers.empty())
    shift = fmt::format("times_power({}, {}.of[a])", shift, powers);
  out.line(
      with_steps(fmt::format("{}{}({}, {});", has_columns(plan) ? "" : "if (a > 0) ", function, tile, shift), factor));
}

void emit_row_powers(TextWriter& out, std::string_view name, std::string_view buffer) {
  out.line(fmt::format("const RowPowers {} = row_powers(words_of({}), mine.place.round, lane);", name, buffer));
}

std::string scale_of_products(std::string_view of_u, std::string_view of_dy) {
  return fmt::format("scale_of_products(scale_from_one({}), scale_from_one({}))", of_u, of_dy);
}

void open_butterfly_loop(TextWriter& out, int first, int end) {
  open_loop(out, "a", std::to_string(first), std::to_string(end));
}

void emit_forward_butterfly(TextWriter& out, const InBlockPlan& plan, std::string_view tiles,
                            const Statement& butterfly) {
  const int live = plan.live_butterflies();
  if (plan.outer_butterfly == 1) return;
  if (half_butterfly(plan)) {
    out.line(
        with_steps(fmt::format("butterfly_tiles_padded<false>({});", tiles), butterfly, "the upper half is padding"));
    return;
  }
  if (live < plan.outer_butterfly) {
    open_butterfly_loop(out, live, plan.outer_butterfly);
    out.line(fmt::format("{}[a] = {{}};  // padding", tiles)).close();
  }
  out.line(with_steps(fmt::format("butterfly_tiles<false>({});", tiles), butterfly));
}

}  // namespace ffc
