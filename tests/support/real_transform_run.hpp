// Spectra to taps and gradients back, beside float64.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "../../examples/fft.hpp"
#include "../../examples/machine.hpp"
#include "ffc/runtime/real_transform.hpp"

namespace ffc::real_transform_tests {

using Complex = std::complex<double>;

/// norm(result - reference) / norm(reference): some times 2^-24, more the longer the transform.
inline constexpr double bar = 1.2e-6;

struct Recipe {
  int channels = 2;
  std::int64_t gap = 0;  ///< elements between rows that belong to nobody
  unsigned seed = 1;
};

/// irfft(K, n = N)[0 : taps] of one row, as PyTorch and numpy have it: imaginary parts of frequencies that are their
/// own mirrors do not count.
inline std::vector<double> taps_of(const RealTransformConfig& config, std::span<const float> spectrum) {
  const auto length = static_cast<std::size_t>(config.length);
  std::vector<Complex> all(length);
  for (std::size_t f = 0; f <= length / 2; ++f) {
    const Complex x = {spectrum[2 * f], f == 0 || 2 * f == length ? 0.0 : spectrum[2 * f + 1]};
    all[(length - f) % length] = x;  // the transform back is the one there at negative frequencies
    if (f > 0 && 2 * f != length) all[f] = std::conj(x);
  }
  examples::AnyFft(length).forward(all);
  std::vector<double> taps(static_cast<std::size_t>(config.taps));
  for (std::size_t n = 0; n < taps.size(); ++n) taps[n] = all[n].real() / static_cast<double>(length);
  return taps;
}

/// The square of what the norm of a row of taps comes to, of a spectrum of random numbers: few taps may be small by
/// chance.
inline double expected_square(const RealTransformConfig& config, std::span<const float> spectrum) {
  double sum = 0;
  for (const float x : spectrum) sum += 2.0 * x * x;
  return sum * static_cast<double>(config.taps) / std::pow(static_cast<double>(config.length), 2);
}

/// The gradient of a row's spectrum from that of its taps: of each real and each imaginary part by itself.
inline std::vector<double> gradient_of(const RealTransformConfig& config, std::span<const float> dk) {
  const auto length = static_cast<std::size_t>(config.length);
  std::vector<Complex> all(length);
  for (std::size_t n = 0; n < dk.size(); ++n) all[n] = dk[n];
  examples::AnyFft(length).forward(all);
  std::vector<double> gradient;
  for (std::size_t f = 0; f <= length / 2; ++f) {
    const bool own_mirror = f == 0 || 2 * f == length;
    const double factor = (own_mirror ? 1.0 : 2.0) / static_cast<double>(length);
    gradient.push_back(factor * all[f].real());
    gradient.push_back(own_mirror ? 0.0 : factor * all[f].imag());
  }
  return gradient;
}

/// The error of all rows; infinite where something was written that belongs to nobody.
inline double error_of(const std::shared_ptr<examples::Machine>& machine, const RealTransform& transform,
                       const Recipe& recipe) {
  const GeneratedRealTransform& generated = transform.generated();
  const bool forward = generated.config.pass == Pass::forward;
  const auto in_row = static_cast<std::size_t>(generated.from_floats());
  const auto out_row = static_cast<std::size_t>(generated.to_floats());
  const std::size_t in_floats = forward ? 2 : 1, out_floats = forward ? 1 : 2;  // of an element
  const auto gap = static_cast<std::size_t>(recipe.gap), rows = static_cast<std::size_t>(recipe.channels);
  const std::size_t in_stride = in_row + in_floats * gap, out_stride = out_row + out_floats * gap;

  std::mt19937 random(recipe.seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(rows * in_stride, NAN);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t i = 0; i < in_row; ++i) values[row * in_stride + i] = normal(random);
  const auto from = examples::Buffer::of(machine, values);
  examples::Buffer to(machine, rows * out_stride * sizeof(float));
  to.poison();
  const auto before = to.download<std::uint32_t>(0, rows * out_stride);
  const std::size_t needed = transform.workspace_bytes(recipe.channels);
  examples::Buffer workspace(machine, needed + 16);
  workspace.poison();
  RealTransformRows arguments;
  arguments.from = from.at<float>(0);
  arguments.to = to.at<float>(0);
  arguments.channels = recipe.channels;
  arguments.from_channel_stride = recipe.gap == 0 ? 0 : static_cast<std::int64_t>(in_stride / in_floats);
  arguments.to_channel_stride = recipe.gap == 0 ? 0 : static_cast<std::int64_t>(out_stride / out_floats);
  transform.run(arguments, needed > 0 ? Workspace{workspace.data(), needed} : Workspace{});

  const auto result = to.download<float>(0, rows * out_stride);
  const auto bits = to.download<std::uint32_t>(0, rows * out_stride);
  double error = 0, norm = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::span<const float> in(values.data() + row * in_stride, in_row);
    const std::vector<double> right = forward ? taps_of(generated.config, in) : gradient_of(generated.config, in);
    if (forward) norm += expected_square(generated.config, in);
    for (std::size_t i = 0; i < out_row; ++i) {
      const double difference = static_cast<double>(result[row * out_stride + i]) - right[i];
      error += difference * difference, norm += forward ? 0 : right[i] * right[i];
    }
    for (std::size_t i = row * out_stride + out_row; i < (row + 1) * out_stride; ++i)
      if (bits[i] != before[i]) return HUGE_VAL;
  }
  return std::isnan(error) ? HUGE_VAL : std::sqrt(error / norm);
}

}  // namespace ffc::real_transform_tests
