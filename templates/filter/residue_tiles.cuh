// From frequencies of a residue, and of the one that mirrors it, to the tiles of a spectrum that have them: of `parts`
// blocks, block r > 0 has frequency 2 parts n + r at number n of its array, and block 0 frequency parts n.
#pragma once

#include "block_transform.cuh"
#include "filter_row.cuh"
#include "tile_order.cuh"

//[[residue_constants
constexpr int parts = 2;
constexpr int row_distance = 4;
constexpr int rows = 3;
constexpr int row_tiles = 1;
constexpr int period = 4;
//]]

// Frequencies first + period n have one residue: they are those of a row, or of every tiles_apart-th tile of one.
constexpr int tiles_apart = period / row_distance;
static_assert(period % row_distance == 0 && (parts == 1 || period % (2 * parts) == 0), "a multiple of both");
static_assert(tile == 256 && row_tiles % tiles_apart == 0, "the frequencies of a tile have one residue");

// Where four frequencies of a tile, half a chunk, are in a block's array, and whether as their mirrors.
struct ResiduePlaces {
  int first, step;  // from one frequency of a tile to the next
  float sign;       // of imaginary parts

  __device__ __forceinline__ ResiduePlaces(int frequency, int residue, bool mirrored)
      : first((mirrored ? length - frequency : frequency) / parts >> (residue == 0 ? 0 : 1)),
        step((mirrored ? -1 : 1) * (length / 256 / parts >> (residue == 0 ? 0 : 1))),
        sign(mirrored ? -1.0f : 1.0f) {}

  __device__ __forceinline__ float2 load(const SharedArray& array, int inner) const {
    const float2 x = array.load(first + step * inner);
    return {x.x, sign * x.y};
  }
};

// Stores the tiles of block `residue`, eight elements at a time. Neighbours take whole sectors of memory, and behind
// them rows, whose frequencies lie next to each other in the array, and then tiles.
__device__ __forceinline__ void store_residue(const SharedArray& array, int residue, uint4* spectrum,
                                              SpectrumScale scale) {
  constexpr int residues = parts == 1 ? 1 : 2 * parts, of_block = parts == 1 ? 1 : 2, chunks = tile / 8;
  constexpr int most_rows = tiles_apart == 1 ? row_distance / 2 / residues + 1 : period / residues;
  constexpr int tiles = row_tiles / tiles_apart, items = most_rows * tiles * chunks;
  const int mirror = residue == 0 ? parts : 2 * parts - residue;
  for (int i = thread_number(); i < of_block * items; i += threads) {
    const bool second = i >= items;
    const int item = second ? i - items : i, of_rows = item / 2 % most_rows, of_tiles = item / (2 * most_rows) % tiles;
    const int chunk = item / (2 * most_rows * tiles) * 2 + item % 2;
    const int from = (second ? mirror : residue) + residues * of_rows, row = from % row_distance;
    if (2 * row > row_distance) continue;
    const int of_row = of_tiles * tiles_apart + from / row_distance;
    const int frequency = row + row_distance * (of_row + row_tiles * inner_of(8 * chunk));
    // Of the real row in block 0, what lies in the second half of a chunk is mirrored.
    const ResiduePlaces low(frequency, residue, residue != 0 && second);
    const ResiduePlaces high(frequency, residue, residue == 0 || second);
    float2 x[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) x[k] = (inner_of(k) < 128 ? low : high).load(array, inner_of(k));
    scale(x);
    store_eight(spectrum + (row * row_tiles + of_row) * (tile / 4) + chunk, x);
  }
}
