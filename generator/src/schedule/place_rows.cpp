// How far rows are delayed.
#include "place_rows.hpp"

#include <algorithm>
#include <cstdint>

#include "choices.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

void place_rows(Transform& plan, const ConvConfig& config, std::int64_t room, Overhang overhang) {
  constexpr int sample_bytes = 2, wide_enough = 8, narrowest_line = 4, row_samples = 256;
  plan.length = config.length;
  const bool odd = config.row_alignment == sample_bytes && config.pass != Pass::backward;
  const std::int64_t least = odd ? measured::least_odd_delayed : measured::least_delayed;
  if (config.row_alignment >= wide_enough || config.length < least) return;
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

}  // namespace ffc
