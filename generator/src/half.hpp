// IEEE binary16 on the host: rounding to nearest even, as the device does.
#pragma once

#include <cstdint>

namespace ffc {

/// The bits of `value` rounded to fp16; beyond 65504 becomes infinity.
[[nodiscard]] std::uint16_t to_half(double value);

/// The value of fp16 bits.
[[nodiscard]] double from_half(std::uint16_t bits);

/// Two fp16 values in one word, `low` in the low half.
[[nodiscard]] inline std::uint32_t pack_halves(double low, double high) {
  return static_cast<std::uint32_t>(to_half(low)) | static_cast<std::uint32_t>(to_half(high)) << 16;
}

}  // namespace ffc
