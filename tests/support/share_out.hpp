// Work shared out among threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace ffc::conv_tests {

/// `body(i)` for every i below `count`, in so many threads. What the first to throw threw is thrown again.
template <class Body>
void share_out(int count, int jobs, const Body& body) {
  std::atomic<int> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (int i = next++; i < count; i = next++) body(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  const int most = std::min(count, jobs);
  for (int i = 1; i < most; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

/// In as many threads as there are cores.
template <class Body>
void share_out(int count, const Body& body) {
  share_out(count, static_cast<int>(std::thread::hardware_concurrency()), body);
}

}  // namespace ffc::conv_tests
