// Gradients of the convolution in float64 on the CPU: what tests and benchmarks compare with.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <mutex>
#include <span>
#include <stdexcept>
#include <vector>

#include "fft.hpp"

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
        fft_(transform_size(k.size(), length, period)),
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

  /// Of one row; adds its part to dk. Several threads may add at once.
  [[nodiscard]] Row add(std::span<const double> x, std::span<const double> g) {
    if (x.size() != length_ || g.size() != length_)
      throw std::invalid_argument("ReferenceGradients: a row has another length");
    // Both are real, and travel as one complex row there and back: as large as each other, so that neither drowns in
    // what the other rounds.
    const double of_x = norm(x), of_g = norm(g), balance = of_x > 0 && of_g > 0 ? of_x / of_g : 1;
    std::vector<Complex> z(fft_.size());
    for (std::size_t n = 0; n < length_; ++n) z[n] = {x[n], g[n] * balance};
    fft_.forward(z);
    std::vector<Complex> products(z.size());
    for (std::size_t f = 0; f <= z.size() / 2; ++f) {
      const std::size_t mirror = (z.size() - f) % z.size();
      const Complex sum = 0.5 * (z[f] + std::conj(z[mirror])), difference = 0.5 * (z[f] - std::conj(z[mirror]));
      const Complex other{difference.imag(), -difference.real()};
      products[f] = product(std::conj(sum), other);
      products[mirror] = std::conj(products[f]);
      const Complex convolved = product(sum, spectrum_[f]), correlated = product(other, std::conj(spectrum_[f]));
      z[f] = {convolved.real() - correlated.imag(), convolved.imag() + correlated.real()};
      z[mirror] = {convolved.real() + correlated.imag(), correlated.real() - convolved.imag()};
    }
    {
      const std::lock_guard lock(mutex_);
      for (std::size_t f = 0; f < sums_.size(); ++f) sums_[f] += products[f] / balance;
    }
    fft_.inverse(z);
    return {folded(z, length_, length_ + taps_ - 1, [](Complex value) { return value.real(); }),
            folded(z, length_, length_, [balance](Complex value) { return value.imag() / balance; })};
  }

  /// Of all rows so far.
  [[nodiscard]] std::vector<double> dk() const {
    std::vector<Complex> sums = sums_;
    fft_.inverse(sums);
    return folded(sums, taps_, length_, [](Complex value) { return value.real(); });
  }

 private:
  using Complex = std::complex<double>;

  static double norm(std::span<const double> row) {
    double squares = 0;
    for (const double value : row) squares += value * value;
    return std::sqrt(squares);
  }

  // A power of two that is the period itself, or holds all of each linear convolution.
  static std::size_t transform_size(std::size_t taps, std::size_t length, std::size_t period) {
    return std::has_single_bit(period) ? period : std::bit_ceil(std::max(taps + length, 2 * length));
  }

  // The first `count` samples of `part` modulo the period. Positions of the transform from `end` on are negative ones.
  template <class Part>
  [[nodiscard]] std::vector<double> folded(std::span<const Complex> x, std::size_t count, std::size_t end,
                                           Part part) const {
    const auto size = static_cast<double>(x.size());
    std::vector<double> row(count);
    const auto add = [&](std::size_t begin, std::size_t stop, std::size_t position) {  // x[begin] is at `position`
      for (std::size_t i = begin, n = position % period_; i < stop; ++i, n = n + 1 == period_ ? 0 : n + 1)
        if (n < count) row[n] += part(x[i]) / size;
    };
    // Where the transform is the period, all that it holds is in place.
    const std::size_t ahead = x.size() == period_ ? x.size() : std::min(end, x.size());
    add(0, ahead, 0);
    add(ahead, x.size(), x.size() * period_ - (x.size() - ahead));
    return row;
  }

  std::size_t taps_, length_, period_;
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
