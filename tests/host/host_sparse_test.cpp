// Kernels that skip what a mask of frequencies drops, run on the host: against float64 with the masked filter, and
// their counts against the plan's.
#include <doctest/doctest.h>

#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "ffc/generator/work.hpp"
#include "host_run.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

unsigned next_seed() {
  static unsigned seed = 7000;
  return ++seed;
}

ConvConfig config_of(std::int64_t n, FrequencyMask mask, std::int64_t length = 0, Gating gating = Gating::none,
                     DataType dtype = DataType::fp16) {
  ConvConfig config;
  config.fft_length = n;
  config.length = length > 0 ? length : n;
  config.padding = config.length == n ? Padding::circular : Padding::padded;
  config.gating = gating;
  config.dtype = dtype;
  config.mask = std::move(mask);
  config.arch = "sm_90a";
  return config;
}

ConvConfig split_of(int column_length, int row_length, FrequencyMask mask, std::int64_t length = 0,
                    Gating gating = Gating::none, DataType dtype = DataType::fp16) {
  ConvConfig config = config_of(std::int64_t{column_length} * row_length, std::move(mask), length, gating, dtype);
  config.column_length = column_length;
  return config;
}

// Values from `first` to the one before `end`.
std::vector<std::int64_t> range_of(std::int64_t first, std::int64_t end) {
  std::vector<std::int64_t> values;
  for (std::int64_t value = first; value < end; ++value) values.push_back(value);
  return values;
}

Plan plan_of(const ConvConfig& config) { return make_plans(normalised(config)).front(); }

void require_accurate(const ConvConfig& config, int batch = 3, int channels = 2, bool skip = false) {
  Recipe recipe = gapped(batch, channels);
  recipe.skip = skip;
  require_accurate_kernel(config, recipe, next_seed());
}

// Counts of one channel and so many pairs.
HostCounts counts_of(const ConvConfig& config, int pairs) {
  const auto kernel = get_kernel(config, Device::host());
  const auto length = static_cast<std::size_t>(config.length), batch = 2 * static_cast<std::size_t>(pairs);
  const Buffer rows = Buffer::of(machine(), std::vector<std::uint16_t>(batch * length, 0x3c00));
  const Buffer y(machine(), 2 * batch * length);
  const Buffer k = Buffer::of(machine(), std::vector<float>(static_cast<std::size_t>(config.fft_length), 0.01f));
  LaunchArguments arguments;
  arguments.u = {rows.data(), config.length, config.length};
  if (has_in_gate(config.gating)) arguments.w = arguments.u;
  if (has_out_gate(config.gating)) arguments.v = arguments.u;
  arguments.y = {y.data(), config.length, config.length};
  arguments.batch = 2 * pairs;
  arguments.channels = 1;
  arguments.spectrum = kernel->prepare_filter({k.at<float>(0), nullptr, config.fft_length, 1});
  HostOptions options;
  options.slices = 1;
  return profile(*kernel, arguments, options);
}

double products_of_pair(const ConvConfig& config) {
  const int more = 5;
  return static_cast<double>(counts_of(config, more).matrix_products - counts_of(config, 1).matrix_products) /
         (more - 1);
}

// Fewer products than without the mask, by `saved`, and as the plan predicts.
void check_saved(const ConvConfig& config, double saved) {
  CAPTURE(to_string(config));
  ConvConfig dense = config;
  dense.mask = {};
  const double masked_products = products_of_pair(config);
  CHECK(masked_products == predict_work(plan_of(config), normalised(config)).matrix_products);
  CHECK(products_of_pair(dense) - masked_products == saved);
}

}  // namespace

TEST_CASE("tiled rows of 256 that are dropped") {
  require_accurate(config_of(4096, keep_counts({8, 16, 16}, 4096)));
  require_accurate(config_of(4096, keep_values({{3, 5}, {0, 1, 2}, {1}}, {16, 16, 16})));  // without row 0
  require_accurate(config_of(4096, keep_values({{0, 8}, {3, 4, 12, 13}}, {16, 256})), 2,
                   20);  // row 0 and its like alone; of few frequencies, many rows tell the mean
  require_accurate(config_of(2048, keep_counts({3, 256}, {8, 256}), 1024, Gating::both));
  require_accurate(config_of(2304, keep_values({{0, 2, 7}, {1, 2, 3, 252}}, {9, 256}), 0, Gating::in, DataType::bf16),
                   3, 1);
  require_accurate(config_of(8192, keep_counts({16, 16, 32}, 8192), 4096, Gating::out), 2);
  require_accurate(config_of(32768, keep_counts({16, 16, 32}, 32768)), 3, 1);
}

TEST_CASE("pairs that one warp holds") {
  require_accurate(config_of(256, keep_values({{1, 2}, {5}}, {16, 16})), 3, 3);
  require_accurate(config_of(512, keep_values({{1}, {0, 17, 200}}, {2, 256})), 3, 3);
  require_accurate(config_of(1024, keep_counts({2, 256}, {4, 256}), 512, Gating::both, DataType::bf16), 5, 2);
  require_accurate(config_of(1024, keep_values({{1}, {0, 17, 200}}, {4, 256})), 3, 3);
  require_accurate(config_of(1280, low_pass(0.1, 1280)), 3, 2);
}

TEST_CASE("halved tiles: the last digit, and the one before") {
  require_accurate(config_of(256, low_pass(0.25, 256)), 3, 3);
  require_accurate(config_of(1024, low_pass(0.2, 1024), 0, Gating::both), 3, 2);
  require_accurate(config_of(4096, low_pass(0.25, 4096), 2048, Gating::both, DataType::bf16));
  require_accurate(config_of(4096, low_pass(0.01, 4096)));
  require_accurate(config_of(256, keep_counts({8, 16}, {16, 16})), 3, 3);
  require_accurate(config_of(2048, keep_counts({8, 8, 16}, {8, 16, 16}), 0, Gating::both));
  require_accurate(config_of(4096, keep_counts({8, 8, 12}, 4096)));
  require_accurate(
      config_of(4096, keep_values({{3, 5}, {0, 1, 2}, {1, 2, 3}}, {16, 16, 16}), 0, Gating::none, DataType::bf16));
}

TEST_CASE("other digits than the plan's, the general family, causal rows, a skip term") {
  require_accurate(config_of(4096, keep_counts({5, 9}, {64, 64})));
  require_accurate(config_of(992, keep_counts({16, 16}, {32, 31})), 3, 2, true);
  require_accurate(config_of(1000, low_pass(0.125, 1000), 500, Gating::both), 3, 1);
  ConvConfig causal = config_of(4096, keep_counts({8, 8, 8}, 4096), 1500);
  causal.padding = Padding::causal;
  require_accurate(causal, 3, 2, true);
}

// A masked filter reaches all of a row, however short that is.
TEST_CASE("causal rows shorter than the filter") {
  const auto causal = [](ConvConfig config, std::int64_t taps) {
    config.padding = Padding::causal;
    config.filter_length = taps;
    return config;
  };
  require_accurate(causal(config_of(4096, low_pass(0.2, 4096), 500), 900));
  require_accurate(causal(split_of(32, 512, keep_counts({2, 128, 2, 4}, {4, 256, 2, 8}), 906), 13267));
}

TEST_CASE("rows of frequencies that never reach the workspace") {
  require_accurate(split_of(32, 256, keep_counts({16, 256}, {32, 256})), 3, 2);
  require_accurate(split_of(32, 256, keep_values({{3, 4, 20}, {0, 7, 100}}, {32, 256})), 2, 3);  // without row 0
  require_accurate(split_of(16, 512, keep_counts({4, 512}, {16, 512}), 4096, Gating::both), 3, 2);
  require_accurate(split_of(32, 256, keep_values({{3, 4, 20}, {0, 7, 100}}, {32, 256})), 1, 3);
  require_accurate(split_of(48, 512, keep_values({{0, 5, 24}, {1, 7, 100}}, {48, 512})), 1, 2);  // with row R / 2
  require_accurate(split_of(16, 2048, keep_counts({8, 4, 512}, {16, 4, 512}), 0, Gating::none, DataType::bf16), 5, 1);
  require_accurate(split_of(16, 4096, keep_counts({8, 8, 512}, {16, 8, 512})), 1, 1);
  require_accurate(split_of(64, 512, keep_counts({8, 16, 128}, {16, 16, 128}), 30001, Gating::in), 3, 1);
  require_accurate(split_of(256, 256, keep_counts({8, 8, 16, 16}, {16, 16, 16, 16})), 2, 1);
}

TEST_CASE("blocks of rows of frequencies that columns neither make nor read") {
  // Rows 3 to 20 and 108 to 125 of 128, so blocks 0, 1, 6 and 7 of 8: row 96 is dropped beside row 108, and its mirror
  // lies in a dropped block.
  const FrequencyMask mask = keep_values({range_of(3, 21), {0, 7, 100, 155, 248, 255}}, {128, 256});
  require_accurate(split_of(128, 256, mask), 4, 1);
  require_accurate(split_of(128, 256, mask), 1, 2);
  require_accurate(split_of(128, 512, keep_counts({35, 512}, {128, 512}), 0, Gating::both), 3, 2);
}

// Up to 16 rows of frequencies and their mirrors, in one product.
TEST_CASE("so few rows of frequencies that columns make them all at once") {
  const FrequencyMask without_zero = keep_values({{3, 4, 20, 28, 29}, {0, 7, 100}}, {64, 256});
  require_accurate(split_of(64, 256, without_zero), 3, 2);
  require_accurate(split_of(128, 256, keep_counts({4, 8, 256}, {16, 8, 256}), 0, Gating::both), 3,
                   3);  // with row R / 2
  require_accurate(split_of(128, 512, keep_counts({31, 512}, {128, 512}), 0, Gating::none, DataType::bf16), 1, 3);
  require_accurate(split_of(112, 256, keep_values({{0, 1, 56}, {2, 3}}, {112, 256})), 1, 3);
  // Half of the samples: two sections of them in a product, or as ever where there is an odd number of them.
  require_accurate(split_of(128, 256, keep_counts({5, 256}, {128, 256}), 16384), 3, 1);
  require_accurate(split_of(32, 512, keep_counts({7, 512}, {32, 512}), 7000, Gating::both, DataType::bf16), 5, 1);
  require_accurate(split_of(112, 256, keep_counts({5, 256}, {112, 256}), 14000), 3, 1);
}

TEST_CASE("rows that leave half of their warps to more units of columns") {
  const auto check = [](const FrequencyMask& mask, int units) {
    const ConvConfig config = split_of(16, 8192, mask);
    const ColumnShape columns = plan_of(config).as<FourStepPlan>()->columns;
    CHECK(columns.light_rows == (units > 2));
    CHECK(columns.units == units);
    require_accurate(config, 3, 1);
  };
  check(keep_counts({8, 8192}, {16, 8192}), 3);
  check(keep_counts({3, 4096}, {16, 8192}), 4);
  check(keep_counts({2, 8192}, {16, 8192}), 5);
}

TEST_CASE("rows of a long transform, halved") {
  require_accurate(split_of(32, 256, low_pass(0.2, 8192)), 3, 2);
  require_accurate(split_of(16, 4096, low_pass(0.2, 65536)), 3, 1);
  require_accurate(split_of(32, 2048, keep_counts({16, 16, 16, 8}, 65536), 0, Gating::both), 3, 1);
}

// The scale of the spectrum is chosen from what is kept: beside a mean of 10000 times as much, fp16 would hold nothing
// of the rest.
TEST_CASE("a filter whose largest frequency is dropped keeps the accuracy of the others") {
  for (const ConvConfig& masked : {config_of(4096, keep_values({{1, 2, 3, 7}, {0, 100, 255}}, {16, 256})),
                                   split_of(16, 512, keep_values({{1, 2, 3}, {0, 100, 511}}, {16, 512}))}) {
    const auto kernel = get_kernel(masked, machine()->device());
    const auto n = static_cast<std::size_t>(masked.fft_length);
    std::mt19937 random(next_seed());
    std::vector<std::uint16_t> u(2 * n), nothing(2 * n, 0xFFFF);
    for (std::uint16_t& sample : u) sample = examples::to_fp16(normal(random));
    std::vector<float> k(n);
    for (float& tap : k) tap = 100 + 0.01f * normal(random);
    const Buffer rows = Buffer::of(machine(), u), y = Buffer::of(machine(), nothing), taps = Buffer::of(machine(), k);
    LaunchArguments arguments;
    arguments.u = {rows.data(), masked.length, masked.length};
    arguments.y = {y.data(), masked.length, masked.length};
    arguments.batch = 2;
    arguments.channels = 1;
    arguments.spectrum = kernel->prepare_filter({taps.at<float>(0), nullptr, masked.fft_length, 1});
    kernel->launch(arguments);
    const examples::ReferenceFilter reference(n, n, examples::masked_taps(k, n, 0, kept_frequencies(masked.mask)));
    const auto row = [&](std::vector<std::uint16_t> bits, std::size_t b) {
      std::vector<double> values;
      for (std::size_t i = b * n; i < (b + 1) * n; ++i) values.push_back(examples::decode(DataType::fp16, bits[i]));
      return values;
    };
    const auto [first, second] = reference.apply(row(u, 0), row(u, 1));
    const auto result = y.download<std::uint16_t>(0, 2 * n);
    examples::RelativeError error;
    error.add(row(result, 0), first);
    error.add(row(result, 1), second);
    CAPTURE(kernel->name());
    CHECK(error.value() <= 2e-3);
  }
}

TEST_CASE("products fall by what is skipped") {
  // A row of 256 has 32, columns of 16 or 8 keep theirs.
  check_saved(config_of(4096, keep_counts({8, 256}, {16, 256})), 8 * 32);
  check_saved(config_of(1024, keep_counts({2, 256}, {4, 256})), 2 * 32);
  check_saved(config_of(4096, low_pass(0.25, 4096)), 16 * 8);
  check_saved(config_of(4096, keep_counts({16, 8, 16}, 4096)), 16 * 16);
  check_saved(config_of(4096, keep_counts({8, 8, 16}, 4096)), 8 * 32 + 8 * 16);
  check_saved(split_of(32, 256, keep_counts({16, 256}, {32, 256})), 16 * 32);
  check_saved(split_of(16, 4096, keep_counts({8, 256}, {16, 4096})), 8 * 16 * (32 + 2 * 8) + 8 * 16 * 8);
}

TEST_CASE("a dropped row is neither written to the workspace nor read") {
  const ConvConfig config = split_of(32, 256, keep_counts({16, 256}, {32, 256}));
  const HostCounts few = counts_of(config, 1), more = counts_of(config, 5);
  // 16 of 32 rows, twice, and y: 4 bytes a complex sample.
  CHECK((more.bytes_written - few.bytes_written) / 4 == 2 * 16 * 256 * 4 + 2 * 2 * 8192);
  const auto kernel = get_kernel(config, Device::host());
  CHECK(kernel->generated().split->pair_bytes() == 16 * 256 * 4);
  CHECK(kernel->generated().split->spectrum_rows == 9);
  CHECK(kernel->spectrum_bytes(1) == 9 * 256 * 4 + 16);
  CHECK(more.conflicts == 0);
}
