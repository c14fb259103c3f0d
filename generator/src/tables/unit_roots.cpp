// The two tables: multiples of 256, and what lies between.
#include "unit_roots.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ffc {

std::complex<double> unit_root(std::int64_t k, std::int64_t n) {
  const double angle = -2.0 * std::numbers::pi * static_cast<double>(k % n) / static_cast<double>(n);
  return {std::cos(angle), std::sin(angle)};
}

UnitRoots::UnitRoots(std::int64_t n) : n_(n) {
  constexpr auto step = static_cast<std::int64_t>(fine_step);
  for (std::int64_t k = 0; k < n; k += step) coarse_.push_back(unit_root(k, n));
  for (std::int64_t k = 0; k < std::min(step, n); ++k) fine_.push_back(unit_root(k, n));
}

}  // namespace ffc
