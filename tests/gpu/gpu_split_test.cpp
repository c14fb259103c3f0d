// Transforms past one block on a GPU, against float64.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "conv_run.hpp"
#include "split_config.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

ConvConfig causal_config(std::int64_t length, Gating gating) {
  ConvConfig config;
  config.length = length;
  config.padding = Padding::causal;
  config.gating = gating;
  return config;
}

unsigned next_seed() {
  static unsigned seed = 500;
  return ++seed;
}

void require_accurate(const ConvConfig& config, Recipe recipe, double most = 0) {
  static const auto device = open_device();
  CAPTURE(to_string(config));
  CAPTURE(recipe.batch);
  const auto kernel = get_kernel(config, device->device());
  REQUIRE((kernel->generated().split || kernel->generated().conv.cluster > 1));
  CHECK(relative_error(device, config, recipe, next_seed()) <= (most > 0 ? most : bar(*kernel)));
}

void require_accurate(const ConvConfig& config, int batch, int channels, double most = 0) {
  Recipe recipe;
  recipe.batch = batch;
  recipe.channels = channels;
  recipe.row_gap = batch % 2;  // dense and padded strides
  require_accurate(config, recipe, most);
}

struct Run {
  ConvConfig config;
  int batch, channels;
};

void require_all(const std::vector<Run>& runs) {
  const auto device = open_device();
  compile_ahead(device, runs);
  for (const Run& run : runs) require_accurate(run.config, run.batch, run.channels);
}

}  // namespace

TEST_CASE("columns of every length, forced on short transforms") {
  std::vector<Run> runs;
  int i = 0;
  for (const int butterfly : {1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64}) {
    const DataType dtype = ++i % 3 == 0 ? DataType::bf16 : DataType::fp16;
    runs.push_back({forced(butterfly, 256, 0, Gating::none, dtype), 1 + i % 3, 2});
    runs.push_back({forced(butterfly, 256, 2043 * butterfly, Gating::both, dtype), 1 + (i + 1) % 3, 1});
  }
  require_all(runs);
}

TEST_CASE("rows of several kinds") {
  std::vector<Run> runs;
  for (const int row_length : {512, 768, 1024, 2048, 2304, 4096, 8192})
    runs.push_back({forced(1, row_length, 0, Gating::none, DataType::fp16), 5, 3});
  runs.push_back({forced(4, 4096, 131072, Gating::out, DataType::bf16), 3, 2});
  runs.push_back({forced(2, 1024, 20001, Gating::in, DataType::fp16), 67, 5});
  require_all(runs);
}

TEST_CASE("real lengths, circular") {
  std::vector<Run> runs;
  for (const std::int64_t n : {65536, 131072, 262144, 524288, 1048576}) runs.push_back({long_config(n), 3, 2});
  for (const std::int64_t n : {2097152, 4194304}) runs.push_back({long_config(n), 2, 1});
  require_all(runs);
}

TEST_CASE("rows without partners: of two channels together, and of the last channel of an odd number") {
  std::vector<Run> runs;
  for (const std::int64_t n : {65536, 131072, 262144, 524288, 1048576}) runs.push_back({long_config(n), 1, 5});
  for (const std::int64_t n : {131072, 262144}) {
    runs.push_back({config_of(n, n, Gating::both, DataType::bf16), 3, 4});
    runs.push_back({config_of(n, n / 2, Gating::in, DataType::fp16), 1, 6});
    runs.push_back({config_of(n, n - 3, Gating::out, DataType::fp16), 5, 3});
  }
  for (const int butterfly : {1, 3, 7, 32, 64})  // with rows in one place of the ring, and in several
    runs.push_back({forced(butterfly, 512, 0, Gating::none, DataType::fp16), 1, 41});
  runs.push_back({forced(2, 2048, 0, Gating::both, DataType::fp16), 1, 200});
  runs.push_back({causal_config(40000, Gating::both), 1, 4});
  require_all(runs);
}

TEST_CASE("real lengths: bf16 with gates, zero-padded, causal") {
  std::vector<Run> runs;
  for (const std::int64_t n : {65536, 131072, 262144, 524288, 1048576, 4194304})
    runs.push_back({config_of(n, n, Gating::both, DataType::bf16), 2, 1});
  for (const std::int64_t n : {524288, 2097152, 4194304})  // in between clusters take padded rows
    runs.push_back({config_of(n, n / 2, Gating::none, DataType::fp16), 3, 1});
  for (const std::int64_t length : {33007, 65536, 131073, 500000, 1048576})
    runs.push_back({causal_config(length, length % 2 == 0 ? Gating::none : Gating::both), 2, 1});
  require_all(runs);
}

TEST_CASE("rows alone at frequencies k + 1/4, columns of every length and real lengths") {
  std::vector<Run> runs;
  for (const int butterfly : {1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64}) {
    const bool gated = butterfly % 2 == 0;
    ConvConfig config = forced(butterfly, 512, (gated ? 4091 : 4096) * butterfly, gated ? Gating::both : Gating::none,
                               butterfly % 3 == 0 ? DataType::bf16 : DataType::fp16);
    config.batch = 1;
    runs.push_back({config, 1 + butterfly % 3, 2});
  }
  for (const std::int64_t n : {131072, 524288, 1048576, 8388608})
    runs.push_back({config_of(n, n / 2, Gating::both, n == 524288 ? DataType::bf16 : DataType::fp16), 1, 3});
  require_all(runs);
}

TEST_CASE("channels whose filters differ in gain") {
  Recipe recipe;
  recipe.channels = 3;
  recipe.channel_gain = 8;
  require_accurate(long_config(), recipe);
}

TEST_CASE("lengths that are no power of two, and one that is folded") {
  std::vector<Run> runs;
  for (const std::int64_t n : {69632, 98304, 110592, 294912}) runs.push_back({long_config(n), 2, 2});
  runs.push_back({long_config(100003), 3, 1});
  require_all(runs);
}

TEST_CASE("the longest transform") {
  constexpr std::int64_t longest = 16777216;
  require_accurate(long_config(longest), 1, 1, 2.0e-3);
}

TEST_CASE("a large mean, one outlier, the ends of the documented range, a skip term") {
  for (const std::int64_t n : {65536, 262144}) {
    const auto limit = static_cast<float>(65504.0 / std::sqrt(2.0 * static_cast<double>(n)));
    const std::vector<std::pair<const char*, std::function<float(std::mt19937&)>>> data = {
        {"large mean",
         [count = std::int64_t{0}, mean = 0.0f, n](std::mt19937& random) mutable {
           if (count++ % n == 0) mean = std::uniform_real_distribution<float>(5, 15)(random);
           return mean + normal(random);
         }},
        {"outlier", [count = std::int64_t{0}, limit,
                     n](std::mt19937& random) mutable { return count++ % n == n / 3 ? limit : normal(random); }},
        {"near the top",
         [limit](std::mt19937& random) {
           return 0.95f * limit * std::uniform_real_distribution<float>(-1, 1)(random);
         }},
        {"small", [](std::mt19937& random) { return normal(random) / 128; }}};
    for (const auto& named : data) {
      CAPTURE(named.first);
      Recipe recipe;
      recipe.batch = 5;
      recipe.sample = named.second;
      recipe.filter_scale = 0.2;
      recipe.skip = true;
      require_accurate(long_config(n), recipe);
    }
  }
}
