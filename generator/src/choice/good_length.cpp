// Good lengths by predicted cost.
#include "ffc/generator/good_length.hpp"

#include <fmt/format.h>

#include <bit>
#include <vector>

#include "ffc/generator/error.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"

namespace ffc {
namespace {

constexpr std::int64_t most_tried = 40;

ConvConfig with_length(ConvConfig config, std::int64_t length) {
  if (config.padding == Padding::causal) {
    if (config.filter_length == config.length) config.filter_length = 0;  // all taps, of the new length
    config.length = length;
    return config;
  }
  if (config.padding == Padding::padded && config.fft_length > 0)
    config.length = config.length * length / config.fft_length;
  if (config.padding == Padding::circular) config.length = 0;
  config.filter_length = 0;
  config.fft_length = length;
  return config;
}

double us_per_pair(const ConvConfig& like, std::int64_t length) {
  return make_plans(normalised(with_length(like, length))).front()->cost.total / 1000;
}

// Multiples of a power of two, at most so many, up to a quarter longer; and the next power of two.
std::vector<std::int64_t> lengths_above(std::int64_t length) {
  constexpr std::int64_t least_step = 16;
  const auto power = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(length)));
  std::int64_t step = least_step;
  while (length / 4 / step > most_tried) step *= 2;
  std::vector<std::int64_t> lengths;
  for (std::int64_t next = length / step * step + step; next <= length + length / 4; next += step)
    lengths.push_back(next);
  if (power > length && (lengths.empty() || power > lengths.back())) lengths.push_back(power);
  return lengths;
}

}  // namespace

LengthAdvice advise_length(std::int64_t length, const ConvConfig& like) {
  if (!like.mask.empty() || !like.radices.empty() || like.column_length != 0)
    throw ConfigError("advice on lengths is for configs without mask, radices and column_length: these name a length");
  LengthAdvice advice;
  advice.length = advice.good_length = length;
  advice.us_per_pair = advice.good_us_per_pair = us_per_pair(like, length);
  for (const std::int64_t other : lengths_above(length)) {
    double cost = 0;
    try {
      cost = us_per_pair(like, other);
    } catch (const ConfigError&) {
      continue;  // past the longest that there is
    }
    if (cost >= advice.good_us_per_pair) continue;
    advice.good_length = other;
    advice.good_us_per_pair = cost;
  }
  return advice;
}

std::int64_t good_length(std::int64_t length, const ConvConfig& like) {
  ConvConfig named = like;
  if (named.arch.empty()) named.arch = "sm_90a";
  return advise_length(length, named).good_length;
}

}  // namespace ffc
