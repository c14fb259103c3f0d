// How long calls take: on the device, by events, and on the CPU that makes them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "machine.hpp"

namespace ffc::examples {

/// Median time of a call on the CPU, in microseconds. The calls queue up: none waits for the device.
inline double median_call_microseconds(const std::shared_ptr<Machine>& device, const std::function<void(int)>& run,
                                       int calls = 21) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  device->synchronize();
  for (int i = 0; i < calls; ++i) {
    const auto start = Clock::now();
    run(i);
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  device->synchronize();
  const auto middle = times.begin() + calls / 2;
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// How often a call is repeated for its median time.
struct Repeats {
  int warm_up = 3, calls = 10, groups = 9;
};

/// Median time of one call of `run(turn)`, from groups of back-to-back calls. Turns count on from group to group: where
/// the sets are small and many, ten of them would fit in L2. Everything is queued before anything is waited for, so
/// that no group includes the way from the host to an idle device.
inline double median_milliseconds(const std::shared_ptr<Machine>& device, const Repeats& repeats,
                                  const std::function<void(int)>& run) {
  int turn = 0;
  while (turn < repeats.warm_up) run(turn++);
  std::vector<Event> marks;
  marks.emplace_back(device).record(nullptr);
  for (int group = 0; group < repeats.groups; ++group) {
    for (int i = 0; i < repeats.calls; ++i) run(turn++);
    marks.emplace_back(device).record(nullptr);
  }
  device->synchronize();
  std::vector<double> times;
  for (std::size_t i = 1; i < marks.size(); ++i)
    times.push_back(marks[i].milliseconds_since(marks[i - 1]) / repeats.calls);
  const auto middle = times.begin() + repeats.groups / 2;
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

}  // namespace ffc::examples
