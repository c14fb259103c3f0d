// Pieces of the stages along rows: statements of a row's chain, its factors, and how tiles are called.
#pragma once

#include <string>
#include <string_view>

#include "ffc/generator/plan.hpp"
#include "statement.hpp"
#include "text.hpp"

namespace ffc {

/// A statement of a row's chain, on the tile named `x` with its factors in scope. Throws std::logic_error for one of no
/// chain.
void emit_chain_statement(TextWriter& out, const InBlockPlan& plan, const Statement& statement, std::string_view x,
                          std::string_view row = "row");

/// Of a fractional row: the factor is its spectrum, in the order of memory, and put_even_first has to follow. Registers
/// hold it in order.
[[nodiscard]] bool comes_out_of_order(const InBlockPlan& plan, const Statement& factor);

/// What a factor is called, and the type of its tile.
[[nodiscard]] std::string_view factor_name(Operand factor);
[[nodiscard]] std::string_view factor_type(const InBlockPlan& plan, const Statement& factor);

/// Where factors of a frequency are that a block makes: in shared memory as a whole, or in the place of one of two.
[[nodiscard]] std::string_view factors_of(const InBlockPlan& plan);

/// How many rows, or couples of a row and its mirror, there are, and the one of which `index` a warp comes to, or the
/// last one behind it: expressions.
[[nodiscard]] std::string row_count(const InBlockPlan& plan);
[[nodiscard]] std::string_view rows_name(const InBlockPlan& plan);  ///< of what a warp takes, in the text
[[nodiscard]] std::string row_of_warp(const InBlockPlan& plan, std::string_view index);

/// A tile of factors of row `row`, or where rows are dropped of the row at that place, as an expression; `index` counts
/// those that a warp keeps in registers.
[[nodiscard]] std::string row_factor(const InBlockPlan& plan, const Statement& factor, std::string_view row,
                                     std::string_view index);

/// Puts the spectrum that registers hold into the order in which the plan's products leave frequencies, where it is
/// another.
void emit_spectrums_order(TextWriter& out, const InBlockPlan& plan);

/// Declares the factors of rows that a warp keeps in registers.
void emit_register_factors(TextWriter& out, const InBlockPlan& plan);

/// Of a split plan's rows: the steps between the rows of a warp, and the twiddles made of them.
void emit_twiddle_steps(TextWriter& out);

/// Where tiles of the spectrum wait for their rows: a lane reads what it has copied itself, so that no barrier is
/// needed.
void emit_staged_spectrum(TextWriter& out, const InBlockPlan& plan);

/// What the tiles of a tensor are called, and what is added to the addresses of its rows.
[[nodiscard]] std::string_view tile_name(Tensor tensor);
[[nodiscard]] std::string_view rows_offset(const InBlockPlan& plan, Tensor tensor);

/// Adds the product of u's frequencies `z` and dy's `g` to the sums of row `row`, where the tile `exists`.
void emit_row_sums(TextWriter& out, const InBlockPlan& plan, const Statement& sum, std::string_view exists,
                   std::string_view row, std::string_view z, std::string_view g);

}  // namespace ffc
