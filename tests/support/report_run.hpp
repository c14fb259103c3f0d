// One launch whose kernel makes a report, and what it must say: largest magnitudes, to the bit.
#pragma once

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "conv_run.hpp"
#include "ffc/templates/half.hpp"

namespace ffc::conv_tests {

/// A float's magnitude in the order of its bits: a NaN is the largest, and all NaNs are one.
inline float magnitude_of(float value) {
  return std::isnan(value) ? std::numeric_limits<float>::quiet_NaN() : std::abs(value);
}
inline float larger_magnitude(float largest, float value) {
  if (std::isnan(largest)) return largest;
  const float magnitude = magnitude_of(value);
  return std::isnan(magnitude) || magnitude > largest ? magnitude : largest;
}
inline bool same_magnitude(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Tensors of a launch, forward or backward, in rows with gaps of NaNs between them.
class ReportRun {
 public:
  /// Changes rows before they are copied to the device: "u", "w", "v" or "dy".
  using Change = std::function<void(const char* name, Rows& rows)>;

  ReportRun(const std::shared_ptr<Machine>& machine, const std::shared_ptr<const Kernel>& kernel, Recipe recipe,
            unsigned seed, const Change& change = {})
      : machine_(machine), kernel_(kernel), recipe_(std::move(recipe)) {
    std::mt19937 random(seed);
    const bool backward = config().pass == Pass::backward;
    const auto made = [&](const char* name, bool wanted) {
      Tensor tensor{Rows(recipe_, config()), {}};
      if (!wanted) return tensor;
      recipe_.sample ? tensor.rows.fill(config().dtype, random, recipe_.sample)
                     : tensor.rows.fill_normal(config().dtype, random);
      if (change) change(name, tensor.rows);
      tensor.memory = Buffer::of(machine_, tensor.rows.bits());
      return tensor;
    };
    u_ = made("u", true), w_ = made("w", has_in_gate(config().gating));
    v_ = made("v", has_out_gate(config().gating)), dy_ = made("dy", backward);
    const auto taps = static_cast<std::size_t>(config().filter_length);
    std::vector<float> k(taps * channels());
    for (float& tap : k)
      tap = static_cast<float>(recipe_.filter_scale) * normal(random) / std::sqrt(static_cast<float>(taps));
    filter_ = Buffer::of(machine_, k);
    spectrum_ = kernel_->prepare_filter({filter_.at<float>(0), nullptr, config().filter_length, recipe_.channels});
    report_ = Buffer::of(machine_, std::vector<ChannelReport>(channels()));
    for (Buffer& result : results_) result = Buffer(machine_, 2 * u_.rows.bits().size()), result.poison();
    dk_ = Buffer(machine_, sizeof(float) * k.size()), dd_ = Buffer(machine_, sizeof(float) * channels());
  }

  [[nodiscard]] const ConvConfig& config() const { return kernel_->config(); }
  [[nodiscard]] std::size_t channels() const { return static_cast<std::size_t>(recipe_.channels); }
  RowMagnitudes input_magnitudes, gradient_magnitudes;

  [[nodiscard]] LaunchArguments arguments() const {
    LaunchArguments arguments;
    arguments.u = view(u_), arguments.w = view(w_), arguments.v = view(v_);
    arguments.y = result(0);
    arguments.spectrum = spectrum_, arguments.input_magnitudes = input_magnitudes;
    arguments.report = memory_of_report();
    arguments.batch = recipe_.batch, arguments.channels = recipe_.channels;
    return arguments;
  }

  [[nodiscard]] BackwardArguments backward_arguments() const {
    BackwardArguments arguments;
    const Gradients& wanted = config().gradients;
    arguments.u = view(u_), arguments.w = view(w_), arguments.v = view(v_), arguments.dy = view(dy_);
    if (wanted.u) arguments.du = result(0);
    if (wanted.w) arguments.dw = result(1);
    if (wanted.v) arguments.dv = result(2);
    if (wanted.k) arguments.dk = dk_.at<float>(0);
    if (wanted.d) arguments.dd = dd_.at<float>(0);
    arguments.spectrum = spectrum_;
    arguments.input_magnitudes = input_magnitudes, arguments.gradient_magnitudes = gradient_magnitudes;
    arguments.report = memory_of_report();
    arguments.batch = recipe_.batch, arguments.channels = recipe_.channels;
    return arguments;
  }

  void launch() {
    config().pass == Pass::backward ? kernel_->launch_backward(backward_arguments()) : kernel_->launch(arguments());
    machine_->synchronize();
  }

  /// What was stored: of y or du, dw and dv, by their number.
  [[nodiscard]] std::vector<std::uint16_t> result_bits(int index) const {
    return results_[index].download<std::uint16_t>(0, results_[index].bytes() / 2);
  }

  [[nodiscard]] std::vector<ChannelReport> report() const { return report_.download<ChannelReport>(0, channels()); }

  /// What the launch must have reported, by its tensors as they are stored.
  [[nodiscard]] std::vector<ChannelReport> expected() const {
    std::vector<ChannelReport> all(channels());
    const bool backward = config().pass == Pass::backward;
    const bool of_u = !backward || config().gradients.k || config().gradients.d || config().gradients.v;
    const bool of_dy =
        backward && (config().gradients.k || config().gradients.d || config().gradients.u || config().gradients.w);
    for (int h = 0; h < recipe_.channels; ++h) {
      ChannelReport& record = all[static_cast<std::size_t>(h)];
      if (of_u) record.input = products(u_, w_, has_in_gate(config().gating), config().input_exponent, h);
      if (of_dy) record.gradient = products(dy_, v_, has_out_gate(config().gating), config().gradient_exponent, h);
      if (!backward) record.output = largest_result(0, h);
      const Gradients& wanted = config().gradients;
      if (backward)
        for (const auto& [is_wanted, index] : {std::pair{wanted.u, 0}, {wanted.w, 1}, {wanted.v, 2}})
          if (is_wanted) record.gradients = larger_magnitude(record.gradients, largest_result(index, h));
    }
    return all;
  }

 private:
  struct Tensor {
    Rows rows{Recipe{}, ConvConfig{}};
    Buffer memory;
  };

  [[nodiscard]] TensorView view(const Tensor& tensor) const {
    if (tensor.memory.bytes() == 0) return {};
    return {tensor.memory.data(), tensor.rows.batch_stride(), tensor.rows.channel_stride()};
  }
  [[nodiscard]] ChannelReport* memory_of_report() const {
    return config().report == Report::none ? nullptr : report_.at<ChannelReport>(0);
  }
  [[nodiscard]] MutableTensorView result(int index) const {
    return {results_[index].data(), u_.rows.batch_stride(), u_.rows.channel_stride()};
  }

  // As stored, or times gates as the kernel rounds that: in fp16 where rows of fp16 have no power of two, else in fp32,
  // which holds such products exactly.
  [[nodiscard]] float products(const Tensor& rows, const Tensor& gates, bool gated, int exponent, int channel) const {
    const DataType dtype = config().dtype;
    const bool rounds = dtype == DataType::fp16 && kernel_scaling() == Scaling::fixed && exponent == 0;
    float largest = 0;
    for (int b = 0; b < recipe_.batch; ++b) {
      const std::vector<double> samples = rows.rows.row(dtype, b, channel);
      const std::vector<double> gate = gated ? gates.rows.row(dtype, b, channel) : samples;
      for (std::size_t n = 0; n < samples.size(); ++n) {
        auto value = static_cast<float>(gated ? samples[n] * gate[n] : samples[n]);
        if (gated && rounds) value = examples::from_fp16(examples::to_fp16(value));
        largest = larger_magnitude(largest, value);
      }
    }
    return largest;
  }

  [[nodiscard]] Scaling kernel_scaling() const { return config().scaling; }

  [[nodiscard]] float largest_result(int index, int channel) const {
    Rows rows = u_.rows;
    rows.bits() = results_[index].download<std::uint16_t>(0, rows.bits().size());
    float largest = 0;
    for (int b = 0; b < recipe_.batch; ++b)
      for (const double value : rows.row(config().dtype, b, channel))
        largest = larger_magnitude(largest, static_cast<float>(value));
    return largest;
  }

  std::shared_ptr<Machine> machine_;
  std::shared_ptr<const Kernel> kernel_;
  Recipe recipe_;
  Tensor u_, w_, v_, dy_;
  Buffer filter_, report_, results_[3], dk_, dd_;
  FilterSpectrum spectrum_;
};

/// The launch reports what it must.
inline void check_report(ReportRun& run) {
  run.launch();
  const std::vector<ChannelReport> report = run.report(), expected = run.expected();
  for (std::size_t h = 0; h < report.size(); ++h) {
    CAPTURE(h);
    const auto check = [&](float got, float wanted) {
      CAPTURE(got);
      CAPTURE(wanted);
      CHECK(same_magnitude(got, wanted));
    };
    check(report[h].input, expected[h].input), check(report[h].gradient, expected[h].gradient);
    check(report[h].output, expected[h].output), check(report[h].gradients, expected[h].gradients);
  }
}

}  // namespace ffc::conv_tests
