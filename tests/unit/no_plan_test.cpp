// Configs that no plan is found for: the refusal names the condition that failed, its value, and what is right.
#include "no_plan.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "ffc/generator/arch.hpp"
#include "ffc/generator/error.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "tiled_plan.hpp"

using namespace ffc;

namespace {

constexpr const char* rows_of_tiles = "256 x n samples, n being 1 to 16 or a product of 8 to 16 and 2, 3, 4 or 8";
constexpr const char* lone_tiles = "512 x n samples, n being 9 to 16 or a product of 9 to 16 and 2, 3, 4 or 8";
constexpr const char* tiled_right =
    "; right are 16x16, alone or behind one of 2 to 16, or behind two, which are 9 to 16 and 2, 3, 4 or 8, or 2, 3, 4 "
    "or "
    "8 and 8";
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
  check_refused(with_columns(65536, 16, {16, 4, 4, 16, 16}),
                "no plan for fft_length 65536 with column_length 16" +
                    on("sm_90a", "the radices of rows are 4x4x16x16, where 4 at place 1 is wrong") + tiled_right);
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
  check_refused(with_columns(24576, 4),
                "no plan for fft_length 24576 with column_length 4, a cluster," +
                    on("sm_90a",
                       "rows of fft_length / column_length have 6144 samples; they must have 2048 times 2, 4 or "
                       "8, or twice as many where rows go alone"));
  check_refused(with_columns(131072, 8, {8, 64, 16, 16}),
                "no plan for fft_length 131072 with column_length 8, a cluster," +
                    on("sm_90a", "the radices of rows are 64x16x16, where 64 at place 1 is wrong") + tiled_right);
  check_refused(with_columns(131072, 8, {8, 16, 4, 16, 16}),
                "no plan for fft_length 131072 with column_length 8, a cluster," +
                    on("sm_90a", "radices are 8x16x4x16x16; those of rows must be 8x8x16x16"));
  const ConvConfig gradients = backward(with_columns(65536, 4));
  check_refused(gradients, "pass is backward with fft_length 65536 and length 65536" +
                               on("sm_90a",
                                  "column_length is 4, a cluster, which gradients do not take; it must be 0 or "
                                  "16 times 1 to 8, 16, 32 or 64"));
}

TEST_CASE("the radix that spells no tiled plan is named") {
  const auto wrong = [](const std::vector<int>& radices) {
    const std::string refusal = radices_refusal(radices);
    return refusal.substr(0, refusal.find(';'));
  };
  CHECK(wrong({13, 7}) == "13x7, where 7 at place 2 is wrong");
  CHECK(wrong({13, 16}) == "13x16, where 13 at place 1 is wrong");
  CHECK(wrong({17, 16, 16}) == "17x16x16, where 17 at place 1 is wrong");
  CHECK(wrong({4, 4, 16, 16}) == "4x4x16x16, where 4 at place 1 is wrong");
  CHECK(wrong({12, 5, 16, 16}) == "12x5x16x16, where 5 at place 2 is wrong");
  CHECK(wrong({7, 8, 16, 16}) == "7x8x16x16, where 7 at place 1 is wrong");
  CHECK(wrong({2, 2, 2, 16, 16}) == "2x2x2x16x16, where 3 are in front of 16x16");
  CHECK(wrong({16}) == "16, which are fewer than two");
  for (int first = 2; first <= 64; ++first)
    for (int second = 2; second <= 64; ++second)
      CHECK(outer_digits({first, second, 16, 16}).empty() == !radices_refusal({first, second, 16, 16}).empty());
}

TEST_CASE("forced radices say what they lack") {
  check_refused(with_radices(backward(circular(91)), {13, 7}),
                "pass is backward with fft_length 91 and length 91" +
                    on("sm_90a", "the radices of gradients are 13x7, where 7 at place 2 is wrong") + tiled_right);
  check_refused(with_radices(circular(29791, "sm_86"), {31, 31, 31}),
                "no plan for fft_length 29791 with radices 31x31x31" +
                    on("sm_86",
                       "digit by digit a block holds all points, 4 bytes each, at once, or half or a quarter of them "
                       "at a time where the first radix is 2 or 4, and 29791 / 1 x 4 bytes do not fit ") +
                    memory_of_sm_86);
  check_refused(
      with_radices(circular(1048576), {2, 2, 16, 16, 4, 16, 16}),
      "no plan for fft_length 1048576 with radices 2x2x16x16x4x16x16" +
          on("sm_90a",
             "as columns and rows radices begin with 16 x 2 to 8 or 16 x 16 x 1, 2 or 4, and end with those "
             "of rows; digit by digit a block holds all points, 4 bytes each, at once, or half or a quarter of "
             "them at a time where the first radix is 2 or 4, and 1048576 / 4 x 4 bytes do not fit the 232448 bytes of "
             "shared memory that a block of "
             "sm_90a has"));
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

TEST_CASE("radices that cannot be had as they are name what they lack, and the order that has a plan") {
  const std::string columns =
      "as columns and rows radices begin with 16 x 2 to 8 or 16 x 16 x 1, 2 or 4, and end with those of rows; ";
  const auto refused = [](std::int64_t n, const std::vector<int>& radices, const std::string& spelled,
                          const std::string& arch, const std::string& before, const std::string& why) {
    check_refused(with_radices(circular(n, arch), radices),
                  "no plan for fft_length " + std::to_string(n) + " with radices " + spelled + on(arch, before) +
                      "digit by digit a block holds all points, 4 bytes each, at once, or half or a quarter of them at "
                      "a time where the first radix is 2 or 4, and " +
                      std::to_string(n) + " x 4 bytes do not fit the " + why);
  };
  const std::string sm_90a = "232448 bytes of shared memory that a block of sm_90a has, ";
  const std::string half = sm_90a + "half of them do: the first radix is ";
  refused(65536, {32, 32, 64}, "32x32x64", "sm_90a", columns, half + "32, and must be 2 or 4");
  refused(131072, {32, 64, 64}, "32x64x64", "sm_90a", columns,
          sm_90a + "a quarter of them do: the first radix is 32, and must be 4");
  refused(131072, {8, 16, 4, 16, 16}, "8x16x4x16x16", "sm_90a", columns,
          sm_90a +
              "a quarter of them do: the first radix is 8, and must be 4; in the order 16x8x4x16x16 they have a "
              "plan");
  refused(60000, {60, 50, 20}, "60x50x20", "sm_90a", columns, half + "60, and must be 2 or 4");
  refused(60000, {50, 2, 20, 30}, "50x2x20x30", "sm_90a", columns,
          half + "50, and must be 2 or 4; in the order 2x50x30x20 they have a plan");
  refused(32768, {32, 32, 32}, "32x32x32", "sm_86", "",
          "101376 bytes of shared memory that a block of sm_86 has, half of them do: the first radix is 32, and must "
          "be 2 or 4");
  ConvConfig config = with_radices(circular(60000), {4, 50, 20, 15});
  CHECK(factorisation_name(*make_plans(normalised(config)).front()) == "4x50x20x15");
  config = with_radices(backward(circular(65536)), {16, 8, 16, 2, 16});
  CHECK_THROWS_WITH_AS((void)make_plans(normalised(config)),
                       doctest::Contains("; in the order 16x8x2x16x16 they have a plan"), ConfigError);
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

TEST_CASE("a plan has the digits that were asked for, in that order, or the radices are refused by name") {
  std::mt19937 random(20260730);
  int had = 0, refused = 0, ordered = 0;
  for (int turn = 0; turn < 6000; ++turn) {
    const ConvConfig config = random_config(random);
    const std::string asked = fmt::format("{}", fmt::join(config.radices, "x"));
    CAPTURE(to_string(config));
    try {
      const ConvConfig checked = normalised(config);
      try {
        for (const Plan& plan : make_plans(checked)) CHECK(factorisation_name(*plan) == asked);
        ++had;
      } catch (const ConfigError& error) {
        const std::string text = error.what();
        CAPTURE(text);
        // Of the columns that were forced, the rows' radices are named.
        CHECK((text.find(asked) != std::string::npos || text.find("column_length") != std::string::npos ||
               text.find("gradients") != std::string::npos));
        if (const std::size_t at = text.find("; in the order "); at != std::string::npos) {
          ConvConfig other = config;
          std::istringstream digits(text.substr(at + 15));
          for (int& radix : other.radices) digits >> radix, digits.ignore();
          CHECK_NOTHROW((void)make_plans(normalised(other)));
          ++ordered;
        }
        ++refused;
      }
    } catch (const ConfigError&) {
      continue;  // the fields do not go together at all: conv_config_test
    }
  }
  CHECK(had > 500);
  CHECK(refused > 500);
  CHECK(ordered > 20);
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
