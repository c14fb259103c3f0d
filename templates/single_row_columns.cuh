// Columns of a row alone: column m of samples and column m + columns are the parts of a complex one, z = a + i b. With Z
// their frequencies, Z[f] = A[f] + i B[f], and as a and b are real the conjugate of Z[-f] is A[f] - i B[f]. So the slot
// of f gives row f of A, and that of -f, which holds the conjugate, row f of B: the two halves of row f, and no more
// rows are needed. A[0] and B[0] are real, and so are those of f = column_length / 2: they make row 0, the one its real
// part and the other its imaginary part.
#pragma once

#include "column_tile.cuh"

// Where the workspace holds a part of a slot, from the tile's first column on: that of i B is of B's other part.
__device__ __forceinline__ int place_of_slot(int slot, int part) {
  if (slot == 0) return part * columns;
  if (2 * slot == column_length) return plane_length + part * columns;
  if (2 * slot < column_length) return part * plane_length + slot * row_length;
  return (1 - part) * plane_length + (column_length - slot) * row_length + columns;
}

// A slot of the lower half and its mirror; slot 0 goes with that of column_length / 2.
__device__ __forceinline__ int mirror_of_slot(int slot) { return slot == 0 ? column_length / 2 : column_length - slot; }

// Both are real as they are, but for the sign of the second's imaginary part, a conjugate's.
__device__ __forceinline__ void change_sign(uint4& x) {
  x = make_uint4(x.x ^ 0x80008000u, x.y ^ 0x80008000u, x.z ^ 0x80008000u, x.w ^ 0x80008000u);
}

__device__ __forceinline__ uint4 sum_of(const uint4& x, const uint4& y) {
  return make_uint4(add(x.x, y.x), add(x.y, y.y), add(x.z, y.z), add(x.w, y.w));
}
__device__ __forceinline__ uint4 difference_of(const uint4& x, const uint4& y) {
  return make_uint4(sub(x.x, y.x), sub(x.y, y.y), sub(x.z, y.z), sub(x.w, y.w));
}
__device__ __forceinline__ uint4 halved(const uint4& x) {
  constexpr Packed half = 0x38003800u;
  return make_uint4(mul(x.x, half), mul(x.y, half), mul(x.z, half), mul(x.w, half));
}

// Starts the copies of a tile's frequencies.
__device__ __forceinline__ void load_halves(const unsigned short* workspace, SharedAddress tile, int thread) {
  const int chunk = thread % tile_chunks;
#pragma unroll
  for (int part = 0; part < 2; ++part)
#pragma unroll 4
    for (int slot = thread / tile_chunks; slot < column_length / 2; slot += unit_threads / tile_chunks) {
      const int mirror = mirror_of_slot(slot);
      load_chunk<16>(chunk_at(tile, part, slot, chunk), workspace + place_of_slot(slot, part) + 8 * chunk, 8);
      load_chunk<16>(chunk_at(tile, part, mirror, chunk), workspace + place_of_slot(mirror, part) + 8 * chunk, 8);
    }
}

// Stores both halves on the way from the tile to the workspace.
__device__ __forceinline__ void store_apart(unsigned short* workspace, SharedAddress tile, int thread) {
  const int chunk = thread % tile_chunks;
#pragma unroll
  for (int part = 0; part < 2; ++part)
#pragma unroll 2
    for (int slot = thread / tile_chunks; slot < column_length / 2; slot += unit_threads / tile_chunks) {
      const int mirror = mirror_of_slot(slot);
      uint4 first = load_shared(chunk_at(tile, part, slot, chunk));
      uint4 second = load_shared(chunk_at(tile, part, mirror, chunk));
      if (slot == 0) {
        if (part == 1) change_sign(second);
      } else {
        const uint4 a = halved(first), b = halved(second);
        first = sum_of(a, b), second = part == 0 ? difference_of(b, a) : difference_of(a, b);
      }
      store_global(reinterpret_cast<uint4*>(workspace + place_of_slot(slot, part) + 8 * chunk), first);
      store_global(reinterpret_cast<uint4*>(workspace + place_of_slot(mirror, part) + 8 * chunk), second);
    }
}

// Makes the tile one of complex columns again, once its copies have arrived.
__device__ __forceinline__ void join_halves(SharedAddress tile, int unit, int thread) {
  const int chunk = thread % tile_chunks;
#pragma unroll
  for (int part = 0; part < 2; ++part)
#pragma unroll 2
    for (int slot = thread / tile_chunks; slot < column_length / 2; slot += unit_threads / tile_chunks) {
      const SharedAddress at = chunk_at(tile, part, slot, chunk);
      const SharedAddress mirror_at = chunk_at(tile, part, mirror_of_slot(slot), chunk);
      uint4 first = load_shared(at), second = load_shared(mirror_at);
      if (slot == 0) {
        if (part == 1) change_sign(second);
      } else {
        const uint4 sum = sum_of(first, second), difference = difference_of(first, second);
        first = part == 0 ? difference : sum, second = part == 0 ? sum : difference;
      }
      store_shared(at, first);
      store_shared(mirror_at, second);
    }
  unit_barrier(unit);
}
