// Sums of a channel that the blocks of a cluster have in common. A warp's tiles are in as many parts as there are
// blocks. Block r begins with part r and goes on to part r + 1, when block r + 1 has left it, and so on round the
// cluster: no two blocks add to a part at a time, and its sums come out the same to the last bit. They are in memory
// once for all the blocks, so that the L2 cache keeps them. The last tile of each part stays in shared memory, where
// each block has sums of its own until the end.
#pragma once

#include "cluster.cuh"
#include "joined_sums.cuh"
#include "sums.cuh"

// The tile that a warp takes as its i-th, from its block's part on.
__device__ __forceinline__ int tile_in_turn(int i, int member) { return (i + member * part_tiles) % rows_per_warp; }

// Sums of a tile in the shared memory of a block of the cluster.
__device__ __forceinline__ float4 load_cluster_floats(SharedAddress from) {
  const uint4 s = load_cluster(from);
  return {__uint_as_float(s.x), __uint_as_float(s.y), __uint_as_float(s.z), __uint_as_float(s.w)};
}

__device__ __forceinline__ Sums load_cluster_sums(SharedAddress from, int lane) {
  const float4 a = load_cluster_floats(from + 16 * lane), b = load_cluster_floats(from + 512 + 16 * lane);
  const float4 c = load_cluster_floats(from + 1024 + 16 * lane), d = load_cluster_floats(from + 1536 + 16 * lane);
  return {{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}, {c.x, c.y, c.z, c.w, d.x, d.y, d.z, d.w}};
}

// A warp's turns at the sums of one channel after the other. Who tells the block before this one that it has left a
// part waits until memory has added what was added to it: of a block's warps one does, for each turn another one.
struct SumTurns {
  SharedAddress resident;  // this warp's tiles in shared memory, by turn
  SharedAddress barriers;  // by turn: the next block has left the part that comes then; behind them: this block's warps
  int lane, warp;
  int member, members;         // which of so many blocks; one alone has no turns
  unsigned int rounds = 0;     // over, of all channels
  bool is_first_round = true;  // of a channel: the first part is this block's own
  float4* tiles = nullptr;     // in global memory

  __device__ __forceinline__ int part_of(int turn) const { return (member + turn) % cluster_blocks; }
  __device__ __forceinline__ float4* tile(int part, int i) const {
    return tiles + (part * part_tiles + i) * (sums_bytes / 16);
  }
  __device__ __forceinline__ SharedAddress left(int turn) const { return barriers + 8 * turn; }
  __device__ __forceinline__ SharedAddress done(int turn) const { return barriers + 8 * (cluster_blocks + turn); }
  __device__ __forceinline__ static bool is_resident(int i) { return i % part_tiles == part_tiles - 1; }

  // Ahead of all channels, by all threads of the cluster.
  __device__ __forceinline__ void make_barriers() const {
    if (threadIdx.x == 0) {
      for (int turn = 0; turn < cluster_blocks; ++turn)
        init_barrier(left(turn), 1), init_barrier(done(turn), group_warps);
      publish_barriers();
    }
    cluster_barrier();
  }

  // Zeros, where this block is the first to add: it alone, or of its own part.
  __device__ __forceinline__ void begin_channel(float4* of_warp) {
    tiles = of_warp;
    is_first_round = true;
    for (int turn = 0; turn < cluster_blocks; ++turn) {
      store_sums(resident + turn * sums_bytes, lane, Sums());
      for (int i = 0; i < part_tiles - 1; ++i)
        if (members == 1 || turn == 0) store_sums(tile(part_of(turn), i), lane, Sums());
    }
  }

  __device__ __forceinline__ void wait_for(int turn) const {
    if (members == 1 || (turn == 0 && is_first_round)) return;
    // The next block was at this part a turn ago.
    wait_for_phase(left((turn + cluster_blocks - 1) % cluster_blocks), turn == 0 ? rounds - 1 : rounds);
  }

  // Tells the block before this one.
  __device__ __forceinline__ void tell_left(int turn) const {
    if (lane == 0) arrive_at(at_rank(left(turn), (member + cluster_blocks - 1) % cluster_blocks));
  }
  __device__ __forceinline__ bool tells(int turn) const { return warp == turn * (group_warps / cluster_blocks); }

  // The last part is left at the end of the row, when nobody is in a hurry.
  __device__ __forceinline__ void leave(int turn) const {
    if (members == 1 || turn == cluster_blocks - 1) return;
    warp_barrier();
    if (lane == 0) arrive_here(done(turn));
    if (!tells(turn)) return;
    wait_for_phase(done(turn), rounds);
    tell_left(turn);
  }

  // Behind a barrier of all warps.
  __device__ __forceinline__ void end_row() {
    if (members > 1 && tells(cluster_blocks - 1)) tell_left(cluster_blocks - 1);
    ++rounds;
    is_first_round = false;
  }

  // What a row's products with this warp's i-th tile are added to: memory adds by itself.
  __device__ __forceinline__ Sums begun(int i) const {
    return is_resident(i) ? load_sums(resident + i / part_tiles * sums_bytes, lane) : Sums();
  }

  // Adds them, or puts them back.
  __device__ __forceinline__ void put(int i, const Sums& sum) {
    const int turn = i / part_tiles;
    if (i % part_tiles == 0) wait_for(turn);
    if (!is_resident(i)) return join_sums(tile(part_of(turn), i % part_tiles), lane, sum);
    store_sums(resident + turn * sums_bytes, lane, sum);
    leave(turn);
  }

  // Of a round in which this block has no row.
  __device__ __forceinline__ void skip_round() {
    for (int turn = 0; turn < cluster_blocks; ++turn) wait_for(turn), leave(turn);
    end_row();
  }

  // `body(sums)` of the tiles that end_channel has left as they are to be.
  template <class Body>
  __device__ __forceinline__ void each_tile(const Body& body) const {
    for (int turn = 0; turn < (members == 1 ? cluster_blocks : 1); ++turn)
      for (int i = 0; i < part_tiles; ++i) body(load_sums(tile(part_of(turn), i), lane));
  }

  // The tiles in shared memory to their places in global memory: those of a part by its first block, added up in the
  // order of the blocks.
  __device__ __forceinline__ void end_channel() const {
    if (members == 1) {
      for (int turn = 0; turn < cluster_blocks; ++turn)
        store_sums(tile(turn, part_tiles - 1), lane, load_sums(resident + turn * sums_bytes, lane));
      return;
    }
    cluster_barrier();
    Sums all;
#pragma unroll
    for (int block = 0; block < cluster_blocks; ++block) {
      const int turn = (member - block + cluster_blocks) % cluster_blocks;
      add(all, load_cluster_sums(at_rank(resident + turn * sums_bytes, block), lane));
    }
    store_sums(tile(member, part_tiles - 1), lane, all);
    cluster_barrier();  // nobody reads them any more
  }
};
