// Where each frequency of a filter's spectrum lives, and which taps it is made from: all a filter kernel must know.
#pragma once

#include <cstdint>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/frequency_mask.hpp"

namespace ffc {

/// One channel's spectrum row: order.size() complex fp16 elements, then 16 bytes that begin with a float scale and,
/// twice, the power of two that the elements lack: 1, but where spectrum_lacks_power says so. Elements come in tiles:
/// `tile` real parts, then `tile` imaginary parts.
struct SpectrumLayout {
  std::vector<std::int32_t> order;  ///< frequency (0 to M - 1) of each element; -1: padding, stored as zero
  int tile = 1;
  /// What is stored, times that power, is gain * DFT(k) / 2^e with max |.| in (1/2, 1]; the scale is 2^e ...
  double gain = 1.0;
  int output_exponent = 0;  ///< ... times 2^output_exponent
  bool fp16_scale = true;   ///< e + output_exponent is kept within [-14, 15], what fp16 holds exactly

  /// Of rows that are transformed alone: every frequency of the order is 4 k + 1, and no other is asked for.
  bool right_angle = false;

  // The row of M taps that is transformed: position p holds k[p] where p < head, k[p - tail_start + tail_tap] where
  // p >= tail_start, else zero; taps that do not exist (index >= filter_length) are zero.
  std::int64_t head = 0;
  std::int64_t tail_start = 0;
  std::int64_t tail_tap = 0;

  FrequencyMask mask;  ///< what it drops is stored as zero, and is left out where the scale is chosen
  /// Split plans: the frequencies j of the spectrum's rows, in order; empty: 0 to R / 2.
  std::vector<int> rows;

  [[nodiscard]] std::int64_t row_bytes() const { return static_cast<std::int64_t>(order.size()) * 4 + 16; }
};

/// Sets head and tail for a config whose convolution runs at length `transform_length` (direct, causal or folded).
void place_taps(SpectrumLayout& layout, const ConvConfig& config, std::int64_t transform_length);

}  // namespace ffc
