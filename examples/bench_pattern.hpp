// The random values that a benchmark's tensors and filters are made of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "machine.hpp"
#include "sixteen_bit.hpp"

namespace ffc::examples {

/// Random values of which every tensor is made: tensors are filled on the device from one pattern, at their own offset.
class Pattern {
 public:
  /// For rows of at most `longest` samples.
  Pattern(const std::shared_ptr<Machine>& device, DataType dtype, std::size_t longest)
      : device_(device), size_(longest < short_size / 4 ? short_size : long_size), floats_(size_), taps_(size_) {
    std::mt19937 random(std::random_device{}());
    std::normal_distribution<float> normal;
    for (float& value : floats_) value = normal(random);
    for (float& tap : taps_) tap = normal(random);
    bits_ = encode(dtype, floats_);
    bit_buffer_ = Buffer::of(device, bits_);
  }

  /// Taps are a sequence of their own: a filter must not resemble the rows.
  [[nodiscard]] float tap(std::size_t index) const { return taps_[index % size_]; }
  [[nodiscard]] std::uint16_t bits(std::size_t index) const { return bits_[index % size_]; }

  /// Fills `count` 16-bit elements on the device with the pattern from `offset` on.
  void fill(void* to, std::size_t count, std::size_t offset) const {
    repeat<std::uint16_t>(static_cast<std::uint16_t*>(to), count, bit_buffer_, offset);
  }

  /// `count` taps on the device, from the first on, times `scale`.
  [[nodiscard]] Buffer scaled_taps(std::size_t count, float scale) const {
    std::vector<float> scaled(taps_.begin(), taps_.begin() + static_cast<std::ptrdiff_t>(std::min(count, size_)));
    for (float& tap : scaled) tap *= scale;
    const Buffer once = Buffer::of(device_, scaled);
    Buffer taps(device_, count * sizeof(float));
    repeat<float>(taps.at<float>(0), count, once, 0);
    device_->synchronize();
    return taps;
  }

 private:
  // Primes: rows of any length differ.
  static constexpr std::size_t short_size = 4194301, long_size = 20000003;

  // `from` holds the whole pattern, or all of the `count` elements that are wanted.
  template <class T>
  void repeat(T* to, std::size_t count, const Buffer& from, std::size_t offset) const {
    for (std::size_t done = 0; done < count;) {
      const std::size_t start = (offset + done) % size_;
      const std::size_t piece = std::min(size_ - start, count - done);
      device_->api().check(device_->api().memcpy_dtod_async(reinterpret_cast<DeviceAddress>(to + done),
                                                            reinterpret_cast<DeviceAddress>(from.at<T>(start)),
                                                            piece * sizeof(T), nullptr),
                           "cuMemcpyDtoDAsync");
      done += piece;
    }
  }

  std::shared_ptr<Machine> device_;
  std::size_t size_;
  std::vector<float> floats_, taps_;
  std::vector<std::uint16_t> bits_;
  Buffer bit_buffer_;
};

}  // namespace ffc::examples
