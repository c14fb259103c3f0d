// Which row of frequencies a batch row alone has, and where: that of number n is of frequency n + 1/4, which is counted
// in quarters of one.
#pragma once

// Row `frequency`, its one side.
struct Rows {
  int channel;
  int first, end;
  Place place;
  int counts_for;
  static constexpr bool lone = false;
};

constexpr int items_per_pair = 1;

// At frequencies k + 1/4 no row is the mirror of another.
__device__ __forceinline__ Rows rows_of(const SplitArguments& split, int, int number) {
  const Pair row = pair_at(split.conv, number);
  return {row.channel, 0, row.exists ? 1 : 0, place_of(split, number), 1};
}

// Where a row begins in the workspace: its real part.
__device__ __forceinline__ long long offset_of(const Rows& of, int number, int) {
  return 2LL * of.place.slot * plane_length + number * row_length;
}
