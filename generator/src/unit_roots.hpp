// Roots of unity in float64, many at a time.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace ffc {

/// exp(-2 pi i k / n)
[[nodiscard]] std::complex<double> unit_root(std::int64_t k, std::int64_t n);

/// exp(-2 pi i k / n) for any k >= 0, from two short tables: one complex product each instead of a sine and a cosine.
class UnitRoots {
 public:
  explicit UnitRoots(std::int64_t n);

  [[nodiscard]] std::complex<double> operator[](std::int64_t k) const {
    const std::int64_t index = k % n_;
    return coarse_[static_cast<std::size_t>(index / step_)] * fine_[static_cast<std::size_t>(index % step_)];
  }

 private:
  static constexpr std::int64_t step_ = 256;
  std::int64_t n_;
  std::vector<std::complex<double>> coarse_, fine_;
};

}  // namespace ffc
