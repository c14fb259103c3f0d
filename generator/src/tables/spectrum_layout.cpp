// Placement of taps for direct, causal and folded convolutions.
#include "spectrum_layout.hpp"

#include <algorithm>

#include "ffc/generator/conv_config.hpp"
#include "window_plan.hpp"

namespace ffc {

void place_taps(SpectrumLayout& layout, const ConvConfig& config, std::int64_t transform_length) {
  layout.head = std::min(config.filter_length, transform_length);
  layout.tail_start = transform_length;
  layout.tail_tap = 0;
  if (config.padding == Padding::causal) {
    layout.head = reached_taps(config);
  } else if (transform_length != config.fft_length) {
    // Folded: differences n - m run from 1 - L to L - 1, the negative ones to the end of the row, all modulo N.
    layout.head = std::min(config.filter_length, config.length);
    layout.tail_start = transform_length - config.length + 1;
    layout.tail_tap = config.fft_length - config.length + 1;
  }
}

}  // namespace ffc
