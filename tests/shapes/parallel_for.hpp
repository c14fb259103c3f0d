// Runs a loop on several threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace ffc::shapes {

/// body(0) to body(count - 1), each once, on so many threads. `body` must not throw.
template <class Body>
void parallel_for(std::size_t count, int jobs, const Body& body) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) body(i);
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < jobs; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace ffc::shapes
