// A pair's place in the workspace holds one pair after the other; `round` says how many had it before.
#pragma once
struct Place {
  int slot;
  unsigned int round;
};

__device__ __forceinline__ Place place_of(const SplitArguments& split, unsigned int index) {
  const unsigned int ring = split.ring;
  return {static_cast<int>(index % ring), index / ring};
}

// The same for whoever had it before.
__device__ __forceinline__ Place before(const Place& place) { return {place.slot, place.round - 1}; }

// Tiles of columns that are through their forward transforms, and rows of the spectrum that are through theirs, real
// and imaginary parts by themselves.
__device__ __forceinline__ unsigned int* columns_done(const SplitArguments& split, const Place& place) {
  return split.progress + place.slot * progress_stride;
}
__device__ __forceinline__ unsigned int* rows_done(const SplitArguments& split, const Place& place) {
  return split.progress + place.slot * progress_stride + counts_of_place / 2;
}
