// Lone rows: columns take two of them as one complex row z = a + i b, rows of frequencies belong to one each, since
// their filters differ. Z[f] = A[f] + i B[f], and as both are real the conjugate of Z[-f] is A[f] - i B[f]; so the slots
// of f and -f, which holds conjugates, become row f of a and row f of b. Frequencies that are their own mirrors stay as
// they are: there A and B are real.
#pragma once

#include "column_tile.cuh"

// The same words of slots f and -f.
struct Mirrors {
  uint4 re, im, mirror_re, mirror_im;
};

__device__ __forceinline__ Mirrors load_mirrors(SharedAddress tile, int row, int chunk) {
  const int mirror = (column_length - row) % column_length;
  return {load_shared(chunk_at(tile, 0, row, chunk)), load_shared(chunk_at(tile, 1, row, chunk)),
          load_shared(chunk_at(tile, 0, mirror, chunk)), load_shared(chunk_at(tile, 1, mirror, chunk))};
}

// z, z' to (z + z') / 2, (z - z') / 2i.
__device__ __forceinline__ void take_apart(Packed& re, Packed& im, Packed& mirror_re, Packed& mirror_im) {
  constexpr Packed half = 0x38003800u;
  const Packed z_re = mul(re, half), z_im = mul(im, half), w_re = mul(mirror_re, half), w_im = mul(mirror_im, half);
  re = add(z_re, w_re), im = add(z_im, w_im);
  mirror_re = sub(z_im, w_im), mirror_im = sub(w_re, z_re);
}

// a, b to a + i b, a - i b.
__device__ __forceinline__ void put_together(Packed& re, Packed& im, Packed& mirror_re, Packed& mirror_im) {
  const Packed a_re = re, a_im = im, b_re = mirror_re, b_im = mirror_im;
  re = sub(a_re, b_im), im = add(a_im, b_re);
  mirror_re = add(a_re, b_im), mirror_im = sub(a_im, b_re);
}

template <class Words>
__device__ __forceinline__ void for_each_word(Mirrors& of, Words words) {
  words(of.re.x, of.im.x, of.mirror_re.x, of.mirror_im.x);
  words(of.re.y, of.im.y, of.mirror_re.y, of.mirror_im.y);
  words(of.re.z, of.im.z, of.mirror_re.z, of.mirror_im.z);
  words(of.re.w, of.im.w, of.mirror_re.w, of.mirror_im.w);
}

// Stores the rows of both, or of the only one, on the way from the tile to the workspace.
__device__ __forceinline__ void store_apart(const SplitArguments& split, unsigned short* workspace, bool has_second,
                                            SharedAddress tile, int thread) {
  const int chunk = thread % tile_chunks;
#pragma unroll 1
  for (int number = thread / tile_chunks; number < spectrum_rows; number += unit_threads / tile_chunks) {
//[[rows_apart
    const int row = number, mirror_place = column_length - number;
    constexpr int plane = transform_length;
//]]
    const bool has_mirror = 2 * row % column_length != 0;
    Mirrors of = load_mirrors(tile, row, chunk);
    if (has_mirror) for_each_word(of, take_apart);
    unsigned short* const to = workspace + number * row_length + 8 * chunk;
    store_global(reinterpret_cast<uint4*>(to), of.re);
    store_global(reinterpret_cast<uint4*>(to + plane), of.im);
    if (!has_mirror || !has_second) continue;
    unsigned short* const mirror_to = workspace + mirror_place * row_length + 8 * chunk;
    store_global(reinterpret_cast<uint4*>(mirror_to), of.mirror_re);
    store_global(reinterpret_cast<uint4*>(mirror_to + plane), of.mirror_im);
  }
}

// Makes the tile that of a pair again, once its copies have arrived.
__device__ __forceinline__ void join_rows(SharedAddress tile, int unit, int thread) {
  const int chunk = thread % tile_chunks;
#pragma unroll 1
  for (int row = 1 + thread / tile_chunks; row < column_length / 2; row += unit_threads / tile_chunks) {
    Mirrors of = load_mirrors(tile, row, chunk);
    for_each_word(of, put_together);
    store_shared(chunk_at(tile, 0, row, chunk), of.re);
    store_shared(chunk_at(tile, 1, row, chunk), of.im);
    store_shared(chunk_at(tile, 0, column_length - row, chunk), of.mirror_re);
    store_shared(chunk_at(tile, 1, column_length - row, chunk), of.mirror_im);
  }
  unit_barrier(unit);
}
