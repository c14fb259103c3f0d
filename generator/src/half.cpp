// fp16 conversions on the bits of a double.
#include "half.hpp"

#include <bit>
#include <cmath>

namespace ffc {

namespace {

// Values below the smallest normal one: multiples of 2^-24.
std::uint32_t subnormal_half(double magnitude) {
  return static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, 24)));
}

}  // namespace

std::uint16_t to_half(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint32_t>(bits >> 48 & 0x8000);
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00u);
  if (magnitude >= 65520.0) return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x1p-14) return static_cast<std::uint16_t>(sign | subnormal_half(magnitude));
  // Exponent and mantissa as one number: rounding to nearest even carries from one into the other where it must.
  constexpr int dropped = 52 - 10;
  constexpr std::uint64_t rebias = static_cast<std::uint64_t>(1023 - 15) << 52;
  const std::uint64_t number = (bits & 0x7fffffffffffffffu) - rebias;
  const std::uint64_t rounded = number + (std::uint64_t{1} << (dropped - 1)) - 1 + (number >> dropped & 1);
  return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(rounded >> dropped));
}

double from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int mantissa = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 31) return mantissa != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

}  // namespace ffc
