// One line of the benchmark: a convolution timed, checked, and held against a copy of the same bytes.
#pragma once

#include <algorithm>
#include <cmath>
#include <ffc/ffc.hpp>
#include <future>
#include <vector>

#include "bench_ceilings.hpp"
#include "bench_pattern.hpp"
#include "bench_time.hpp"
#include "machine.hpp"
#include "not_finite.hpp"
#include "reference.hpp"
#include "sixteen_bit.hpp"

namespace ffc::examples {

constexpr std::int64_t longest_of_one_block = 32768;

struct BenchResult {
  std::string kernel;
  std::int64_t fft_length = 0;    ///< N, also where a causal config left the choice to the plan
  int batch = 0, channels = 0;    ///< those that were launched
  double milliseconds = 0;        ///< median, one launch
  double floor_milliseconds = 0;  ///< median, one device-to-device copy that reads and writes the same bytes
  double teraflops = 0;           ///< nominal: 3 real FFTs of 2.5 N log2 N operations a row, the prepared filter's too
  double error = 0;               ///< norm(y - ref) / norm(ref) against float64, some rows
  std::size_t not_finite = 0;     ///< elements of all rows that are infinite or NaN; what no kernel wrote is NaN
  std::size_t spectrum_bytes = 0;
  std::size_t launch_bytes =
      0;  ///< beside tensors and spectrum: workspace lent, and what the first launch took besides
  std::size_t prepare_bytes = 0;      ///< workspace while the filter is prepared
  double prepare_milliseconds = 0;    ///< median, one call of prepare_filter for all channels
  double call_microseconds = 0;       ///< median, the CPU's time in a call of launch
  double predicted_milliseconds = 0;  ///< what the cost model expects of a launch
  LaunchWork work;
};

/// u, the gates that there are, and y.
[[nodiscard]] inline std::size_t tensors_of(const ConvConfig& config) {
  return 2 + static_cast<std::size_t>(has_in_gate(config.gating)) +
         static_cast<std::size_t>(has_out_gate(config.gating));
}

/// The most channels up to `channels`, at least 1, whose tensors, filter and spectrum stay below `most_bytes`.
[[nodiscard]] inline int channels_that_fit(const Kernel& kernel, int batch, int channels, double most_bytes) {
  const ConvConfig& config = kernel.config();
  const double tensors = 2.0 * static_cast<double>(config.length) * batch * static_cast<double>(tensors_of(config));
  const double sets = config.fft_length > longest_of_one_block ? 1 : 2;
  const double channel =
      sets * tensors + 4.0 * static_cast<double>(config.filter_length) + static_cast<double>(kernel.spectrum_bytes(1));
  return static_cast<int>(std::clamp(most_bytes / channel, 1.0, static_cast<double>(channels)));
}

/// Input and output sets that are used in turn, so that nothing is served from L2.
class BenchCase {
 public:
  BenchCase(std::shared_ptr<Machine> device, const Pattern& pattern, std::shared_ptr<const Kernel> kernel, int batch,
            int channels)
      : device_(std::move(device)),
        pattern_(pattern),
        kernel_(std::move(kernel)),
        batch_(batch),
        channels_(channels),
        length_(static_cast<std::size_t>(kernel_->config().length)),
        taps_(static_cast<std::size_t>(kernel_->config().filter_length)),
        tensors_(tensors_of(kernel_->config())),
        tensor_stride_((rows() * length_ * 2 + 255) / 256 * 256) {
    const std::size_t set_bytes = rows() * length_ * 2 * tensors_;
    const std::size_t footprint = std::max<std::size_t>(600 << 20, 5 * device_->l2_bytes());
    // A set of that size leaves nothing of its beginning in L2 when it comes round again.
    sets_count_ = device_->is_host() ? 1 : footprint / set_bytes + 1;
    if (!is_long() && !device_->is_host()) sets_count_ = std::max<std::size_t>(2, sets_count_);
    for (std::size_t set = 0; set < sets_count_; ++set) {
      sets_.emplace_back(device_, tensor_stride_ * tensors_ + 256);
      for (std::size_t i = 0; i + 1 < tensors_; ++i)
        pattern_.fill(tensor(set, i), rows() * length_, offset(set * tensors_ + i));
    }
    if (const std::size_t bytes = kernel_->workspace_bytes(channels_, batch_); bytes != 0)
      workspace_ = Buffer(device_, bytes);
    if (kernel_->config().report != Report::none)
      report_ = Buffer::of(device_, std::vector<ChannelReport>(static_cast<std::size_t>(channels_)));
    // The pattern's taps have variance 1; fp16 rows want an output of about that.
    k_ = pattern_.scaled_taps(static_cast<std::size_t>(channels_) * taps_, tap_scale());
    spectrum_ = prepare();
    device_->synchronize();
  }

  /// One launch into poisoned memory, checked.
  BenchResult check() {
    BenchResult result = describe();
    poison();
    const std::size_t free_before = device_->free_bytes();
    launch(0);
    device_->synchronize();
    const std::size_t free_after = device_->free_bytes();
    result.launch_bytes = workspace_.bytes() + (free_before > free_after ? free_before - free_after : 0);
    result.error = error();
    const NotFiniteCounter counter(device_, kernel_->config().arch);
    result.not_finite = counter.count(tensor(0, tensors_ - 1), rows() * length_, kernel_->config().dtype);
    return result;
  }

  /// check(), and times.
  BenchResult run() {
    BenchResult result = check();
    result.milliseconds = median_milliseconds(device_, repeats(), [&](int i) { launch(static_cast<std::size_t>(i)); });
    result.floor_milliseconds = floor();
    result.prepare_milliseconds = prepare_time();
    if (!device_->is_host())
      result.call_microseconds = median_call_microseconds(
          device_, [&](int i) { launch(static_cast<std::size_t>(i)); }, is_long() ? 7 : 21);
    const auto n = static_cast<double>(result.fft_length);
    result.teraflops = 3 * 2.5 * n * std::log2(n) * static_cast<double>(rows()) / result.milliseconds * 1e-9;
    return result;
  }

 private:
  [[nodiscard]] std::size_t rows() const {
    return static_cast<std::size_t>(batch_) * static_cast<std::size_t>(channels_);
  }
  [[nodiscard]] bool is_long() const { return kernel_->generated().split.has_value(); }
  [[nodiscard]] FilterSpectrum prepare() const {
    return kernel_->prepare_filter({k_.at<float>(0), nullptr, static_cast<std::int64_t>(taps_), channels_});
  }
  // The spectra are kept until all are made: giving one back may wait for the device.
  [[nodiscard]] double prepare_time() const {
    const bool quick = kernel_->generated().transform_length <= longest_of_one_block && !device_->is_host();
    std::vector<FilterSpectrum> made;
    return median_milliseconds(device_, quick ? Repeats{2, 4, 5} : Repeats{1, 1, 3},
                               [&](int) { made.push_back(prepare()); });
  }
  [[nodiscard]] static std::size_t offset(std::size_t tensor) { return tensor * 1234577; }
  [[nodiscard]] float tap_scale() const { return static_cast<float>(1 / std::sqrt(static_cast<double>(taps_))); }
  [[nodiscard]] void* tensor(std::size_t set, std::size_t i) const {
    return sets_[set].at<unsigned char>(i * tensor_stride_);
  }

  // Launches of long rows take tens of milliseconds, and vary little.
  [[nodiscard]] Repeats repeats() const {
    if (device_->is_host()) return {0, 1, 1};
    return is_long() ? Repeats{2, 2, 7} : Repeats{};
  }

  [[nodiscard]] BenchResult describe() const {
    BenchResult result;
    result.kernel = kernel_->name();
    const std::int64_t given = kernel_->config().fft_length;
    result.fft_length = given != 0 ? given : kernel_->generated().transform_length;
    result.batch = batch_;
    result.channels = channels_;
    result.spectrum_bytes = spectrum_.bytes();
    result.prepare_bytes = kernel_->filter_workspace_bytes(channels_);
    result.work = work_of(*kernel_, batch_, channels_);
    result.work.bytes = static_cast<double>(rows() * length_ * 2 * tensors_ + spectrum_.bytes());
    result.predicted_milliseconds = predicted_milliseconds(kernel_->config(), batch_, channels_);
    return result;
  }

  void poison() {
    device_->api().check(
        device_->api().memset_d8(reinterpret_cast<DeviceAddress>(tensor(0, tensors_ - 1)), 0xFF, rows() * length_ * 2),
        "cuMemsetD8");
    device_->synchronize();
  }

  void launch(std::size_t turn) const {
    const std::size_t set = turn % sets_count_;
    const auto stride = static_cast<std::int64_t>(length_);
    const auto view = [&](std::size_t i) { return TensorView{tensor(set, i), channels_ * stride, stride}; };
    const Gating gating = kernel_->config().gating;
    LaunchArguments arguments;
    arguments.u = view(0);
    if (has_in_gate(gating)) arguments.w = view(1);
    if (has_out_gate(gating)) arguments.v = view(tensors_ - 2);
    arguments.y = {tensor(set, tensors_ - 1), channels_ * stride, stride};
    arguments.spectrum = spectrum_;
    arguments.batch = batch_;
    arguments.channels = channels_;
    arguments.workspace = {workspace_.data(), workspace_.bytes()};
    arguments.report = report_.at<ChannelReport>(0);
    kernel_->launch(arguments);
  }

  // Half of the bytes are read, half are written, over as many sets; what was in them is lost.
  [[nodiscard]] double floor() const {
    const std::size_t bytes = rows() * length_ * tensors_;
    const std::size_t to = (bytes + 255) / 256 * 256;
    return median_milliseconds(device_, repeats(), [&](int i) {
      const Buffer& set = sets_[static_cast<std::size_t>(i) % sets_count_];
      device_->api().check(
          device_->api().memcpy_dtod_async(reinterpret_cast<DeviceAddress>(set.at<unsigned char>(to)),
                                           reinterpret_cast<DeviceAddress>(set.data()), bytes, nullptr),
          "cuMemcpyDtoDAsync");
    });
  }

  // First, middle and last of `count`; of long rows, which take seconds in float64, first and last.
  [[nodiscard]] std::vector<int> some_of(int count) const {
    std::vector<int> some =
        is_long() || length_ > 1 << 20 ? std::vector{0, count - 1} : std::vector{0, count / 2, count - 1};
    some.erase(std::unique(some.begin(), some.end()), some.end());
    return some;
  }

  [[nodiscard]] std::vector<double> input_row(std::size_t i, std::size_t row) const {
    std::vector<double> values(length_);
    for (std::size_t n = 0; n < length_; ++n)
      values[n] = decode(kernel_->config().dtype, pattern_.bits(offset(i) + row * length_ + n));
    return values;
  }

  // What a row should be before the out gate is applied to it.
  [[nodiscard]] std::vector<double> gated_input(std::size_t row) const {
    std::vector<double> input = input_row(0, row);
    return has_in_gate(kernel_->config().gating) ? gated(std::move(input), input_row(1, row)) : input;
  }

  [[nodiscard]] std::size_t row_of(int b, int h) const {
    return static_cast<std::size_t>(b) * static_cast<std::size_t>(channels_) + static_cast<std::size_t>(h);
  }

  // The rows `batch_rows` of channel h in float64, two at a time.
  [[nodiscard]] std::vector<std::vector<double>> expected_rows(int h, const std::vector<int>& batch_rows) const {
    const ConvConfig& config = kernel_->config();
    const std::size_t period = config.padding == Padding::causal && config.mask.empty()
                                   ? length_ + taps_
                                   : static_cast<std::size_t>(config.fft_length);
    std::vector<float> k(taps_);
    for (std::size_t i = 0; i < taps_; ++i) k[i] = pattern_.tap(static_cast<std::size_t>(h) * taps_ + i) * tap_scale();
    const ReferenceFilter filter =
        config.mask.empty()
            ? ReferenceFilter(k, length_, std::max(period, length_))
            : ReferenceFilter(length_, period, masked_taps(k, period, 0, kept_frequencies(config.mask)));
    std::vector<std::vector<double>> expected;
    for (std::size_t i = 0; i < batch_rows.size(); i += 2) {
      const bool two = i + 1 < batch_rows.size();
      auto [first, second] = filter.apply(gated_input(row_of(batch_rows[i], h)),
                                          two ? gated_input(row_of(batch_rows[i + 1], h)) : std::vector<double>());
      expected.push_back(std::move(first));
      if (two) expected.push_back(std::move(second));
    }
    for (std::size_t i = 0; i < expected.size() && has_out_gate(config.gating); ++i)
      expected[i] = gated(std::move(expected[i]), input_row(tensors_ - 2, row_of(batch_rows[i], h)));
    return expected;
  }

  // Of the first set; a thread for each channel.
  [[nodiscard]] double error() const {
    const std::vector<int> channels = some_of(channels_), batch_rows = some_of(batch_);
    std::vector<std::future<std::vector<std::vector<double>>>> expected;
    expected.reserve(channels.size());
    for (const int h : channels)
      expected.push_back(
          std::async(std::launch::async, [this, h, &batch_rows] { return expected_rows(h, batch_rows); }));
    RelativeError error;
    for (std::size_t c = 0; c < channels.size(); ++c) {
      const std::vector<std::vector<double>> rows = expected[c].get();
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t first = (tensors_ - 1) * tensor_stride_ / 2 + row_of(batch_rows[i], channels[c]) * length_;
        error.add(decode(kernel_->config().dtype, sets_[0].download<std::uint16_t>(first, length_)), rows[i]);
      }
    }
    return error.value();
  }

  std::shared_ptr<Machine> device_;
  const Pattern& pattern_;
  std::shared_ptr<const Kernel> kernel_;
  int batch_, channels_;
  std::size_t length_, taps_;
  std::size_t tensors_;        ///< of a set: inputs, then y
  std::size_t tensor_stride_;  ///< bytes
  std::size_t sets_count_ = 1;
  std::vector<Buffer> sets_;
  Buffer k_, workspace_, report_;
  FilterSpectrum spectrum_;
};

}  // namespace ffc::examples
