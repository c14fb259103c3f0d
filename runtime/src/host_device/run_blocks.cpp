// The blocks of a launch, or its clusters, shared out among threads.
#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "block.hpp"

namespace ffc::host {
namespace {

// A process may have some 65000 mappings, and a fiber's stack with its guard takes two.
constexpr int most_fibers = 16384;

std::uint64_t workers_for(const Launch& launch, int wanted) {
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const int most = std::max(1, most_fibers / (launch.kernel->threads * launch.kernel->cluster));
  return static_cast<std::uint64_t>(std::min(wanted > 0 ? wanted : cores, most));
}

}  // namespace

Counter run_blocks(const Launch& launch, int workers) {
  const auto cluster = static_cast<std::uint32_t>(launch.kernel->cluster);
  const std::uint32_t across = launch.grid.x / cluster;
  const std::uint64_t blocks = std::uint64_t{across} * launch.grid.y;
  std::atomic<std::uint64_t> next = 0;
  std::mutex mutex;
  std::exception_ptr error;
  Counter total;
  const auto work = [&] {
    try {
      Block block(launch);
      for (std::uint64_t i = next++; i < blocks; i = next++)
        block.run(static_cast<std::uint32_t>(i % across) * cluster, static_cast<std::uint32_t>(i / across));
      const std::lock_guard lock(mutex);
      total.add(block.counter);
    } catch (...) {
      next = blocks;
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
    }
  };
  const std::uint64_t most = workers_for(launch, workers);
  std::vector<std::thread> threads;
  try {
    for (std::uint64_t i = 1; i < std::min(most, blocks); ++i) threads.emplace_back(work);
  } catch (...) {
    // Fewer threads than wanted: those that there are do the work.
  }
  work();
  for (std::thread& thread : threads) thread.join();
  if (error) std::rethrow_exception(error);
  return total;
}

}  // namespace ffc::host
