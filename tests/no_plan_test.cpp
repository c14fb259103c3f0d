// Configs that no plan is found for: the refusal names the condition that failed, its value, and what is right.
#include "no_plan.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "ffc/generator/error.hpp"
#include "ffc/generator/plan.hpp"
#include "tiled_plan.hpp"

using namespace ffc;

namespace {

constexpr const char* rows_of_tiles = "256 x n samples, n being 1 to 16 or a product of 8 to 16 and 2, 3, 4 or 8";
constexpr const char* lone_tiles = "512 x n samples, n being 9 to 16 or a product of 9 to 16 and 2, 3, 4 or 8";
constexpr const char* tiled_radices =
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
                    on("sm_90a", "the radices of rows are 4x4x16x16, where 4 at place 1 is wrong") + tiled_radices);
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
                    on("sm_90a", "the radices of rows are 64x16x16, where 64 at place 1 is wrong") + tiled_radices);
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
                    on("sm_90a", "the radices of gradients are 13x7, where 7 at place 2 is wrong") + tiled_radices);
  check_refused(with_radices(circular(29791, "sm_86"), {31, 31, 31}),
                "no plan for fft_length 29791 with radices 31x31x31" +
                    on("sm_86",
                       "digit by digit a block holds all points, 4 bytes each, at once or half or a quarter of them "
                       "at a time, and 29791 / 1 x 4 bytes do not fit ") +
                    memory_of_sm_86);
  check_refused(
      with_radices(circular(1048576), {2, 2, 16, 16, 4, 16, 16}),
      "no plan for fft_length 1048576 with radices 2x2x16x16x4x16x16" +
          on("sm_90a",
             "as columns and rows radices begin with 16 x 2 to 8 or 16 x 16 x 1, 2 or 4, and end with those "
             "of rows; digit by digit a block holds all points, 4 bytes each, at once or half or a quarter of "
             "them at a time, and 1048576 / 4 x 4 bytes do not fit the 232448 bytes of shared memory that a block of "
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
  no_plan(circular(8388607, "sm_86"),
          std::string("columns and rows of 16777213 points or more do not fit ") + memory_of_sm_86);
  no_plan(masked(circular(4099)), "with a mask fft_length up to 32768 must be a product of primes up to 61");
  no_plan(masked(circular(40000)), "with a mask fft_length past 32768 must be " + split);
  no_plan(masked(circular(29791, "sm_86")),
          std::string("with a mask nothing is folded, and 29791 points do not fit ") + memory_of_sm_86);
  check_refused(backward(masked(circular(20000))),
                "pass is backward with fft_length 20000 and length 20000" +
                    on("sm_90a", std::string("with a mask fft_length up to 32768 must be ") + rows_of_tiles));
}
