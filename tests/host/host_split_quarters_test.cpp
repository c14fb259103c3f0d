// Rows alone past one block, at frequencies k + 1/4, forced on short ones and run on the host, against float64: columns
// of real samples, as many rows of frequencies as a column has samples.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "ffc/generator/error.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "split_run.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

// Of column_length x row_length points, which is half of the transform's, and as many samples where `length` is 0. The
// hint chooses the plan; a launch may have any batch.
ConvConfig config_of(ColumnCase test, Padding padding = Padding::padded) {
  if (test.length == 0) test.length = std::int64_t{test.column_length} * test.row_length;
  test.row_length *= 2;
  ConvConfig config = column_config(test);
  config.padding = padding;
  config.batch = 1;
  return config;
}

void require_quarters(const Kernel& kernel) {
  REQUIRE(kernel.generated().split);
  REQUIRE(are_alone(kernel.generated().split->packing));
  REQUIRE(kernel.name().find("_quarters") != std::string::npos);
}

void require_accurate(const ConvConfig& config, const Recipe& recipe) {
  require_accurate_kernel(config, recipe, next_seed(), require_quarters);
}

void require_accurate(const ConvConfig& config, int batch, int channels) {
  require_accurate(config, gapped(batch, channels));
}

bool are_quarters(const Plan& plan) { return plan.family() == Family::split && plan->right_angle(); }

bool goes_alone(ConvConfig config) {
  if (config.arch.empty()) config.arch = "sm_90a";
  return are_quarters(make_plans(normalised(config)).front());
}

}  // namespace

TEST_CASE("forced columns choose it for a batch of one, padded or causal, of more than a quarter and at most half") {
  for (const Padding padding : {Padding::padded, Padding::causal}) {
    ConvConfig config = config_of({16, 256}, padding);
    for (const std::int64_t length : {2047, 2048, 2049, 3000, 4096, 4097, 5000}) {
      config.length = length;
      if (padding == Padding::causal) config.filter_length = std::min(length, 8192 - length + 1);
      CAPTURE(length);
      CHECK(goes_alone(config) == (length > 2048 && length <= 4096));
    }
    config.length = 4096;
    config.filter_length = 0;
    for (const int batch : {0, 2, 3}) {
      config.batch = batch;
      CHECK_FALSE(goes_alone(config));
    }
  }
  CHECK(goes_alone(config_of({256, 4096})));
  CHECK_FALSE(goes_alone(config_of({32, 128})));  // no rows of 256 samples
}

TEST_CASE("radices of half of the transform force it, for any batch") {
  ConvConfig config = config_of({16, 2304});
  const std::string by_columns = get_kernel(config, Device::host())->name();
  config.column_length = config.batch = 0;
  config.radices = {16, 9, 16, 16};
  CHECK(get_kernel(config, Device::host())->name() == by_columns);
  require_accurate(config, 3, 1);
  // Those of no columns and rows are other products of their factors.
  config.radices = {9, 16, 16, 16};
  config.arch = "sm_90a";
  for (const Plan& plan : make_plans(normalised(config))) {
    CHECK(are_quarters(plan));
    CHECK(plan->transform_length == 9 * 16 * 16 * 16);
  }
}

TEST_CASE("circular rows of no good length do: what reaches back over the row's beginning comes from its end") {
  // Without gates clusters, where there are some, are faster.
  for (const auto& [length, gating, dtype, arch] : {std::tuple{33337, Gating::none, DataType::fp16, "sm_80"},
                                                    std::tuple{36864 - 1, Gating::both, DataType::bf16, "sm_90a"}}) {
    ConvConfig config;
    config.fft_length = length;
    config.gating = gating;
    config.dtype = dtype;
    config.arch = arch;
    const std::vector<Plan> plans = make_plans(normalised(config));
    const auto alone = std::find_if(plans.begin(), plans.end(), are_quarters);
    REQUIRE(alone != plans.end());
    CHECK(alone->operator->()->transform_length >= length);
    CHECK(goes_alone(config));
    require_accurate(config, 3, 1);
  }
}

TEST_CASE("circular rows of a good length, masked ones and segments of streams do not; gradients do") {
  ConvConfig circular = config_of({16, 256});
  circular.length = circular.fft_length;
  circular.padding = Padding::circular;
  CHECK_FALSE(goes_alone(circular));
  ConvConfig masked = config_of({16, 256});
  masked.mask = low_pass(0.25, masked.fft_length);
  CHECK_FALSE(goes_alone(masked));
  ConvConfig gradients = config_of({128, 4096});
  gradients.pass = Pass::backward;
  CHECK(goes_alone(gradients));
  ConvConfig segment = config_of({16, 256}, Padding::causal);
  segment.filter_length = 100;
  segment.history = true;
  CHECK_THROWS_AS((void)make_plans(normalised(segment)), ConfigError);
}

TEST_CASE("plans weigh them where nothing is forced") {
  ConvConfig config = config_of({128, 4096});
  config.column_length = 0;
  config.arch = "sm_90a";
  for (const int batch : {0, 1, 64}) {
    config.batch = batch;
    const std::vector<Plan> plans = make_plans(normalised(config));
    CHECK(std::any_of(plans.begin(), plans.end(), are_quarters));
    CHECK_FALSE(std::all_of(plans.begin(), plans.end(), are_quarters));
  }
}

TEST_CASE("a place of the ring is one row's, half of a pair's; the spectrum has no mirrors") {
  ConvConfig config = config_of({32, 512});
  const Generated alone = get_kernel(config, machine()->device())->generated();
  config.batch = 0;
  const Generated pairs = get_kernel(config, machine()->device())->generated();
  REQUIRE(are_alone(alone.split->packing));
  REQUIRE(!are_alone(pairs.split->packing));
  CHECK(alone.split->pair_bytes() == 4 * 32 * 512);
  CHECK(2 * alone.split->pair_bytes() == pairs.split->pair_bytes());
  CHECK(alone.split->pairs(3, 5) == 15);
  CHECK(pairs.split->pairs(3, 5) == 8);
  CHECK(alone.split->place_rows == 32);
  CHECK(alone.split->spectrum_rows == 32);
  CHECK(pairs.split->spectrum_rows == 17);
  CHECK(alone.spectrum_tag != pairs.spectrum_tag);
  CHECK(alone.name != pairs.name);
}

TEST_CASE("columns of every length") {
  int i = 0;
  for (const int columns : {16, 32, 48, 64, 80, 96, 112, 128, 256, 512, 1024}) {
    const DataType dtype = ++i % 3 == 0 ? DataType::bf16 : DataType::fp16;
    const Padding padding = i % 2 == 0 ? Padding::causal : Padding::padded;
    require_accurate(config_of({columns, 256, 0, Gating::none, dtype}, padding), columns >= 128 ? 1 : 1 + i % 3,
                     columns < 64 ? 2 : 1);
  }
}

TEST_CASE("rows of several kinds") {
  require_accurate(config_of({16, 512}), 2, 2);
  require_accurate(config_of({16, 1024}), 3, 1);
  require_accurate(config_of({16, 2048, 0, Gating::none, DataType::bf16}), 1, 1);
  require_accurate(config_of({16, 2304}), 1, 1);
  require_accurate(config_of({16, 4096}), 2, 1);
  require_accurate(config_of({16, 4608}), 4, 1);  // counted a stage behind
}

TEST_CASE("rows of 16384: twiddles of steps, a spectrum that is copied ahead; gates") {
  require_accurate(config_of({16, 16384, 200001, Gating::both}, Padding::causal), 1, 1);
}

TEST_CASE("rows of 10240 to 14336 beside long columns: butterflies of 5 to 7, twiddles of steps, two units") {
  for (const int butterfly : {5, 6, 7})
    for (const int columns : {128, 256, 512}) {
      ConvConfig config = config_of({columns, 2048 * butterfly});
      config.arch = "sm_90a";
      const Plan plan = make_plans(normalised(config)).front();
      const auto* const split = plan.as<FourStepPlan>();
      REQUIRE(split != nullptr);
      CHECK((split->row_plan.outer_butterfly == butterfly) == (columns > 128));
      CHECK((split->row_plan.geometry.twiddle == Placement::steps) == (columns > 128));
      if (columns == 256) CHECK(split->columns.units == 2);
    }
  for (const int butterfly : {5, 6, 7}) {
    ConvConfig config = config_of({16, 2048 * butterfly, 30000 * butterfly + 1}, Padding::causal);
    config.gating = butterfly == 6 ? Gating::both : Gating::none;
    config.column_length = 0;
    config.radices = {16, butterfly, 8, 16, 16};
    config.fft_length = 2 * 16 * 2048 * butterfly;
    require_accurate(config, 2, 1);
  }
}

TEST_CASE("rows that keep the spectrum of a channel while its batch rows come") {
  for (const auto& [columns, row] : {std::pair{48, 4096}, std::pair{80, 8192}, std::pair{80, 16384}}) {
    ConvConfig config = config_of({columns, row});
    config.arch = "sm_90a";
    const Plan plan = make_plans(normalised(config)).front();
    REQUIRE(plan.as<FourStepPlan>() != nullptr);
    CHECK(plan.as<FourStepPlan>()->row_plan.geometry.spectrum == Placement::registers);
    require_accurate(config, row == 4096 ? 3 : 1, row == 4096 ? 2 : 1);
  }
}

TEST_CASE("shorter rows, gates, odd alignments") {
  require_accurate(config_of({32, 256, 0, Gating::both}), 3, 2);
  require_accurate(config_of({32, 256, 8000, Gating::in}), 1, 2);
  require_accurate(config_of({32, 256, 8189, Gating::in, DataType::bf16}), 3, 2);
  require_accurate(config_of({32, 256, 4097, Gating::out}), 2, 2);   // one sample more than half of them
  require_accurate(config_of({16, 2048, 16384 + 1000}), 1, 2);       // half of a row of samples
  require_accurate(config_of({16, 256, 4092, Gating::both}), 2, 1);  // rows aligned to 8 bytes
  require_accurate(config_of({48, 256, 8190, Gating::both}), 1, 3);  // to 4 bytes
  require_accurate(config_of({512, 256, 70002, Gating::both, DataType::bf16}), 1, 1);
  ConvConfig config = config_of({16, 256, 0, Gating::both});
  config.row_alignment = 2;
  require_accurate(config, 3, 1);
}

TEST_CASE("gates of every kind, two archs") {
  for (const std::string arch : {"sm_80", "sm_90a"})
    for (const Gating gating : {Gating::none, Gating::in, Gating::out, Gating::both})
      require_accurate(config_of({32, 256, 0, gating, DataType::fp16, arch}), 3, 1);
  require_accurate(config_of({16, 256, 0, Gating::in, DataType::bf16, "sm_80"}), 2, 3);
  require_accurate(config_of({16, 256, 0, Gating::out, DataType::bf16}), 3, 1);
}

TEST_CASE("causal convolutions with as many taps as samples, as there is room for, few, and one") {
  ConvConfig config = config_of({32, 256, 0}, Padding::causal);
  for (const std::int64_t taps : {8192, 100, 1}) {
    config.filter_length = taps;
    require_accurate(config, 2, 2);
  }
  config = config_of({32, 256, 5001, Gating::both}, Padding::causal);
  require_accurate(config, 3, 1);
  config.filter_length = 16384 - 5000;  // those behind the samples reach nothing
  require_accurate(config, 1, 2);
}

TEST_CASE("taps behind a padded row's reach back, from N - L + 1 on") {
  for (const std::int64_t length : {8192, 5001}) {
    ConvConfig config = config_of({32, 256, length});
    for (const std::int64_t taps : {length, 16384 - length + 1, 16384 - length + 2, std::int64_t{16384}}) {
      CAPTURE(taps);
      config.filter_length = taps;
      require_accurate(config, 1, 2);
    }
  }
}

TEST_CASE("every channel has a filter of its own, and a scale; the skip term, filters of any gain") {
  check_channel_filters(config_of({32, 512}), require_quarters);
  check_filter_gains(config_of({16, 256}, Padding::causal),
                     config_of({32, 256, 0, Gating::none, DataType::bf16}, Padding::causal), require_quarters);
}

TEST_CASE("forced radices are those of the whole transform") {
  ConvConfig config = config_of({32, 1024});
  CHECK(goes_alone(config));
  config.radices = {16, 2, 8, 16, 16};
  CHECK_FALSE(goes_alone(config));
  require_accurate_kernel(config, gapped(1, 1), next_seed());
}

TEST_CASE("accumulation in fp32") {
  ConvConfig config = config_of({16, 256}, Padding::causal);
  config.accumulation = Accumulation::fp32;
  require_accurate(config, 2, 1);
}

TEST_CASE("input_exponent moves the range") {
  check_input_exponents(config_of({16, 256, 0, Gating::none, DataType::bf16}), require_quarters);
}

// The range is documented of the whole transform, which has twice as many points: rows alone have more of it.
TEST_CASE("a large mean, one outlier, the ends of the documented range") {
  for (const ColumnCase& test : {ColumnCase{16, 256}, ColumnCase{32, 256, 0, Gating::none, DataType::bf16}}) {
    const ConvConfig config = config_of(test);
    check_demanding_samples(config, config.length, 3, require_quarters);
  }
}

TEST_CASE("workspaces of any size give the same bits") {
  check_workspaces(config_of({16, 256, 4096, Gating::both}), 3, 2);
  check_workspaces(config_of({32, 256, 7000, Gating::both}, Padding::causal), 1, 3);
  check_workspaces(config_of({16, 1024}), 1, 5);
}

TEST_CASE("what is not finite reaches no row but its own") {
  ConvConfig config = config_of({16, 256});
  config.filter_length = config.length;
  require_quarters(*get_kernel(config, machine()->device()));
  check_spoils_itself_alone(config);
}
