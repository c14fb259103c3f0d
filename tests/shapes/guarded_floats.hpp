// Filters and their gradients with guards before, between and behind their rows.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "../../examples/machine.hpp"

namespace ffc::shapes {

/// (H, n) of float32, guarded with NaNs in front of rows, between and behind them.
class GuardedFloats {
 public:
  GuardedFloats(const std::shared_ptr<examples::Machine>& machine, std::mt19937_64& random, int channels,
                std::int64_t length, bool guards_between, const std::function<float()>& value = {})
      : length_(length),
        stride_(length + (guards_between ? static_cast<std::int64_t>(random() % 3) * 2 : 0)),
        channels_(channels),
        bits_(static_cast<std::size_t>(first + stride_ * channels + first), guard) {
    if (value)
      for (int h = 0; h < channels; ++h)
        for (std::int64_t n = 0; n < length; ++n) bits_[index(h, n)] = std::bit_cast<std::uint32_t>(value());
    memory_ = examples::Buffer::of(machine, bits_);
  }

  [[nodiscard]] float* data() const { return memory_.at<float>(first); }
  [[nodiscard]] std::int64_t stride() const { return stride_; }
  void download() { bits_ = memory_.download<std::uint32_t>(0, bits_.size()); }

  [[nodiscard]] std::vector<float> row(int h) const {
    std::vector<float> values;
    for (std::int64_t n = 0; n < length_; ++n) values.push_back(std::bit_cast<float>(bits_[index(h, n)]));
    return values;
  }

  [[nodiscard]] bool untouched(bool rows_too) const {
    std::vector<std::uint32_t> rest = bits_;
    for (int h = 0; h < channels_ && !rows_too; ++h)
      for (std::int64_t n = 0; n < length_; ++n) rest[index(h, n)] = guard;
    return std::all_of(rest.begin(), rest.end(), [](std::uint32_t value) { return value == guard; });
  }

 private:
  static constexpr std::uint32_t guard = 0xFFFFFFFF;
  static constexpr std::int64_t first = 64;

  [[nodiscard]] std::size_t index(int h, std::int64_t n) const {
    return static_cast<std::size_t>(first + h * stride_ + n);
  }

  std::int64_t length_, stride_;
  int channels_;
  std::vector<std::uint32_t> bits_;
  examples::Buffer memory_;
};

}  // namespace ffc::shapes
