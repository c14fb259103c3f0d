// Masks of frequencies: which are kept, closed under negation, how many, and what is refused.
#include "ffc/generator/frequency_mask.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "ffc/generator/error.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "kept_digits.hpp"
#include "mask_text.hpp"
#include "ranges_text.hpp"

using namespace ffc;

namespace {

bool contains(const std::vector<ValueRange>& ranges, std::int64_t value) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const auto& r) { return value >= r.first && value < r.end; });
}

// Straight from the definition.
bool is_named(const FrequencyMask& mask, std::int64_t k) {
  for (const MaskDigit& digit : mask.digits) {
    if (!contains(digit.kept, k % digit.radix)) return false;
    k /= digit.radix;
  }
  return true;
}

void check_closed(const FrequencyMask& mask) {
  CAPTURE(to_string(mask));
  const std::int64_t n = mask.length();
  const std::vector<std::uint8_t> kept = kept_frequencies(mask);
  REQUIRE(static_cast<std::int64_t>(kept.size()) == n);
  std::int64_t count = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    const bool one = is_named(mask, k), other = is_named(mask, (n - k) % n);
    const bool expected = mask.mirrors == Mirrors::added ? one || other : one && other;
    CHECK((kept[static_cast<std::size_t>(k)] == 1) == expected);
    CHECK(kept[static_cast<std::size_t>(k)] == kept[static_cast<std::size_t>((n - k) % n)]);
    count += expected ? 1 : 0;
  }
  CHECK(sparsity(mask) == doctest::Approx(1 - static_cast<double>(count) / static_cast<double>(n)).epsilon(1e-12));
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no ConfigError";
}

}  // namespace

TEST_CASE("what is kept is closed under k -> -k, in either way") {
  check_closed(keep_values({{1}}, {7}));
  check_closed(keep_values({{0}}, {7}));
  check_closed(keep_values({{0, 1, 2}, {0, 3}}, {8, 5}));
  check_closed(keep_values({{1, 7}, {0, 4}, {1, 2}}, {8, 5, 4}));
  for (FrequencyMask mask : {keep_counts({4, 8, 4}, {8, 8, 8}), keep_counts({3, 5, 2}, {5, 9, 6}),
                             keep_counts({8, 1, 1}, {8, 9, 8}), low_pass(0.25, 64), low_pass(0.3, 99)}) {
    check_closed(mask);
    mask.mirrors = Mirrors::added;
    check_closed(mask);
  }
}

TEST_CASE("counts lose nothing but what digits carry") {
  // The paper's patterns of 2097152 = 32 x 32 x 32 x 64.
  const auto of = [](const std::vector<std::int64_t>& counts) { return sparsity(keep_counts(counts, 2097152)); };
  CHECK(keep_counts({1, 1, 1, 1}, 2097152).digits[3].radix == 64);
  // 6 is nearer to the cube root, but would leave a prime for two.
  const FrequencyMask of_prime = keep_counts({1, 1, 1}, 2 * 3 * 10007);
  CHECK(of_prime.digits[0].radix == 3);
  CHECK(of_prime.digits[1].radix == 2);
  CHECK(of_prime.digits[2].radix == 10007);
  CHECK(of({16, 32, 32, 64}) == 0.5);
  CHECK(of({16, 16, 32, 64}) == doctest::Approx(0.75).epsilon(0.011));
  CHECK(of({16, 16, 28, 60}) == doctest::Approx(1 - 0.25 * 28 / 32 * 60 / 64).epsilon(0.01));
  CHECK(of({16, 16, 16, 48}) == doctest::Approx(1 - 0.25 * 0.5 * 0.75).epsilon(0.01));
  CHECK(keep_counts({16, 16, 16}, {32, 32, 32}).digits[0].kept == std::vector<ValueRange>{{0, 8}, {16, 17}, {25, 32}});
  CHECK(keep_counts({4, 4, 4}, {8, 8, 8}).digits[1].kept == std::vector<ValueRange>{{0, 1}, {3, 5}, {7, 8}});
  CHECK(keep_counts({4, 4, 4}, {8, 8, 8}).digits[2].kept == std::vector<ValueRange>{{0, 2}, {6, 8}});
  CHECK(keep_counts({2, 3}, {5, 8}).digits[0].kept == std::vector<ValueRange>{{1, 2}, {4, 5}});
  CHECK(keep_counts({2, 3}, {5, 8}).digits[1].count() == 4);
}

TEST_CASE("a low pass keeps |f| < F") {
  const std::vector<std::uint8_t> kept = kept_frequencies(low_pass(0.25, 100));
  for (int k = 0; k < 100; ++k) CHECK((kept[static_cast<std::size_t>(k)] == 1) == (std::min(k, 100 - k) < 25));
  CHECK(sparsity(low_pass(0.5, 100)) == doctest::Approx(0.01));   // all but N / 2
  CHECK(sparsity(low_pass(1e-9, 100)) == doctest::Approx(0.99));  // the mean alone
}

TEST_CASE("normalised masks") {
  FrequencyMask mask;
  mask.digits = {{8, {{4, 6}, {1, 2}, {2, 5}}}, {4, {{0, 4}}}};
  CHECK(normalised(mask, 32).digits[0].kept == std::vector<ValueRange>{{1, 6}});
  CHECK(to_string(normalised(mask, 32)) == "8:1-5/4:all");
  mask.digits[0].kept = {{0, 8}};
  CHECK(normalised(mask, 32).empty());
  CHECK(to_string(FrequencyMask()) == "all");
  CHECK(normalised(FrequencyMask(), 0).empty());
}

TEST_CASE("refused masks") {
  CHECK(message_of([] {
          (void)keep_counts({17, 1}, {16, 16});
        }) == "mask's digit 0 keeps 17 values; it must keep 1 to 16");
  CHECK(message_of([] {
          (void)keep_counts({1, 0}, {16, 16});
        }) == "mask's digit 1 keeps 0 values; it must keep 1 to 16");
  CHECK(message_of([] {
          (void)keep_counts({1, 2, 3}, {16, 16});
        }).starts_with("mask has 3 counts for 2 digits (16x16)"));
  CHECK(message_of([] { (void)keep_counts({}, 16); }).starts_with("mask has 0 counts"));
  CHECK(message_of([] {
          (void)keep_counts({1, 1}, 13);
        }) == "mask has 2 counts and fft_length is 13, which is no product of so many factors");
  CHECK(message_of([] {
          (void)keep_values({{1}, {}}, {4, 4});
        }) == "mask's digit 1 keeps no value; it must keep 1 to 4");
  CHECK(message_of([] { (void)keep_values({{4}}, {4}); }) == "mask's digit 0 keeps value 4; it must lie in [0, 3]");
  CHECK(message_of([] {
          (void)keep_values({{0, std::numeric_limits<std::int64_t>::max()}}, {4});
        }) == "mask's digit 0 keeps value 9223372036854775807; it must lie in [0, 3]");
  const auto of_range = [](std::int64_t first, std::int64_t end) {
    return message_of([&] { (void)normalised(FrequencyMask{{{8, {{1, 3}, {first, end}}}}}, 8); });
  };
  for (const auto& [first, end] : {std::pair(4, 4), {5, 2}, {-1, -1}, {9, 9}, {0, std::numeric_limits<int>::min()}})
    CHECK(of_range(first, end) == "mask's digit 0 has a range with first " + std::to_string(first) + " and end " +
                                      std::to_string(end) +
                                      ", which keeps no value; they must be 0 <= first < end <= 8");
  CHECK(of_range(6, 9) == "mask's digit 0 keeps values 6 to 8; they must lie in [0, 7]");
  CHECK(message_of([] { (void)keep_values({{-1}}, {4}); }).find("must lie in [0, 3]") != std::string::npos);
  CHECK(message_of([] { (void)low_pass(0.51, 64); }).find("must lie in (0, 0.5]") != std::string::npos);
  CHECK(message_of([] { (void)low_pass(0, 64); }).find("must lie in (0, 0.5]") != std::string::npos);
  CHECK(message_of([] {
          (void)normalised(keep_counts({8, 16}, {16, 16}), 512);
        }) == "mask's digits are 16x16 and fft_length is 512; it must be their product, and be given");
  // 1 alone has no negative among those named.
  FrequencyMask lonely = keep_values({{1}, {0}}, {16, 16});
  lonely.mirrors = static_cast<Mirrors>(9);
  CHECK(message_of([&] { (void)normalised(lonely, 256); }) ==
        "mask.mirrors is 9; it must be 0 (added) or 1 (required)");
  lonely.mirrors = Mirrors::required;
  CHECK(message_of([&] { (void)normalised(lonely, 256); }).find("keeps no frequency together with its negative") !=
        std::string::npos);
  ConvConfig prime;
  prime.fft_length = 4099;
  prime.mask = low_pass(0.1, 4099);
  prime.arch = "sm_90a";
  CHECK(message_of([&] { (void)make_plans(normalised(prime)); }).find("with a mask fft_length up to 32768") !=
        std::string::npos);
  ConvConfig open;
  open.padding = Padding::causal;
  open.length = 1000;
  open.mask = low_pass(0.1, 4096);
  CHECK(message_of([&] { (void)normalised(open); }).find("fft_length is 0") != std::string::npos);
}

// What a plan leaves out holds nothing that is kept, and what it keeps holds something.
TEST_CASE("a plan keeps exactly the rows and columns that hold kept frequencies") {
  for (const FrequencyMask& mask : {keep_counts({16, 16, 16, 8}, 65536), keep_counts({3, 256, 64}, {4, 256, 64}),
                                    keep_values({{3, 5}, {0, 7}, {2}}, {32, 32, 64}), low_pass(0.1, 65536)}) {
    CAPTURE(to_string(mask));
    ConvConfig config;
    config.fft_length = 65536;
    config.mask = mask;
    config.arch = "sm_90a";
    const std::vector<std::uint8_t> kept = kept_frequencies(mask);
    const auto holds = [&](auto&& among) {
      for (std::size_t k = 0; k < kept.size(); ++k)
        if (kept[k] == 1 && among(static_cast<int>(k))) return true;
      return false;
    };
    for (const Plan& weighed : make_plans(normalised(config))) {
      REQUIRE(weighed.as<FourStepPlan>() != nullptr);
      const FourStepPlan& plan = *weighed.as<FourStepPlan>();
      const InBlockPlan& rows = plan.row_plan;
      const int r = plan.columns.length();
      for (int column = 0; column < r; ++column) {
        const bool listed =
            plan.kept_columns.empty() || std::binary_search(plan.kept_columns.begin(), plan.kept_columns.end(), column);
        CHECK(listed == holds([&](int k) { return k % r == column; }));
      }
      const auto stored = [&](int k) { return 2 * (k % r) <= r; };
      for (int row = 0; row < rows.rows(); ++row)
        CHECK(keeps_row(rows, row) == holds([&](int k) { return stored(k) && k / r % rows.rows() == row; }));
      for (int value = 0; value < 16; ++value) {
        const auto lost = [&](const std::vector<int>& list) {
          return !list.empty() && !std::binary_search(list.begin(), list.end(), value);
        };
        if (lost(rows.kept_inner))
          CHECK_FALSE(holds([&](int k) { return stored(k) && k / r / rows.rows() % 16 == value; }));
        if (lost(rows.kept_last))
          CHECK_FALSE(holds([&](int k) { return stored(k) && k / r / rows.rows() / 16 == value; }));
      }
    }
  }
}

TEST_CASE("lists as sums of gaps") {
  CHECK(place_function("f", {0, 1, 2}) == "__device__ constexpr int f(int place) { return place; }\n");
  CHECK(place_function("f", {2, 3, 7}) ==
        "__device__ constexpr int f(int place) { return place + 2 + (place >= 2 ? 3 : 0); }\n");
  CHECK(place_function("f", {2, 3, 7}, Direction::to_place) ==
        "__device__ constexpr int f(int row) { return row - 2 - (row >= 7 ? 3 : 0); }\n");
  CHECK(ranges_text({0, 1, 2, 5, 7, 8}) == "0-2, 5, 7-8");
}
