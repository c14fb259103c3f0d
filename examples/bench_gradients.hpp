// Gradients timed, checked, and held against a copy of the same bytes.
#pragma once

#include <algorithm>
#include <ffc/ffc.hpp>
#include <future>
#include <map>
#include <thread>
#include <vector>

#include "bench_case.hpp"
#include "bench_tensors.hpp"
#include "gradient_reference.hpp"
#include "training_memory.hpp"

namespace ffc::examples {

struct GradientResult {
  double milliseconds = 0;        ///< median, one launch
  double floor_milliseconds = 0;  ///< median, one copy of as many bytes: each input once, each gradient of rows once
  double rows_error = 0;          ///< norm(y - ref) / norm(ref) of du, dw and dv of some channels, the largest
  double sums_error = 0;          ///< of dk
  std::size_t launch_bytes = 0;   ///< workspace lent, and what the first launch took besides
  std::size_t step_bytes = 0;     ///< of forward and backward, beside tensors, their gradients and dk
  std::size_t torch_bytes = 0;    ///< the same of PyTorch's autograd, counted
  double call_microseconds = 0;   ///< median, the CPU's time in a call of launch_backward
  double predicted_milliseconds = 0;  ///< what the cost model expects of a launch
  LaunchWork work;
};

/// Gradients of one config: u, w, v and dy in, du, dw, dv and dk out, over sets that are used in turn.
class GradientCase {
 public:
  GradientCase(std::shared_ptr<Machine> device, const Pattern& pattern, std::shared_ptr<const Kernel> kernel, int batch,
               int channels)
      : device_(std::move(device)),
        pattern_(pattern),
        kernel_(std::move(kernel)),
        batch_(batch),
        channels_(channels),
        length_(static_cast<std::size_t>(kernel_->config().length)),
        taps_(static_cast<std::size_t>(kernel_->config().filter_length)),
        tensors_(device_, pattern, kernel_->config().dtype, batch, channels, length_, inputs_of(kernel_->config()),
                 outputs_of(kernel_->config()), is_long() ? 1 : 2) {
    dk_ = Buffer(device_, static_cast<std::size_t>(channels_) * taps_ * sizeof(float));
    if (const std::size_t bytes = kernel_->backward_workspace_bytes(batch_, channels_); bytes != 0)
      workspace_ = Buffer(device_, bytes);
    if (kernel_->config().report != Report::none)
      report_ = Buffer::of(device_, std::vector<ChannelReport>(static_cast<std::size_t>(channels_)));
    const Buffer k = pattern_.scaled_taps(static_cast<std::size_t>(channels_) * taps_, tap_scale());
    spectrum_ = kernel_->prepare_filter({k.at<float>(0), nullptr, static_cast<std::int64_t>(taps_), channels_});
    device_->synchronize();
  }

  GradientResult run() {
    GradientResult result;
    tensors_.poison();
    dk_.poison();
    const std::size_t free_before = device_->free_bytes();
    launch(0);
    device_->synchronize();
    const std::size_t free_after = device_->free_bytes();
    result.launch_bytes = workspace_.bytes() + (free_before > free_after ? free_before - free_after : 0);
    check(result);
    measure_step(result);
    result.milliseconds = time();
    if (!device_->is_host())
      result.call_microseconds = median_call_microseconds(
          device_, [&](int i) { launch(static_cast<std::size_t>(i)); }, is_long() ? 7 : 21);
    result.predicted_milliseconds = predicted_milliseconds(kernel_->config(), batch_, channels_);
    const std::size_t bytes = tensors_.set_bytes() / 2;  // half of what is read and written
    result.work = work_of(*kernel_, batch_, channels_);
    result.work.bytes = static_cast<double>(2 * bytes + spectrum_.bytes() + dk_.bytes());
    result.floor_milliseconds = median_milliseconds(device_, repeats(), [&](int i) {
      const Buffer& set = tensors_.set(static_cast<std::size_t>(i));
      const std::size_t to = (bytes + 255) / 256 * 256;
      device_->api().check(
          device_->api().memcpy_dtod_async(reinterpret_cast<DeviceAddress>(set.at<unsigned char>(to)),
                                           reinterpret_cast<DeviceAddress>(set.data()), bytes, nullptr),
          "cuMemcpyDtoDAsync");
    });
    return result;
  }

  /// Milliseconds of a launch, without the checks.
  [[nodiscard]] double time() const {
    return median_milliseconds(device_, repeats(), [&](int i) { launch(static_cast<std::size_t>(i)); });
  }

 private:
  [[nodiscard]] Repeats repeats() const {
    return device_->is_host() ? Repeats{0, 1, 1} : is_long() ? Repeats{2, 2, 7} : Repeats{};
  }
  [[nodiscard]] static std::vector<std::string_view> inputs_of(const ConvConfig& config) {
    std::vector<std::string_view> names = {"u", "dy"};
    if (has_in_gate(config.gating)) names.push_back("w");
    if (has_out_gate(config.gating)) names.push_back("v");
    return names;
  }
  [[nodiscard]] static std::vector<std::string_view> outputs_of(const ConvConfig& config) {
    std::vector<std::string_view> names;
    if (config.gradients.u) names.push_back("du");
    if (config.gradients.w) names.push_back("dw");
    if (config.gradients.v) names.push_back("dv");
    return names;
  }
  [[nodiscard]] bool is_long() const { return kernel_->generated().split.has_value() || length_ > longest_quick; }
  [[nodiscard]] float tap_scale() const { return static_cast<float>(1 / std::sqrt(static_cast<double>(taps_))); }

  void launch(std::size_t turn) const {
    BackwardArguments arguments = tensors_.backward_arguments(turn);
    if (kernel_->config().gradients.k) arguments.dk = dk_.at<float>(0);
    arguments.spectrum = spectrum_;
    arguments.workspace = {workspace_.data(), workspace_.bytes()};
    arguments.report = report_.at<ChannelReport>(0);
    kernel_->launch_backward(arguments);
  }

  // From the first to the last, as many as a few seconds in float64 allow: an error over few of them says little.
  [[nodiscard]] std::vector<std::size_t> some_taps() const {
    constexpr std::size_t products = std::size_t{1} << 32;
    const std::size_t rows = static_cast<std::size_t>(batch_) * length_;
    const std::size_t count = std::clamp<std::size_t>(products / rows, 16, 1024);
    std::vector<std::size_t> taps;
    for (std::size_t i = 0; i < count; ++i) taps.push_back(i * (taps_ - 1) / (count - 1));
    return taps;
  }

  void measure_step(GradientResult& result) const {
    const ConvConfig& config = kernel_->config();
    // Causal rows are commonly padded to twice their length.
    const std::int64_t fft_length = config.fft_length != 0 ? config.fft_length : 2 * config.length;
    result.step_bytes = step_memory(*kernel_, channels_, result.launch_bytes).total();
    result.torch_bytes =
        torch_step_bytes({batch_, channels_, config.length, fft_length, config.gating != Gating::none});
  }

  // Some taps of dk of a channel. As many threads as the machine has share its rows, which hold millions of samples.
  [[nodiscard]] TapSums tap_sums(int h, std::size_t period) const {
    const int threads = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, batch_);
    std::vector<std::future<TapSums>> parts;
    parts.reserve(static_cast<std::size_t>(threads));
    for (int part = 0; part < threads; ++part)
      parts.push_back(std::async(std::launch::async, [=, this] {
        TapSums sums(some_taps(), period);
        for (int b = part; b < batch_; b += threads) {
          const auto input = [&](std::string_view name) { return tensors_.input_row(name, b, h); };
          sums.add(gated(input("u"), input("w")), gated(input("dy"), input("v")));
        }
        return sums;
      }));
    TapSums all(some_taps(), period);
    for (auto& part : parts) all.add(part.get());
    return all;
  }

  // The errors of all gradients of channel h.
  [[nodiscard]] std::map<std::string_view, double> errors_of(int h) const {
    const ConvConfig& config = kernel_->config();
    const std::size_t period =
        config.padding == Padding::causal ? length_ + taps_ : static_cast<std::size_t>(config.fft_length);
    const auto channel = static_cast<std::size_t>(h);
    std::vector<float> k(taps_);
    for (std::size_t i = 0; i < taps_; ++i) k[i] = pattern_.tap(channel * taps_ + i) * tap_scale();
    ReferenceGradients reference(k, length_, std::max(period, length_));
    std::map<std::string_view, RelativeError> errors;
    for (int b = 0; b < batch_; ++b) {
      // A long row takes seconds in float64: first and last, and of dk some taps.
      if (is_long() && b > 0 && b + 1 < batch_) continue;
      const auto input = [&](std::string_view name) { return tensors_.input_row(name, b, h); };
      const auto output = [&](std::string_view name) { return tensors_.output_row(name, b, h); };
      const std::vector<double> u = input("u"), w = input("w"), v = input("v");
      const std::vector<double> dy = input("dy"), x = gated(u, w), g = gated(dy, v);
      const auto result = reference.add(x, g);
      if (config.gradients.u) errors["du"].add(output("du"), gated(result.correlated, w));
      if (config.gradients.w) errors["dw"].add(output("dw"), gated(result.correlated, u));
      if (config.gradients.v) errors["dv"].add(output("dv"), gated(result.convolved, dy));
    }
    if (config.gradients.k && is_long()) {
      const TapSums taps = tap_sums(h, period);
      std::vector<double> found;
      for (const std::size_t tap : taps.taps()) found.push_back(dk_.download<float>(channel * taps_ + tap, 1)[0]);
      errors["dk"].add(found, taps.sums());
    } else if (config.gradients.k) {
      const std::vector<float> dk = dk_.download<float>(channel * taps_, taps_);
      errors["dk"].add(std::vector<double>(dk.begin(), dk.end()), reference.dk());
    }
    std::map<std::string_view, double> values;
    for (const auto& [name, error] : errors) values[name] = error.value();
    return values;
  }

  // First and last channel, a thread for each.
  void check(GradientResult& result) const {
    std::vector<std::future<std::map<std::string_view, double>>> all;
    for (const int h : {0, channels_ - 1})
      if (h == 0 || channels_ > 1)
        all.push_back(std::async(std::launch::async, [this, h] {
          device_->make_current();
          return errors_of(h);
        }));
    for (auto& errors : all)
      for (const auto& [name, error] : errors.get()) {
        double& worst = name == "dk" ? result.sums_error : result.rows_error;
        if (!(error <= worst)) worst = error;  // NaN, too
      }
  }

  static constexpr std::size_t longest_quick = 32768;  // of rows that all are checked

  std::shared_ptr<Machine> device_;
  const Pattern& pattern_;
  std::shared_ptr<const Kernel> kernel_;
  int batch_, channels_;
  std::size_t length_, taps_;
  TensorSets tensors_;
  Buffer dk_, workspace_, report_;
  FilterSpectrum spectrum_;
};

}  // namespace ffc::examples
