// How neighbours share the banks of shared memory, 8 bytes each.
#pragma once

// The most neighbours, of `count`, that half a warp has in banks of their own, and that divide it.
__device__ __forceinline__ constexpr int banks_together(int count) {
  int together = 16;
  while (count % together != 0) --together;
  return together;
}
