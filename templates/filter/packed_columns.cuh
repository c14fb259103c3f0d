// Columns and rows of a long filter with block floating point between them.
//
// The columns of a block share a unit in those rows whose numbers differ by multiples of `unit_rows`: the outputs of
// one butterfly of the last pass, and its neighbours in the other columns.
#pragma once

#include "block_floats.cuh"
#include "exchanged.cuh"
#include "filter_columns.cuh"

constexpr int unit_rows = column_points / last_column_radix;
constexpr int row_steps = row_points / first_row_radix;  // between what a butterfly of rows reads
static_assert(row_steps % columns_at_once == 0, "a butterfly's inputs are in the columns of as many blocks");
static_assert(is_power_of_two(columns_at_once) && columns_at_once <= 32 && unit_rows * columns_at_once % 32 == 0,
              "those that share a unit are in a warp");

// In the order in which butterflies of rows want them: 16 bytes for each, in use as many as its radix.
struct UnitExponents {
  unsigned char of[unit_rows][row_steps / columns_at_once][16];

  __device__ __forceinline__ void put(int row, int column, unsigned int exponent) {
    store_global(&of[row][column % row_steps / columns_at_once][column / row_steps],
                 static_cast<unsigned char>(exponent));
  }
  __device__ __forceinline__ uint4 of_butterfly(int row, int column) const {
    return load_global(reinterpret_cast<const uint4*>(of[row % unit_rows][column / columns_at_once]));
  }
};

// A thread's columns, to where rows find them; their largest real or imaginary part, or NaN.
struct PackedColumns {
  static constexpr bool is_shared = false;
  PackedComplex* transform;
  UnitExponents& exponents;
  int first;
  float* largest_part;

  template <int step, int radix>
  __device__ __forceinline__ void weigh(float2 (&x)[radix], int number) const {
    float largest = 0.0f;
#pragma unroll
    for (int q = 0; q < radix; ++q) largest = larger_or_nan(larger_or_nan(largest, fabsf(x[q].x)), fabsf(x[q].y));
    unsigned int bits = __float_as_uint(largest);
#pragma unroll
    for (int lane = columns_at_once / 2; lane > 0; lane /= 2) bits = max(bits, exchanged(bits, lane));
    *largest_part = fmaxf(*largest_part, __uint_as_float(bits));
    const unsigned int exponent = unit_exponent(bits);
    if (number % columns_at_once == 0) exponents.put(number / columns_at_once, first, exponent);
#pragma unroll
    for (int q = 0; q < radix; ++q) x[q] = in_units(x[q], exponent);
  }
  __device__ __forceinline__ void store(int number, int offset, float2 value) const {
    const int row = number / columns_at_once, column = first + number % columns_at_once;
    store_global(transform + (row + offset / columns_at_once) * row_points + column, pack_integers(value));
  }
};

using Rows = Lines<row_points, rows_at_once>;

// A thread's butterflies of rows' first pass, as they are read.
struct PackedRows {
  using Butterflies = LineButterflies<Rows, first_row_radix>;
  static constexpr int turns = Butterflies::turns;
  PackedComplex values[turns][first_row_radix];
  uint4 exponents[turns];

  // Of rows from `row` on.
  __device__ __forceinline__ void load(const PackedComplex* transform, const UnitExponents& of, int row) {
#pragma unroll
    for (int turn = 0; turn < turns; ++turn) {
      const int j = thread_number() + turn * threads, line = row + j % rows_at_once, column = j / rows_at_once;
      if (Butterflies::count % threads != 0 && j >= Butterflies::count) break;
      exponents[turn] = of.of_butterfly(line, column);
#pragma unroll
      for (int p = 0; p < first_row_radix; ++p)
        values[turn][p] = load_streamed(transform + 1LL * line * row_points + column + p * row_steps);
    }
  }
  __device__ __forceinline__ Butterflies unpacked() const {
    Butterflies unpacked;
#pragma unroll
    for (int turn = 0; turn < turns; ++turn) {
      const unsigned int words[4] = {exponents[turn].x, exponents[turn].y, exponents[turn].z, exponents[turn].w};
#pragma unroll
      for (int p = 0; p < first_row_radix; ++p)
        unpacked.x[turn][p] = unpack_integers(values[turn][p], unit_of(words[p / 4] >> p % 4 * 8 & 255));
    }
    return unpacked;
  }
};
