// Transforms at frequencies that are no whole numbers: as quick as those that are, since only roots differ.
#pragma once

#include "float_radices.cuh"

// Whole ones.
struct WholeFrequencies {
  static constexpr int parts = 1;
  __device__ __forceinline__ constexpr int shift(int) const { return 0; }

  // A butterfly where `done` outputs are known of each of its inputs, and k is the number of theirs.
  template <int radix, int done>
  __device__ __forceinline__ void join(float2 (&x)[radix], int k, int) const {
    done > 1 ? butterfly_of_powers(x, unit_root<radix * done>(k)) : butterfly(x);
  }
};

// k + 1/4. What the first pass reads is multiplied by exp(-2 pi i p / (4 radix)) already.
struct QuarterFrequencies {
  static constexpr int parts = 4;
  __device__ __forceinline__ constexpr int shift(int) const { return 1; }

  template <int radix, int done>
  __device__ __forceinline__ void join(float2 (&x)[radix], int k, int) const {
    done > 1 ? butterfly_of_powers(x, unit_root<4 * radix * done>(4 * k + 1)) : butterfly(x);
  }
};

// k + shift / parts, each line with a shift of its own.
template <int parts_>
struct ShiftedFrequencies {
  static constexpr int parts = parts_;
  int first, apart;  // the first line's shift, and from line to line
  __device__ __forceinline__ int shift(int line) const { return first + line * apart; }

  template <int radix, int done>
  __device__ __forceinline__ void join(float2 (&x)[radix], int k, int line) const {
    butterfly_of_powers(x, unit_root<parts * radix * done>(parts * k + shift(line)));
  }
};

// The way back: from numbers at places p + shift / parts of a line of `size`, each line with a shift of its own. Behind
// the last pass, output q of a butterfly wants exp(-2 pi i q shift / (parts radix)) more.
template <int size, int parts_of_place>
struct ShiftedPlaces {
  static constexpr int parts = 1;
  int first, apart;  // the first line's shift, and from line to line
  __device__ __forceinline__ constexpr int shift(int) const { return 0; }

  template <int radix, int done>
  __device__ __forceinline__ void join(float2 (&x)[radix], int k, int line) const {
    if (done > 1 && radix * done == size) {
      multiply_by_powers(x, unit_root<size>(k), unit_root<parts_of_place * size>(k * (first + line * apart)));
      butterfly(x);
    } else {
      WholeFrequencies().template join<radix, done>(x, k, line);
    }
  }
};
