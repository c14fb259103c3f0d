// Which rows of frequencies a pair of batch rows has, and where.
#pragma once

// Row `frequency` of a pair and its mirror, together or one of them; of lone rows that of each, in the same places.
struct Rows {
  int channel;     // of side 0
  int first, end;  // sides: 0, and 1 for the mirror or the second of lone rows
  bool lone;
  bool real;  // without imaginary parts: lone and its own mirror; of a lone pair two lie in the planes of one
  Place place;
  int counts_for;  // planes: a side without another counts for both
};

constexpr int items_per_pair = 2 / rows_at_once;

// The rows of a number: those of each pair come after those of the pair before it.
__device__ __forceinline__ Rows rows_of(const SplitArguments& split, int frequency, int number) {
  const int index = number / items_per_pair, first = number % items_per_pair;
  const Pair pair = pair_at(split.conv, index);
  const bool lone = is_lone(split.conv, pair);
  const bool has_mirror = 2 * frequency % column_length != 0;
  const int sides = !pair.exists ? 0 : (lone ? has_second(split.conv, pair) : has_mirror) ? 2 : 1;
  const int end = rows_at_once > 1 ? sides : min(first + 1, sides);
  const int planes = has_mirror ? 4 : 2;
  return {pair.channel,
          first,
          end,
          lone,
          lone && !has_mirror,
          place_of(split, index),
          rows_at_once == 1 && sides == 2 ? planes / 2 : planes};
}

//[[row_offset
// Where a row begins in the workspace: its real part.
__device__ __forceinline__ long long offset_of(const Rows& of, int frequency, int side) {
  const int row = side == 0 || of.real ? frequency : column_length - frequency;
  const int plane = of.real ? side : 0;
  return (2LL * of.place.slot + plane) * plane_length + static_cast<long long>(row) * row_length;
}

//]]
