// Short filters over long rows on a GPU: windows against float64, segments of streams, rows that no transform holds.
#include <doctest/doctest.h>

#include "ffc/generator/plan.hpp"
#include "stream_run.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

ConvConfig causal(std::int64_t n, std::int64_t length, std::int64_t taps, Gating gating = Gating::none,
                  DataType dtype = DataType::fp16) {
  ConvConfig config;
  config.padding = Padding::causal;
  config.fft_length = n;
  config.length = length;
  config.filter_length = taps;
  config.gating = gating;
  config.dtype = dtype;
  return config;
}

// In windows alone, of twice as many samples as the product of the radices.
ConvConfig alone(const std::vector<int>& radices, std::int64_t length, std::int64_t taps, Gating gating) {
  ConvConfig config = causal(2, length, taps, gating);
  for (const int radix : radices) config.fft_length *= radix;
  config.radices = radices;
  return config;
}

Recipe recipe_of(int batch, int channels, std::int64_t row_gap = 0) {
  Recipe recipe;
  recipe.batch = batch;
  recipe.channels = channels;
  recipe.row_gap = row_gap;
  return recipe;
}

unsigned next_seed() {
  static unsigned seed = 1;
  return seed++;
}

// Within the bar on fresh data; in windows wherever one is forced.
void require_accurate(const std::vector<ConvCase>& cases) {
  const auto device = open_device();
  compile_ahead(device, cases);
  for (const ConvCase& test : cases) {
    const auto kernel = get_kernel(test.config, device->device());
    CAPTURE(kernel->name());
    CAPTURE(test.recipe.batch);
    if (test.config.fft_length != 0) REQUIRE(kernel->generated().windows);
    const double error = relative_error_of(device, *kernel, test.recipe, next_seed(),
                                           [&](const LaunchArguments& arguments) { kernel->launch(arguments); });
    CHECK(error > 0);
    CHECK(error <= bar(*kernel));
  }
}

}  // namespace

TEST_CASE("windows of every kind of transform, ungated and gated, both types in turn") {
  std::vector<ConvCase> cases;
  for (const std::int64_t n : {256,  512,  768,  1024, 1280, 1536,  1792,  2048,  2304,  2560, 3072,
                               3840, 4096, 5120, 6144, 8192, 10240, 12288, 16384, 24576, 32768})
    for (const std::int64_t taps : {n / 4, n / 2 + 5, n - 63}) {
      const std::size_t turn = cases.size();
      const DataType dtype = turn % 2 == 0 ? DataType::fp16 : DataType::bf16;
      const Gating gating = turn / 2 % 2 == 0 ? Gating::none : Gating::both;
      cases.push_back({causal(n, 3 * n + 8, taps, gating, dtype), recipe_of(3, 2, 1)});
    }
  require_accurate(cases);
}

TEST_CASE("windows alone, at frequencies k + 1/4, of every tile and butterfly, gates and types") {
  std::vector<ConvCase> cases;
  for (const std::vector<int>& radices : std::vector<std::vector<int>>{{9, 16, 16},
                                                                       {16, 16, 16},
                                                                       {12, 2, 16, 16},
                                                                       {16, 2, 16, 16},
                                                                       {16, 3, 16, 16},
                                                                       {16, 4, 16, 16},
                                                                       {16, 8, 16, 16}}) {
    for (const Gating gating : {Gating::none, Gating::both})
      for (const DataType dtype : {DataType::fp16, DataType::bf16}) {
        const std::int64_t n = alone(radices, 1, 1, gating).fft_length;
        for (const std::int64_t taps : {std::int64_t{100}, n / 4, n / 2 - 5}) {
          ConvConfig config = alone(radices, 3 * n + (taps == 100 ? 5 : 8), taps, gating);
          config.dtype = dtype;
          cases.push_back({config, recipe_of(dtype == DataType::fp16 ? 3 : 1, 2, 1)});
        }
      }
  }
  require_accurate(cases);
}

TEST_CASE("the lengths and filters of the paper, as chosen") {
  std::vector<ConvCase> cases;
  for (const std::int64_t taps : {256, 512, 1024, 2048, 4096})
    for (const DataType dtype : {DataType::fp16, DataType::bf16}) {
      cases.push_back({causal(0, 8192, taps, Gating::none, dtype), recipe_of(5, 3)});
      cases.push_back({causal(0, 8192, taps, Gating::both, dtype), recipe_of(2, 3)});
    }
  for (const std::int64_t taps : {256, 512, 1024, 2048, 4096, 8192}) {
    cases.push_back({causal(0, 4194304, taps), recipe_of(taps == 1024 ? 3 : 1, 1)});
    cases.push_back({causal(0, 1000003, taps, Gating::both), recipe_of(1, 2)});
  }
  require_accurate(cases);
}

TEST_CASE("rows of any length and alignment, odd batches") {
  std::vector<ConvCase> cases;
  for (const std::int64_t length : {5001, 5002, 5004, 5008, 99999})
    for (const int batch : {1, 2, 5})
      cases.push_back({causal(length % 2 == 0 ? 4096 : 1024, length, 300, Gating::both), recipe_of(batch, 3, 1)});
  require_accurate(cases);
}

TEST_CASE("the longest rows that a test has time for") {
  std::vector<ConvCase> cases;
  cases.push_back({causal(0, 16777216, 8192), recipe_of(1, 1)});
  cases.push_back({causal(0, 16777213, 300, Gating::in), recipe_of(1, 1)});
  require_accurate(cases);
}

TEST_CASE("segments joined are one call, bit for bit where windows align") {
  const auto device = open_device();
  struct Case {
    ConvConfig whole;
    int windows, batch;  // windows of a segment
  };
  for (const Case& test :
       {Case{causal(1024, 768 * 12, 250, Gating::both), 3, 4}, Case{causal(1024, 768 * 12, 250, Gating::both), 2, 3},
        Case{causal(4096, 3072 * 40, 1000), 10, 2},
        Case{causal(4096, 3072 * 8, 1024, Gating::out, DataType::bf16), 2, 1},
        Case{causal(1024, 128 * 10, 897, Gating::in), 1, 2}, Case{causal(8192, 6144 * 4, 2048, Gating::both), 1, 2},
        Case{causal(16384, 12288 * 4, 4000, Gating::both), 1, 2}, Case{causal(32768, 24576 * 4, 8192), 2, 3},
        Case{alone({16, 16, 16}, 6144 * 9, 2040, Gating::both), 3, 3},
        Case{alone({16, 2, 16, 16}, 12288 * 4, 4096, Gating::none), 1, 2}}) {
    const auto whole = get_kernel(test.whole, device->device());
    ConvConfig part = test.whole;
    part.history = true;
    part.length = test.windows * whole->generated().windows->step;
    const auto segment = get_kernel(part, device->device());
    CAPTURE(segment->name());
    const ConvConfig& config = whole->config();
    const unsigned seed = next_seed();
    const StreamData data = random_stream(config, test.batch, 3, seed);
    const Stream one = run_whole(device, *whole, data, test.batch, 3, seed + 1000);
    const Stream joined = run_segments(device, *segment, config.length, data, test.batch, 3, seed + 1000);
    CHECK(one.y == joined.y);
    CHECK(stream_error(config, joined, data, test.batch, 3, seed + 1000) <= bar(config.dtype));
  }
}

TEST_CASE("segments of any length") {
  const auto device = open_device();
  for (const Gating gating : {Gating::none, Gating::both}) {
    const ConvConfig config = normalised(causal(0, 50000, 700, gating));
    ConvConfig part = config;
    part.history = true;
    for (const std::int64_t length : {1000, 4096, 8192}) {
      part.length = length;
      const unsigned seed = next_seed();
      const StreamData data = random_stream(config, 3, 2, seed);
      const Stream joined = run_segments(device, *get_kernel(part, device->device()), config.length, data, 3, 2, seed);
      CHECK(stream_error(config, joined, data, 3, 2, seed) <= bar(config.dtype));
    }
  }
}

// One row of 2^31 samples and some: positions and bytes past what 32 bits count.
TEST_CASE("a row of more samples than 32 bits count") {
  const auto device = open_device();
  constexpr std::int64_t length = (std::int64_t{1} << 31) + 5000, taps = 9;
  if (device->free_bytes() < std::size_t{10} << 30) return;
  const auto kernel = get_kernel(causal(0, length, taps), device->device());
  REQUIRE(kernel->generated().windows);
  // Values with a period that is no multiple of a window.
  std::mt19937 random(3);
  std::vector<std::uint16_t> period(100003);
  for (std::uint16_t& value : period) value = examples::encode(DataType::fp16, normal(random));
  std::vector<std::uint16_t> bits(static_cast<std::size_t>(length));
  for (std::size_t n = 0; n < bits.size(); n += period.size())
    std::copy_n(period.begin(), std::min(period.size(), bits.size() - n),
                bits.begin() + static_cast<std::ptrdiff_t>(n));
  std::vector<float> k(taps);
  for (float& tap : k) tap = normal(random) / 3;
  const Buffer u = Buffer::of(device, bits), k_buffer = Buffer::of(device, k);
  Buffer y(device, bits.size() * 2);
  y.poison();
  LaunchArguments arguments;
  arguments.u = {u.data(), length, length};
  arguments.y = {y.data(), length, length};
  arguments.batch = arguments.channels = 1;
  arguments.spectrum = kernel->prepare_filter({k_buffer.at<float>(0), nullptr, taps, 1});
  kernel->launch(arguments);
  device->synchronize();
  examples::RelativeError error;
  for (const std::int64_t first :
       {std::int64_t{0}, std::int64_t{1} << 30, (std::int64_t{1} << 31) - 2000, length - 4000}) {
    const std::vector<std::uint16_t> some = y.download<std::uint16_t>(static_cast<std::size_t>(first), 4000);
    std::vector<double> expected(4000);
    for (std::int64_t n = first; n < first + 4000; ++n)
      for (std::int64_t i = 0; i < taps && i <= n; ++i)
        expected[static_cast<std::size_t>(n - first)] +=
            examples::decode(DataType::fp16, bits[static_cast<std::size_t>(n - i)]) *
            static_cast<double>(k[static_cast<std::size_t>(i)]);
    error.add(examples::decode(DataType::fp16, some), expected);
  }
  CHECK(error.value() <= bar(DataType::fp16));
}
