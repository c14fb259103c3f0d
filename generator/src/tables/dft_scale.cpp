// A plain search over the fp16 values in range: the error is a jagged function of the scale.
#include "dft_scale.hpp"

#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>

#include "ffc/templates/half.hpp"

namespace ffc {

namespace {

// How often each magnitude occurs, in units of 1e-12, which make equal what differs by the library's last digit.
using Magnitudes = std::map<std::int64_t, int>;

void count_root(Magnitudes& counts, double turns) {
  const double angle = 2 * std::numbers::pi * turns;
  ++counts[std::llround(std::fabs(std::cos(angle)) * 1e12)];
  ++counts[std::llround(std::fabs(std::sin(angle)) * 1e12)];
}

double quietest(const Magnitudes& counts, double around) {
  double best = around;
  double least = HUGE_VAL;
  // A scale that fp16 holds keeps the constant part of a row free of a bias that every stage would repeat.
  for (std::uint16_t bits = to_half(0.88 * around); bits <= to_half(1.12 * around); ++bits) {
    const double scale = from_half(bits);
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

}  // namespace

double quiet_scale(int radix, double around) {
  Magnitudes counts;  // few are distinct: radix 16 has five
  for (int i = 0; i < radix; ++i) count_root(counts, static_cast<double>(i) / radix);
  return quietest(counts, around);
}

double quiet_turns_scale(int rows) {
  if (rows % 2 == 0 || rows == 1) return 1;
  Magnitudes counts;
  for (int a = 0; a < rows; ++a)
    for (int k = 0; k < rows; ++k) count_root(counts, static_cast<double>(a * (4 * k + 1)) / (4 * rows));
  return quietest(counts, 1);
}

double quiet_halved_scale(double around) {
  Magnitudes counts;
  for (const double shift : {0.0, 0.5})
    for (int row = 0; row < 8; ++row)
      for (int column = 0; column < 8; ++column) count_root(counts, (row + shift) * (column + shift) / 8);
  return quietest(counts, around);
}

}  // namespace ffc
