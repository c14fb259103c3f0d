// Constant tables of the tiled family, in the order in which its kernels read them.
#pragma once

#include <cstdint>
#include <vector>

#include "ffc/generator/plan.hpp"
#include "spectrum_layout.hpp"

namespace ffc {

/// Offsets of the sections of a tiled kernel's tables, in units of 16 bytes (uint4).
struct TiledTables {
  int radix16 = 0;         ///< matrix of the inner digits: 32 lanes re, 32 lanes im, and again as B operand; of
                           ///< fractional rows that of the last one, halved: 32 lanes even, odd, minus odd
  int half_matrix = 0;     ///< live half of the outer tile digit's matrix: 32 lanes to re, 32 lanes to im
  int inner_twiddle = 0;   ///< between the two inner digits, a tile; in fp32 four times 32 lanes where it is fused;
                           ///< of fractional rows in the factors of each
  int column_matrix = 0;   ///< matrix of the outer tile digit where it is not the radix-16 one
  int column_twiddle = 0;  ///< per value of the butterfly digit from 1 on (at frequencies k + 1/4 from 0 on): 4 entries
                           ///< for lane % 4 (radix 8), else the matrices forward and inverse with the twiddle in them,
                           ///< 64 entries each
  int outer_twiddle = 0;   ///< per row of factors a tile; of fractional rows that behind the first product, and that
                           ///< product's matrix as four blocks of 8 x 8: fractional_rows.cuh
  int kept_matrix = 0;     ///< rows or columns of the radix-16 matrix that a mask keeps: see append_kept_digit
  std::vector<std::uint32_t> words;
  double gain = 1;  ///< what the spectrum must carry to make up for the matrices' scales
};

[[nodiscard]] TiledTables make_tiled_tables(const Plan& plan);

/// A lane's register e = 2 j + h of a tile holds row lane/4 + 8 h, columns 8 j + 2 (lane%4) and the next.
struct Cell {
  int row, column;
};
[[nodiscard]] constexpr Cell cell_of(int lane, int e) { return {lane / 4 + 8 * (e % 2), 8 * (e / 2) + 2 * (lane % 4)}; }

/// Frequency of every element of the spectrum that is kept, in tile order (README.md, "Digits": digit-permuted order).
[[nodiscard]] std::vector<std::int32_t> tiled_spectrum_order(const Plan& plan);

/// Entries of 16 bytes at kept_matrix. Second last digit: the matrix there 32, back 64, the inner twiddle there 32,
/// back 32. Last digit: the matrix there 32, back 32.
enum KeptEntries { kept_to = 0, kept_back = 32, kept_twiddle = 96, kept_twiddle_back = 128 };

/// Half of the outer tile digit's samples are padding: its first product shrinks to half.
[[nodiscard]] inline bool half_columns(const Plan& plan) {
  return plan.tile_first() && 2 * plan.loaded_length() <= plan.transform_length && plan.outer_tile == 16;
}

/// Half of what the last product makes is padding, or the halo of a window: the product shrinks to half.
[[nodiscard]] inline bool half_results(const Plan& plan) {
  return plan.tile_first() && 2 * plan.length <= plan.transform_length && plan.outer_tile == 16;
}

/// 16-byte entries of the column twiddles per value of the butterfly digit.
[[nodiscard]] inline int column_twiddle_entries(const Plan& plan) { return plan.outer_tile == 8 ? 4 : 128; }

/// Of a split plan's rows: the matrices down the columns carry the twiddles of the samples 256 apart, so that a block
/// makes them for its frequency.
[[nodiscard]] inline bool makes_column_matrices(const Plan& plan) {
  return !plan.real_filter() && plan.tile_first() && plan.geometry.ring == 0;
}

/// What scales those that a block makes.
[[nodiscard]] float column_scale(const Plan& plan);

/// Values of the butterfly digit that have some: all but 0, and at frequencies between that one too, whose matrices
/// carry the part of a frequency. Those that a block makes are in registers where there is no butterfly.
[[nodiscard]] inline int column_factors(const Plan& plan) {
  if (makes_column_matrices(plan)) return plan.outer_butterfly > 1 ? plan.outer_butterfly : 0;
  return plan.outer_butterfly - (plan.quarters ? 0 : 1);
}
[[nodiscard]] inline bool has_column_factors(const Plan& plan) {
  return plan.outer_tile > 1 && column_factors(plan) > 0;
}

/// Rows are transformed alone as real parts, without imaginary ones, and the real parts of what comes back are theirs.
[[nodiscard]] inline bool has_real_rows(const Plan& plan) {
  return plan.family == Family::tiled && plan.quarters && !plan.windows;
}

/// There are one or two of those matrices each way, which are read once a stage; more are read once an item, or would
/// spill, as they would in kernels that hold more than a pair.
[[nodiscard]] inline bool keeps_column_matrices(const Plan& plan) {
  if (!plan.tile_first() || !has_column_factors(plan) || plan.outer_butterfly > 2) return false;
  return plan.quarters || (plan.real_filter() && !plan.is_backward() && !half_columns(plan) && !half_results(plan));
}

/// Half of the butterfly's inputs are padding, which saves it a level.
[[nodiscard]] inline bool half_butterfly(const Plan& plan) {
  return plan.outer_butterfly % 2 == 0 && 2 * plan.live_butterflies() == plan.outer_butterfly;
}

/// The outer tile digit shares the inner digits' matrix.
[[nodiscard]] inline bool shares_radix16(const Plan& plan) { return plan.outer_tile == 16; }

}  // namespace ffc
