// A row from samples to the spectrum and back, and its factors.
#include "row_chain.hpp"

#include <fmt/format.h>

#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/plan.hpp"
#include "gradient_results.hpp"
#include "text.hpp"
#include "tiled_shape.hpp"

namespace ffc {

void RowChain::emit() {
  if (!plan_.kept_inner.empty()) return kept_inner();
  if (!plan_.kept_last.empty()) return kept_last();
  if (plan_.fractional_rows) return fractional();
  to_frequencies("spectrum");
  to_samples();
}

void RowChain::kept_last() {
  const bool outer = plan_.has_outer_twiddle();
  if (outer) line(fmt::format("multiply({}, outer_twiddle);", x_), "between outer and inner digits: [n3][n2]");
  product('b', false, false, "inner_twiddle", "n2 to k2: [k2][n3]");
  line(fmt::format("HalfTile half = contract_to_kept(kept, {});", x_), "n3 to the kept k3: [k2][8 k3]");
  out_.line("multiply(half, spectrum);");
  line(fmt::format("{} = contract_from_kept(kept, half);", x_), "k3 to n3: [n3][k2]");
  out_.line(fmt::format("multiply_conj({}, inner_twiddle);", x_));
  product('a', true, false, outer ? "outer_twiddle" : "", "k2 to n2: [n3][n2]");
}

void RowChain::kept_inner() {
  const bool outer = plan_.has_outer_twiddle();
  if (outer) line(fmt::format("multiply({}, outer_twiddle);", x_), "between outer and inner digits: [n3][n2]");
  line(fmt::format("HalfTile half = contract_to_kept(kept, {});", x_), "n2 to the kept k2: [8 k2][n3]");
  out_.line("multiply(half, inner_twiddle);");
  line("half = contract_eight_rows(radix16.b, half);", "n3 to k3: [8 k2][k3]");
  out_.line("multiply(half, spectrum);");
  line("half = contract_eight_rows_back(radix16, half);", "k3 to n3: [n3][8 k2]");
  out_.line("multiply_conj(half, inner_twiddle_back);");
  line(fmt::format("{} = contract_from_kept(kept_back, half);", x_), "k2 to n2: [n3][n2]");
  if (outer) out_.line(fmt::format("multiply_conj({}, outer_twiddle);", x_));
}

void RowChain::fractional() {
  out_.line("const SharedAddress factors = shared + row_factors_offset + row * row_factor_bytes;");
  out_.line("const Tile twiddle = load_tile(factors, lane);");
  line(fmt::format("{0} = contract_halves_as_b(load_row_matrix(factors, lane), {0});", x_), "n2 to k2: [k2][n3]");
  out_.line(fmt::format("multiply({}, twiddle);", x_));
  line(fmt::format("{0} = contract_halves_as_a(radix16, {0});", x_), "n3 to k3: [k2][k3]");
  out_.line(fmt::format("multiply({}, spectrum);", x_));
  line(fmt::format("{0} = contract_halves_as_b(radix16, {0});", x_), "k3 to n3: [n3][k2]");
  out_.line(fmt::format("multiply_conj({}, twiddle);", x_));
  line(fmt::format("{0} = contract_halves_as_a(load_row_matrix_transposed(factors, lane), {0});", x_),
       "k2 to n2: [n3][n2]");
}

void RowChain::to_frequencies(std::string_view behind) {
  const int fused = plan_.fused_factors;
  // A wide twiddle that is not fused is rounded where it is used.
  const std::string twiddle = fused == 1 ? "narrow(inner_twiddle)" : "inner_twiddle";
  if (plan_.has_outer_twiddle())
    line(fmt::format("multiply({}, outer_twiddle);", x_), "between outer and inner digits: [n3][n2]");
  product('b', false, fused >= 2, fused >= 2 ? "inner_twiddle" : twiddle, "n2 to k2: [k2][n3]");
  product('a', false, fused >= 3, behind, "n3 to k3: [k2][k3]");
  if (!behind.empty() && stages_spectrum(plan_))
    line(fmt::format("stage_spectrum(spectrum_tiles, first + b + {});", staged_tiles),
         "to the place of the one that has been used");
}

void RowChain::times_spectrum(bool conjugate) {
  out_.line(fmt::format("{}({}, spectrum);", conjugate ? "multiply_conj" : "multiply", x_));
}

void RowChain::to_samples() {
  const int fused = plan_.fused_factors;
  product('b', true, fused >= 1, "inner_twiddle", "k3 to n3: [n3][k2]");
  product('a', true, fused >= 4, plan_.has_outer_twiddle() ? "outer_twiddle" : "", "k2 to n2: [n3][n2]");
}

void RowChain::line(const std::string& text, std::string_view comment) {
  out_.line(fmt::format("{}  // {}", text, comment));
}

void RowChain::product(char role, bool inverse, bool fused, std::string_view factor, std::string_view comment) {
  const std::string_view matrix = role == 'a' ? "radix16.b" : "radix16";
  if (fused && !factor.empty()) {
    line(fmt::format("{0} = contract_as_{1}_times<{2}, {2}>({4}, {0}, {3});", x_, role, inverse, factor, matrix),
         comment);
    return;
  }
  line(fmt::format("{0} = contract_as_{1}<{2}>({3}, {0});", x_, role, inverse, matrix), comment);
  if (!factor.empty()) out_.line(fmt::format("{}({}, {});", inverse ? "multiply_conj" : "multiply", x_, factor));
}

bool is_made(const InBlockPlan& plan, std::string_view name) { return name == "outer_twiddle" && !plan.real_filter(); }

bool is_half(const InBlockPlan& plan, std::string_view name) { return halves_rows(plan) && name == "spectrum"; }

std::string_view tile_type(const InBlockPlan& plan, std::string_view name) {
  return is_half(plan, name) ? "HalfTile" : "Tile";
}

namespace {

// How many rows stand alone, in the text.
std::string_view row_count(const InBlockPlan& plan) { return plan.kept_rows.empty() ? "rows" : "factor_rows"; }

}  // namespace

std::string row_of_warp(const InBlockPlan& plan, std::string_view index) {
  std::string row = fmt::format("warp * rows_per_warp + {}", index);
  if (plan.couples() % plan.geometry.warps_per_group == 0) return row;
  return fmt::format("min({}, {} - 1)", row, row_count(plan));
}

std::string row_factor(const InBlockPlan& plan, std::string_view name, Placement placement, std::string_view row,
                       std::string_view index) {
  if (placement == Placement::registers && !index.empty()) return fmt::format("{}s[{}]", name, index);
  const std::string_view half = is_half(plan, name) ? "half_" : "", bytes = is_half(plan, name) ? "spectrum_" : "";
  if (placement == Placement::steps) return fmt::format("row_twiddle({})", index);
  if (placement == Placement::staged) return fmt::format("load_tile(staged_tile({}), lane)", index);
  if (placement == Placement::shared)
    return fmt::format("load_{}tile(shared + {}_offset + ({}) * {}tile_bytes, lane)", half, name, row, bytes);
  if (is_made(plan, name))
    return fmt::format("split_twiddle(frequency + frequency_step * {}({}), lane)",
                       plan.kept_rows.empty() || !has_columns(plan) ? "" : "kept_row", row);
  return fmt::format("read_{}tile({} + ({}) * ({}tile_bytes / 16), lane)", half,
                     name == "outer_twiddle" ? "tables + outer_twiddle_table" : "spectrum_tiles", row, bytes);
}

std::vector<RowTensor> row_tensors(const InBlockPlan& plan, Turn turn) {
  if (!plan.is_backward()) return {{"x", "", true, false}};
  const BackwardWork& work = plan.backward;
  std::vector<RowTensor> tensors;
  if (work.transforms_input && turn != Turn::gradient) tensors.push_back({"x", "", work.inverts_input, false});
  if (work.transforms_gradient && turn != Turn::input)
    tensors.push_back({"g", plan.resident_tensors() > 1 ? " + buffer_bytes" : "", work.inverts_gradient, true});
  return tensors;
}

namespace {

// Both tensors of a pair, or one whose turn it is.
const RowTensor* find(const std::vector<RowTensor>& tensors, bool conjugate) {
  for (const RowTensor& tensor : tensors)
    if (tensor.conjugate == conjugate) return &tensor;
  return nullptr;
}

void emit_sums(TextWriter& out, const RowTile& tile, std::string_view z, std::string_view g) {
  out.line(fmt::format("{}add_product(sums_row + ({}) * (sums_bytes / 16), lane, joins, {}, {}{});",
                       tile.exists.empty() ? "" : fmt::format("if ({}) ", tile.exists), tile.row, z, g, tile.at));
}

}  // namespace

void emit_row_chain(TextWriter& out, const InBlockPlan& plan, Turn turn, const std::vector<RowTensor>& tensors,
                    const RowTile& tile) {
  const auto chain = [&](const RowTensor& tensor) {
    return RowChain(out, plan, fmt::format("{}{}", tensor.tile, tile.at));
  };
  if (!plan.is_backward()) return chain(tensors.front()).emit();
  for (const RowTensor& tensor : tensors) chain(tensor).to_frequencies("");
  const RowTensor* const z = find(tensors, false);
  const RowTensor* const g = find(tensors, true);
  const std::string parked = fmt::format("parked[{}]", tile.index);
  if (parks(plan, turn)) out.line(fmt::format("{} = {}{};", parked, z->tile, tile.at));
  if (plan.backward.sums && g != nullptr)
    emit_sums(out, tile, z != nullptr ? fmt::format("{}{}", z->tile, tile.at) : parked, g->tile);
  for (const RowTensor& tensor : tensors) {
    if (!tensor.back) continue;
    chain(tensor).times_spectrum(tensor.conjugate);
    chain(tensor).to_samples();
  }
}

}  // namespace ffc
