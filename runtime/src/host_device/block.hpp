// One block of a launch, or a cluster of them: threads as fibers, warps in turn.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "counts.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/launch_grid.hpp"
#include "fiber.hpp"
#include "shared_memory.hpp"
#include "warp_operations.hpp"

namespace ffc::host {

/// Global memory that a kernel may touch.
struct Range {
  std::string name;  ///< "u"
  const void* data = nullptr;
  std::size_t bytes = 0;
  bool writable = false;
};

/// The two functions of a program compiled for the host (generator's host_program).
struct Entry {
  void (*enter)(Lane* const*) = nullptr;
  void (*run)(const void*) = nullptr;
};

/// All that the blocks of a launch have in common.
struct Launch {
  Entry entry;
  const GeneratedKernel* kernel = nullptr;
  const void* arguments = nullptr;
  LaunchGrid grid;
  std::vector<Range> ranges;
  std::uint64_t seed = 1;
};

/// Runs blocks, or clusters of blocks, one after the other, on the thread that made it.
class Block {
 public:
  explicit Block(const Launch& launch);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  /// Runs from beginning to end the block, or the cluster whose first block it is. Throws HostError.
  void run(std::uint32_t x, std::uint32_t y);

  Counter counter;

 private:
  struct Thread;
  struct Warp;

  static Thread& thread_of(Lane* lane);
  static void meet(Lane* lane, Part* part);
  static unsigned char* shared(Lane* lane, std::uint32_t address, std::int32_t bytes, Access access, std::int32_t line);
  static void global(Lane* lane, const void* address, std::int32_t bytes, Access access, std::int32_t line);
  static void copy(Lane* lane, std::uint32_t to, const void* from, std::int32_t bytes, std::int32_t valid,
                   std::int32_t line);
  static void commit_copies(Lane* lane);
  static void wait_copies(Lane* lane, std::int32_t pending);
  static const Engine engine;

  void resume(Thread& thread);
  void run_warp(Warp& warp);
  void check_together(const Warp& warp) const;
  bool arrive(Warp& warp);
  bool arrive_in_cluster(Warp& warp);
  bool count_arrival(Warp& warp, std::uint32_t& arrived, std::size_t wanted);
  [[nodiscard]] SharedMemory& memory_at(const Thread& thread, std::uint32_t& address);
  [[noreturn]] void throw_error(int thread, int line, const std::string& what) const;
  [[noreturn]] void throw_stuck() const;
  /// Notes what a thread did wrong and leaves it for good.
  [[noreturn]] static void fail(Thread& thread, int line, std::string what);
  [[nodiscard]] std::string refuse_global(const void* address, int bytes, Access access) const;

  const Launch& launch_;
  std::size_t block_threads_;
  std::vector<SharedMemory> shared_;  // by rank in the cluster
  std::vector<std::unique_ptr<Thread>> threads_;
  std::vector<std::unique_ptr<Warp>> warps_;
  using Arrived = std::array<std::uint32_t, 16>;  // threads, by barrier
  std::vector<Arrived> arrived_;                  // by rank
  std::uint32_t arrived_in_cluster_ = 0;
  std::size_t idle_turns_ = 0;  // in which warps only waited for others
  Lane* running_ = nullptr;
  std::mt19937_64 random_;
  std::uint32_t x_ = 0, y_ = 0;
};

/// Runs all blocks of a launch on `workers` threads. Throws the first HostError.
[[nodiscard]] Counter run_blocks(const Launch& launch, int workers);

}  // namespace ffc::host
