// Constant tables of the tiled family, in the order in which its kernels read them.
#pragma once

#include <cstdint>
#include <vector>

#include "ffc/generator/plan.hpp"

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
};

[[nodiscard]] TiledTables make_tiled_tables(const InBlockPlan& plan);

/// What makes up for the scales of a plan's matrices, there and back.
[[nodiscard]] double tiled_gain(const InBlockPlan& plan);
/// The gain that the spectrum carries which the kernel reads: its own, or that of a convolution that reads it too.
[[nodiscard]] double spectrum_gain(const InBlockPlan& plan);

/// Frequency of every element of the spectrum that is kept, in tile order (README.md, "Digits": digit-permuted order).
[[nodiscard]] std::vector<std::int32_t> tiled_spectrum_order(const InBlockPlan& plan);

/// Entries of 16 bytes at kept_matrix. Second last digit: the matrix there 32, back 64, the inner twiddle there 32,
/// back 32. Last digit: the matrix there 32, back 32.
enum KeptEntries { kept_to = 0, kept_back = 32, kept_twiddle = 96, kept_twiddle_back = 128 };

/// What scales the matrices of the outer tile digit; 1 where there is none.
[[nodiscard]] double outer_scale(const InBlockPlan& plan);
/// What scales those that a block makes.
[[nodiscard]] float column_scale(const InBlockPlan& plan);

}  // namespace ffc
