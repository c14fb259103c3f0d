// How far rows are delayed.
#include "delay.hpp"

#include <cstdint>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

void place_rows(Transform& plan, const ConvConfig& config, std::int64_t room) {
  constexpr int line_bytes = 16, sample_bytes = 2;
  plan.length = config.length;
  const int most = (line_bytes - config.row_alignment) / sample_bytes;
  // Padding of half a transform, which is neither copied nor multiplied, is worth more.
  const bool half = 2 * config.length <= room && 2 * (config.length + most) > room;
  if (half || config.length + most > room) return;
  plan.length += most;
  plan.most_delay = most;
}

}  // namespace ffc
