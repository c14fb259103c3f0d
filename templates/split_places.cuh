// A pair's place in the workspace holds one pair after the other; `round` says how many had it before.
#pragma once
struct Place {
  int slot;
  unsigned int round;
};

__device__ __forceinline__ Place place_of(const SplitArguments& split, long long index) {
  return {static_cast<int>(index % split.ring), static_cast<unsigned int>(index / split.ring)};
}

// Tiles of columns that are through their forward transforms, and rows of the spectrum that are through theirs.
__device__ __forceinline__ unsigned int* columns_done(const SplitArguments& split, const Place& place) {
  return split.progress + place.slot * progress_stride;
}
__device__ __forceinline__ unsigned int* rows_done(const SplitArguments& split, const Place& place) {
  return split.progress + place.slot * progress_stride + progress_stride / 2;
}
