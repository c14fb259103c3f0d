// Lone rows: columns take two of them as one complex row z = a + i b, but rows of frequencies belong to one each, since
// their filters differ. Z[f] = A[f] + i B[f], and as a and b are real the conjugate of Z[-f] is A[f] - i B[f]. So the
// slot of f becomes row f of a, and that of -f, which holds the conjugate, row f of b, times i. Frequencies that are
// their own mirrors stay as they are: there A and B are real.
#pragma once

#include "chunk_arithmetic.cuh"
#include "column_tile.cuh"

// x, y to x + y, x - y.
__device__ __forceinline__ void add_and_subtract(Packed& x, Packed& y) {
  const Packed sum = add(x, y);
  y = sub(x, y), x = sum;
}
__device__ __forceinline__ void add_and_subtract(uint4& x, uint4& y) {
  add_and_subtract(x.x, y.x), add_and_subtract(x.y, y.y), add_and_subtract(x.z, y.z), add_and_subtract(x.w, y.w);
}

// Stores the rows of both on the way from the tile to the workspace.
__device__ __forceinline__ void store_apart(const SplitArguments& split, unsigned short* workspace, SharedAddress tile,
                                            int thread) {
  const int chunk = thread % tile_chunks;
#pragma unroll
  for (int part = 0; part < 2; ++part)
#pragma unroll 1
    for (int number = thread / tile_chunks; number < spectrum_rows; number += unit_threads / tile_chunks) {
//[[rows_apart
      const int row = number, mirror_place = column_length - number;
      unsigned short* const plane = workspace + part * plane_length + 8 * chunk;
      const int mirror = (column_length - row) % column_length;
//]]
      uint4 first = halved(load_shared(chunk_at(tile, part, row, chunk)));
      uint4 second = halved(load_shared(chunk_at(tile, part, mirror, chunk)));
      add_and_subtract(first, second);
      store_global(reinterpret_cast<uint4*>(plane + number * row_length), first);
      if (mirror != row) store_global(reinterpret_cast<uint4*>(plane + mirror_place * row_length), second);
    }
}

// Makes the tile that of a pair again, once its copies have arrived.
__device__ __forceinline__ void join_rows(SharedAddress tile, int unit, int thread) {
  const int chunk = thread % tile_chunks;
#pragma unroll
  for (int part = 0; part < 2; ++part)
#pragma unroll 1
//[[joined_rows
    for (int row = 1 + thread / tile_chunks; row < column_length / 2; row += unit_threads / tile_chunks) {
      const SharedAddress at = chunk_at(tile, part, row, chunk);
      const SharedAddress mirror_at = chunk_at(tile, part, column_length - row, chunk);
//]]
      uint4 first = load_shared(at), second = load_shared(mirror_at);
      add_and_subtract(first, second);
      store_shared(at, first);
      store_shared(mirror_at, second);
    }
  unit_barrier(unit);
}
