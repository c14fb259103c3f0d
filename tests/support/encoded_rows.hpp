// Rows of one channel as they are stored, to and from a kernel.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "conv_run.hpp"

namespace ffc::conv_tests {

/// y of `batch` rows of one channel, with taps that are alike in every call. A kernel that finds magnitudes ahead of
/// itself leaves them in memory that is lent.
inline std::vector<std::uint16_t> convolved(const std::shared_ptr<Machine>& device, const Kernel& kernel,
                                            const std::vector<std::uint16_t>& u, int batch) {
  const std::int64_t samples = kernel.config().length;
  std::mt19937 random(24);
  std::vector<float> taps(static_cast<std::size_t>(samples));
  for (float& tap : taps) tap = normal(random) / std::sqrt(static_cast<float>(samples));
  const auto magnitudes = static_cast<std::size_t>(kernel.magnitudes_count(1, batch));
  const Buffer k = Buffer::of(device, taps), rows = Buffer::of(device, u);
  Buffer y(device, 2 * u.size()), found(device, 4 * std::max<std::size_t>(magnitudes, 1));
  y.poison();
  found.poison();
  LaunchArguments arguments;
  arguments.u = {rows.data(), samples, samples};
  arguments.y = {y.data(), samples, samples};
  arguments.batch = batch;
  arguments.channels = 1;
  arguments.spectrum = kernel.prepare_filter({k.at<float>(0), nullptr, samples, 1});
  if (magnitudes > 0) arguments.found_magnitudes = found.at<float>(0);
  kernel.launch(arguments);
  return y.download<std::uint16_t>(0, u.size());
}

}  // namespace ffc::conv_tests
