// Which rows of frequencies a block works on, and when: all blocks have as much to do, and each one row or two.
#pragma once

// Of F rows of frequencies block b of W has the shares from b F / W to (b + 1) F / W. Whose an item of row f is says
// where f + q lies, where q runs through [0, 1) evenly from step to step: in multiples of the golden ratio, less what
// is whole. Steps are of an item for each group.
struct Course {
  int blocks, taken;
  int begin, end;   // of the block's shares, in parts of F W
  int first, last;  // its rows of frequencies
};

// Where a block is: at the row of frequencies of that number, of an item for each of its groups, `item` and on.
struct Walk {
  int item, number;
  unsigned int turn;  // q, in parts of 2^32
};

// `ring`: items that the workspace holds. Groups that meet, where a block makes factors in between, must not be at
// pairs that wait for each other's places there.
__device__ __forceinline__ Course course_of(int blocks, int block, int ring) {
  const int begin = block * spectrum_rows, end = begin + spectrum_rows;
  return {blocks, min(groups, ring), begin, end, begin / blocks, (end - 1) / blocks};
}
__device__ __forceinline__ bool has_rows(const Course&) { return true; }

__device__ __forceinline__ bool is_mine(const Course& course, const Walk& at) {
  const int share = at.number * course.blocks + static_cast<int>(1ull * at.turn * course.blocks >> 32);
  return share >= course.begin && share < course.end;
}
__device__ __forceinline__ Walk behind(const Course& course, Walk at) {
  constexpr unsigned int golden = 2654435769u;
  do {
    if (at.number < course.last)
      ++at.number;
    else
      at = {at.item + course.taken, course.first, at.turn + golden};
  } while (!is_mine(course, at));
  return at;
}
__device__ __forceinline__ Walk start_of(const Course& course) {
  const Walk first = {0, course.first, 0};
  return is_mine(course, first) ? first : behind(course, first);
}

// Whether a block has no more than two rows, so that it keeps the factors of both; whose are in a slot, and in which
// slot those of a walk's row are.
__device__ __forceinline__ bool keeps_factors(const Course& course) { return course.last - course.first < 2; }
__device__ __forceinline__ int number_of(const Course& course, int slot) {
  return min(course.first + slot, course.last);
}
__device__ __forceinline__ int slot_of(const Course& course, const Walk& at) { return at.number - course.first; }
