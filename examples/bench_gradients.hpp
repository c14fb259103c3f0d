// Gradients timed, checked, and held against a copy of the same bytes.
#pragma once

#include <algorithm>
#include <ffc/ffc.hpp>
#include <future>
#include <map>
#include <thread>
#include <vector>

#include "bench_case.hpp"
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
        stride_((rows() * length_ * 2 + 255) / 256 * 256) {
    const ConvConfig& config = kernel_->config();
    inputs_ = {"u", "dy"};
    if (has_in_gate(config.gating)) inputs_.push_back("w");
    if (has_out_gate(config.gating)) inputs_.push_back("v");
    if (config.gradients.u) outputs_.push_back("du");
    if (config.gradients.w) outputs_.push_back("dw");
    if (config.gradients.v) outputs_.push_back("dv");
    const std::size_t footprint = std::max<std::size_t>(600 << 20, 5 * device_->l2_bytes());
    sets_count_ = device_->is_host() ? 1 : footprint / (stride_ * tensors()) + 1;
    if (!is_long() && !device_->is_host()) sets_count_ = std::max<std::size_t>(2, sets_count_);
    for (std::size_t set = 0; set < sets_count_; ++set) {
      sets_.emplace_back(device_, stride_ * tensors() + 256);
      for (std::size_t i = 0; i < inputs_.size(); ++i)
        pattern_.fill(sets_[set].at<unsigned char>(i * stride_), rows() * length_, offset(set * tensors() + i));
    }
    dk_ = Buffer(device_, static_cast<std::size_t>(channels_) * taps_ * sizeof(float));
    if (const std::size_t bytes = kernel_->backward_workspace_bytes(batch_, channels_); bytes != 0)
      workspace_ = Buffer(device_, bytes);
    const Buffer k = pattern_.scaled_taps(static_cast<std::size_t>(channels_) * taps_, tap_scale());
    spectrum_ = kernel_->prepare_filter({k.at<float>(0), nullptr, static_cast<std::int64_t>(taps_), channels_});
    device_->synchronize();
  }

  GradientResult run() {
    GradientResult result;
    poison();
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
    const std::size_t bytes = rows() * length_ * tensors();  // half of what is read and written
    result.work = work_of(*kernel_, batch_, channels_);
    result.work.bytes = static_cast<double>(2 * bytes + spectrum_.bytes() + dk_.bytes());
    result.floor_milliseconds = median_milliseconds(device_, repeats(), [&](int i) {
      const Buffer& set = sets_[static_cast<std::size_t>(i) % sets_count_];
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
  [[nodiscard]] std::size_t rows() const {
    return static_cast<std::size_t>(batch_) * static_cast<std::size_t>(channels_);
  }
  [[nodiscard]] std::size_t tensors() const { return inputs_.size() + outputs_.size(); }
  [[nodiscard]] bool is_long() const { return kernel_->generated().split.has_value() || length_ > longest_quick; }
  [[nodiscard]] static std::size_t offset(std::size_t tensor) { return tensor * 1234577; }
  [[nodiscard]] float tap_scale() const { return static_cast<float>(1 / std::sqrt(static_cast<double>(taps_))); }

  // Where a tensor stands in a set; behind all where there is none of that name.
  [[nodiscard]] std::size_t index_of(std::string_view name) const {
    const auto input = std::find(inputs_.begin(), inputs_.end(), name);
    if (input != inputs_.end()) return static_cast<std::size_t>(input - inputs_.begin());
    return inputs_.size() +
           static_cast<std::size_t>(std::find(outputs_.begin(), outputs_.end(), name) - outputs_.begin());
  }

  template <class View>
  [[nodiscard]] View view(std::size_t set, std::string_view name) const {
    const std::size_t index = index_of(name);
    if (index == tensors()) return {};
    const auto stride = static_cast<std::int64_t>(length_);
    return {sets_[set].at<unsigned char>(index * stride_), channels_ * stride, stride};
  }

  void poison() {
    const auto first = reinterpret_cast<DeviceAddress>(sets_[0].at<unsigned char>(inputs_.size() * stride_));
    device_->api().check(device_->api().memset_d8(first, 0xFF, outputs_.size() * stride_), "cuMemsetD8");
    dk_.poison();
  }

  void launch(std::size_t turn) const {
    const std::size_t set = turn % sets_count_;
    BackwardArguments arguments;
    arguments.u = view<TensorView>(set, "u");
    arguments.w = view<TensorView>(set, "w");
    arguments.v = view<TensorView>(set, "v");
    arguments.dy = view<TensorView>(set, "dy");
    arguments.du = view<MutableTensorView>(set, "du");
    arguments.dw = view<MutableTensorView>(set, "dw");
    arguments.dv = view<MutableTensorView>(set, "dv");
    if (kernel_->config().gradients.k) arguments.dk = dk_.at<float>(0);
    arguments.spectrum = spectrum_;
    arguments.batch = batch_;
    arguments.channels = channels_;
    arguments.workspace = {workspace_.data(), workspace_.bytes()};
    kernel_->launch_backward(arguments);
  }

  [[nodiscard]] std::vector<double> input_row(std::string_view name, std::size_t row) const {
    const std::size_t index = index_of(name);
    if (index == tensors()) return {};
    std::vector<double> values(length_);
    for (std::size_t n = 0; n < length_; ++n)
      values[n] = decode(kernel_->config().dtype, pattern_.bits(offset(index) + row * length_ + n));
    return values;
  }

  [[nodiscard]] std::vector<double> output_row(std::string_view name, std::size_t row) const {
    const std::size_t first = index_of(name) * stride_ / 2 + row * length_;
    return decode(kernel_->config().dtype, sets_[0].download<std::uint16_t>(first, length_));
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
  [[nodiscard]] TapSums tap_sums(std::size_t channel, std::size_t period) const {
    const int threads = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, batch_);
    std::vector<std::future<TapSums>> parts;
    parts.reserve(static_cast<std::size_t>(threads));
    for (int part = 0; part < threads; ++part)
      parts.push_back(std::async(std::launch::async, [=, this] {
        TapSums sums(some_taps(), period);
        for (int b = part; b < batch_; b += threads) {
          const std::size_t row = static_cast<std::size_t>(b) * static_cast<std::size_t>(channels_) + channel;
          sums.add(gated(input_row("u", row), input_row("w", row)), gated(input_row("dy", row), input_row("v", row)));
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
      const std::size_t row = static_cast<std::size_t>(b) * static_cast<std::size_t>(channels_) + channel;
      const std::vector<double> u = input_row("u", row), w = input_row("w", row), v = input_row("v", row);
      const std::vector<double> dy = input_row("dy", row), x = gated(u, w), g = gated(dy, v);
      const auto result = reference.add(x, g);
      if (config.gradients.u) errors["du"].add(output_row("du", row), gated(result.correlated, w));
      if (config.gradients.w) errors["dw"].add(output_row("dw", row), gated(result.correlated, u));
      if (config.gradients.v) errors["dv"].add(output_row("dv", row), gated(result.convolved, dy));
    }
    if (config.gradients.k && is_long()) {
      const TapSums taps = tap_sums(channel, period);
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
  std::size_t stride_;  ///< bytes from tensor to tensor of a set
  std::vector<std::string_view> inputs_, outputs_;
  std::size_t sets_count_ = 1;
  std::vector<Buffer> sets_;
  Buffer dk_, workspace_;
  FilterSpectrum spectrum_;
};

}  // namespace ffc::examples
