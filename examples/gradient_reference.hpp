// Gradients of the convolution in float64 on the CPU: what tests and benchmarks compare with.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <mutex>
#include <span>
#include <stdexcept>
#include <vector>

#include "reference.hpp"

namespace ffc::examples {

/// Gradients of one channel, row by row. With x = u . w, g = dy . v and indices modulo `period`:
/// convolved[n] = sum of k[j] x[n - j], correlated[m] = sum of k[j] g[m + j], dk[j] += sum over n of x[n - j] g[n].
class ReferenceGradients {
 public:
  /// Rows of `length` samples, at most `period`. A period of length + k.size() or more makes the convolution causal.
  ReferenceGradients(std::span<const float> k, std::size_t length, std::size_t period, double skip = 0)
      : taps_(k.size()),
        length_(length),
        period_(period),
        blocks_(k.size(), length, period),
        fft_(blocks_.size),
        spectrum_(blocks_.size),
        sums_(blocks_.size) {
    std::copy(k.begin(), k.end(), spectrum_.begin());
    spectrum_[0] += skip;
    fft_.forward(spectrum_);
  }

  struct Row {
    std::vector<double> convolved, correlated;
  };

  /// Of one row; adds its part to dk. Several threads may add at once.
  [[nodiscard]] Row add(std::span<const double> x, std::span<const double> g) {
    if (x.size() != length_ || g.size() != length_)
      throw std::invalid_argument("ReferenceGradients: a row has another length");
    const double of_x = norm(x), of_g = norm(g);
    const bool adds = of_x > 0 && of_g > 0;  // a row of zeros, not what rounding leaves of it
    const double balance = adds ? of_x / of_g : 1;
    Row row{std::vector<double>(length_), std::vector<double>(length_)};
    std::vector<Complex> z(fft_.size()), sums(fft_.size());
    for (std::size_t begin = 0; begin < length_; begin += blocks_.block) {
      const std::size_t count = std::min(blocks_.block, length_ - begin);
      load(z, x.subspan(begin, count), g, begin, balance);
      fft_.forward(z);
      multiply(z, sums);
      fft_.inverse(z);
      const double scale = 1 / static_cast<double>(z.size());
      for (std::size_t i = 0, n = begin; i < z.size(); ++i, n = n + 1 == period_ ? 0 : n + 1)
        if (n < length_) row.convolved[n] += z[i].real() * scale;
      for (std::size_t i = 0; i < count; ++i) row.correlated[begin + i] = z[i].imag() * scale / balance;
    }
    if (!adds) return row;
    const std::lock_guard lock(mutex_);
    for (std::size_t f = 0; f < sums_.size(); ++f) sums_[f] += sums[f] / balance;
    return row;
  }

  /// Of all rows so far.
  [[nodiscard]] std::vector<double> dk() const {
    std::vector<Complex> sums = sums_;
    fft_.inverse(sums);
    std::vector<double> taps(taps_);
    for (std::size_t j = 0; j < taps_; ++j) taps[j] = sums[j].real() / static_cast<double>(sums.size());
    return taps;
  }

 private:
  using Complex = std::complex<double>;

  static double norm(std::span<const double> row) {
    double squares = 0;
    for (const double value : row) squares += value * value;
    return std::sqrt(squares);
  }

  // A block of x, and g from where it begins on as far as its taps reach. Both are real, and travel as one complex row
  // there and back: as large as each other, so that neither drowns in what the other rounds.
  void load(std::vector<Complex>& z, std::span<const double> block, std::span<const double> g, std::size_t begin,
            double balance) const {
    std::fill(z.begin(), z.end(), 0.0);
    for (std::size_t i = 0; i < block.size(); ++i) z[i].real(block[i]);
    const std::size_t reach = std::min(z.size(), block.size() + taps_ - 1);
    for (std::size_t i = 0, n = begin; i < reach; ++i, n = n + 1 == period_ ? 0 : n + 1)
      if (n < length_) z[i].imag(g[n] * balance);
  }

  // In frequencies: x . k and g . conj(k) into z, conj(x) . g onto `sums`.
  void multiply(std::vector<Complex>& z, std::vector<Complex>& sums) const {
    for (std::size_t f = 0; f <= z.size() / 2; ++f) {
      const std::size_t mirror = (z.size() - f) % z.size();
      const Complex x = 0.5 * (z[f] + std::conj(z[mirror])), difference = 0.5 * (z[f] - std::conj(z[mirror]));
      const Complex g{difference.imag(), -difference.real()}, of_taps = product(std::conj(x), g);
      sums[f] += of_taps;
      if (mirror != f) sums[mirror] += std::conj(of_taps);
      const Complex convolved = product(x, spectrum_[f]), correlated = product(g, std::conj(spectrum_[f]));
      z[f] = {convolved.real() - correlated.imag(), convolved.imag() + correlated.real()};
      z[mirror] = {convolved.real() + correlated.imag(), correlated.real() - convolved.imag()};
    }
  }

  std::size_t taps_, length_, period_;
  ReferenceBlocks blocks_;
  PowerOfTwoFft fft_;
  std::vector<Complex> spectrum_, sums_;
  std::mutex mutex_;
};

/// Some taps of dk of one channel, row by row, by their definition: where rows are too long and too many for more.
class TapSums {
 public:
  TapSums(std::vector<std::size_t> taps, std::size_t period)
      : taps_(std::move(taps)), sums_(taps_.size()), period_(period) {}

  void add(std::span<const double> x, std::span<const double> g) {
    for (std::size_t i = 0; i < taps_.size(); ++i) {
      // x[n - tap], and what comes round from the end of the period.
      const std::size_t tap = taps_[i], length = g.size();
      double sum = 0;
      for (std::size_t n = tap; n < length; ++n) sum += x[n - tap] * g[n];
      for (std::size_t n = 0; n < std::min(tap, length); ++n)
        if (const std::size_t from = n + period_ - tap; from < length) sum += x[from] * g[n];
      sums_[i] += sum;
    }
  }

  /// What another has summed of the same taps.
  void add(const TapSums& others) {
    if (others.taps_ != taps_) throw std::invalid_argument("TapSums: the sums are of other taps");
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += others.sums_[i];
  }

  [[nodiscard]] const std::vector<std::size_t>& taps() const { return taps_; }
  [[nodiscard]] const std::vector<double>& sums() const { return sums_; }

 private:
  std::vector<std::size_t> taps_;
  std::vector<double> sums_;
  std::size_t period_;
};

}  // namespace ffc::examples
