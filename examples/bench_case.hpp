// One line of the benchmark: a convolution timed, checked, and held against a copy of the same bytes.
#pragma once

#include <algorithm>
#include <cmath>
#include <ffc/ffc.hpp>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include "machine.hpp"
#include "reference.hpp"
#include "sixteen_bit.hpp"

namespace ffc::examples {

struct BenchResult {
  std::string kernel;
  std::int64_t fft_length = 0;    ///< N, also where a causal config left the choice to the plan
  double milliseconds = 0;        ///< median, one launch
  double floor_milliseconds = 0;  ///< median, one device-to-device copy that reads and writes the same bytes
  double teraflops = 0;           ///< nominal: 3 real FFTs of 2.5 N log2 N operations a row, the prepared filter's too
  double error = 0;               ///< norm(y - ref) / norm(ref) against float64, some rows
  std::size_t not_finite = 0;     ///< elements of all rows that are infinite or NaN; what no kernel wrote is NaN
};

/// Random values of which every tensor is made: tensors are filled on the device from one pattern, at their own offset.
class Pattern {
 public:
  static constexpr std::size_t size = 4194301;  // prime: rows of any length differ

  Pattern(const std::shared_ptr<Machine>& device, DataType dtype) : device_(device) {
    std::mt19937 random(std::random_device{}());
    std::normal_distribution<float> normal;
    floats_.resize(size);
    for (float& value : floats_) value = normal(random);
    taps_.resize(size);
    for (float& tap : taps_) tap = normal(random);
    bits_ = encode(dtype, floats_);
    bit_buffer_ = Buffer::of(device, bits_);
  }

  /// Taps are a sequence of their own: a filter must not resemble the rows.
  [[nodiscard]] float tap(std::size_t index) const { return taps_[index % size]; }
  [[nodiscard]] std::uint16_t bits(std::size_t index) const { return bits_[index % size]; }

  /// Fills a tensor of 16-bit elements with the pattern from `offset` on.
  void fill(const Buffer& to, std::size_t offset) const {
    using T = std::uint16_t;
    const Buffer& from = bit_buffer_;
    const std::size_t count = to.bytes() / sizeof(T);
    for (std::size_t done = 0; done < count;) {
      const std::size_t start = (offset + done) % size;
      const std::size_t piece = std::min(size - start, count - done);
      device_->api().check(device_->api().memcpy_dtod_async(reinterpret_cast<DeviceAddress>(to.at<T>(done)),
                                                            reinterpret_cast<DeviceAddress>(from.at<T>(start)),
                                                            piece * sizeof(T), nullptr),
                           "cuMemcpyDtoDAsync");
      done += piece;
    }
  }

 private:
  std::shared_ptr<Machine> device_;
  std::vector<float> floats_, taps_;
  std::vector<std::uint16_t> bits_;
  Buffer bit_buffer_;
};

/// Median time of one call of `run(turn)`, from groups of back-to-back calls. Turns count on from group to group: where
/// the sets are small and many, ten of them would fit in L2. Everything is queued before anything is waited for, so
/// that no group includes the way from the host to an idle device.
inline double median_milliseconds(const std::shared_ptr<Machine>& device, const std::function<void(int)>& run) {
  constexpr int calls = 10, groups = 9;
  int turn = 0;
  while (turn < 3) run(turn++);
  std::vector<Event> marks;
  marks.emplace_back(device).record(nullptr);
  for (int group = 0; group < groups; ++group) {
    for (int i = 0; i < calls; ++i) run(turn++);
    marks.emplace_back(device).record(nullptr);
  }
  device->synchronize();
  std::vector<double> times;
  for (std::size_t i = 1; i < marks.size(); ++i) times.push_back(marks[i].milliseconds_since(marks[i - 1]) / calls);
  std::nth_element(times.begin(), times.begin() + groups / 2, times.end());
  return times[groups / 2];
}

/// Input and output sets that are used in turn, so that nothing is served from L2.
class BenchCase {
 public:
  BenchCase(std::shared_ptr<Machine> device, const Pattern& pattern, const ConvConfig& config, int batch, int channels)
      : device_(std::move(device)),
        pattern_(pattern),
        kernel_(get_kernel(config)),
        batch_(batch),
        channels_(channels),
        length_(static_cast<std::size_t>(kernel_->config().length)),
        taps_(static_cast<std::size_t>(kernel_->config().filter_length)) {
    const std::size_t bytes = rows() * length_ * 2;
    const Gating gating = kernel_->config().gating;
    inputs_ = 1 + static_cast<std::size_t>(has_in_gate(gating)) + static_cast<std::size_t>(has_out_gate(gating));
    const std::size_t footprint = std::max<std::size_t>(600 << 20, 5 * device_->l2_bytes());
    sets_ = std::max<std::size_t>(2, footprint / (bytes * (inputs_ + 1)) + 1);
    for (std::size_t i = 0; i < sets_ * (inputs_ + 1); ++i) {
      tensors_.emplace_back(device_, bytes);
      if (i % (inputs_ + 1) < inputs_) pattern_.fill(tensors_[i], offset(i));
    }
    prepare_filter();
  }

  BenchResult run() {
    BenchResult result;
    result.kernel = kernel_->name();
    const std::int64_t given = kernel_->config().fft_length;
    result.fft_length = given != 0 ? given : kernel_->generated().transform_length;
    tensors_[inputs_].poison();
    launch(0);
    device_->synchronize();
    result.error = error();
    result.not_finite = not_finite();
    result.milliseconds = median_milliseconds(device_, [&](int i) { launch(static_cast<std::size_t>(i)); });
    result.floor_milliseconds = floor();
    const auto n = static_cast<double>(result.fft_length);
    result.teraflops = 3 * 2.5 * n * std::log2(n) * static_cast<double>(rows()) / result.milliseconds * 1e-9;
    return result;
  }

 private:
  [[nodiscard]] std::size_t rows() const {
    return static_cast<std::size_t>(batch_) * static_cast<std::size_t>(channels_);
  }
  [[nodiscard]] static std::size_t offset(std::size_t tensor) { return tensor * 1234577; }
  [[nodiscard]] double tap_scale() const { return 1 / std::sqrt(static_cast<double>(taps_)); }

  void prepare_filter() {
    // The pattern's taps have variance 1; fp16 rows want an output of about that.
    std::vector<float> k(static_cast<std::size_t>(channels_) * taps_);
    for (std::size_t i = 0; i < k.size(); ++i) k[i] = static_cast<float>(pattern_.tap(i) * tap_scale());
    const Buffer taps = Buffer::of(device_, k);
    spectrum_ = kernel_->prepare_filter({taps.at<float>(0), nullptr, 0, channels_});
    device_->synchronize();
  }

  void launch(std::size_t turn) const {
    const std::size_t first = turn % sets_ * (inputs_ + 1);
    const auto stride = static_cast<std::int64_t>(length_);
    const auto view = [&](std::size_t i) { return TensorView{tensors_[first + i].data(), channels_ * stride, stride}; };
    const Gating gating = kernel_->config().gating;
    LaunchArguments arguments;
    arguments.u = view(0);
    if (has_in_gate(gating)) arguments.w = view(1);
    if (has_out_gate(gating)) arguments.v = view(inputs_ - 1);
    arguments.y = {tensors_[first + inputs_].data(), channels_ * stride, stride};
    arguments.spectrum = spectrum_;
    arguments.batch = batch_;
    arguments.channels = channels_;
    kernel_->launch(arguments);
  }

  // Half of the bytes are read, half are written, over as many sets.
  [[nodiscard]] double floor() const {
    const std::size_t bytes = rows() * length_ * 2 * (inputs_ + 1) / 2;
    std::vector<Buffer> buffers;
    for (std::size_t i = 0; i < 2 * sets_; ++i) {
      buffers.emplace_back(device_, bytes);
      pattern_.fill(buffers.back(), offset(i));
    }
    return median_milliseconds(device_, [&](int i) {
      const std::size_t set = static_cast<std::size_t>(i) % sets_ * 2;
      device_->api().check(
          device_->api().memcpy_dtod_async(reinterpret_cast<DeviceAddress>(buffers[set + 1].data()),
                                           reinterpret_cast<DeviceAddress>(buffers[set].data()), bytes, nullptr),
          "cuMemcpyDtoDAsync");
    });
  }

  [[nodiscard]] std::vector<double> input_row(std::size_t tensor, std::size_t row) const {
    std::vector<double> values(length_);
    for (std::size_t n = 0; n < length_; ++n)
      values[n] = decode(kernel_->config().dtype, pattern_.bits(offset(tensor) + row * length_ + n));
    return values;
  }

  [[nodiscard]] std::size_t not_finite() const {
    constexpr std::size_t piece = std::size_t{1} << 25;  // outputs of several GB are not held at once on the host
    const unsigned exponent = kernel_->config().dtype == DataType::fp16 ? 0x7C00U : 0x7F80U;
    const std::size_t count = rows() * length_;
    std::size_t found = 0;
    for (std::size_t first = 0; first < count; first += piece)
      for (const std::uint16_t bits : tensors_[inputs_].download<std::uint16_t>(first, std::min(piece, count - first)))
        found += static_cast<std::size_t>((bits & exponent) == exponent);
    return found;
  }

  // Channels and batch rows from both ends and the middle, first set.
  [[nodiscard]] double error() const {
    const ConvConfig& config = kernel_->config();
    const std::size_t period =
        config.padding == Padding::causal ? length_ + taps_ : static_cast<std::size_t>(config.fft_length);
    RelativeError error;
    for (const int h : {0, channels_ / 2, channels_ - 1}) {
      std::vector<float> k(taps_);
      for (std::size_t i = 0; i < taps_; ++i)
        k[i] = static_cast<float>(pattern_.tap(static_cast<std::size_t>(h) * taps_ + i) * tap_scale());
      const ReferenceFilter filter(k, length_, std::max(period, length_));
      for (const int b : {0, batch_ / 2, batch_ - 1}) {
        const auto row =
            static_cast<std::size_t>(b) * static_cast<std::size_t>(channels_) + static_cast<std::size_t>(h);
        std::vector<double> input = input_row(0, row);
        if (has_in_gate(config.gating)) input = gated(std::move(input), input_row(1, row));
        std::vector<double> expected = filter.apply(input).first;
        if (has_out_gate(config.gating)) expected = gated(std::move(expected), input_row(inputs_ - 1, row));
        error.add(decode(config.dtype, tensors_[inputs_].download<std::uint16_t>(row * length_, length_)), expected);
      }
    }
    return error.value();
  }

  std::shared_ptr<Machine> device_;
  const Pattern& pattern_;
  std::shared_ptr<const Kernel> kernel_;
  int batch_, channels_;
  std::size_t length_, taps_, inputs_ = 1, sets_ = 2;
  std::vector<Buffer> tensors_;
  FilterSpectrum spectrum_;
};

}  // namespace ffc::examples
