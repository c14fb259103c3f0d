// Constants of the general family, in the order in which its kernels read them.
#pragma once

#include <cstdint>
#include <vector>

#include "ffc/generator/plan.hpp"

namespace ffc {

/// Where the kernel finds what a digit needs: matrices in units of 16 bytes, twiddles in words.
struct DigitTables {
  int matrix = 0;
  int twiddle = 0;
  bool in_steps = false;  ///< twiddles are no table of positions but products of a fine root and a coarse one, float2
};

/// Fine roots of such twiddles: behind them the coarse ones, so many apart.
inline constexpr int fine_roots = 256;

struct GeneralTables {
  std::vector<std::uint32_t> words;
  std::vector<DigitTables> digits;
  double gain = 1;  ///< what the spectrum must carry to make up for the matrices' scales
};
[[nodiscard]] GeneralTables make_general_tables(const MixedRadixPlan& plan);

/// Frequency of every element of the spectrum; -1 behind the last.
[[nodiscard]] std::vector<std::int32_t> general_spectrum_order(const MixedRadixPlan& plan);

}  // namespace ffc
