// Kernels of a table, compiled side by side before the first is timed: one after the other they would take longer than
// all measurements, and compilers beside a measurement would take its processors.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <ffc/ffc.hpp>
#include <future>
#include <thread>
#include <vector>

namespace ffc::examples {

/// Compiles the kernels of all configs, as many at a time as there are processors. What cannot be compiled is left to
/// the table that wants it, which tells why.
inline void compile_all(const std::vector<ConvConfig>& configs, const Device& device) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < configs.size(); i = next++) try {
        (void)get_kernel(configs[i], device);
      } catch (const Error&) {
      }
  };
  const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::future<void>> workers;
  for (std::size_t i = 0; i < std::min(processors, configs.size()); ++i)
    workers.push_back(std::async(std::launch::async, work));
  for (std::future<void>& worker : workers) worker.get();
}

}  // namespace ffc::examples
