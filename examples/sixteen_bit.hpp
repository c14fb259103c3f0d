// fp16 and bf16 on the host: what the rows in device memory hold, as float and back.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "ffc/generator/conv_config.hpp"

namespace ffc::examples {

/// `value` rounded to IEEE binary16, to nearest even; beyond 65504 becomes infinity.
[[nodiscard]] inline std::uint16_t to_fp16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return static_cast<std::uint16_t>(sign | 0x7E00U);
  if (magnitude >= 0x477FF000U) return static_cast<std::uint16_t>(sign | 0x7C00U);  // 65520 and more round to infinity
  if (magnitude < 0x38800000U) {  // subnormal: a whole number of 2^-24, which nearbyint rounds to even
    const auto steps = static_cast<std::uint32_t>(std::nearbyint(std::bit_cast<float>(magnitude) * 0x1p24F));
    return static_cast<std::uint16_t>(sign | steps);
  }
  const std::uint32_t rounded = magnitude + 0xFFFU + (magnitude >> 13 & 1U);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000U) >> 13));
}

[[nodiscard]] inline float from_fp16(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16;
  const std::uint32_t exponent = bits >> 10 & 0x1FU;
  const std::uint32_t fraction = bits & 0x3FFU;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000U | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | fraction << 13);
  const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
  return sign != 0 ? -magnitude : magnitude;
}

/// `value` rounded to bfloat16, to nearest even.
[[nodiscard]] inline std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<std::uint16_t>(bits >> 16 | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16);
}

[[nodiscard]] inline float from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

[[nodiscard]] inline std::uint16_t encode(DataType dtype, float value) {
  return dtype == DataType::fp16 ? to_fp16(value) : to_bf16(value);
}

[[nodiscard]] inline float decode(DataType dtype, std::uint16_t bits) {
  return dtype == DataType::fp16 ? from_fp16(bits) : from_bf16(bits);
}

[[nodiscard]] inline std::vector<std::uint16_t> encode(DataType dtype, std::span<const float> values) {
  std::vector<std::uint16_t> bits;
  bits.reserve(values.size());
  for (const float value : values) bits.push_back(encode(dtype, value));
  return bits;
}

[[nodiscard]] inline std::vector<double> decode(DataType dtype, std::span<const std::uint16_t> bits) {
  std::vector<double> values;
  values.reserve(bits.size());
  for (const std::uint16_t word : bits) values.push_back(decode(dtype, word));
  return values;
}

}  // namespace ffc::examples
