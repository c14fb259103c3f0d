// Runs a loop on several threads.
#include "parallel.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace ffc::tools {

void parallel_for(std::size_t count, int jobs, const std::function<void(std::size_t)>& body) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (auto index = next++; index < count; index = next++) body(index);
  };
  std::vector<std::jthread> helpers;
  for (std::size_t thread = 1; thread < std::min(count, static_cast<std::size_t>(jobs)); ++thread) {
    helpers.emplace_back(work);
  }
  work();
}

}  // namespace ffc::tools
