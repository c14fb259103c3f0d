// What tests of transforms past one block share, whether their rows go in pairs or one by one.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "host_run.hpp"

namespace ffc::conv_tests {

/// Seeds of a test's runs, one after the other.
inline unsigned next_seed() {
  static unsigned seed = 300;
  return ++seed;
}

/// Samples of one kind, under a name that a failure shows.
struct Samples {
  const char* name;
  std::function<float(std::mt19937&)> sample;
  int channels = 2;
};

/// A large mean, one outlier, the ends of the range that is documented for columns of 16 or 32: of rows of n samples.
inline std::vector<Samples> demanding_samples(std::int64_t n) {
  const auto limit = static_cast<float>(65504.0 / std::sqrt(2.0 * static_cast<double>(n)));
  return {
      {"large mean",
       [count = std::int64_t{0}, mean = 0.0f, n](std::mt19937& random) mutable {
         if (count++ % n == 0) mean = std::uniform_real_distribution<float>(5, 15)(random);
         return mean + normal(random);
       },
       12},  // the mean of a channel's rows takes one path of roundings
      {"outlier", [count = std::int64_t{0},
                   n](std::mt19937& random) mutable { return count++ % n == n / 3 ? 200.0f : normal(random); }},
      {"near the top",
       [limit](std::mt19937& random) { return 0.95f * limit * std::uniform_real_distribution<float>(-1, 1)(random); }},
      {"at the top", [limit](std::mt19937& random) { return random() % 2 == 0 ? 0.99f * limit : -0.99f * limit; }},
      {"small", [](std::mt19937& random) { return normal(random) / 128; }}};
}

using CheckKernel = std::function<void(const Kernel&)>;  ///< that it is of the kind a test is about

/// Every channel has a filter of its own, and a scale; with the skip term.
inline void check_channel_filters(const ConvConfig& config, const CheckKernel& check) {
  for (const double channel_gain : {0.125, 8.0}) {
    Recipe recipe;
    recipe.batch = channel_gain > 1 ? 1 : 2;
    recipe.channels = 3;
    recipe.skip = true;
    recipe.channel_gain = channel_gain;  // what leaks from one would show in those that weigh less in the sum
    require_accurate_kernel(config, recipe, next_seed(), check);
  }
}

/// Filters of small gain in one config, of large gain in the other; with the skip term.
inline void check_filter_gains(const ConvConfig& small, const ConvConfig& large, const CheckKernel& check) {
  for (const auto& [config, gain] : {std::pair{small, 1e-4}, std::pair{large, 100.0}}) {
    Recipe recipe;
    recipe.skip = true;
    recipe.filter_scale = gain;
    require_accurate_kernel(config, recipe, next_seed(), check);
  }
}

/// A bf16 config's input_exponent moves the range, down and, with gates, up.
inline void check_input_exponents(ConvConfig config, const CheckKernel& check) {
  config.input_exponent = -12;
  Recipe recipe;
  recipe.batch = 3;
  recipe.sample = [](std::mt19937& random) { return 40000 * normal(random); };
  require_accurate_kernel(config, recipe, next_seed(), check);
  config.input_exponent = 12;
  config.gating = Gating::both;
  recipe.sample = [](std::mt19937& random) { return 1e-6f * normal(random); };
  require_accurate_kernel(config, recipe, next_seed(), check);
}

/// Demanding samples, in rows that are as long as the range is documented for.
inline void check_demanding_samples(const ConvConfig& config, std::int64_t n, int batch, const CheckKernel& check) {
  for (const Samples& samples : demanding_samples(n)) {
    CAPTURE(samples.name);
    Recipe recipe;
    recipe.batch = batch;
    recipe.channels = samples.channels;
    recipe.sample = samples.sample;
    recipe.filter_scale = 0.2;
    require_accurate_kernel(config, recipe, next_seed(), check);
  }
}

/// Workspaces of any size, the least and some that hold no whole number of places among them, give the same bits.
inline void check_workspaces(const ConvConfig& config, int batch, int channels) {
  const auto kernel = get_kernel(config, machine()->device());
  CAPTURE(kernel->name());
  const std::size_t place = kernel->least_workspace_bytes();
  Recipe recipe;
  recipe.batch = batch;
  recipe.channels = channels;
  std::vector<std::vector<std::uint16_t>> results;
  const auto launch_all = [&](const LaunchArguments& arguments) {
    const auto count = static_cast<std::size_t>(batch * arguments.y.batch_stride);
    for (const std::size_t bytes :
         {std::size_t{0}, place, 2 * place - 1, 2 * place, 3 * place, 3 * place + 16, 5 * place, 20 * place}) {
      LaunchArguments lent = arguments;
      Buffer workspace(machine(), std::max<std::size_t>(bytes, 1));
      workspace.poison();  // the counts in it are zeroed by the launch
      if (bytes > 0) lent.workspace = {workspace.data(), bytes};
      std::memset(arguments.y.data, 0xFF, 2 * count);
      kernel->launch(lent);
      const auto* const y = static_cast<const std::uint16_t*>(arguments.y.data);
      results.emplace_back(y, y + count);
    }
  };
  CHECK(relative_error_of(machine(), *kernel, recipe, next_seed(), launch_all) <= bar(*kernel));
  for (const auto& result : results) CHECK(result == results.front());
}

using BatchRows = std::vector<std::pair<int, int>>;  ///< as batch and channel

/// Rows of y that hold anything not finite, of three of each of two channels: after `spoil` has had its way with u of
/// (3, 2, L) and the filters.
inline BatchRows spoiled_rows(const ConvConfig& config,
                              const std::function<void(std::vector<std::uint16_t>& u, std::vector<float>& k)>& spoil) {
  constexpr std::size_t batch = 3, channels = 2;
  const auto kernel = get_kernel(config, machine()->device());
  const auto length = static_cast<std::size_t>(kernel->config().length);
  std::mt19937 random(next_seed());
  std::vector<std::uint16_t> samples(batch * channels * length);
  for (std::uint16_t& sample : samples) sample = examples::encode(DataType::fp16, normal(random));
  std::vector<float> taps(channels * length);
  for (float& tap : taps) tap = normal(random) / 64;
  spoil(samples, taps);
  const Buffer u = Buffer::of(machine(), samples), k = Buffer::of(machine(), taps);
  Buffer y(machine(), 2 * samples.size());
  y.poison();
  const auto stride = static_cast<std::int64_t>(length), batch_stride = static_cast<std::int64_t>(channels) * stride;
  LaunchArguments arguments;
  arguments.spectrum = kernel->prepare_filter({k.at<float>(0), nullptr, kernel->config().filter_length, channels});
  arguments.u = {u.data(), batch_stride, stride};
  arguments.y = {y.data(), batch_stride, stride};
  arguments.batch = batch, arguments.channels = channels;
  kernel->launch(arguments);
  BatchRows rows;
  for (std::size_t b = 0; b < batch; ++b)
    for (std::size_t h = 0; h < channels; ++h)
      for (const std::uint16_t bits : y.download<std::uint16_t>((b * channels + h) * length, length))
        if (!std::isfinite(examples::decode(DataType::fp16, bits))) {
          rows.emplace_back(static_cast<int>(b), static_cast<int>(h));
          break;
        }
  return rows;
}

/// The same where one sample of a row, or one tap of a channel's filter, is not finite.
inline BatchRows spoiled_by_row(const ConvConfig& config, int b, int h) {
  constexpr std::uint16_t infinity = 0x7C00;
  return spoiled_rows(config, [&](std::vector<std::uint16_t>& u, std::vector<float>&) {
    u[u.size() / 6 * static_cast<std::size_t>(2 * b + h) + 1234] = infinity;
  });
}
inline BatchRows spoiled_by_filter(const ConvConfig& config, int h) {
  return spoiled_rows(config, [&](std::vector<std::uint16_t>&, std::vector<float>& k) {
    k[k.size() / 2 * static_cast<std::size_t>(h) + 7] = NAN;
  });
}

/// Of rows that share a transform with no other.
inline void check_spoils_itself_alone(const ConvConfig& config) {
  CHECK(spoiled_rows(config, [](std::vector<std::uint16_t>&, std::vector<float>&) {}).empty());
  for (const int b : {0, 1, 2})
    for (const int h : {0, 1}) CHECK(spoiled_by_row(config, b, h) == BatchRows{{b, h}});
  CHECK(spoiled_by_filter(config, 0) == BatchRows{{0, 0}, {1, 0}, {2, 0}});
  CHECK(spoiled_by_filter(config, 1) == BatchRows{{0, 1}, {1, 1}, {2, 1}});
}

}  // namespace ffc::conv_tests
