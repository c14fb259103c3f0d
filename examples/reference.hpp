// The convolution in float64 on the CPU: what examples, benchmarks and GPU tests compare with.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "fft.hpp"

namespace ffc::examples {

/// How a convolution in float64 is cut: in blocks of `block` samples of the row, which transforms of `size` points, a
/// power of two, take one by one; what reaches beyond a block is added to those behind it, modulo the period. So any
/// period is exact, and long rows with short filters stay within the cache.
struct ReferenceBlocks {
  /// Of rows of `length` samples, at most `period`, and as many taps at most.
  ReferenceBlocks(std::size_t taps, std::size_t length, std::size_t period) {
    if (taps == 0 || length == 0 || length > period || taps > period)
      throw std::invalid_argument("rows and filter of a reference hold from 1 to `period` samples");
    constexpr std::size_t least = 16384;
    const std::size_t whole = std::has_single_bit(period) ? period : std::bit_ceil(taps + length - 1);
    size = std::min(whole, std::bit_ceil(std::max(least, 4 * taps)));
    block = size == period ? length : std::min(length, size - taps + 1);
  }

  std::size_t size, block;
};

/// One filter, ready to be convolved circularly with a given period.
class ReferenceFilter {
 public:
  /// Rows of `length` samples, at most `period`. A period of length + k.size() - 1 or more makes it causal. `skip` is d
  /// of `y += d . x`.
  ReferenceFilter(std::span<const float> k, std::size_t length, std::size_t period, double skip = 0)
      : ReferenceFilter(length, period, std::vector<double>(k.begin(), k.end()), skip) {}

  /// The same of taps in float64, as masked_taps gives them.
  ReferenceFilter(std::size_t length, std::size_t period, const std::vector<double>& k, double skip = 0)
      : length_(length),
        period_(period),
        blocks_(k.size(), length, period),
        fft_(blocks_.size),
        spectrum_(blocks_.size) {
    std::copy(k.begin(), k.end(), spectrum_.begin());
    spectrum_[0] += skip;
    fft_.forward(spectrum_);
  }

  /// The first `length` samples of the convolution of each row. Rows hold `length` samples; `second` may be empty.
  [[nodiscard]] std::pair<std::vector<double>, std::vector<double>> apply(std::span<const double> first,
                                                                          std::span<const double> second = {}) const {
    if (first.size() != length_ || (!second.empty() && second.size() != length_))
      throw std::invalid_argument("ReferenceFilter: a row has another length than the filter was made for");
    std::pair<std::vector<double>, std::vector<double>> y{std::vector<double>(length_),
                                                          std::vector<double>(second.size())};
    const double scale = 1.0 / static_cast<double>(fft_.size());
    std::vector<std::complex<double>> z(fft_.size());
    for (std::size_t begin = 0; begin < length_; begin += blocks_.block) {
      // The filter is real, so two rows travel as one complex row.
      const std::size_t count = std::min(blocks_.block, length_ - begin);
      for (std::size_t n = 0; n < count; ++n) z[n] = {first[begin + n], second.empty() ? 0.0 : second[begin + n]};
      std::fill(z.begin() + static_cast<std::ptrdiff_t>(count), z.end(), 0.0);
      fft_.forward(z);
      for (std::size_t k = 0; k < z.size(); ++k) z[k] = product(z[k], spectrum_[k]);
      fft_.inverse(z);
      for (std::size_t i = 0, n = begin; i < z.size(); ++i, n = n + 1 == period_ ? 0 : n + 1) {
        if (n >= length_) continue;
        y.first[n] += z[i].real() * scale;
        if (!second.empty()) y.second[n] += z[i].imag() * scale;
      }
    }
    return y;
  }

 private:
  std::size_t length_, period_;
  ReferenceBlocks blocks_;
  PowerOfTwoFft fft_;
  std::vector<std::complex<double>> spectrum_;
};

/// The filter of `period` taps that is left of k, and of a skip term d at tap 0, where kept[f] is 0 for each of the
/// `period` frequencies f that are dropped.
[[nodiscard]] inline std::vector<double> masked_taps(std::span<const float> k, std::size_t period, double skip,
                                                     const std::vector<std::uint8_t>& kept) {
  if (kept.size() != period || k.size() > period)
    throw std::invalid_argument("masked_taps: one flag for each frequency, and as many taps at most");
  std::vector<std::complex<double>> x(period);
  std::copy(k.begin(), k.end(), x.begin());
  x[0] += skip;
  const AnyFft fft(period);
  fft.forward(x);
  for (std::size_t f = 0; f < period; ++f) x[f] *= kept[f];
  fft.forward(x);  // forward again: sample n comes out at -n
  std::vector<double> taps(period);
  for (std::size_t n = 0; n < period; ++n) taps[n] = x[(period - n) % period].real() / static_cast<double>(period);
  return taps;
}

/// Sample n of the causal convolution of k and x, summed term by term: for rows too long to transform in float64.
[[nodiscard]] inline double causal_sample(std::span<const float> k, std::span<const float> x, std::size_t n) {
  constexpr std::size_t lanes = 8;  // sums of their own, so that no addition waits for the one before
  double sums[lanes] = {};
  const std::size_t first = n < x.size() ? 0 : n - x.size() + 1, end = std::min(n + 1, k.size());
  std::size_t m = first;
  for (; m + lanes <= end; m += lanes)
    for (std::size_t i = 0; i < lanes; ++i) sums[i] += static_cast<double>(k[m + i]) * x[n - m - i];
  for (; m < end; ++m) sums[0] += static_cast<double>(k[m]) * x[n - m];
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

/// About `count` positions of a row of `length` samples in order: both ends, and one drawn from every part between.
[[nodiscard]] inline std::vector<std::size_t> sample_positions(std::size_t length, std::size_t count, unsigned seed) {
  if (length == 0) throw std::invalid_argument("sample_positions: the row is empty");
  std::mt19937_64 random(seed);
  std::vector<std::size_t> positions{0};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = length * i / count, end = length * (i + 1) / count;
    if (begin < end) positions.push_back(begin + random() % (end - begin));
  }
  positions.push_back(length - 1);
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return positions;
}

/// a . b, or a where there is no gate b.
[[nodiscard]] inline std::vector<double> gated(std::vector<double> a, std::span<const double> b) {
  for (std::size_t n = 0; n < b.size(); ++n) a.at(n) *= b[n];
  return a;
}

/// norm(y - reference) / norm(reference) over all rows added; NaN where any y is NaN.
class RelativeError {
 public:
  void add(std::span<const double> y, std::span<const double> reference) {
    if (y.size() != reference.size()) throw std::invalid_argument("RelativeError: rows of different length");
    for (std::size_t n = 0; n < y.size(); ++n) {
      const double difference = y[n] - reference[n];
      error_ += difference * difference;
      reference_ += reference[n] * reference[n];
    }
  }

  /// What another one has gathered.
  void add(const RelativeError& other) {
    error_ += other.error_;
    reference_ += other.reference_;
  }

  [[nodiscard]] double value() const { return error_ == 0 ? 0 : std::sqrt(error_ / reference_); }

 private:
  double error_ = 0, reference_ = 0;
};

}  // namespace ffc::examples
