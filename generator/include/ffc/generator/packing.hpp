// How real rows become complex ones.
#pragma once

namespace ffc {

/// What a complex row is made of (generator/README.md, "Two-for-one packing" and on).
enum class Packing {
  two_rows,     ///< two batch rows, or windows: real and imaginary parts
  right_angle,  ///< one row of up to as many samples as points, or one window of twice as many, at frequencies k + 1/4
  half_length,  ///< one row of twice as many samples: its halves, whose frequencies are untangled
  real_row,     ///< one row as it is: half of its frequencies, the conjugates of the others
};

/// Batch rows that travel as one complex row.
[[nodiscard]] constexpr int packed_rows(Packing packing) { return packing == Packing::two_rows ? 2 : 1; }

/// Each row is a complex one by itself, and needs no partner.
[[nodiscard]] constexpr bool are_alone(Packing packing) { return packed_rows(packing) == 1; }

}  // namespace ffc
