// How loud a long signal is along its way: what a plot can show of millions of samples.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ffc::examples {

/// Samples in each of `windows` windows of equal length over `length` samples, at least one.
[[nodiscard]] inline std::size_t window_length(std::size_t length, std::size_t windows) {
  return std::max<std::size_t>(1, (length + windows - 1) / windows);
}

/// Mean squares of windows of `window` samples, not below `least`; `sample(n)` is a value.
template <class Sample>
[[nodiscard]] std::vector<double> mean_squares(std::size_t length, std::size_t window, double least,
                                               const Sample& sample) {
  std::vector<double> means;
  for (std::size_t first = 0; first < length; first += window) {
    const std::size_t count = std::min(window, length - first);
    double sum = 0;
    for (std::size_t n = first; n < first + count; ++n) {
      const double value = sample(n);
      sum += value * value;
    }
    means.push_back(std::max(least, sum / static_cast<double>(count)));
  }
  return means;
}

}  // namespace ffc::examples
