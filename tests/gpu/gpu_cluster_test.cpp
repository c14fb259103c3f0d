// Clusters of blocks on a GPU: against float64, over many pairs and channels, in a graph, twice the same bits.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "conv_run.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

ConvConfig config_of(std::int64_t n, std::int64_t length, Gating gating, DataType dtype, int blocks) {
  ConvConfig config;
  config.fft_length = n;
  config.length = length;
  config.padding = length == n ? Padding::circular : Padding::padded;
  config.gating = gating;
  config.dtype = dtype;
  config.column_length = blocks;
  return config;
}

struct Run {
  ConvConfig config;
  int batch, channels;
  std::function<float(std::mt19937&)> sample = {};
};

void require_all(const std::vector<Run>& runs) {
  const auto device = open_device();
  compile_ahead(device, runs);
  static unsigned seed = 8100;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto kernel = get_kernel(runs[i].config, device->device());
    Recipe recipe;
    recipe.batch = runs[i].batch;
    recipe.channels = runs[i].channels;
    recipe.row_gap = recipe.batch % 2;
    recipe.sample = runs[i].sample;
    if (recipe.sample) recipe.filter_scale = 0.2;
    CAPTURE(kernel->name());
    CAPTURE(recipe.batch);
    REQUIRE(kernel->generated().conv.cluster > 1);
    CHECK(relative_error(device, runs[i].config, recipe, ++seed) <= bar(*kernel));
  }
}

}  // namespace

TEST_CASE("lengths for which a cluster is chosen") {
  std::vector<Run> runs;
  for (const std::int64_t n : {65536, 131072}) {
    runs.push_back({config_of(n, n, Gating::none, DataType::fp16, 0), 2, 3});
    runs.push_back({config_of(n, n, Gating::none, DataType::bf16, 0), 64, 2});
  }
  // Half of 65536 is one block's.
  for (const std::int64_t n : {131072, 262144}) {
    runs.push_back({config_of(n, n / 2, Gating::none, DataType::bf16, 0), 3, 2});
    runs.push_back({config_of(n, n / 2, Gating::none, DataType::fp16, 0), 7, 20});
  }
  require_all(runs);
}

TEST_CASE("clusters of 2, 4 and 8 blocks, gates, lengths and alignments of every kind") {
  std::vector<Run> runs;
  int i = 0;
  for (const int blocks : {2, 4, 8})
    for (const int row : {4096, 6144, 8192, 16384}) {
      const std::int64_t n = std::int64_t{blocks} * row;
      if (row == 6144 && blocks != 2) continue;  // threads share the columns evenly
      const DataType dtype = ++i % 3 == 0 ? DataType::bf16 : DataType::fp16;
      runs.push_back({config_of(n, n, i % 2 == 0 ? Gating::both : Gating::none, dtype, blocks), 1 + i % 4, 3});
      runs.push_back({config_of(n, n / 2 - 37 * i, Gating::both, dtype, blocks), 3, 2});
      runs.push_back({config_of(n, 3 * n / 4, i % 2 == 0 ? Gating::in : Gating::out, dtype, blocks), 2, 1});
    }
  require_all(runs);
}

TEST_CASE("a large mean, one outlier, the ends of the documented range") {
  std::vector<Run> runs;
  for (const std::int64_t n : {65536, 131072}) {
    const ConvConfig config = config_of(n, n, Gating::none, DataType::fp16, 0);
    const auto limit = static_cast<float>(65504 / std::sqrt(2.0 * static_cast<double>(n)));
    // The mean of a channel takes one path of roundings: many channels tell what it is worth.
    runs.push_back({config, 3, 16, [](std::mt19937& random) { return 12 + normal(random); }});
    runs.push_back({config, 4, 1, [count = std::int64_t{0}, limit, n](std::mt19937& random) mutable {
                      return count++ % n == n / 3 ? limit : normal(random);
                    }});
    runs.push_back({config, 3, 1, [limit](std::mt19937& random) {
                      return 0.95f * limit * std::uniform_real_distribution<float>(-1, 1)(random);
                    }});
    runs.push_back({config, 2, 1, [](std::mt19937& random) { return normal(random) / 128; }});
  }
  require_all(runs);
}

TEST_CASE("slices of the batch and more channels than fit at once give the bits of a launch alone") {
  const auto device = open_device();
  const auto kernel = get_kernel(config_of(65536, 65536, Gating::none, DataType::fp16, 0), device->device());
  constexpr std::size_t length = 65536, batch = 9, channels = 40;
  std::mt19937 random(8177);
  std::vector<std::uint16_t> rows(batch * channels * length);
  for (std::uint16_t& sample : rows) sample = examples::encode(DataType::fp16, normal(random));
  std::vector<float> taps(channels * length);
  for (float& tap : taps) tap = normal(random) / 256;
  const Buffer u = Buffer::of(device, rows), k = Buffer::of(device, taps);
  Buffer y(device, 2 * rows.size());
  LaunchArguments arguments;
  arguments.spectrum = kernel->prepare_filter({k.at<float>(0), nullptr, length, static_cast<int>(channels)});
  arguments.channels = channels;
  const auto result = [&](int first, int count) {
    y.poison();
    device->synchronize();
    const std::size_t offset = static_cast<std::size_t>(first) * channels * length;
    arguments.u = {u.at<std::uint16_t>(offset), channels * length, length};
    arguments.y = {y.at<std::uint16_t>(offset), channels * length, length};
    arguments.batch = count;
    kernel->launch(arguments, nullptr);
    device->synchronize();
    return y.download<std::uint16_t>(offset, static_cast<std::size_t>(count) * channels * length);
  };
  const std::vector<std::uint16_t> all = result(0, batch);
  CHECK(result(0, batch) == all);
  const std::vector<std::uint16_t> pair = result(4, 2);
  CHECK(std::equal(pair.begin(), pair.end(), all.begin() + static_cast<std::ptrdiff_t>(4 * channels * length)));
  const std::vector<std::uint16_t> last = result(8, 1);
  CHECK(std::equal(last.begin(), last.end(), all.begin() + static_cast<std::ptrdiff_t>(8 * channels * length)));
}
