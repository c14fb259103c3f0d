// One convolution and its gradients of rows of one magnitude, against float64.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "../../examples/gradient_reference.hpp"
#include "conv_run.hpp"

namespace ffc::range_tests {

using conv_tests::Buffer;
using conv_tests::Machine;
using conv_tests::Recipe;
using conv_tests::Rows;

/// Largest magnitudes of u and of dy. Gains of the filter, powers of two, keep results where fp16 has its accuracy.
struct Magnitudes {
  float u = 1, dy = 1;
  float gain_of_y = 1, gain_of_du = 1;
};

/// norm(result - ref) / norm(ref), and what was lost altogether.
struct ResultError {
  double error = 0;
  std::int64_t not_finite = 0;  ///< elements, whose reference is finite
  std::int64_t flushed = 0;     ///< rows of zeros, whose reference has some that are not
};

struct MagnitudeErrors {
  ResultError y, du, dk;
};

/// Kernels forward and backward of one config.
class MagnitudeRun {
 public:
  MagnitudeRun(std::shared_ptr<Machine> machine, ConvConfig config, int batch, int channels)
      : machine_(std::move(machine)) {
    recipe_.batch = batch, recipe_.channels = channels;
    config.pass = Pass::forward;
    forward_ = get_kernel(config, machine_->device());
    config.pass = Pass::backward;
    backward_ = get_kernel(config, machine_->device());
  }

  [[nodiscard]] const Kernel& forward() const { return *forward_; }

  [[nodiscard]] MagnitudeErrors errors(const Magnitudes& magnitudes, unsigned seed) const {
    std::mt19937 random(seed);
    const Rows u = rows(random, magnitudes.u), dy = rows(random, magnitudes.dy);
    Rows y = u, du = u;
    const auto taps = static_cast<std::size_t>(config().filter_length);
    std::vector<float> k(taps * channels()), dk(k.size());
    for (float& tap : k) tap = conv_tests::normal(random) / std::sqrt(static_cast<float>(taps));
    launch(magnitudes, u, dy, k, y, du, dk);
    return compare(magnitudes, u, dy, k, y, du, dk);
  }

 private:
  [[nodiscard]] const ConvConfig& config() const { return forward_->config(); }
  [[nodiscard]] std::size_t channels() const { return static_cast<std::size_t>(recipe_.channels); }

  // Uniform samples of either sign.
  [[nodiscard]] Rows rows(std::mt19937& random, float magnitude) const {
    Rows made(recipe_, config());
    std::uniform_real_distribution<float> sample(-1, 1);
    made.fill(config().dtype, random, [&](std::mt19937& of) { return magnitude * sample(of); });
    return made;
  }

  [[nodiscard]] Buffer filter_of(std::vector<float> k, float gain) const {
    for (float& tap : k) tap *= gain;
    return Buffer::of(machine_, k);
  }

  void launch(const Magnitudes& magnitudes, Rows u, Rows dy, const std::vector<float>& k, Rows& y, Rows& du,
              std::vector<float>& dk) const {
    const Buffer u_buffer = Buffer::of(machine_, u.bits()), dy_buffer = Buffer::of(machine_, dy.bits());
    const Buffer k_of_y = filter_of(k, magnitudes.gain_of_y), k_of_du = filter_of(k, magnitudes.gain_of_du);
    const Buffer given = Buffer::of(machine_, std::vector<float>{magnitudes.u, magnitudes.dy});
    Buffer y_buffer(machine_, 2 * y.bits().size()), du_buffer(machine_, 2 * du.bits().size()),
        dk_buffer(machine_, sizeof(float) * dk.size());
    for (Buffer* const buffer : {&y_buffer, &du_buffer, &dk_buffer}) buffer->poison();
    const auto view = [&](const Buffer& buffer) {
      return TensorView{buffer.data(), u.batch_stride(), u.channel_stride()};
    };
    const auto result = [&](const Buffer& buffer) {
      return MutableTensorView{buffer.data(), u.batch_stride(), u.channel_stride()};
    };
    const bool gives = config().scaling == Scaling::given;
    const auto filter = [&](const Buffer& of) {
      return FilterView{of.at<float>(0), nullptr, config().filter_length, recipe_.channels};
    };
    LaunchArguments arguments;
    arguments.u = view(u_buffer), arguments.y = result(y_buffer);
    arguments.spectrum = forward_->prepare_filter(filter(k_of_y));
    arguments.batch = recipe_.batch, arguments.channels = recipe_.channels;
    if (gives) arguments.input_magnitudes.data = given.at<float>(0);
    forward_->launch(arguments);
    BackwardArguments gradients;
    gradients.u = view(u_buffer), gradients.dy = view(dy_buffer), gradients.du = result(du_buffer);
    gradients.dk = dk_buffer.at<float>(0);
    gradients.spectrum = backward_->prepare_filter(filter(k_of_du));
    gradients.batch = recipe_.batch, gradients.channels = recipe_.channels;
    if (gives)
      gradients.input_magnitudes.data = given.at<float>(0), gradients.gradient_magnitudes.data = given.at<float>(1);
    backward_->launch_backward(gradients);
    machine_->synchronize();
    y.bits() = y_buffer.download<std::uint16_t>(0, y.bits().size());
    du.bits() = du_buffer.download<std::uint16_t>(0, du.bits().size());
    dk = dk_buffer.download<float>(0, dk.size());
  }

  // Adds a row to an error, but for what is not finite.
  static void add(ResultError& result, examples::RelativeError& error, std::vector<double> got,
                  std::vector<double> expected, double gain = 1) {
    for (double& value : expected) value *= gain;
    const auto is_zero = [](double value) { return value == 0; };
    if (std::all_of(got.begin(), got.end(), is_zero) && !std::all_of(expected.begin(), expected.end(), is_zero))
      ++result.flushed;
    for (std::size_t n = 0; n < got.size(); ++n)
      if (!std::isfinite(got[n])) got[n] = 0, ++result.not_finite;
    error.add(got, expected);
  }

  [[nodiscard]] MagnitudeErrors compare(const Magnitudes& magnitudes, const Rows& u, const Rows& dy,
                                        const std::vector<float>& k, const Rows& y, const Rows& du,
                                        const std::vector<float>& dk) const {
    MagnitudeErrors all;
    examples::RelativeError of_y, of_du, of_dk;
    const auto length = static_cast<std::size_t>(config().length),
               taps = static_cast<std::size_t>(config().filter_length);
    const DataType dtype = config().dtype;
    for (int h = 0; h < recipe_.channels; ++h) {
      const std::size_t first = static_cast<std::size_t>(h) * taps;
      examples::ReferenceGradients reference({k.data() + first, taps}, length, length);
      for (int b = 0; b < recipe_.batch; ++b) {
        const auto row = reference.add(u.row(dtype, b, h), dy.row(dtype, b, h));
        add(all.y, of_y, y.row(dtype, b, h), row.convolved, magnitudes.gain_of_y);
        add(all.du, of_du, du.row(dtype, b, h), row.correlated, magnitudes.gain_of_du);
      }
      const auto begin = dk.begin() + static_cast<std::ptrdiff_t>(first);
      add(all.dk, of_dk, {begin, begin + static_cast<std::ptrdiff_t>(taps)}, reference.dk());
    }
    all.y.error = of_y.value(), all.du.error = of_du.value(), all.dk.error = of_dk.value();
    return all;
  }

  std::shared_ptr<Machine> machine_;
  Recipe recipe_;
  std::shared_ptr<const Kernel> forward_, backward_;
};

}  // namespace ffc::range_tests
