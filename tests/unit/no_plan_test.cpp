// Configs that no plan is found for: the refusal names the condition that failed, its value, and what is right.
#include "no_plan.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ffc/generator/arch.hpp"
#include "ffc/generator/error.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "ffc/generator/plan_report.hpp"
#include "forced_radices.hpp"
#include "outer_digits.hpp"
#include "plan_limits.hpp"
#include "tiled_plan.hpp"

using namespace ffc;

namespace {

constexpr const char* rows_of_tiles = "256 x n samples, n being 1 to 16 or a product of 8 to 16 and 2, 3, 4 or 8";
constexpr const char* lone_tiles = "512 x n samples, n being 9 to 16 or a product of 9 to 16 and 2, 3, 4 or 8";
constexpr const char* memory_of_sm_86 = "the 101376 bytes of shared memory that a block of sm_86 has";

ConvConfig circular(std::int64_t fft_length, const std::string& arch = "sm_90a") {
  ConvConfig config;
  config.fft_length = fft_length;
  config.arch = arch;
  return config;
}

ConvConfig with_columns(std::int64_t fft_length, int column_length, std::vector<int> radices = {}) {
  ConvConfig config = circular(fft_length);
  config.column_length = column_length;
  config.radices = std::move(radices);
  return config;
}

ConvConfig with_radices(ConvConfig config, std::vector<int> radices) {
  config.radices = std::move(radices);
  return config;
}

ConvConfig windows(std::int64_t fft_length, std::int64_t filter_length, const std::string& arch = "sm_90a") {
  ConvConfig config = circular(fft_length, arch);
  config.padding = Padding::causal;
  config.length = 100000;
  config.filter_length = filter_length;
  return config;
}

ConvConfig backward(ConvConfig config) {
  config.pass = Pass::backward;
  return config;
}

ConvConfig masked(ConvConfig config) {
  config.mask = low_pass(0.2, config.fft_length);
  return config;
}

void check_refused(const ConvConfig& config, const std::string& message) {
  CAPTURE(to_string(config));
  CHECK_THROWS_WITH_AS((void)make_plans(normalised(config)), message.c_str(), ConfigError);
}

std::string on(const std::string& arch, const std::string& why) { return " on " + arch + ": " + why; }

}  // namespace

TEST_CASE("columns name the length of the rows that they leave") {
  const auto rows = [](const std::string& length) {
    return on("sm_90a",
              "rows of fft_length / column_length have " + length + " samples; they must have " + rows_of_tiles);
  };
  const std::string row = "4352 = 256 x 17";
  check_refused(with_columns(69632, 16), "no plan for fft_length 69632 with column_length 16" + rows(row));
  check_refused(backward(with_columns(69632, 16)), "no plan for fft_length 69632 with column_length 16" + rows(row));
  check_refused(masked(with_columns(69632, 16)), "no plan for fft_length 69632 with column_length 16" + rows(row));
  check_refused(with_columns(16 * 256 * 5 * 7 * 11, 16),
                "no plan for fft_length 1576960 with column_length 16" + rows("98560 = 256 x 385"));
  check_refused(with_columns(1 << 20, 16),
                "no plan for fft_length 1048576 with column_length 16" + rows("65536 = 256 x 256"));
  // Memory is to blame where it is.
  ConvConfig longest = with_columns(1 << 24, 1024);
  CHECK_NOTHROW((void)make_plans(normalised(longest)));
  longest.arch = "sm_86";
  check_refused(longest,
                "no plan for fft_length 16777216 with column_length 1024" +
                    on("sm_86", std::string("columns and rows of 16384 samples do not fit ") + memory_of_sm_86));
  CHECK_NOTHROW((void)make_plans(normalised(with_columns(65536, 16, {16, 4, 4, 16, 16}))));
}

TEST_CASE("clusters say which of their conditions fails") {
  const std::string four = "no plan for fft_length 65536 with column_length 4, a cluster,";
  CHECK_NOTHROW((void)make_plans(normalised(with_columns(65536, 4))));
  ConvConfig old = with_columns(65536, 4);
  old.arch = "sm_86";
  check_refused(old, four + on("sm_86", "clusters need sm_90a or later"));
  check_refused(masked(with_columns(65536, 4)),
                four + on("sm_90a", "mask is 65536:0-13107,52429-65535/mirrors; clusters take none"));
  ConvConfig small = with_columns(65536, 4);
  small.arch = "sm_120";
  check_refused(small, four + on("sm_120",
                                 "three rows of 16384 samples do not fit the 101376 bytes of shared memory that a "
                                 "block of sm_120 has"));
  check_refused(with_columns(9216, 4),
                "no plan for fft_length 9216 with column_length 4, a cluster," +
                    on("sm_90a",
                       "rows of fft_length / column_length have 2304 samples; they must have 2048 times 2 to 8, or "
                       "twice as many where rows go alone"));
  CHECK_NOTHROW((void)make_plans(normalised(with_columns(131072, 8, {8, 64, 16, 16}))));
  const ConvConfig gradients = backward(with_columns(65536, 4));
  check_refused(gradients, "pass is backward with fft_length 65536 and length 65536" +
                               on("sm_90a",
                                  "column_length is 4, a cluster, which gradients do not take; it must be 0 or "
                                  "16 times 1 to 8, 16, 32 or 64"));
}

TEST_CASE("radices of whose points there are no tiles say how many there are") {
  CHECK(radices_refusal({13, 7}) ==
        "13x7, of 91 points; they must be 256 times 1 to 16, or times 8 to 16 and 2, 3, 4 or 8, or 16 and 5, and at "
        "most 32768");
  CHECK(radices_refusal({64, 64, 16}).starts_with("64x64x16, of 65536 points"));
  for (std::int64_t points = 256; points <= 65536; points += 256) {
    const std::vector<std::vector<int>> lists = tiled_radices(points);
    CHECK(lists.empty() == (points > 32768 || outer_digits(points).empty()));
    for (const std::vector<int>& list : lists) {
      CHECK(product_of(list) == points);
      CHECK_FALSE(outer_digits(list).empty());
      CHECK(radices_refusal(list).empty());
    }
  }
}

TEST_CASE("rows past one block may have butterflies of 5 to 7 beside a product of 8") {
  for (const int butterfly : {5, 6, 7}) {
    const std::vector<int> radices = {butterfly, 8, 16, 16};
    CHECK(outer_digits(radices).empty());
    REQUIRE(outer_digits(radices, RowsOf::columns).size() == 1);
    CHECK(outer_digits(radices, RowsOf::columns).front().butterfly == butterfly);
    CHECK(outer_digits({9, butterfly, 16, 16}, RowsOf::columns).empty());
    // The lengths are those of a block's rows.
    CHECK_FALSE(outer_digits(product_of(radices)).empty());
    CHECK(tiled_radices(product_of(radices), RowsOf::columns).size() == tiled_radices(product_of(radices)).size() + 1);
  }
}

TEST_CASE("forced radices say what they lack") {
  ConvConfig odd = with_radices(windows(1000, 100), {10, 10, 10});
  CHECK_THROWS_WITH_AS((void)normalised(odd), doctest::Contains("radices are 10x10x10, of 1000 points; they must be"),
                       ConfigError);
  check_refused(with_radices(windows(8192, 5000), {16, 16, 16}),
                "no plan for fft_length 8192 with radices 16x16x16" +
                    on("sm_90a",
                       "those of half of fft_length are for windows alone, which have room for a filter_length in "
                       "[1, 4097], and it is 5000"));
  check_refused(with_radices(windows(32768, 100, "sm_86"), {16, 8, 16, 16}),
                "no plan for fft_length 32768 with radices 16x8x16x16" +
                    on("sm_86", std::string("windows of 32768 samples in pairs do not fit ") + memory_of_sm_86));
  ConvConfig half = with_radices(circular(8192), {16, 16, 16});
  half.padding = Padding::padded;
  half.length = 2048;
  const std::string alone = "no plan for fft_length 8192 with radices 16x16x16";
  check_refused(half, alone + on("sm_90a",
                                 "those of half of fft_length are for rows of 2049 to 4096 samples, and length is "
                                 "2048"));
  half.length = 4096;
  CHECK_NOTHROW((void)make_plans(normalised(half)));
  check_refused(masked(half), alone + on("sm_90a",
                                         "those of half of fft_length are for rows alone, which a mask, "
                                         "8192:0-1638,6554-8191/mirrors, does not go with"));
}

TEST_CASE("radices are read as digits that compute them, and how is said") {
  const auto read = [](std::int64_t n, const std::vector<int>& radices) {
    const PlanSummary plan = rank_plans(with_radices(circular(n), radices), 1).front();
    return plan.factorisation + (plan.reading.empty() ? "" : ": " + plan.reading);
  };
  CHECK(read(8192, {16, 2, 16, 16}) == "16x2x16x16");
  CHECK(read(8192, {32, 16, 16}) == "16x2x16x16: 32 x 16 x 16 as 16.2 x 16 x 16");
  CHECK(read(1024, {32, 32}) == "4x16x16: 32 x 32 as 4.8 x 2.16, computed as 4 x 16 x 16");
  CHECK(read(1024, {16, 4, 16}) == "4x16x16: 16 x 4 x 16, computed as 4 x 16 x 16");
  CHECK(read(91, {13, 7}) == "13x7");
  CHECK(read(117649, {49, 49, 49}) == "49x49x49");
  CHECK(read(243, {3, 3, 3, 3, 3}) == "27x9: 3 x 3 x 3 x 3 x 3, computed as 27 x 9");
  const PlanSummary gradients = rank_plans(with_radices(backward(circular(91)), {13, 7}), 1).front();
  CHECK(gradients.reading == "13 x 7, of which there are no gradients, folded into 16 x 16");
}

namespace {

constexpr std::int64_t longest_fft = 16777216;

// Of 2 to 7 radices, now and then of those that columns and rows are made of, at random lengths of up to 2^24.
std::vector<int> random_radices(std::mt19937& random) {
  const auto below = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  const std::vector<int> digits = {2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 16, 16};
  std::vector<int> radices;
  const bool rows = below(2) == 0;
  if (below(2) == 0) radices.push_back(16);
  for (int count = below(4); count > 0; --count)
    radices.push_back(below(4) == 0 ? 2 + below(63) : digits[static_cast<std::size_t>(below(12))]);
  if (rows) radices.insert(radices.end(), {16, 16});
  if (radices.size() < 2) radices.insert(radices.begin(), 2, 16);
  if (below(8) == 0) std::shuffle(radices.begin(), radices.end(), random);
  while (product_of(radices) > longest_fft) radices.pop_back();
  return radices;
}

ConvConfig random_config(std::mt19937& random) {
  const auto below = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  ConvConfig config;
  config.radices = random_radices(random);
  const std::int64_t points = product_of(config.radices);
  config.arch = architectures()[static_cast<std::size_t>(below(static_cast<int>(architectures().size())))].name;
  config.padding = static_cast<Padding>(below(3));
  config.gating = static_cast<Gating>(below(4));
  config.batch = below(4);
  if (below(3) == 0) config.pass = Pass::backward;
  config.fft_length = config.padding != Padding::circular && below(3) == 0 ? 2 * points : points;
  if (config.padding != Padding::circular)
    config.length = std::max<std::int64_t>(1, config.fft_length / (2 + below(3)));
  if (config.padding == Padding::causal && below(2) == 0) config.filter_length = 1 + below(300);
  if (config.padding == Padding::causal && below(2) == 0) config.length = config.fft_length * (1 + below(5));
  if (below(4) == 0) config.column_length = config.radices[0] == 16 ? 16 * config.radices[1] : config.radices[0];
  return config;
}

}  // namespace

TEST_CASE("a plan computes the radices that were asked for and says how, or they are refused by name") {
  std::mt19937 random(20260730);
  int had = 0, as_asked = 0, read = 0, refused = 0;
  for (int turn = 0; turn < 6000; ++turn) {
    const ConvConfig config = random_config(random);
    const std::string asked = fmt::format("{}", fmt::join(config.radices, "x"));
    CAPTURE(to_string(config));
    try {
      const ConvConfig checked = normalised(config);
      try {
        for (const Plan& plan : make_plans(checked)) {
          const std::string reading = reading_of(config.radices, *plan);
          CHECK(reading.empty() == (factorisation_name(*plan) == asked));
          if (config.pass == Pass::forward) CHECK(plan->transform_length == product_of(config.radices));
          ++(reading.empty() ? as_asked : read);
        }
        ++had;
      } catch (const ConfigError& error) {
        const std::string text = error.what();
        CAPTURE(text);
        // Windows are tiles, forced columns have rows of tiles, and gradients need not fit.
        CHECK((config.pass == Pass::backward || config.padding == Padding::causal || config.column_length != 0 ||
               config.fft_length == 0 || 2 * product_of(config.radices) == config.fft_length));
        ++refused;
      }
    } catch (const ConfigError&) {
      continue;  // the fields do not go together at all: conv_config_test
    }
  }
  CHECK(had > 500);
  CHECK(as_asked > 500);
  CHECK(read > 500);
  CHECK(refused > 100);
}

TEST_CASE("whole rows take radices of 2 to 64 in any order, whatever the arch") {
  std::mt19937 random(20261126);
  const auto below = [&](std::size_t count) { return static_cast<int>(random() % count); };
  for (int turn = 0; turn < 4000; ++turn) {
    std::vector<int> radices;
    for (int count = 1 + below(6); count > 0; --count) {
      const int radix = below(2) == 0 ? 2 << below(6) : 2 + below(63);
      if (product_of(radices) * radix <= longest_fft) radices.push_back(radix);
    }
    if (product_of(radices) < 16) continue;
    ConvConfig config = with_radices(circular(product_of(radices)), radices);
    config.arch = architectures()[static_cast<std::size_t>(below(architectures().size()))].name;
    config.gating = static_cast<Gating>(below(4));
    if (below(3) == 0) config.padding = Padding::padded, config.length = (config.fft_length + 1) / 2;
    CAPTURE(to_string(config));
    std::vector<Plan> plans;
    REQUIRE_NOTHROW(plans = make_plans(normalised(config)));
    CHECK(plans.front()->transform_length == config.fft_length);
    if (turn % 4 == 0 && config.fft_length <= longest_fft / 2 + 1)
      CHECK_NOTHROW((void)make_plans(normalised(backward(config))));
  }
}

TEST_CASE("windows of a forced length say why not in pairs, and why not alone") {
  const std::string pairs = std::string("in pairs they have ") + rows_of_tiles + "; ";
  const std::string alone = std::string("alone they have ") + lone_tiles;
  const auto check = [](const ConvConfig& config, const std::string& length, const std::string& why) {
    check_refused(config, "no windows of fft_length " + length + " for length 100000 and filter_length " +
                              std::to_string(config.filter_length) + on(config.arch, why));
  };
  check(windows(4352, 100), "4352 = 256 x 17", pairs + alone);
  CHECK_NOTHROW((void)make_plans(normalised(windows(16896, 8449))));
  check(windows(16896, 8450), "16896 = 256 x 66", pairs + "alone they have room for a filter_length in [1, 8449]");
  check(windows(34816, 100), "34816 = 256 x 136", "in pairs they have up to 32768 samples; " + alone);
  check(windows(32768, 30000, "sm_86"), "32768 = 256 x 128",
        std::string("in pairs they do not fit ") + memory_of_sm_86 +
            "; alone they have room for a filter_length in [1, 16385]");
  check(windows(65536, 100, "sm_86"), "65536 = 256 x 256",
        std::string("in pairs they have up to 32768 samples; alone they do not fit ") + memory_of_sm_86);
}

TEST_CASE("lengths say whether their digits or memory is to blame") {
  const auto no_plan = [](const ConvConfig& config, const std::string& why) {
    const std::string length = std::to_string(config.fft_length);
    check_refused(config, "no plan for fft_length " + length + " and length " + length + on(config.arch, why));
  };
  const std::string split =
      "R x M, R being 16 times 1 to 8, 16, 32 or 64 and M 256 times 1 to 16 or times a product of 8 to 16 and 2, 3, 4 "
      "or 8";
  no_plan(circular(10000019),
          "past 32768 it must be " + split +
              ", or 2 x length - 1 = 20000037 within 16777216, for a transform that it is folded into");
  no_plan(circular(1 << 24, "sm_86"), std::string("columns and rows of 16777216 points do not fit ") + memory_of_sm_86);
  CHECK_NOTHROW((void)make_plans(normalised(circular(8388607, "sm_86"))));  // alone, in half as many points
  ConvConfig longer;
  longer.padding = Padding::causal, longer.arch = "sm_86";
  longer.length = 15000000, longer.filter_length = 1700000;
  check_refused(longer, "no plan for fft_length 0 and length 15000000" +
                            on(longer.arch, std::string("columns and rows of 16699999 points or more do not fit ") +
                                                memory_of_sm_86));
  no_plan(masked(circular(4099)), "with a mask fft_length up to 32768 must be a product of primes up to 61");
  no_plan(masked(circular(40000)), "with a mask fft_length past 32768 must be " + split);
  no_plan(masked(circular(29791, "sm_86")),
          std::string("with a mask nothing is folded, and 29791 points do not fit ") + memory_of_sm_86);
  check_refused(backward(masked(circular(20000))),
                "pass is backward with fft_length 20000 and length 20000" +
                    on("sm_90a", std::string("with a mask fft_length up to 32768 must be ") + rows_of_tiles));
}
