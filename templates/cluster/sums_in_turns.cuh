// Sums of a channel that the blocks of a cluster have in common. A warp's tiles are in as many parts as there are
// blocks. Block r begins with part r and goes on to part r + 1, when block r + 1 has left it, and so on round the
// cluster: no two blocks add to a part at a time, and its sums come out the same to the last bit. They are in memory
// once for all the blocks, so that the L2 cache keeps them. Of the last tile of each part a block has sums of its own
// in shared memory, which join the others' with its last row.
#pragma once

#include "cluster.cuh"
#include "joined_sums.cuh"
#include "sums.cuh"

// The tile that a warp takes as its i-th, from its block's part on.
__device__ __forceinline__ int tile_in_turn(int i, int member) { return (i + member * part_tiles) % rows_per_warp; }

// A warp's turns at the sums of one channel after the other. Who tells the block before this one that it has left a
// part waits until memory has added what was added to it: of a block's warps one does, for each turn another one.
struct SumTurns {
  SharedAddress resident;  // this warp's tiles in shared memory, by turn
  SharedAddress barriers;  // by turn: the next block has left the part that comes then; behind them: this block's warps
  int lane, warp;
  int member, members;                           // which of so many blocks; one alone has no turns
  unsigned int rounds = 0;                       // over, of all channels
  bool is_first_row = true, is_last_row = true;  // that the block has of a channel
  float4* tiles = nullptr;                       // in global memory

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

  // Behind all channels: nobody arrives at the barriers of a block that is gone.
  __device__ __forceinline__ void end_channels() const { cluster_barrier(); }

  // Zeros for what any block may be the first to join.
  __device__ __forceinline__ void begin_channel(float4* of_warp) {
    tiles = of_warp;
    is_first_row = true;
    for (int turn = 0; turn < cluster_blocks; ++turn) store_sums(resident + turn * sums_bytes, lane, Sums());
    if (members > 1) store_sums(tile(member, part_tiles - 1), lane, Sums());
  }
  __device__ __forceinline__ void begin_row(bool is_last) { is_last_row = is_last; }

  __device__ __forceinline__ void wait_for(int turn) const {
    if (members == 1 || (turn == 0 && rounds == 0)) return;
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
    is_first_row = false;
  }

  // What a row's products with this warp's i-th tile are added to: memory adds by itself.
  __device__ __forceinline__ Sums begun(int i) const {
    return is_resident(i) ? load_sums(resident + i / part_tiles * sums_bytes, lane) : Sums();
  }

  // Adds them to those in memory, or puts them there where the block is the first; or puts them back.
  __device__ __forceinline__ void put(int i, const Sums& sum) {
    const int turn = i / part_tiles;
    if (i % part_tiles == 0) wait_for(turn);
    float4* const to = tile(part_of(turn), i % part_tiles);
    if (!is_resident(i)) {
      if (is_first_row && (members == 1 || turn == 0))
        store_sums(to, lane, sum);
      else
        join_sums(to, lane, sum);
      return;
    }
    if (!is_last_row)
      store_sums(resident + turn * sums_bytes, lane, sum);
    else if (members == 1)
      store_sums(to, lane, sum);
    else
      join_sums(to, lane, sum);
    leave(turn);
  }

  // Of a round in which this block has no row.
  __device__ __forceinline__ void skip_round() {
    for (int turn = 0; turn < cluster_blocks; ++turn) wait_for(turn), leave(turn);
    end_row();
  }

  // `body(sums)` of tiles that are as they are to be, behind a channel's last row: one alone has all of them, others
  // their own part, which the next block is the last to leave.
  template <class Body>
  __device__ __forceinline__ void each_tile(const Body& body) const {
    wait_for(0);
    for (int turn = 0; turn < (members == 1 ? cluster_blocks : 1); ++turn)
      for (int i = 0; i < part_tiles; ++i) body(load_sums(tile(part_of(turn), i), lane));
  }
};
