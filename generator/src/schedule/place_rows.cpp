// How far rows are delayed.
#include "place_rows.hpp"

#include <algorithm>
#include <cstdint>

#include "choices.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "plan_limits.hpp"

namespace ffc {

constexpr int sample_bytes = 2;

// Whether rows at such addresses gain by a delay.
static bool gains_by_delay(const ConvConfig& config, int chunk_bytes) {
  const bool forward = config.pass != Pass::backward;
  const bool long_row = config.length >= measured::least_delayed_by_8 && config.length <= longest_tiled;
  switch (config.row_alignment) {
    case sample_bytes:
      return config.length >= measured::least_odd_delayed;
    case 2 * sample_bytes:
      return config.length >= measured::least_delayed;
    case 4 * sample_bytes:
      return forward && (long_row || chunk_bytes > config.row_alignment);
    default:
      return false;
  }
}

void place_rows(Transform& plan, const ConvConfig& config, std::int64_t room, Overhang overhang, int chunk_bytes) {
  constexpr int narrowest_line = 4, row_samples = 256;
  plan.length = config.length;
  if (!gains_by_delay(config, chunk_bytes)) return;
  for (int line = measured::widest_line; line >= narrowest_line; line /= 2) {
    const int most = (line - config.row_alignment) / sample_bytes;
    const std::int64_t end = config.length + most;
    // Where one row of 256 samples holds all, a second one for the delay is twice the work.
    const bool second_row = config.length <= row_samples && end > row_samples;
    if (most <= 0 || second_row || (end > room && overhang == Overhang::none)) continue;
    plan.length = std::min(end, room);
    plan.most_delay = most;
    plan.delay_line = line;
    plan.most_wrapped = static_cast<int>(end - plan.length);
    return;
  }
}

void place_windows(Transform& plan, const ConvConfig& config) {
  constexpr int widest_gaining = 2 * sample_bytes;
  if (config.history || config.row_alignment > widest_gaining || !gains_by_delay(config, 0)) return;
  plan.most_delay = (measured::widest_line - config.row_alignment) / sample_bytes;
  plan.delay_line = measured::widest_line;
  Windows& windows = *plan.windows;
  windows.count = (config.length + plan.most_delay + windows.step - 1) / windows.step;
}

}  // namespace ffc
