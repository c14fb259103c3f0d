// fp16 conversions on the bits of a double.
#include "half.hpp"

#include <cmath>

namespace ffc {

std::uint16_t to_unusual_half(double value) {
  const bool negative = std::signbit(value);
  const double magnitude = std::fabs(value);
  std::uint32_t bits = 0x7c00u;
  if (std::isnan(value)) bits = 0x7e00u;
  // Below the smallest normal one: multiples of 2^-24.
  if (magnitude < 0x1p-14) bits = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, 24)));
  return static_cast<std::uint16_t>(bits | (negative ? 0x8000u : 0u));
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
