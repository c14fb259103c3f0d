// Transforms past one block, forced on short ones and run on the host, against float64: columns, rows, columns back.
#include <doctest/doctest.h>

#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "split_run.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

struct Case {
  int butterfly, row_length;
  std::int64_t length = 0;  ///< 0: all of them
  Gating gating = Gating::none;
  DataType dtype = DataType::fp16;
  std::string arch = {};
};

ConvConfig config_of(const Case& test) {
  return column_config({16 * test.butterfly, test.row_length, test.length, test.gating, test.dtype, test.arch});
}

void require_accurate(const ConvConfig& config, const Recipe& recipe) {
  require_accurate_kernel(config, recipe, next_seed(), [](const Kernel& kernel) { REQUIRE(kernel.generated().split); });
}

void require_accurate(const ConvConfig& config, int batch, int channels) {
  require_accurate(config, gapped(batch, channels));
}

}  // namespace

TEST_CASE("columns of every length, circular") {
  int i = 0;
  for (const int butterfly : {1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64}) {
    const DataType dtype = ++i % 3 == 0 ? DataType::bf16 : DataType::fp16;
    // Both rows of a pair, a row alone, and both kinds together.
    const int batch = butterfly >= 16 ? butterfly / 16 : 1 + i % 3;
    require_accurate(config_of({butterfly, 256, 0, Gating::none, dtype}), batch, butterfly < 8 ? 2 : 1);
  }
}

TEST_CASE("rows of several kinds") {
  require_accurate(config_of({1, 512}), 2, 2);
  require_accurate(config_of({1, 1024}), 3, 2);
  require_accurate(config_of({1, 2048, 0, Gating::none, DataType::bf16}), 1, 1);
  require_accurate(config_of({1, 2304}), 3, 1);
  require_accurate(config_of({1, 4096}), 5, 1);
}

TEST_CASE("rows of 16384: twiddles of steps, a spectrum that is copied ahead") {
  require_accurate(config_of({1, 16384}), 2, 1);
  require_accurate(config_of({1, 16384, 100000, Gating::both}), 1, 2);
}

TEST_CASE("accumulation in fp32 of the longest rows") {
  ConvConfig config = config_of({1, 18432, 147456, Gating::both});
  config.accumulation = Accumulation::fp32;
  require_accurate(config, 2, 1);
}

TEST_CASE("rows that keep the spectrum of a channel while its batch rows come") {
  const ConvConfig config = config_of({5, 4096, 0, Gating::none, DataType::fp16, "sm_90a"});
  const Plan plan = make_plans(normalised(config)).front();
  REQUIRE(plan.as<FourStepPlan>() != nullptr);
  CHECK(plan.as<FourStepPlan>()->row_plan.geometry.spectrum == Placement::registers);
  require_accurate(config, 5, 3);  // pairs of one channel, of two, and a row without a partner
  ConvConfig other = config;
  other.arch = "sm_80";  // whose columns give no registers back
  CHECK(make_plans(normalised(other)).front().columns_and_rows()->row_plan.geometry.spectrum != Placement::registers);
  other = config;
  other.gating = Gating::in;
  CHECK(make_plans(normalised(other)).front().columns_and_rows()->row_plan.geometry.spectrum != Placement::registers);
}

TEST_CASE("zero-padded rows, gates, odd alignments") {
  require_accurate(config_of({2, 256, 4096, Gating::both}), 3, 2);
  require_accurate(config_of({2, 256, 4096, Gating::none, DataType::bf16}), 2, 3);
  require_accurate(config_of({2, 256, 8189, Gating::in, DataType::bf16}), 3, 2);
  require_accurate(config_of({2, 256, 1234, Gating::out}), 2, 2);
  // Seven samples of a row scatter around the mean that is promised: it takes many rows.
  require_accurate(config_of({1, 256, 7, Gating::both}), 3, 24);
}

TEST_CASE("rows without partners: of two channels together, and of the last channel of an odd number") {
  require_accurate(config_of({1, 256}), 1, 2);
  require_accurate(config_of({3, 512}), 1, 3);
  require_accurate(config_of({2, 1024}), 3, 3);
  require_accurate(config_of({1, 2048, 0, Gating::none, DataType::bf16}), 1, 2);
  require_accurate(config_of({2, 256, 4096, Gating::both}), 1, 4);
  require_accurate(config_of({2, 256, 8189, Gating::in, DataType::bf16}), 5, 3);
  require_accurate(config_of({3, 256, 1234, Gating::out}), 1, 3);
  require_accurate(config_of({2, 256, 0, Gating::both, DataType::fp16, "sm_80"}), 1, 2);
  require_accurate(config_of({16, 256, 30001, Gating::both}), 1, 2);
  require_accurate(config_of({32, 256, 70002}), 1, 2);  // second products
}

TEST_CASE("rows without partners have filters of their own, and scales") {
  for (const int channels : {2, 3}) {
    Recipe recipe;
    recipe.batch = 1;
    recipe.channels = channels;
    recipe.skip = true;
    recipe.channel_gain = 0.125;  // what leaks from the first would show in the others, which weigh less in the sum
    require_accurate(config_of({2, 512}), recipe);
    recipe.channel_gain = 8;
    require_accurate(config_of({2, 512}), recipe);
  }
}

TEST_CASE("lanes that hold two columns, and one") {
  require_accurate(config_of({16, 256, 30001, Gating::both}), 3, 1);
  require_accurate(config_of({32, 256, 70002, Gating::both, DataType::bf16}), 1, 1);
}

TEST_CASE("circular rows with gates, two archs") {
  for (const std::string arch : {"sm_80", "sm_90a"})
    require_accurate(config_of({2, 256, 0, Gating::both, DataType::fp16, arch}), 3, 2);
  require_accurate(config_of({1, 256, 0, Gating::in}), 2, 3);
  require_accurate(config_of({1, 256, 0, Gating::out, DataType::bf16}), 5, 1);
  require_accurate(config_of({1, 256, 4092, Gating::both}), 2, 1);  // rows aligned to 8 bytes
}

TEST_CASE("causal convolutions") {
  ConvConfig config = config_of({2, 256, 5000, Gating::none});
  config.padding = Padding::causal;
  config.filter_length = 8192 - 5000 + 1;  // as many taps as there is room for
  require_accurate(config, 3, 1);
  config.length = 8001;
  config.filter_length = 100;
  config.gating = Gating::both;
  require_accurate(config, 2, 2);
  // A length that no block holds leaves the transform to the plan, which has no clusters there.
  config = {};
  config.arch = "sm_80";
  config.padding = Padding::causal;
  config.length = 33007;
  require_accurate(config, 1, 1);
  CHECK(2 * get_kernel(config, machine()->device())->generated().transform_length >= 66013);
}

TEST_CASE("a circular length with a large prime is folded into a longer transform, alone or in pairs") {
  ConvConfig config;
  config.arch = "sm_80";  // without clusters
  config.fft_length = 33013;
  require_accurate(config, 1, 1);
  const auto kernel = get_kernel(config, machine()->device());
  const std::int64_t reached = are_alone(kernel->generated().packing) ? 33013 : 2 * 33013 - 1;
  CHECK(kernel->generated().transform_length >= reached);
}

TEST_CASE("forced radices, accumulations, the skip term, filters of any gain") {
  ConvConfig config = config_of({2, 1024});
  config.radices = {16, 2, 4, 16, 16};
  require_accurate(config, 2, 1);
  config = config_of({1, 256});
  config.accumulation = Accumulation::fp32;
  require_accurate(config, 2, 1);
  for (const double gain : {1e-4, 1.0, 100.0}) {
    Recipe recipe;
    recipe.skip = true;
    recipe.filter_scale = gain;
    recipe.channel_gain = 8;
    const bool bf16 = gain > 1;
    require_accurate(config_of({bf16 ? 2 : 1, 256, 0, Gating::none, bf16 ? DataType::bf16 : DataType::fp16}), recipe);
  }
}

TEST_CASE("radices past one block are those of columns and rows, as a kernel's name has them") {
  const auto with = [](std::vector<int> radices, int columns = 0) {
    ConvConfig config;
    config.fft_length = config.length = 65536;
    config.arch = "sm_90a";
    config.radices = std::move(radices);
    config.column_length = columns;
    return config;
  };
  CHECK(generate(with({16, 8, 2, 16, 16})).conv.source.find("65536_128x512_16x8x2x16x16_f16") != std::string::npos);
  CHECK(generate(with({16, 8, 2, 16, 16})).name == generate(with({16, 8, 2, 16, 16}, 128)).name);
  CHECK(generate(with({4, 8, 8, 16, 16})).name == generate(with({}, 4)).name);  // of a cluster
  // Of neither, but of as many points: of either.
  CHECK(generate(with({4, 16, 32, 32})).name == generate(with({})).name);
  CHECK(generate(with({64, 32, 32})).name == generate(with({})).name);
  require_accurate_kernel(with({16, 16, 16, 16}), gapped(3, 1), 1,
                          [](const Kernel& kernel) { REQUIRE(kernel.generated().split); });
}

TEST_CASE("input_exponent moves the range") {
  check_input_exponents(config_of({1, 256, 0, Gating::none, DataType::bf16}), {});
}

TEST_CASE("a large mean, one outlier, the ends of the documented range") {
  for (const Case& test : {Case{1, 256}, Case{2, 256, 0, Gating::none, DataType::bf16}}) {
    const ConvConfig config = config_of(test);
    check_demanding_samples(config, config.fft_length, 5, {});
  }
}

TEST_CASE("workspaces of any size give the same bits") {
  // A row and its mirror by one warp; each by two.
  check_workspaces(config_of({2, 256, 4096, Gating::both}), 5, 2);
  check_workspaces(config_of({2, 256, 4096, Gating::both}), 2, 5);
  check_workspaces(config_of({1, 2048}), 3, 3);
  check_workspaces(config_of({3, 512}), 1, 5);
}

TEST_CASE("what is not finite reaches the other row of its pair, of the next channel too, and no further") {
  const ConvConfig config = config_of({1, 256});
  CHECK(spoiled_rows(config, [](std::vector<std::uint16_t>&, std::vector<float>&) {}).empty());
  CHECK(spoiled_by_row(config, 0, 0) == BatchRows{{0, 0}, {1, 0}});
  CHECK(spoiled_by_row(config, 2, 0) == BatchRows{{0, 1}, {2, 0}});
  CHECK(spoiled_by_row(config, 0, 1) == BatchRows{{0, 1}, {2, 0}});
  CHECK(spoiled_by_row(config, 1, 1) == BatchRows{{1, 1}, {2, 1}});
  CHECK(spoiled_by_filter(config, 0) == BatchRows{{0, 0}, {0, 1}, {1, 0}, {2, 0}});
  CHECK(spoiled_by_filter(config, 1) == BatchRows{{0, 1}, {1, 1}, {2, 0}, {2, 1}});
}
