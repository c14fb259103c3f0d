// Columns of a row alone: column m of samples and column m + columns are the parts of a complex one, z = a + i b. With Z
// their frequencies, Z[f] = A[f] + i B[f], and as a and b are real the conjugate of Z[-f] is A[f] - i B[f]. So the slot
// of f gives row f of A, and that of -f, which holds the conjugate, row f of B: the two halves of row f, and no more
// rows are needed. A[0] and B[0] are real, and so are those of f = column_length / 2: they make row 0, the one its real
// part and the other its imaginary part.
#pragma once

#include "chunk_arithmetic.cuh"
#include "column_tile.cuh"

// Where the workspace holds the first and the second half of row `row` of a tile's columns, parts `part` of the slots of
// frequency and mirror: i B has B's other part. Row 0 holds the real columns of slots 0 and column_length / 2.
struct HalfRows {
  int first, second;
};

__device__ __forceinline__ HalfRows half_rows(int row, int part) {
  const int real = part * columns;
  return {row == 0 ? real : part * plane_length + row * row_length,
          row == 0 ? real + plane_length : (1 - part) * plane_length + row * row_length + columns};
}

// The slot of a row's second half.
__device__ __forceinline__ int second_slot(int row) { return row == 0 ? column_length / 2 : column_length - row; }

// Of the conjugate that slot column_length / 2 holds.
__device__ __forceinline__ void change_sign(uint4& x) {
  x = make_uint4(x.x ^ 0x80008000u, x.y ^ 0x80008000u, x.z ^ 0x80008000u, x.w ^ 0x80008000u);
}

// Starts the copies of a tile's frequencies.
__device__ __forceinline__ void load_slots(const SplitArguments&, const unsigned short* workspace, SharedAddress tile,
                                           int thread) {
  const int chunk = thread % tile_chunks;
  workspace += 8 * chunk;
#pragma unroll
  for (int part = 0; part < 2; ++part)
#pragma unroll 4
    for (int row = thread / tile_chunks; row < column_length / 2; row += unit_threads / tile_chunks) {
      const HalfRows from = half_rows(row, part);
      load_chunk<16>(chunk_at(tile, part, row, chunk), workspace + from.first, 8);
      load_chunk<16>(chunk_at(tile, part, second_slot(row), chunk), workspace + from.second, 8);
    }
}

// Stores both halves on the way from the tile to the workspace.
__device__ __forceinline__ void store_apart(unsigned short* workspace, SharedAddress tile, int thread) {
  const int chunk = thread % tile_chunks;
  workspace += 8 * chunk;
#pragma unroll
  for (int part = 0; part < 2; ++part)
#pragma unroll 2
    for (int row = thread / tile_chunks; row < column_length / 2; row += unit_threads / tile_chunks) {
      uint4 first = load_shared(chunk_at(tile, part, row, chunk));
      uint4 second = load_shared(chunk_at(tile, part, second_slot(row), chunk));
      if (row > 0) {
        const uint4 a = halved(first), b = halved(second);
        first = sum_of(a, b), second = part == 0 ? difference_of(b, a) : difference_of(a, b);
      } else if (part == 1) {
        change_sign(second);
      }
      const HalfRows to = half_rows(row, part);
      store_global(reinterpret_cast<uint4*>(workspace + to.first), first);
      store_global(reinterpret_cast<uint4*>(workspace + to.second), second);
    }
}

// Makes the tile one of complex columns again, once its copies have arrived.
__device__ __forceinline__ void join_halves(SharedAddress tile, int unit, int thread) {
  const int chunk = thread % tile_chunks;
#pragma unroll
  for (int part = 0; part < 2; ++part)
#pragma unroll 2
    for (int row = thread / tile_chunks; row < column_length / 2; row += unit_threads / tile_chunks) {
      const SharedAddress at = chunk_at(tile, part, row, chunk), second_at = chunk_at(tile, part, second_slot(row), chunk);
      uint4 first = load_shared(at), second = load_shared(second_at);
      if (row > 0) {
        const uint4 sum = sum_of(first, second), difference = difference_of(first, second);
        first = part == 0 ? difference : sum, second = part == 0 ? sum : difference;
      } else if (part == 1) {
        change_sign(second);
      }
      store_shared(at, first);
      store_shared(second_at, second);
    }
  unit_barrier(unit);
}
