// A row's twiddles of the samples 256 apart, times what brings each piece of an item to the power of two of its
// largest.
#pragma once

#include "cluster_powers.cuh"
#include "compute_anew.cuh"

constexpr int pieces_of_line = 256 / piece_samples;
constexpr int shifts_bytes = 32 * butterflies;  // of a piece of each line
static_assert(place_words_bytes >= pieces + 16 + pieces_of_line * shifts_bytes, "a place has room for them");
static_assert(4 * 32 >= pieces && 4 * butterflies * pieces_of_line <= group_threads, "each once");

// An item's, of that piece of the lines, or of the one that has a warp's columns.
__device__ __forceinline__ SharedAddress shifts_of_piece(SharedAddress exponents, int piece) {
  return exponents + pieces + 16 + piece * shifts_bytes;
}
__device__ __forceinline__ SharedAddress item_shifts_of(SharedAddress exponents, int warp) {
  return shifts_of_piece(exponents, warp * columns_per_warp * 8 / piece_samples);
}

// A group's warps make them together, ahead of a barrier. Columns want the largest when the item leaves.
__device__ __forceinline__ void put_item_shifts(SharedAddress shared, SharedAddress exponents, int thread) {
  compute_anew(thread);
  const unsigned int largest = largest_exponent(exponents, thread % 32);
  if (thread == 0) store_shared4(largest_of_item(exponents), largest);
  if (thread >= 4 * butterflies * pieces_of_line) return;
  const int lines = thread / pieces_of_line, piece = thread % pieces_of_line;  // twice `lines` and the next
  const int first = 2 * lines * pieces_of_line + piece;
  const unsigned int of_both = load_shared4(exponents + first / 4 * 4) >> 8 * (first % 4);
  const Packed power =
      pack(power_below(of_both & 255, largest), power_below(of_both >> 8 * pieces_of_line & 255, largest));
  const uint2 shift = load_shared8(shared + shifts_offset + 8 * lines);
  store_shared8(shifts_of_piece(exponents, piece) + 8 * lines, make_uint2(mul(shift.x, power), mul(shift.y, power)));
}
