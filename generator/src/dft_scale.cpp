// A plain search: the error is a jagged function of the scale.
#include "dft_scale.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "half.hpp"

namespace ffc {

double quiet_scale(int radix, double around) {
  constexpr int candidates = 2000;
  std::vector<double> magnitudes;
  for (int i = 0; i < radix; ++i) magnitudes.push_back(std::fabs(std::cos(2 * std::numbers::pi * i / radix)));
  for (int i = 0; i < radix; ++i) magnitudes.push_back(std::fabs(std::sin(2 * std::numbers::pi * i / radix)));
  double best = around;
  double least = HUGE_VAL;
  for (int i = 0; i <= candidates; ++i) {
    const double scale = around * (0.88 + 0.24 * i / candidates);
    double error = 0;
    for (const double magnitude : magnitudes) {
      const double exact = scale * magnitude;
      const double difference = from_half(to_half(exact)) - exact;
      error += difference * difference / (scale * scale);
    }
    if (error < least) least = error, best = scale;
  }
  return best;
}

}  // namespace ffc
