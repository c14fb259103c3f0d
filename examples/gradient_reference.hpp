// Gradients of the convolution in float64 on the CPU: what tests and benchmarks compare with.
#pragma once

#include <algorithm>
#include <bit>
#include <complex>
#include <cstddef>
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
        fft_(std::bit_ceil(std::max(k.size() + length, 2 * length))),
        spectrum_(fft_.size()),
        sums_(fft_.size()) {
    if (k.empty() || length == 0 || length > period || k.size() > period)
      throw std::invalid_argument("ReferenceGradients: rows and filter hold from 1 to `period` samples");
    std::copy(k.begin(), k.end(), spectrum_.begin());
    spectrum_[0] += skip;
    fft_.forward(spectrum_);
  }

  struct Row {
    std::vector<double> convolved, correlated;
  };

  /// Of one row; adds its part to dk.
  [[nodiscard]] Row add(std::span<const double> x, std::span<const double> g) {
    const std::vector<Complex> z = transformed(x), frequencies = transformed(g);
    std::vector<Complex> convolved(z.size()), correlated(z.size());
    for (std::size_t i = 0; i < z.size(); ++i) {
      convolved[i] = z[i] * spectrum_[i];
      correlated[i] = frequencies[i] * std::conj(spectrum_[i]);
      sums_[i] += std::conj(z[i]) * frequencies[i];
    }
    return {folded(std::move(convolved), length_, length_ + taps_ - 1),
            folded(std::move(correlated), length_, length_)};
  }

  /// Of all rows so far.
  [[nodiscard]] std::vector<double> dk() const { return folded(sums_, taps_, length_); }

 private:
  using Complex = std::complex<double>;

  [[nodiscard]] std::vector<Complex> transformed(std::span<const double> row) const {
    if (row.size() != length_) throw std::invalid_argument("ReferenceGradients: a row has another length");
    std::vector<Complex> z(fft_.size());
    std::copy(row.begin(), row.end(), z.begin());
    fft_.forward(z);
    return z;
  }

  // The first `count` samples modulo the period. Positions of the transform from `end` on are negative ones.
  [[nodiscard]] std::vector<double> folded(std::vector<Complex> frequencies, std::size_t count, std::size_t end) const {
    fft_.inverse(frequencies);
    const auto size = static_cast<std::ptrdiff_t>(frequencies.size()), period = static_cast<std::ptrdiff_t>(period_);
    std::vector<double> row(count);
    for (std::ptrdiff_t i = 0; i < size; ++i) {
      const std::ptrdiff_t position = i < static_cast<std::ptrdiff_t>(end) ? i : i - size;
      const auto n = static_cast<std::size_t>(((position % period) + period) % period);
      if (n < count) row[n] += frequencies[static_cast<std::size_t>(i)].real() / static_cast<double>(size);
    }
    return row;
  }

  std::size_t taps_, length_, period_;
  PowerOfTwoFft fft_;
  std::vector<Complex> spectrum_, sums_;
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
