// A plain search: the error is a jagged function of the scale.
#include "dft_scale.hpp"

#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>

#include "half.hpp"

namespace ffc {

double quiet_scale(int radix, double around) {
  constexpr int candidates = 2000;
  // Few values are distinct: radix 16 has five. Rounding to 1e-12 makes equal what differs by the library's last digit.
  std::map<std::int64_t, int> counts;
  for (int i = 0; i < radix; ++i) {
    const double angle = 2 * std::numbers::pi * i / radix;
    ++counts[std::llround(std::fabs(std::cos(angle)) * 1e12)];
    ++counts[std::llround(std::fabs(std::sin(angle)) * 1e12)];
  }
  double best = around;
  double least = HUGE_VAL;
  for (int i = 0; i <= candidates; ++i) {
    const double scale = around * (0.88 + 0.24 * i / candidates);
    double error = 0;
    for (const auto& [magnitude, count] : counts) {
      const double exact = scale * 1e-12 * static_cast<double>(magnitude);
      const double difference = from_half(to_half(exact)) - exact;
      error += count * difference * difference / (scale * scale);
    }
    if (error < least) least = error, best = scale;
  }
  return best;
}

}  // namespace ffc
