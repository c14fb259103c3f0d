// A row from samples to the spectrum and back, and its factors, as text.
#include "row_chain.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "ffc/generator/plan.hpp"
#include "kept_digits.hpp"
#include "lower_rows.hpp"
#include "statement.hpp"
#include "step_text.hpp"
#include "text.hpp"
#include "tile_counts.hpp"
#include "tiled_shape.hpp"

namespace ffc {

bool comes_out_of_order(const InBlockPlan& plan, const Statement& factor) {
  return plan.fractional_rows && factor.operand == Operand::spectrum && factor.placement != Placement::registers;
}

std::string_view factors_of(const InBlockPlan& plan) { return plan.geometry.frequencies > 1 ? "factors" : "shared"; }

std::string_view factor_name(Operand factor) {
  return factor == Operand::spectrum        ? "spectrum"
         : factor == Operand::outer_twiddle ? "outer_twiddle"
                                            : "inner_twiddle";
}

namespace {

// The text of a row's chain, on one tile.
class Chain {
 public:
  Chain(TextWriter& out, const InBlockPlan& plan, std::string_view x, std::string_view row)
      : out_(out), plan_(plan), x_(x), row_(row) {}

  void print(const Statement& statement) {
    switch (statement.operation) {
      case Operation::fetch:
        return print_fetch(statement);
      case Operation::contract:
        return print_product(statement);
      case Operation::multiply:
        return print_factor(statement);
      case Operation::ahead:
        out_.line(fmt::format(
            "stage_spectrum(spectrum_tiles, first + b + {});  // to the place of the one that has been used",
            staged_tiles));
        return;
      default:
        throw std::logic_error("no chain of a row has such a statement");
    }
  }

 private:
  // Of fractional rows. Matrices of their first and last products are read where they are used.
  void print_fetch(const Statement& fetch) {
    if (fetch.operand != Operand::inner_twiddle) return;
    out_.line(fmt::format("const SharedAddress factors = shared + row_factors_offset + {} * row_factor_bytes;", row_));
    out_.line("const Tile twiddle = load_tile(factors, lane);");
  }

  // The row's second last digit, whose samples are n2.
  [[nodiscard]] bool is_first_digit(const Statement& product) const {
    return product.digit == static_cast<int>(plan_.digits.size()) - 2;
  }

  // What a product contracts, and what it leaves of the tile's rows and columns.
  [[nodiscard]] std::string_view comment(const Statement& product) const {
    const bool first = is_first_digit(product);
    if (!plan_.kept_inner.empty())
      return product.inverse ? (first ? "k2 to n2: [n3][n2]" : "k3 to n3: [n3][8 k2]")
                             : (first ? "n2 to the kept k2: [8 k2][n3]" : "n3 to k3: [8 k2][k3]");
    if (product.inverse) return first ? "k2 to n2: [n3][n2]" : "k3 to n3: [n3][k2]";
    if (first) return "n2 to k2: [k2][n3]";
    return product.to == Shape::half ? "n3 to the kept k3: [k2][8 k3]" : "n3 to k3: [k2][k3]";
  }

  // A factor where it is used, for it may have been on its way till then.
  [[nodiscard]] std::string_view factor_text(Operand factor) const {
    return factor == Operand::spectrum && plan_.spectrum_lacks_power ? "times_power(spectrum, spectrum_power)"
                                                                     : factor_name(factor);
  }

  [[nodiscard]] std::string call(const Statement& product) const {
    const char role = product.role == Role::a ? 'a' : 'b';
    if (product.from != product.to) {
      const std::string_view kept = is_first_digit(product) && product.inverse ? "kept_back" : "kept";
      return product.to == Shape::half ? fmt::format("HalfTile half = contract_to_kept({}, {});", kept, x_)
                                       : fmt::format("{} = contract_from_kept({}, half);", x_, kept);
    }
    if (product.from == Shape::half)
      return product.inverse ? "half = contract_eight_rows_back(radix16, half);"
                             : "half = contract_eight_rows(radix16.b, half);";
    if (plan_.fractional_rows) {
      const std::string_view matrix = product.applied == Applied::to_results ? "radix16"
                                      : product.inverse ? "load_row_matrix_transposed(factors, lane)"
                                                        : "load_row_matrix(factors, lane)";
      return fmt::format("{0} = contract_halves_as_{1}({2}, {0});", x_, role, matrix);
    }
    const std::string_view matrix = product.role == Role::a ? "radix16.b" : "radix16";
    if (product.operand != Operand::none)
      return fmt::format("{0} = contract_as_{1}_times<{2}, {2}>({4}, {0}, {3});", x_, role, product.inverse,
                         factor_text(product.operand), matrix);
    return fmt::format("{0} = contract_as_{1}<{2}>({3}, {0});", x_, role, product.inverse, matrix);
  }

  void print_product(const Statement& product) { out_.line(with_steps(call(product), product, comment(product))); }

  void print_factor(const Statement& factor) {
    const bool conjugate = factor.inverse || (factor.operand == Operand::spectrum && factor.tensor == Tensor::gradient);
    std::string name(factor_text(factor.operand));
    if (factor.operand == Operand::inner_twiddle) {
      if (plan_.fractional_rows) name = "twiddle";
      if (has_wide_twiddle(plan_)) name = "narrow(inner_twiddle)";  // not fused, it is rounded where it is used
      if (factor.from == Shape::half && factor.inverse) name = "inner_twiddle_back";
    }
    const std::string text = fmt::format("{}({}, {});", conjugate ? "multiply_conj" : "multiply",
                                         factor.from == Shape::half ? "half" : x_, name);
    const bool first = factor.operand == Operand::outer_twiddle && !factor.inverse;
    out_.line(with_steps(text, factor, first ? "between outer and inner digits: [n3][n2]" : ""));
  }

  TextWriter& out_;
  const InBlockPlan& plan_;
  std::string_view x_, row_;
};

}  // namespace

void emit_chain_statement(TextWriter& out, const InBlockPlan& plan, const Statement& statement, std::string_view x,
                          std::string_view row) {
  Chain(out, plan, x, row).print(statement);
}

namespace {

// Half a tile, of 8 frequencies of a digit.
bool is_half(const InBlockPlan& plan, const Statement& factor) {
  return halves_rows(plan) && factor.operand == Operand::spectrum;
}

// What reads a tile of the filter's spectrum into the order of its memory, or of whole products.
std::string_view read_spectrum_tile(const InBlockPlan& plan) {
  return plan.spectrum_of_fractional ? "read_tile_of_fours" : "read_tile";
}

}  // namespace

std::string_view factor_type(const InBlockPlan& plan, const Statement& factor) {
  return is_half(plan, factor) ? "HalfTile" : "Tile";
}

std::string row_count(const InBlockPlan& plan) {
  if (sides(plan) == 2) return "couples";
  if (plan.half_spectrum()) return "rows / 2";
  return plan.kept_rows.empty() ? "rows" : "factor_rows";
}

std::string_view rows_name(const InBlockPlan& plan) { return sides(plan) == 2 ? "couples" : "rows"; }

std::string row_of_warp(const InBlockPlan& plan, std::string_view index) {
  if (adds_in_turns(plan)) return fmt::format("warp * rows_per_warp + tile_in_turn({}, member)", index);
  std::string row = fmt::format("warp * {}_per_warp + {}", rows_name(plan), index);
  if (plan.couples() % plan.geometry.warps_per_group != 0) row = fmt::format("min({}, {} - 1)", row, row_count(plan));
  if (plan.half_spectrum() && index != "0") return fmt::format("{} < rows_per_warp ? {} : rows / 2", index, row);
  return row;
}

std::string row_factor(const InBlockPlan& plan, const Statement& factor, std::string_view row, std::string_view index) {
  const std::string_view name = factor_name(factor.operand);
  const bool halved = is_half(plan, factor);
  const std::string_view half = halved ? "half_" : "", bytes = halved ? "spectrum_" : "";
  switch (factor.placement) {
    case Placement::registers:
      if (!index.empty()) return fmt::format("{}s[{}]", name, index);
      break;
    case Placement::steps:
      return fmt::format("row_twiddle({})", index);
    case Placement::staged:
      return fmt::format("load_tile(staged_tile({}), lane)", index);
    case Placement::shared:
      return fmt::format("load_{}tile({} + {}_offset + ({}) * {}tile_bytes, lane)", half,
                         factor.operand == Operand::outer_twiddle ? factors_of(plan) : "shared", name, row, bytes);
    case Placement::global:
    case Placement::turns:  // of sums
      break;
  }
  if (is_made(plan, factor.operand))
    return fmt::format("split_twiddle(frequency + frequency_step * {}({}), lane)",
                       plan.kept_rows.empty() || !has_columns(plan) ? "" : "kept_row", row);
  if (factor.operand == Operand::outer_twiddle)
    return fmt::format("read_tile(tables + outer_twiddle_table + ({}) * (tile_bytes / 16), lane)", row);
  return fmt::format("{}(spectrum_tiles + ({}) * ({}tile_bytes / 16), lane)",
                     halved ? "read_half_tile" : read_spectrum_tile(plan), row, bytes);
}

std::string_view tile_name(Tensor tensor) { return tensor == Tensor::input ? "x" : "g"; }

std::string_view rows_offset(const InBlockPlan& plan, Tensor tensor) {
  return tensor == Tensor::gradient && plan.resident_tensors() > 1 ? " + buffer_bytes" : "";
}

void emit_row_sums(TextWriter& out, const InBlockPlan& plan, const Statement& sum, std::string_view exists,
                   std::string_view row, std::string_view z, std::string_view g) {
  const std::string guard = exists.empty() ? "" : fmt::format("if ({}) ", exists);
  if (sum.meets) out.line(fmt::format("{}met_sums.add({});", guard, z));
  // Where they go back to samples, these show it.
  if (sum.meets && !plan.backward.inverts_gradient) out.line(fmt::format("{}met_sums.add({});", guard, g));
  out.line(fmt::format("{}{}(sums, {}, lane, {}{}, {});", guard,
                       plan.scales_row_sums ? "add_scaled_product" : "add_product", row,
                       plan.scales_row_sums ? "sums_scale, " : "", z, g));
}

namespace {

// Of rows that have no mirrors: those of a warp's own rows, or all where it holds them.
void emit_own_factors(TextWriter& out, const InBlockPlan& plan) {
  const std::string_view count = has_columns(plan) ? "rows_per_warp" : "rows";
  const std::string_view row = has_columns(plan) ? "min(warp * rows_per_warp + i, rows - 1)" : "i";
  const auto tiles = [&](std::string_view name, std::string_view read, std::string_view from) {
    out.line(fmt::format("Tile {}s[{}];", name, count));
    out.unroll().line(fmt::format("for (int i = 0; i < {}; ++i)", count));
    out.line(fmt::format("  {}s[i] = {}({} + {} * (tile_bytes / 16), lane);", name, read, from, row));
  };
  if (plan.geometry.twiddle == Placement::registers)
    tiles("outer_twiddle", "read_tile", "tables + outer_twiddle_table");
  if (has_spectrum(plan) && plan.geometry.spectrum == Placement::registers)
    tiles("spectrum", read_spectrum_tile(plan), "spectrum_tiles");
}

}  // namespace

void emit_spectrums_order(TextWriter& out, const InBlockPlan& plan) {
  if (!plan.fractional_rows || plan.geometry.spectrum != Placement::registers) return;
  out.unroll().line(fmt::format("for (int i = 0; i < {}; ++i) put_even_first(spectrums[i]);",
                                has_columns(plan) ? "rows_per_warp" : "rows"));
}

void emit_register_factors(TextWriter& out, const InBlockPlan& plan) {
  if (!plan.mirrors_rows()) return emit_own_factors(out, plan);
  const auto tiles = [&](std::string_view name, std::string_view from) {
    const bool lone = has_columns(plan) && plan.rows() % 2 == 0 && keeps_row(plan, 0);
    const bool half = halves_rows(plan) && name == "spectrum";
    const std::string per_warp = fmt::format("{}_per_warp", rows_name(plan)), last = row_count(plan) + " - 1";
    const std::string count = lone ? per_warp + " + 1" : has_columns(plan) ? per_warp : "factor_rows";
    const std::string row = has_columns(plan) ? fmt::format("min(warp * {} + i, {})", per_warp, last) : "i";
    const std::string_view half_row = plan.kept_rows.empty() ? "rows / 2" : "factor_rows - 1";
    // Two a warp leave the last of four without any of five couples: it reads a row that exists.
    const bool all_have_rows = (plan.geometry.warps_per_group - 1) * plan.couples_per_warp() < plan.factor_rows();
    const std::string mine = plan.kept_rows.empty() && all_have_rows
                                 ? fmt::format("warp * {}", per_warp)
                                 : fmt::format("min(warp * {}, {})", per_warp, last);
    out.line(fmt::format("{} {}s[{}];", half ? "HalfTile" : "Tile", name, count));
    out.unroll();
    out.line(fmt::format("for (int i = 0; i < {}; ++i)", count));
    out.line(fmt::format("  {}s[i] = read_{}tile({} + ({}) * ({}tile_bytes / 16), lane);", name, half ? "half_" : "",
                         from,
                         lone ? fmt::format("i < {} ? {} : warp > 0 ? {} : {}", per_warp, row, mine, half_row) : row,
                         half ? "spectrum_" : ""));
  };
  if (plan.has_outer_twiddle() && plan.geometry.twiddle == Placement::registers)
    tiles("outer_twiddle", "tables + outer_twiddle_table");
  if (plan.geometry.spectrum == Placement::registers) tiles("spectrum", "spectrum_tiles");
}

void emit_twiddle_steps(TextWriter& out) {
  out.line("// Twiddles of the steps from a warp's first row to its others.");
  out.line("for (int i = unit_thread / 32; i < rows_per_warp; i += block_threads / 32)");
  out.line(
      "  store_tile(shared + outer_twiddle_offset + i * tile_bytes, lane, twiddle_step(frequency_step * i, lane));");
  out.line("unit_barrier();");
  out.line("FineTile first_twiddle;");
  out.open("const auto row_twiddle = [&](int i) {");
  out.line("return stepped(first_twiddle, load_tile(shared + outer_twiddle_offset + i * tile_bytes, lane));");
  out.close("};");
}

void emit_staged_spectrum(TextWriter& out, const InBlockPlan& plan) {
  const std::string_view copy = plan.spectrum_leaves_cache ? "copy_async_once" : "copy_async<16>";
  out.line("// Starts the copy of a tile of the spectrum, that of a warp's row i, to one of the warp's two places.");
  out.open("const auto staged_tile = [&](int i) {");
  out.line(fmt::format("return shared + spectrum_offset + ({0} * (unit_thread / 32) + i % {0}) * tile_bytes;",
                       staged_tiles));
  out.close("};");
  out.open("const auto stage_spectrum = [&](const uint4* tiles, int i) {");
  out.open("if (i < rows_per_warp) {");
  out.line("const uint4* const from = tiles + (warp * rows_per_warp + i) * (tile_bytes / 16) + lane;");
  out.line(fmt::format("{}(staged_tile(i) + 16 * lane, from, 16);", copy));
  out.line(fmt::format("{}(staged_tile(i) + tile_bytes / 2 + 16 * lane, from + 32, 16);", copy));
  out.close();
  out.line("commit_copies();");
  out.close("};");
}

}  // namespace ffc
