// IEEE binary16 on the host: rounding to nearest even, as the device does. Part of every program compiled for the host,
// each of which would read <cmath> for longer than all of this: hence the compiler's own functions.
#pragma once

#include <bit>
#include <cstdint>

namespace ffc {

/// to_half of what is no normal fp16 number: zero, subnormal, too large, NaN.
[[nodiscard]] inline std::uint16_t to_unusual_half(double value) {
  const bool negative = __builtin_signbit(value);
  const double magnitude = __builtin_fabs(value);
  std::uint32_t bits = 0x7c00u;
  if (__builtin_isnan(value)) bits = 0x7e00u;
  // Below the smallest normal one: multiples of 2^-24.
  if (magnitude < 0x1p-14) bits = static_cast<std::uint32_t>(__builtin_nearbyint(magnitude * 0x1p24));
  return static_cast<std::uint16_t>(bits | (negative ? 0x8000u : 0u));
}

/// The bits of `value` rounded to fp16; beyond 65504 becomes infinity. Inline: tables convert tens of thousands.
[[nodiscard]] inline std::uint16_t to_half(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t magnitude = bits & 0x7fffffffffffffffu;
  constexpr std::uint64_t least = std::bit_cast<std::uint64_t>(0x1p-14);
  constexpr std::uint64_t infinite = std::bit_cast<std::uint64_t>(65520.0);
  if (magnitude < least || magnitude >= infinite) return to_unusual_half(value);
  // Exponent and mantissa as one number: rounding to nearest even carries from one into the other where it must.
  constexpr int dropped = 52 - 10;
  constexpr std::uint64_t rebias = static_cast<std::uint64_t>(1023 - 15) << 52;
  const std::uint64_t number = magnitude - rebias;
  const std::uint64_t rounded = number + (std::uint64_t{1} << (dropped - 1)) - 1 + (number >> dropped & 1);
  return static_cast<std::uint16_t>((bits >> 48 & 0x8000) | rounded >> dropped);
}

/// The value of fp16 bits.
[[nodiscard]] inline double from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int mantissa = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 31) return mantissa != 0 ? __builtin_nan("") : sign * __builtin_huge_val();
  if (exponent == 0) return sign * __builtin_ldexp(mantissa, -24);
  return sign * __builtin_ldexp(1024 + mantissa, exponent - 25);
}

/// Two fp16 values in one word, `low` in the low half.
[[nodiscard]] inline std::uint32_t pack_halves(double low, double high) {
  return static_cast<std::uint32_t>(to_half(low)) | static_cast<std::uint32_t>(to_half(high)) << 16;
}

}  // namespace ffc
