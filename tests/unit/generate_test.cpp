// The generator as a whole: same config, same bytes; plans fit their arch.
#include "ffc/generator/generate.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "ffc/generator/arch.hpp"
#include "ffc/generator/error.hpp"
#include "ffc/generator/good_length.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "ffc/generator/plan_report.hpp"
#include "length_config.hpp"

using namespace ffc;

namespace {

// A block of columns and rows, of which a multiprocessor holds one, and named barriers for its units and groups.
void check_fits(const Generated& generated, const Arch& arch) {
  CAPTURE(generated.name);
  CHECK(generated.conv.shared_bytes <= arch.shared_per_block);
  CHECK(generated.conv.threads % 32 == 0);
  CHECK(generated.conv.threads <= 1024);
}

}  // namespace

TEST_CASE("the same config gives the same bytes") {
  for (const std::int64_t n : {16, 256, 1000, 4096, 32768, 65536, 1 << 22}) {
    const Generated a = generate(of_length(n, "sm_90a")), b = generate(of_length(n, "sm_90a"));
    CHECK(a.conv.source == b.conv.source);
    CHECK(a.conv.tables == b.conv.tables);
    CHECK((a.split || a.conv.cluster > 1) == (n > 32768));
    CHECK(a.filter.source == b.filter.source);
    CHECK(a.filter.tables == b.filter.tables);
    CHECK(a.spectrum_tag == b.spectrum_tag);
  }
}

TEST_CASE("kernels that differ in their gate share everything else") {
  ConvConfig config = of_length(1024, "sm_90a");
  const Generated plain = generate(config);
  config.gating = Gating::both;
  const Generated gated = generate(config);
  CHECK(plain.spectrum_tag == gated.spectrum_tag);
  CHECK(plain.filter.source == gated.filter.source);
}

namespace {

void check_block(int threads, int blocks_per_sm, int shared_bytes, const Arch& arch) {
  CHECK(shared_bytes <= arch.shared_per_block);
  CHECK(blocks_per_sm * shared_bytes <= arch.shared_per_sm);
  CHECK(threads <= 1024);
  CHECK(threads * blocks_per_sm <= arch.threads_per_sm);
}

}  // namespace

TEST_CASE("plans of every length fit every arch") {
  for (const Arch& arch : architectures())
    for (const std::int64_t n : {16,    100,   256,   992,   1000,  3000,  4096,  4097,   6144,    8192,   10007,
                                 16384, 20011, 30000, 32749, 32768, 33013, 65536, 100000, 1 << 20, 1 << 23})
      for (const Gating gating : {Gating::none, Gating::both}) {
        ConvConfig config = of_length(n, arch.name);
        config.gating = gating;
        CAPTURE(to_string(config));
        for (const Plan& plan : make_plans(normalised(config))) {
          if (const auto* const block = plan.as<InBlockPlan>())
            check_block(block->geometry.threads(), block->geometry.blocks_per_sm, block->shared.total, arch);
          if (const auto* const block = plan.as<MixedRadixPlan>())
            check_block(block->threads(), block->blocks_per_sm, block->shared_bytes, arch);
          if (plan.family() == Family::split) check_fits(generate(normalised(config), plan), arch);
          std::int64_t product = 1;
          for (const Digit& digit : plan->digits) product *= digit.radix;
          CHECK(product == plan->transform_length);
          CHECK((plan->transform_length == n || plan->transform_length >= (plan->right_angle() ? n : 2 * n - 1)));
        }
      }
}

TEST_CASE("every circular length from 256 to 32768 goes as tiles where a block has the room") {
  for (const std::string_view arch : {"sm_80", "sm_90a", "sm_100"})
    for (std::int64_t n = 256; n <= 32768; n += 37) {
      CAPTURE(n);
      const Plan plan = make_plans(normalised(of_length(n, std::string(arch)))).front();
      CHECK(plan.family() == Family::tiled);
    }
}

TEST_CASE("the longest transform, where rows of 16384 fit a block beside columns of 1024") {
  for (const Arch& arch : architectures()) {
    CAPTURE(arch.name);
    CHECK(generate(of_length(1 << 23, arch.name)).split);
    const ConvConfig longest = of_length(1 << 24, arch.name);
    if (arch.shared_per_block >= 160 * 1024)
      CHECK(generate(longest).split->column_length == 1024);
    else
      CHECK_THROWS_AS((void)generate(longest), ConfigError);
  }
}

TEST_CASE("a length that is no R x M and too long to fold is refused in words") {
  try {
    (void)generate(of_length(10000019, "sm_90a"));
    FAIL("no exception");
  } catch (const ConfigError& error) {
    CHECK(std::string(error.what()).find("fft_length 10000019") != std::string::npos);
    CHECK(std::string(error.what()).find("2 x length - 1") != std::string::npos);
  }
}

TEST_CASE("a causal config takes the cheapest transform that is long enough") {
  ConvConfig config;
  config.padding = Padding::causal;
  config.length = 3000;
  config.arch = "sm_90a";
  const std::vector<PlanSummary> plans = rank_plans(config, 3);
  REQUIRE(plans.size() == 3);
  CHECK(plans[0].predicted_us_per_pair <= plans[1].predicted_us_per_pair);
  const Generated generated = generate(config);
  CHECK((are_alone(generated.packing) ? 2 : 1) * generated.transform_length >= 5999);
  CHECK(generated.transform_length < 8192);
}

// As the sweep in examples/measured took for 64 x 768 rows.
TEST_CASE("the ratio of short rows has launches in it, that of long ones not") {
  const std::pair<std::int64_t, double> measured[] = {{16, 2.32}, {32, 2.55}, {50, 2.66}, {88, 2.39}};
  for (const auto& [n, ratio] : measured) {
    CAPTURE(n);
    const PlanSummary plan = rank_plans(of_length(n, "sm_90a"), 1).front();
    CHECK(plan.predicted_ratio == doctest::Approx(ratio).epsilon(0.25));
  }
  const ConvConfig config = of_length(1 << 20, "sm_90a");
  const Plan plan = make_plans(normalised(config)).front();
  CHECK(rank_plans(config, 1).front().predicted_ratio ==
        doctest::Approx(plan->cost.total / plan->cost.memory).epsilon(0.001));
}

TEST_CASE("a good length is the cheapest at or above one, and good itself") {
  CHECK(good_length(4096) == 4096);
  CHECK(good_length(30000) == 30720);
  ConvConfig like;
  like.padding = Padding::causal;
  like.arch = "sm_90a";
  for (const std::int64_t n : {331, 4097, 16383, 70001}) {
    CAPTURE(n);
    const LengthAdvice advice = advise_length(n, like);
    CHECK(advice.good_length >= n);
    CHECK(advice.good_us_per_pair <= advice.us_per_pair);
    like.length = n;
    CHECK(rank_plans(like, 1)[0].predicted_us_per_pair == advice.us_per_pair);
    CHECK(advise_length(advice.good_length, like).us_per_pair == advice.good_us_per_pair);
    like.length = 0;
  }
  like.radices = {16, 16};
  CHECK_THROWS_AS((void)advise_length(256, like), ConfigError);
}

TEST_CASE("refused configs") {
  CHECK_THROWS_AS((void)generate(of_length(4096, "")), ConfigError);
  ConvConfig config = of_length(4096, "sm_90a");
  config.radices = {16, 16};
  CHECK_THROWS_AS((void)generate(config), ConfigError);
  config.radices = {67, 16};
  CHECK_THROWS_AS((void)generate(config), ConfigError);
}

TEST_CASE("windows of every length fit every arch") {
  for (const Arch& arch : architectures())
    for (const std::int64_t taps : {1, 256, 5000, 20000})
      for (const Gating gating : {Gating::none, Gating::both}) {
        if (taps == 20000 && arch.shared_per_block < 227 * 1024) continue;  // refused, as the next test says
        ConvConfig config;
        config.padding = Padding::causal;
        config.length = 1 << 24;
        config.filter_length = taps;
        config.gating = gating;
        config.history = true;
        config.arch = arch.name;
        CAPTURE(to_string(config));
        for (const Plan& plan : make_plans(normalised(config))) {
          REQUIRE(plan->windows);
          CHECK(plan.as<InBlockPlan>()->shared.total <= arch.shared_per_block);
          CHECK(plan->windows->halo() >= taps - 1);
          CHECK(plan->windows->halo() % 64 == 0);
          CHECK(plan->windows->step >= 64);
          CHECK(plan->windows->step * plan->windows->count >= config.length);
          CHECK(plan->windows->length == (plan->right_angle() ? 2 : 1) * plan->transform_length);
          CHECK(plan->length == (plan->right_angle() ? plan->transform_length : plan->windows->step));
        }
      }
}

TEST_CASE("windows that an arch or the family does not have are refused in words") {
  ConvConfig config = of_length(0, "sm_86");
  config.padding = Padding::causal;
  config.length = 1 << 24;
  config.filter_length = 30000;
  config.history = true;
  CHECK_THROWS_WITH_AS((void)generate(config), doctest::Contains("longer than 30016 samples"), ConfigError);
  CHECK_THROWS_WITH_AS((void)generate(config), doctest::Contains("101376 bytes of shared memory"), ConfigError);
  config.fft_length = 17 * 256;
  config.filter_length = 100;
  CHECK_THROWS_WITH_AS((void)generate(config), doctest::Contains("no windows of fft_length 4352"), ConfigError);
}

TEST_CASE("kernels with a history share their spectra with those without") {
  ConvConfig config = of_length(4096, "sm_90a");
  config.padding = Padding::causal;
  config.length = 100000;
  config.filter_length = 1000;
  const Generated whole = generate(config);
  config.history = true;
  config.length = 30960;
  const Generated segment = generate(config);
  CHECK(whole.spectrum_tag == segment.spectrum_tag);
  CHECK(whole.conv.source != segment.conv.source);
}

TEST_CASE("a mask takes no shared memory of a long plan's rows, gated or not") {
  for (const Gating gating : {Gating::none, Gating::both}) {
    ConvConfig config = of_length(131072, "sm_90a");
    config.gating = gating;
    const int dense = generate(config).conv.shared_bytes;
    config.mask = low_pass(0.25, 131072);
    CHECK(generate(config).conv.shared_bytes <= dense);
  }
}

TEST_CASE("a split plan's kernel and what a launch needs to know of it") {
  for (const auto& [n, column_length] :
       {std::pair{4096, 16}, std::pair{12288, 48}, std::pair{65536, 128}, std::pair{131072, 512}}) {
    ConvConfig config = of_length(n, "sm_90a");
    config.column_length = column_length;
    CAPTURE(to_string(config));
    const Generated generated = generate(config);
    REQUIRE(generated.split);
    const SplitLaunch& split = *generated.split;
    CHECK(split.column_length == column_length);
    CHECK(split.column_length * split.row_length == n);
    CHECK(split.pair_bytes() == 4 * n);
    CHECK(split.spectrum_rows == column_length / 2 + 1);
    CHECK(generated.spectrum_row_bytes == 4 * split.row_length * split.spectrum_rows + 16);
    const std::vector<Plan> plans = make_plans(normalised(config));
    REQUIRE(plans.front().as<FourStepPlan>() != nullptr);
    const FourStepPlan& plan = *plans.front().as<FourStepPlan>();
    CHECK(split.row_length % plan.columns.columns() == 0);
    CHECK(generated.conv.threads == plan.columns.threads() + plan.row_plan.geometry.threads());
    CHECK(generated.conv.shared_bytes == plan.columns.shared_bytes() + plan.row_plan.shared.total);
    // Named as what it is made of, so that no two of one length share a name.
    CHECK(generated.conv.name.starts_with("conv_fwd_n" + std::to_string(n) + "_" + std::to_string(column_length) + "x" +
                                          std::to_string(n / column_length) + "_"));
    // Gates, types and lengths of rows change the kernel; lengths and gates not the filter's transform.
    config.gating = Gating::both;
    const Generated gated = generate(config);
    CHECK(gated.conv.source != generated.conv.source);
    CHECK(gated.conv.tables == generated.conv.tables);
    CHECK(gated.filter.source == generated.filter.source);
    CHECK(gated.spectrum_tag == generated.spectrum_tag);
    config.dtype = DataType::bf16;
    CHECK(generate(config).conv.source != gated.conv.source);
    config.padding = Padding::padded;
    config.length = n * 2 / 3;
    config.filter_length = n;
    const Generated padded = generate(config);
    CHECK(padded.conv.source != gated.conv.source);
    CHECK(padded.conv.tables == generated.conv.tables);
    CHECK(padded.spectrum_row_bytes == generated.spectrum_row_bytes);
    // Products by padding go where it is half of the samples: by way of other matrices.
    config.length = n / 2;
    const Generated half = generate(config);
    CHECK(half.conv.source != padded.conv.source);
    CHECK(half.conv.tables != generated.conv.tables);
    CHECK(half.spectrum_tag == padded.spectrum_tag);
  }
}

TEST_CASE("columns copy as many chunks at once as rows leave time for") {
  const auto check = [](const ConvConfig& config, const std::string& loads, const std::string& stores) {
    CAPTURE(to_string(config));
    const std::string source = generate(config).conv.source;
    CHECK(source.find("loads_at_once = " + loads + ";") != std::string::npos);
    CHECK(source.find("stores_at_once = " + stores + ";") != std::string::npos);
  };
  ConvConfig config = of_length(524288, "sm_90a");
  check(config, "4", "4");
  config.padding = Padding::padded;
  config.length = config.filter_length = 262144;
  check(config, "1", "1");
  check(of_length(2097152, "sm_90a"), "2", "1");
  config = of_length(2097152, "sm_90a");
  config.mask = keep_counts({16, 16, 16, 48}, config.fft_length);
  check(config, "8", "8");
}
