// Roots of unity in float64, many at a time.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace ffc {

/// exp(-2 pi i k / n)
[[nodiscard]] std::complex<double> unit_root(std::int64_t k, std::int64_t n);

/// a b without the library's care for infinities, which costs a call each.
[[nodiscard]] inline std::complex<double> finite_product(std::complex<double> a, std::complex<double> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// exp(-2 pi i k / n) for any k >= 0, from two short tables: one complex product each instead of a sine and a cosine.
class UnitRoots {
 public:
  explicit UnitRoots(std::int64_t n);

  [[nodiscard]] std::complex<double> operator[](std::int64_t k) const {
    const auto index = static_cast<std::uint64_t>(k < n_ ? k : k % n_);
    return finite_product(coarse_[index / fine_step], fine_[index % fine_step]);
  }

 private:
  static constexpr std::uint64_t fine_step = 256;
  std::int64_t n_;
  std::vector<std::complex<double>> coarse_, fine_;
};

}  // namespace ffc
