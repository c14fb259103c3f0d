// Pieces of the middle stage: the chain of a row from samples to the spectrum and back, and its factors.
#pragma once

#include <string>
#include <string_view>

#include "ffc/generator/plan.hpp"
#include "gradient_results.hpp"
#include "text.hpp"

namespace ffc {

/// The chain of a row, on the tile named `x` with factors `outer_twiddle` and `spectrum` in scope.
class RowChain {
 public:
  RowChain(TextWriter& out, const InBlockPlan& plan, std::string_view x) : out_(out), plan_(plan), x_(x) {}

  /// All of a convolution.
  void emit();
  /// To frequencies; the factor named `behind`, where there is one, in the last product.
  void to_frequencies(std::string_view behind);
  /// Times the spectrum or its conjugate.
  void times_spectrum(bool conjugate);
  /// From what is to be inverted back to samples.
  void to_samples();

 private:
  // Of 8 values of the last digit alone: half a tile between its products.
  void kept_last();
  // Of rows whose first product is at frequencies between.
  void fractional();
  // Of 8 values of the second last one: half a tile from the first product to the last.
  void kept_inner();
  void line(const std::string& text, std::string_view comment);
  // A product and the factor behind it: in one step, rounded once, or in two.
  void product(char role, bool inverse, bool fused, std::string_view factor, std::string_view comment);

  TextWriter& out_;
  const InBlockPlan& plan_;
  std::string x_;
};

/// The outer twiddle of a split plan's rows is made by the block, not read.
[[nodiscard]] bool is_made(const InBlockPlan& plan, std::string_view name);
/// A tile of factors is half a one, and what it is called.
[[nodiscard]] bool is_half(const InBlockPlan& plan, std::string_view name);
[[nodiscard]] std::string_view tile_type(const InBlockPlan& plan, std::string_view name);

/// Of rows that stand alone: the one of which `index` a warp comes to, as an expression, or the last one behind it.
[[nodiscard]] std::string row_of_warp(const InBlockPlan& plan, std::string_view index);

/// A tile of factors of row `row`, or where rows are dropped of the row at that place, as an expression; `index` counts
/// those that a warp keeps in registers.
[[nodiscard]] std::string row_factor(const InBlockPlan& plan, std::string_view name, Placement placement,
                                     std::string_view row, std::string_view index);

/// `body(name, placement)` for each factor of a row, the spectrum where it is multiplied in.
template <class Body>
void each_factor(const InBlockPlan& plan, bool with_spectrum, Body body) {
  if (plan.has_outer_twiddle() && !plan.fractional_rows) body("outer_twiddle", plan.geometry.twiddle);
  if (with_spectrum) body("spectrum", plan.geometry.spectrum);
}

/// The tiles of a tensor in the text of the middle stage.
struct RowTensor {
  std::string_view tile;    ///< name: "x"
  std::string_view offset;  ///< added to the addresses of its rows
  bool back = true;         ///< goes on to rows, behind the spectrum ...
  bool conjugate = false;   ///< ... or its conjugate
};

/// Of a convolution, its only one.
[[nodiscard]] std::vector<RowTensor> row_tensors(const InBlockPlan& plan, Turn turn);

/// u's frequencies wait in memory for dy's.
[[nodiscard]] inline bool parks(const InBlockPlan& plan, Turn turn) {
  return turn == Turn::input && plan.backward.sums;
}

/// They have waited.
[[nodiscard]] inline bool takes_parked(const InBlockPlan& plan, Turn turn) {
  return turn == Turn::gradient && plan.backward.sums;
}

/// A tile of a row in the text of the middle stage, as expressions.
struct RowTile {
  std::string_view at;     ///< behind the names of the tensors' tiles: "[b]"
  std::string_view row;    ///< its outer frequency
  std::string_view index;  ///< which of its warp's tiles it is
  std::string exists;      ///< whether no other warp has the tile, too; empty: none has
};

/// The chains of a tile of complex rows in the tensors of a turn: of a convolution there and back, of gradients what is
/// to be done. Where tensors take turns, u's frequencies wait in registers for dy's.
void emit_row_chain(TextWriter& out, const InBlockPlan& plan, Turn turn, const std::vector<RowTensor>& tensors,
                    const RowTile& tile);

}  // namespace ffc
