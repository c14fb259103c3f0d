// What a program compiled for the host and the engine that runs it say to each other. Part of every such program.
#pragma once

#include <cstdint>

namespace ffc::host {

/// What a whole warp does together: every lane comes with its part, and goes on when the last one has come.
enum class Together : std::int32_t {
  warp_barrier,
  barrier,                  ///< in: number, threads that take part
  cluster_barrier,          ///< of all threads of the blocks of a cluster
  wait,                     ///< until another warp has done something: asked again and again
  multiply16,               ///< m16n8k16 with fp16 accumulators; in: a0 to a3, b0, b1; out: 2 words, added to
  multiply32,               ///< the same with fp32 accumulators; out: 4 floats, added to
  load_blocks,              ///< ldmatrix x4; in: address; out: 4 words
  load_blocks_transposed,   ///< ldmatrix x4 trans; in: address; out: 4 words
  store_blocks,             ///< stmatrix x4; in: address, 4 words
  store_blocks_transposed,  ///< stmatrix x4 trans; in: address, 4 words
  transpose_block,          ///< movmatrix trans; in: word; out: word
  shuffle,                  ///< in: word, lane to take from; out: word
};

/// One lane's part.
struct Part {
  Together operation;
  std::int32_t line;  ///< of the emitted text
  std::uint32_t in[6];
  void* out;
};

/// `barrier`: of a barrier's own state, which counts as no access to memory.
enum class Access : std::int32_t { read, write, atomic, barrier };

struct Lane;

/// What the engine does for a lane. A function that meets an error does not return. Return addresses tell inlined
/// copies of a line apart, so these are called from inlined functions only.
struct Engine {
  void (*meet)(Lane*, Part*);
  /// Checks an access to shared memory and counts it; where the bytes are.
  unsigned char* (*shared)(Lane*, std::uint32_t address, std::int32_t bytes, Access access, std::int32_t line);
  /// Checks an access to global memory and counts it.
  void (*global)(Lane*, const void* address, std::int32_t bytes, Access access, std::int32_t line);
  /// Notes an asynchronous copy of `bytes` bytes, the first `valid` from `from` and the rest zero.
  void (*copy)(Lane*, std::uint32_t to, const void* from, std::int32_t bytes, std::int32_t valid, std::int32_t line);
  void (*commit_copies)(Lane*);
  void (*wait_copies)(Lane*, std::int32_t pending);
  const float* halves;  ///< the value of each of the 65536 bit patterns of fp16
};

/// One thread of a block, as the program sees it.
struct Lane {
  const Engine* engine;
  std::uint32_t thread, threads;
  std::uint32_t block_x, block_y, grid_x, grid_y;
  std::uint32_t rank;  ///< of the block in its cluster
};

/// Byte address at which a block's dynamic shared memory begins; what lies below belongs to nobody.
inline constexpr std::uint32_t shared_base = 1024;

/// Shared addresses of block `rank` of a cluster: those of this block are below all of them.
inline constexpr std::uint32_t rank_shift = 24;
[[nodiscard]] constexpr std::uint32_t address_at_rank(std::uint32_t address, std::uint32_t rank) {
  return (rank + 1) << rank_shift | (address & ((1u << rank_shift) - 1));
}

}  // namespace ffc::host
