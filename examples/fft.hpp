// The complex FFT in float64 on the CPU that references are made of.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <numbers>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ffc::examples {

/// a . b, written out: the operator of std::complex tests every product for NaN.
[[nodiscard]] inline std::complex<double> product(std::complex<double> a, std::complex<double> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Complex FFT of a power of two, unnormalised both ways. May be used by several threads at once.
class PowerOfTwoFft {
 public:
  using Complex = std::complex<double>;

  explicit PowerOfTwoFft(std::size_t size) : size_(size), roots_(roots_of(size)) {}

  [[nodiscard]] std::size_t size() const { return size_; }

  /// Sum of x[n] exp(-2 pi i n k / size), in place.
  void forward(std::span<Complex> x) const {
    if (x.size() != size_) throw std::invalid_argument("PowerOfTwoFft: the data has another size than the transform");
    std::vector<Complex> work(size_);
    Complex* from = x.data();
    Complex* to = work.data();
    // Decimation in frequency; results are written in order, so nothing is reversed (Stockham).
    std::size_t stride = 1;
    for (; size_ / stride >= 4; stride *= 4, std::swap(from, to)) radix_4(from, to, stride);
    if (size_ / stride == 2) {
      radix_2(from, to, stride);
      std::swap(from, to);
    }
    if (from != x.data()) std::copy(work.begin(), work.end(), x.begin());
  }

  /// Sum of x[k] exp(+2 pi i n k / size), in place.
  void inverse(std::span<Complex> x) const {
    forward(x);
    std::reverse(x.begin() + 1, x.end());
  }

 private:
  using Roots = std::vector<Complex>;

  // exp(-2 pi i n / size) of the first quarter: made once for each size.
  static std::shared_ptr<const Roots> roots_of(std::size_t size) {
    if (!std::has_single_bit(size)) throw std::invalid_argument("PowerOfTwoFft: the size is not a power of two");
    static std::mutex mutex;
    static std::map<std::size_t, std::shared_ptr<const Roots>> tables;
    const std::lock_guard lock(mutex);
    std::shared_ptr<const Roots>& table = tables[size];
    if (!table) {
      Roots roots(size / 4);
      for (std::size_t i = 0; i < roots.size(); ++i)
        roots[i] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(size));
      table = std::make_shared<const Roots>(std::move(roots));
    }
    return table;
  }

  // One pass over all of the data: `stride` transforms, interleaved, of size / stride points each.
  void radix_4(const Complex* from, Complex* to, std::size_t stride) const {
    const std::size_t quarter = size_ / 4;
    for (std::size_t p = 0; p < quarter / stride; ++p) {
      const Complex root = (*roots_)[p * stride], root_2 = product(root, root), root_3 = product(root, root_2);
      for (std::size_t q = 0; q < stride; ++q) {
        const Complex* const in = from + p * stride + q;
        Complex* const out = to + 4 * p * stride + q;
        const Complex a = in[0], b = in[quarter], c = in[2 * quarter], d = in[3 * quarter];
        const Complex even = a + c, odd = a - c, sum = b + d, turned{b.imag() - d.imag(), d.real() - b.real()};
        out[0] = even + sum;
        out[stride] = product(root, odd + turned);
        out[2 * stride] = product(root_2, even - sum);
        out[3 * stride] = product(root_3, odd - turned);
      }
    }
  }

  static void radix_2(const Complex* from, Complex* to, std::size_t stride) {
    for (std::size_t q = 0; q < stride; ++q) {
      to[q] = from[q] + from[q + stride];
      to[q + stride] = from[q] - from[q + stride];
    }
  }

  std::size_t size_;
  std::shared_ptr<const Roots> roots_;
};

/// The same of any size: a chirp, and a convolution with another one of a power of two (Bluestein).
class AnyFft {
 public:
  using Complex = std::complex<double>;

  explicit AnyFft(std::size_t size)
      : size_(size),
        fft_(std::has_single_bit(size) ? size : std::bit_ceil(2 * size)),
        chirp_(plain() ? 0 : size),
        spectrum_(plain() ? 0 : fft_.size()) {
    if (size == 0) throw std::invalid_argument("AnyFft: the size is 0");
    if (plain()) return;
    std::size_t square = 0;  // n^2 modulo 2 size, so that the angle stays exact
    for (std::size_t n = 0; n < size; ++n) {
      chirp_[n] = std::polar(1.0, -std::numbers::pi * static_cast<double>(square) / static_cast<double>(size));
      square += 2 * n + 1;
      if (square >= 2 * size) square -= 2 * size;
    }
    for (std::size_t n = 0; n < size; ++n) spectrum_[n] = std::conj(chirp_[n]);
    for (std::size_t n = 1; n < size; ++n) spectrum_[spectrum_.size() - n] = spectrum_[n];
    fft_.forward(spectrum_);
  }

  [[nodiscard]] std::size_t size() const { return size_; }

  /// Sum of x[n] exp(-2 pi i n k / size), in place.
  void forward(std::span<Complex> x) const {
    if (x.size() != size_) throw std::invalid_argument("AnyFft: the data has another size than the transform");
    if (plain()) return fft_.forward(x);
    std::vector<Complex> z(fft_.size());
    for (std::size_t n = 0; n < size_; ++n) z[n] = product(x[n], chirp_[n]);
    fft_.forward(z);
    for (std::size_t k = 0; k < z.size(); ++k) z[k] = product(z[k], spectrum_[k]);
    fft_.inverse(z);
    for (std::size_t k = 0; k < size_; ++k) x[k] = product(z[k], chirp_[k]) / static_cast<double>(z.size());
  }

 private:
  [[nodiscard]] bool plain() const { return fft_.size() == size_; }

  std::size_t size_;
  PowerOfTwoFft fft_;
  std::vector<Complex> chirp_, spectrum_;
};

}  // namespace ffc::examples
