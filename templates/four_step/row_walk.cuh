// Which rows of frequencies a block works on, and when: it keeps one where there are blocks for all.
#pragma once

// Blocks that share a row of frequencies, and the groups of each, take turns at the items.
struct Course {
  int blocks, taken, step;
  int first_item, first_number;
};

// Where a block is: at the row of frequencies of that number, of an item for each of its groups, `item` and on.
struct Walk {
  int item, number;
};

// `ring`: items that the workspace holds. Groups that meet between frequencies must not be at pairs that wait for each
// other's places there.
__device__ __forceinline__ Course course_of(int blocks, int block, int ring) {
  const int slices = max(blocks / spectrum_rows, 1), taken = blocks >= spectrum_rows ? groups : min(groups, ring);
  return {blocks, taken, slices * taken, block / spectrum_rows * taken, block % spectrum_rows};
}
__device__ __forceinline__ bool has_rows(const Course& course) { return course.first_item < course.step; }
__device__ __forceinline__ Walk start_of(const Course& course) { return {course.first_item, course.first_number}; }
__device__ __forceinline__ Walk behind(const Course& course, const Walk& at) {
  const int number = at.number + course.blocks;
  if (number < spectrum_rows) return {at.item, number};
  return {at.item + course.step, course.first_number};
}
