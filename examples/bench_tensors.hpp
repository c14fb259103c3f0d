// The tensors of a step, by their names: several sets of them, used in turn.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ffc/ffc.hpp>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "bench_pattern.hpp"
#include "machine.hpp"
#include "sixteen_bit.hpp"

namespace ffc::examples {

/// Tensors (B, H, L) of 16-bit elements. Inputs are filled from a pattern, each at its own offset. On a GPU there are
/// as many sets as it takes that L2 holds nothing of one when its turn comes again, and at least `least_sets`.
class TensorSets {
 public:
  TensorSets(std::shared_ptr<Machine> device, const Pattern& pattern, DataType dtype, int batch, int channels,
             std::size_t length, std::vector<std::string_view> inputs, std::vector<std::string_view> outputs,
             std::size_t least_sets = 1)
      : device_(std::move(device)),
        pattern_(pattern),
        dtype_(dtype),
        batch_(batch),
        channels_(channels),
        length_(length),
        stride_((rows() * length * 2 + 255) / 256 * 256),
        inputs_(inputs.size()),
        names_(std::move(inputs)) {
    names_.insert(names_.end(), outputs.begin(), outputs.end());
    // Sets that come to that size leave nothing of their beginning in L2 when they come round again.
    const std::size_t footprint = std::max<std::size_t>(600 << 20, 5 * device_->l2_bytes());
    const std::size_t count = device_->is_host() ? 1 : std::max(least_sets, footprint / (stride_ * names_.size()) + 1);
    for (std::size_t set = 0; set < count; ++set) {
      sets_.emplace_back(device_, stride_ * names_.size() + 256);
      for (std::size_t i = 0; i < inputs_; ++i)
        pattern_.fill(sets_[set].at<unsigned char>(i * stride_), rows() * length_, offset(set * names_.size() + i));
    }
  }

  [[nodiscard]] std::size_t rows() const {
    return static_cast<std::size_t>(batch_) * static_cast<std::size_t>(channels_);
  }
  [[nodiscard]] bool has(std::string_view name) const { return index_of(name) < names_.size(); }
  [[nodiscard]] std::size_t tensor_bytes() const { return rows() * length_ * 2; }
  [[nodiscard]] std::size_t set_bytes() const { return tensor_bytes() * names_.size(); }
  [[nodiscard]] const Buffer& set(std::size_t turn) const { return sets_[turn % sets_.size()]; }

  /// TensorView or MutableTensorView of a tensor of the turn's set; empty where there is none of that name.
  template <class View>
  [[nodiscard]] View view(std::size_t turn, std::string_view name) const {
    const std::size_t index = index_of(name);
    if (index == names_.size()) return {};
    const auto stride = static_cast<std::int64_t>(length_);
    return {set(turn).at<unsigned char>(index * stride_), channels_ * stride, stride};
  }

  /// The rows of a launch of gradients, and their number.
  [[nodiscard]] BackwardArguments backward_arguments(std::size_t turn) const {
    BackwardArguments arguments;
    arguments.u = view<TensorView>(turn, "u");
    arguments.w = view<TensorView>(turn, "w");
    arguments.v = view<TensorView>(turn, "v");
    arguments.dy = view<TensorView>(turn, "dy");
    arguments.du = view<MutableTensorView>(turn, "du");
    arguments.dw = view<MutableTensorView>(turn, "dw");
    arguments.dv = view<MutableTensorView>(turn, "dv");
    arguments.batch = batch_;
    arguments.channels = channels_;
    return arguments;
  }

  /// Every output of the first set becomes NaN.
  void poison() const {
    const auto first = reinterpret_cast<DeviceAddress>(sets_[0].at<unsigned char>(inputs_ * stride_));
    device_->api().check(device_->api().memset_d8(first, 0xFF, (names_.size() - inputs_) * stride_), "cuMemsetD8");
    device_->synchronize();
  }

  /// A row of an input of the first set; empty where there is none of that name.
  [[nodiscard]] std::vector<double> input_row(std::string_view name, int b, int h) const {
    const std::size_t index = index_of(name);
    if (index == names_.size()) return {};
    std::vector<double> values(length_);
    for (std::size_t n = 0; n < length_; ++n)
      values[n] = decode(dtype_, pattern_.bits(offset(index) + row_of(b, h) * length_ + n));
    return values;
  }

  /// A row of an output of the first set.
  [[nodiscard]] std::vector<double> output_row(std::string_view name, int b, int h) const {
    return decode(dtype_,
                  sets_[0].download<std::uint16_t>(index_of(name) * stride_ / 2 + row_of(b, h) * length_, length_));
  }

 private:
  [[nodiscard]] static std::size_t offset(std::size_t tensor) { return tensor * 1234577; }
  [[nodiscard]] std::size_t row_of(int b, int h) const {
    return static_cast<std::size_t>(b) * static_cast<std::size_t>(channels_) + static_cast<std::size_t>(h);
  }
  [[nodiscard]] std::size_t index_of(std::string_view name) const {
    return static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
  }

  std::shared_ptr<Machine> device_;
  const Pattern& pattern_;
  DataType dtype_;
  int batch_, channels_;
  std::size_t length_;
  std::size_t stride_;  ///< bytes from tensor to tensor of a set
  std::size_t inputs_;  ///< so many names are those of inputs
  std::vector<std::string_view> names_;
  std::vector<Buffer> sets_;
};

}  // namespace ffc::examples
