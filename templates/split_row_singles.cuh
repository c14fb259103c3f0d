// Which row of frequencies a batch row alone has, and where.
#pragma once

constexpr int items_per_pair = 1;

// There is no mirror to it.
__device__ __forceinline__ Rows rows_of(const SplitArguments& split, int frequency, int number) {
  const Pair row = pair_at(split.conv, number);
  return {row.channel, 0, row.exists ? 1 : 0, false, 2 * frequency % column_length == 0, place_of(split, number), 1};
}

// Where a row begins in the workspace: its real part. Row column_length / 2 has the place of row 0's imaginary part.
__device__ __forceinline__ long long offset_of(const Rows& of, int frequency, int) {
  const long long row = 2 * frequency == column_length ? plane_length : frequency * row_length;
  return 2LL * of.place.slot * plane_length + row;
}
