// The blocks of a backward kernel (tiled family) that the stages of a convolution do not have.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ffc/generator/plan.hpp"
#include "text.hpp"

namespace ffc {

/// Which of a pair's tensors a stage works on. A plan whose tensors take turns in shared memory goes through its stages
/// for one and then for the other.
enum class Turn { together, input, gradient };

/// The tiles of a tensor in the text of the middle stage.
struct RowTensor {
  std::string_view tile;    ///< name: "x"
  std::string_view offset;  ///< added to the addresses of its rows
  bool back = true;         ///< goes on to rows, behind the spectrum ...
  bool conjugate = false;   ///< ... or its conjugate
};

/// Of a convolution, its only one.
[[nodiscard]] std::vector<RowTensor> row_tensors(const Plan& plan, Turn turn);

/// u's frequencies wait in memory for dy's.
[[nodiscard]] inline bool parks(const Plan& plan, Turn turn) { return turn == Turn::input && plan.backward.sums; }
/// They have waited.
[[nodiscard]] inline bool takes_parked(const Plan& plan, Turn turn) {
  return turn == Turn::gradient && plan.backward.sums;
}

/// Declares or zeroes the sums that a warp keeps for all pairs.
void emit_sums_setup(TextWriter& out, const Plan& plan);
/// Of couple `first + b`, in front of its two chains: the sums that are not kept in registers.
void emit_couple_sums(TextWriter& out, const Plan& plan);
/// Adds conj(Z) G of side `side` of couple `first + b`, tiles `z` and `g`.
void emit_add_product(TextWriter& out, const Plan& plan, std::string_view z, std::string_view g);
/// Behind the two chains: back to memory what is not kept in registers; `guard` says which couples exist, or nothing.
void emit_store_couple_sums(TextWriter& out, const Plan& plan, std::string_view guard);
/// Behind all pairs: the block's sums, to where the filter's gradient is made from them.
[[nodiscard]] std::string backward_sums(const Plan& plan);

/// The block "load" of a backward kernel: a lambda for each tensor, and one for both where they come together.
[[nodiscard]] std::string backward_load(const ConvConfig& config, const Plan& plan);
/// Some rows are left in the L2 cache when they are loaded: they are read again when results are stored.
[[nodiscard]] bool keeps_rows(const ConvConfig& config, const Plan& plan);
/// Where tensors take turns: rows of dy come into the place of u's as soon as these have been read, by refill_row.
[[nodiscard]] bool refills_rows(const Plan& plan);
[[nodiscard]] std::string backward_first_load(const Plan& plan);
/// From rows in shared memory to results in shared memory. Where tensors take turns, those of u are stored, too.
[[nodiscard]] std::string backward_stages(const ConvConfig& config, const Plan& plan);
/// Results to global memory, scaled and gated, and the next pair's copies.
[[nodiscard]] std::string backward_store(const ConvConfig& config, const Plan& plan);
/// Lines that store what a turn has made.
void emit_gradient_store(TextWriter& out, const ConvConfig& config, const Plan& plan, Turn turn);

/// The only stage of a kernel whose warps hold whole pairs.
void emit_warp_gradients(TextWriter& out, const ConvConfig& config, const Plan& plan);

}  // namespace ffc
