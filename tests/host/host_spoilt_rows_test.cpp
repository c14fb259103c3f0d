// A row that is not finite leaves those alone that its block takes behind it.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "host_run.hpp"
#include "split_faults.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

constexpr int batch = 10;

// What one block makes of the rows behind the first pair, whose samples begin with `first`.
std::vector<std::uint16_t> others(const Generated& generated, float first) {
  const host::HostKernel kernel = kernel_of(generated);
  const ConvConfig& config = kernel.config();
  Recipe recipe;
  recipe.batch = batch, recipe.channels = 1;
  std::mt19937 random(3);
  Rows u(recipe, config), y(recipe, config);
  u.fill_normal(config.dtype, random);
  const auto length = static_cast<std::size_t>(config.length);
  for (const std::size_t row : {0, 1}) u.bits()[row * length] = examples::encode(config.dtype, first);
  std::vector<float> k(static_cast<std::size_t>(config.filter_length));
  for (float& tap : k) tap = normal(random) / std::sqrt(static_cast<float>(k.size()));
  const Buffer k_buffer = Buffer::of(machine(), k), u_buffer = Buffer::of(machine(), u.bits());
  Buffer y_buffer(machine(), u.bits().size() * 2);
  y_buffer.poison();
  FilterView filter;
  filter.k = k_buffer.at<float>(0), filter.length = config.filter_length, filter.channels = 1;
  LaunchArguments arguments;
  arguments.u = {u_buffer.data(), u.batch_stride(), u.channel_stride()};
  arguments.y = {y_buffer.data(), y.batch_stride(), y.channel_stride()};
  arguments.batch = batch, arguments.channels = 1;
  const Kernel& prepares = kernel;
  arguments.spectrum = prepares.prepare_filter(filter);
  HostOptions options;
  options.slices = 1;
  (void)kernel.run(arguments, options);
  const auto all = y_buffer.download<std::uint16_t>(0, u.bits().size());
  return {all.begin() + 2 * static_cast<std::ptrdiff_t>(length), all.end()};
}

ConvConfig circular(std::int64_t length) {
  ConvConfig config;
  config.fft_length = length, config.arch = "sm_90a";
  return config;
}
ConvConfig causal(std::int64_t length) {
  ConvConfig config;
  config.length = length, config.padding = Padding::causal, config.arch = "sm_90a";
  return config;
}

}  // namespace

TEST_CASE("past one block, too") {
  for (ConvConfig config : {circular(40960), causal(20480), causal(40000)})
    for (const DataType dtype : {DataType::fp16, DataType::bf16}) {
      config.dtype = dtype;
      const Generated generated = generate(config);
      CAPTURE(generated.name);
      CHECK(others(generated, std::numeric_limits<float>::infinity()) == others(generated, 1));
    }
}

TEST_CASE("rows behind one that is not finite are what they are behind any other") {
  // Tiles of less than 16 rows have slots between them; pairs, real rows, rows alone.
  for (ConvConfig config : {circular(2560), circular(4608), circular(5120), circular(10240), causal(1100), causal(3000),
                            causal(9000), circular(4096)})
    for (const DataType dtype : {DataType::fp16, DataType::bf16}) {
      config.dtype = dtype;
      const Generated generated = generate(config);
      CAPTURE(generated.name);
      const std::vector<std::uint16_t> wanted = others(generated, 1);
      CHECK(others(generated, std::numeric_limits<float>::infinity()) == wanted);
      CHECK(others(generated, std::numeric_limits<float>::quiet_NaN()) == wanted);
    }
}
