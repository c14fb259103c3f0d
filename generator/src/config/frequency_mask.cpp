// Checks, names and closes masks of frequencies.
#include "ffc/generator/frequency_mask.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "ffc/generator/error.hpp"

namespace ffc {
namespace {

constexpr std::int64_t longest = 16777216;

std::vector<std::int64_t> radices_of(const FrequencyMask& mask) {
  std::vector<std::int64_t> radices;
  for (const MaskDigit& digit : mask.digits) radices.push_back(digit.radix);
  return radices;
}

void check_lists(std::string_view what, std::size_t given, const std::vector<std::int64_t>& radices) {
  if (given != radices.size() || radices.empty())
    throw ConfigError(fmt::format("mask has {} {} for {} digits ({}); it must have one for each, and at least one",
                                  given, what, radices.size(), fmt::join(radices, "x")));
  for (const std::int64_t radix : radices)
    if (radix < 1 || radix > longest)
      throw ConfigError(fmt::format("radix of a mask's digit is {}; it must lie in [1, {}]", radix, longest));
}

// Sorted, without gaps of nothing and overlaps.
std::vector<ValueRange> joined(std::vector<ValueRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<ValueRange> result;
  for (const ValueRange& range : ranges) {
    if (range.first >= range.end) continue;
    if (!result.empty() && range.first <= result.back().end)
      result.back().end = std::max(result.back().end, range.end);
    else
      result.push_back(range);
  }
  return result;
}

// The values next to zero, under negation.
std::vector<ValueRange> around_zero(std::int64_t count, std::int64_t radix) {
  if (count == radix) return {{0, radix}};
  const bool even = count % 2 == 0;
  if (even && radix % 2 == 1) return {{1, count / 2 + 1}, {radix - count / 2, radix}};
  const std::int64_t beside = (count - 1) / 2;
  std::vector<ValueRange> ranges = {{0, beside + 1}, {radix - beside, radix}};
  if (even) ranges.push_back({radix / 2, radix / 2 + 1});
  return joined(ranges);
}

// The values next to either end, under d -> radix - 1 - d.
std::vector<ValueRange> at_ends(std::int64_t count, std::int64_t radix) {
  if (radix % 2 == 0) count += count % 2;
  std::vector<ValueRange> ranges = {{0, count / 2}, {radix - count / 2, radix}};
  if (count % 2 == 1) ranges.push_back({radix / 2, radix / 2 + 1});
  return joined(ranges);
}

// The same in every period of the shortest length that allows it.
std::vector<ValueRange> at_ends_of_periods(std::int64_t count, std::int64_t radix) {
  if (radix % 2 == 0) count += count % 2;
  for (std::int64_t period = 1; period < radix; ++period) {
    const std::int64_t each = count * period / radix;
    if (radix % period != 0 || count * period % radix != 0 || (period % 2 == 0 && each % 2 == 1)) continue;
    std::vector<ValueRange> ranges;
    for (std::int64_t first = 0; first < radix; first += period)
      for (const auto& [low, end] : at_ends(each, period)) ranges.push_back({first + low, first + end});
    return joined(ranges);
  }
  return at_ends(count, radix);
}

// Appends `count` factors of n, each as near to what is left of the others as it can be; false where n has fewer.
bool append_factors(std::vector<std::int64_t>& radices, std::int64_t n, std::size_t count) {
  if (count == 1) {
    radices.push_back(n);
    return n > 1;
  }
  const double root = std::pow(static_cast<double>(n), 1.0 / static_cast<double>(count));
  for (auto radix = static_cast<std::int64_t>(std::floor(root + 1e-9)); radix > 1; --radix) {
    if (n % radix != 0) continue;
    const std::size_t before = radices.size();
    radices.push_back(radix);
    if (append_factors(radices, n / radix, count - 1)) return true;
    radices.resize(before);
  }
  return false;
}

// As many factors of n, as equal as they can be.
std::vector<std::int64_t> equal_digits(std::int64_t n, std::size_t count) {
  std::vector<std::int64_t> radices;
  if (!append_factors(radices, n, count))
    throw ConfigError(
        fmt::format("mask has {} counts and fft_length is {}, which is no product of so many factors", count, n));
  return radices;
}

bool is_full(const MaskDigit& digit) { return digit.count() == digit.radix; }

std::string text_of(const MaskDigit& digit) {
  if (is_full(digit)) return fmt::format("{}:all", digit.radix);
  std::vector<std::string> ranges;
  for (const auto& [first, end] : digit.kept)
    ranges.push_back(end == first + 1 ? std::to_string(first) : fmt::format("{}-{}", first, end - 1));
  return fmt::format("{}:{}", digit.radix, fmt::join(ranges, ","));
}

void check_digit(const MaskDigit& digit, std::size_t index) {
  if (digit.radix < 1 || digit.radix > longest)
    throw ConfigError(fmt::format("mask's digit {} has radix {}; it must lie in [1, {}]", index, digit.radix, longest));
  for (const auto& [first, end] : digit.kept) {
    if (first >= end)
      throw ConfigError(
          fmt::format("mask's digit {} has a range with first {} and end {}, which keeps no value; they "
                      "must be 0 <= first < end <= {}",
                      index, first, end, digit.radix));
    if (first < 0 || end > digit.radix)
      throw ConfigError(fmt::format("mask's digit {} keeps values {} to {}; they must lie in [0, {}]", index, first,
                                    end - 1, digit.radix - 1));
  }
  if (digit.kept.empty())
    throw ConfigError(fmt::format("mask's digit {} keeps no value; it must keep 1 to {}", index, digit.radix));
}

}  // namespace

std::int64_t MaskDigit::count() const {
  std::int64_t values = 0;
  for (const auto& [first, end] : kept) values += end - first;
  return values;
}

std::int64_t FrequencyMask::length() const {
  std::int64_t product = 1;
  for (const MaskDigit& digit : digits) {
    product *= digit.radix;
    if (product < 1 || product > longest) return longest + 1;
  }
  return product;
}

FrequencyMask keep_counts(const std::vector<std::int64_t>& counts, const std::vector<std::int64_t>& radices) {
  check_lists("counts", counts.size(), radices);
  FrequencyMask mask;
  mask.mirrors = Mirrors::required;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 1 || counts[i] > radices[i])
      throw ConfigError(fmt::format("mask's digit {} keeps {} values; it must keep 1 to {}", i, counts[i], radices[i]));
    mask.digits.push_back({radices[i], i == 0                  ? around_zero(counts[i], radices[i])
                                       : i + 1 < counts.size() ? at_ends_of_periods(counts[i], radices[i])
                                                               : at_ends(counts[i], radices[i])});
  }
  return mask;
}

FrequencyMask keep_counts(const std::vector<std::int64_t>& counts, std::int64_t fft_length) {
  if (counts.empty() || fft_length < 1)
    throw ConfigError(
        fmt::format("mask has {} counts for fft_length {}; both must be at least 1", counts.size(), fft_length));
  return keep_counts(counts, equal_digits(fft_length, counts.size()));
}

FrequencyMask keep_values(const std::vector<std::vector<std::int64_t>>& values,
                          const std::vector<std::int64_t>& radices) {
  check_lists("sets of values", values.size(), radices);
  FrequencyMask mask;
  for (std::size_t i = 0; i < values.size(); ++i) {
    MaskDigit digit{radices[i], {}};
    for (const std::int64_t value : values[i]) {
      // Ahead of the value behind it, which the largest number has none of.
      if (value < 0 || value >= digit.radix)
        throw ConfigError(
            fmt::format("mask's digit {} keeps value {}; it must lie in [0, {}]", i, value, digit.radix - 1));
      digit.kept.push_back({value, value + 1});
    }
    check_digit(digit, i);
    digit.kept = joined(digit.kept);
    mask.digits.push_back(std::move(digit));
  }
  return mask;
}

FrequencyMask low_pass(double limit, std::int64_t fft_length) {
  if (!(limit > 0 && limit <= 0.5))
    throw ConfigError(fmt::format("limit of a low pass is {} cycles a sample; it must lie in (0, 0.5]", limit));
  if (fft_length < 1 || fft_length > longest)
    throw ConfigError(fmt::format("fft_length of a low pass is {}; it must lie in [1, {}]", fft_length, longest));
  const auto end = static_cast<std::int64_t>(std::ceil(limit * static_cast<double>(fft_length)));
  FrequencyMask mask;
  mask.mirrors = Mirrors::required;
  mask.digits.push_back({fft_length, joined({{0, std::min(end, fft_length)},
                                             {std::max<std::int64_t>(fft_length - end + 1, 1), fft_length}})});
  return mask;
}

std::vector<std::uint8_t> kept_frequencies(const FrequencyMask& mask) {
  std::vector<std::uint8_t> named = {1};
  for (const MaskDigit& digit : mask.digits) {
    const std::size_t weight = named.size();
    std::vector<std::uint8_t> next(weight * static_cast<std::size_t>(digit.radix), 0);
    for (const auto& [first, end] : digit.kept)
      for (std::int64_t value = first; value < end; ++value)
        std::copy(named.begin(), named.end(), next.begin() + value * static_cast<std::int64_t>(weight));
    named = std::move(next);
  }
  const std::size_t n = named.size();
  for (std::size_t k = 0; 2 * k <= n; ++k) {
    std::uint8_t& one = named[k];
    std::uint8_t& other = named[(n - k) % n];
    one = other = static_cast<std::uint8_t>(mask.mirrors == Mirrors::added ? one | other : one & other);
  }
  return named;
}

double sparsity(const FrequencyMask& mask) {
  if (mask.empty()) return 0;
  const std::vector<std::uint8_t> kept = kept_frequencies(mask);
  const auto count = std::count(kept.begin(), kept.end(), 1);
  return 1 - static_cast<double>(count) / static_cast<double>(kept.size());
}

std::string to_string(const FrequencyMask& mask) {
  if (mask.empty()) return "all";
  std::vector<std::string> digits;
  for (const MaskDigit& digit : mask.digits) digits.push_back(text_of(digit));
  return fmt::format("{}{}", fmt::join(digits, "/"), mask.mirrors == Mirrors::required ? "/mirrors" : "");
}

FrequencyMask normalised(const FrequencyMask& mask, std::int64_t fft_length) {
  if (mask.mirrors != Mirrors::added && mask.mirrors != Mirrors::required)
    throw ConfigError(fmt::format("mask.mirrors is {}; it must be {} (added) or {} (required)",
                                  static_cast<int>(mask.mirrors), static_cast<int>(Mirrors::added),
                                  static_cast<int>(Mirrors::required)));
  if (mask.empty()) return {};
  FrequencyMask result = mask;
  for (std::size_t i = 0; i < result.digits.size(); ++i) {
    check_digit(result.digits[i], i);
    result.digits[i].kept = joined(result.digits[i].kept);
  }
  if (mask.length() != fft_length)
    throw ConfigError(fmt::format("mask's digits are {} and fft_length is {}; it must be their product, and be given",
                                  fmt::join(radices_of(mask), "x"), fft_length));
  if (std::all_of(result.digits.begin(), result.digits.end(), is_full)) return {};
  if (sparsity(result) == 1)
    throw ConfigError(fmt::format("mask {} keeps no frequency together with its negative; it must keep one at least",
                                  to_string(result)));
  return result;
}

}  // namespace ffc
