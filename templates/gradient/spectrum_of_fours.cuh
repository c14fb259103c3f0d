// Tiles of a spectrum that lies as fractional rows read it: four neighbours of two rows a lane, by twos.
#pragma once

#include "global.cuh"
#include "tile.cuh"

__device__ __forceinline__ Tile read_tile_of_fours(const uint4* from, int lane) {
  const uint2* const twos = reinterpret_cast<const uint2*>(from) + lane / 4 * 8 + lane % 4;
  const uint2 a = load_constant(twos), b = load_constant(twos + 4);
  const uint2 c = load_constant(twos + 64), d = load_constant(twos + 68);
  return {{a.x, a.y, b.x, b.y}, {c.x, c.y, d.x, d.y}};
}
