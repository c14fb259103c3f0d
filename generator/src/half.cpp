// fp16 conversions through the exact integer grid of each binade.
#include "half.hpp"

#include <cmath>

namespace ffc {

std::uint16_t to_half(double value) {
  const std::uint32_t sign = std::signbit(value) ? 0x8000u : 0u;
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00u);
  if (magnitude >= 65520.0) return static_cast<std::uint16_t>(sign | 0x7c00u);
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  // Below 2^-14, and for zero, the grid stays that of the smallest normal binade.
  const int grid = (magnitude == 0 || exponent < -13 ? -13 : exponent) - 11;
  const double steps = std::nearbyint(std::ldexp(magnitude, -grid));
  // steps counts multiples of 2^grid; adding it to the binade's base carries into the exponent where it must.
  const auto base = static_cast<std::uint32_t>(grid + 24) << 10;
  return static_cast<std::uint16_t>(sign | (base + static_cast<std::uint32_t>(steps)));
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
