// Which rows of frequencies a block works on, and when: it keeps one where there are blocks for all.
#pragma once

// Blocks that share a row of frequencies, and the groups of each, take turns at the items.
struct Course {
  int blocks, slices, taken;
  int slice, first_number;
};

// Where a block is: at the row of frequencies of that number, of an item for each of its groups, `item` and on.
struct Walk {
  int item, number;
};

// `ring`: items that the workspace holds. Groups that meet between frequencies must not be at pairs that wait for each
// other's places there.
__device__ __forceinline__ Course course_of(int blocks, int block, int ring) {
  const int slices = max(blocks / spectrum_rows, 1), taken = blocks >= spectrum_rows ? groups : min(groups, ring);
  return {blocks, slices, taken, block / spectrum_rows, block % spectrum_rows};
}
__device__ __forceinline__ bool has_rows(const Course& course) { return course.slice < course.slices; }
__device__ __forceinline__ Walk start_of(const Course& course) {
  return {course.slice * course.taken, course.first_number};
}
__device__ __forceinline__ Walk behind(const Course& course, const Walk& at) {
  const int number = at.number + course.blocks;
  // Chosen without a branch, which spills in some kernels.
  return number < spectrum_rows ? Walk{at.item, number}
                                : Walk{at.item + course.slices * course.taken, course.first_number};
}
