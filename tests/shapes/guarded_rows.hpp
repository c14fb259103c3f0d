// Tensors of (B, H, L) with guards before, between and behind their rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "../../examples/machine.hpp"
#include "../../examples/sixteen_bit.hpp"
#include "ffc/ffc.hpp"

namespace ffc::shapes {

/// Where the rows of one tensor lie, in elements of its memory.
struct RowLayout {
  int batch = 1, channels = 1;
  std::int64_t length = 0;
  std::int64_t first = 0;  ///< guards before the first row
  std::int64_t batch_stride = 0, channel_stride = 0;
  std::int64_t end = 0;  ///< of the memory: guards behind the last row

  [[nodiscard]] std::int64_t begin_of(int b, int h) const { return first + b * batch_stride + h * channel_stride; }
};

/// Strides and guards drawn for rows that begin at multiples of `alignment` bytes, and mostly at no more than that;
/// channels within a batch row, or the other way round.
inline RowLayout draw_layout(std::mt19937_64& random, int batch, int channels, std::int64_t length, int alignment) {
  const std::int64_t step = alignment / 2;  // elements
  // At least `least` elements more than n, up to a multiple of `step`, and some.
  const auto beyond = [&](std::int64_t n, std::int64_t least) {
    return (n + least + step - 1) / step * step + step * static_cast<std::int64_t>(random() % 4);
  };
  RowLayout layout{batch, channels, length, beyond(0, 24), 0, 0, 0};
  const bool channels_inside = random() % 4 != 0;
  const std::int64_t inner = beyond(length, static_cast<std::int64_t>(random() % 2) * 5);
  const std::int64_t outer = beyond(inner * (channels_inside ? channels : batch), 0);
  layout.batch_stride = channels_inside ? outer : inner;
  layout.channel_stride = channels_inside ? inner : outer;
  layout.end = layout.begin_of(batch - 1, channels - 1) + length + 40;
  return layout;
}

/// The same as `layout` but for guards and the farther stride: rows begin as far behind lines of 16 bytes.
inline RowLayout draw_alike(std::mt19937_64& random, RowLayout layout) {
  const auto lines = [&] { return static_cast<std::int64_t>(8 * (random() % 4)); };
  layout.first += lines();
  std::int64_t& outer = layout.batch_stride > layout.channel_stride ? layout.batch_stride : layout.channel_stride;
  outer += lines();
  layout.end = layout.begin_of(layout.batch - 1, layout.channels - 1) + layout.length + 40;
  return layout;
}

/// Rows in the machine's memory and what was put into them. All memory but the rows holds 0xFFFF, a NaN in either type.
class GuardedRows {
 public:
  static constexpr std::uint16_t guard = 0xFFFF;

  GuardedRows() = default;

  /// With rows of `sample`s, or, without it, poisoned.
  GuardedRows(const std::shared_ptr<examples::Machine>& machine, const RowLayout& layout, DataType dtype,
              const std::function<float()>& sample = {})
      : layout_(layout), dtype_(dtype), bits_(static_cast<std::size_t>(layout.end), guard) {
    if (sample)
      each_row([&](std::uint16_t* row) {
        for (std::int64_t n = 0; n < layout_.length; ++n) row[n] = examples::encode(dtype_, sample());
      });
    memory_ = examples::Buffer::of(machine, bits_);
  }

  [[nodiscard]] TensorView view() const { return {first(), layout_.batch_stride, layout_.channel_stride}; }
  [[nodiscard]] MutableTensorView output() const { return {first(), layout_.batch_stride, layout_.channel_stride}; }

  /// Takes over what is in the machine's memory.
  void download() { bits_ = memory_.download<std::uint16_t>(0, bits_.size()); }

  [[nodiscard]] std::vector<double> row(int b, int h) const {
    std::vector<double> values(static_cast<std::size_t>(layout_.length));
    const std::uint16_t* const bits = bits_.data() + layout_.begin_of(b, h);
    for (std::size_t n = 0; n < values.size(); ++n) values[n] = examples::decode(dtype_, bits[n]);
    return values;
  }

  /// Whether every guard is what it was, to the bit; and, where `rows_too`, every row.
  [[nodiscard]] bool untouched(bool rows_too = false) const {
    std::vector<std::uint16_t> rest = bits_;
    if (!rows_too)
      for (int b = 0; b < layout_.batch; ++b)
        for (int h = 0; h < layout_.channels; ++h)
          std::fill_n(rest.begin() + layout_.begin_of(b, h), layout_.length, guard);
    return std::all_of(rest.begin(), rest.end(), [](std::uint16_t value) { return value == guard; });
  }

 private:
  [[nodiscard]] std::uint16_t* first() const {
    return memory_.at<std::uint16_t>(static_cast<std::size_t>(layout_.first));
  }

  template <class Body>
  void each_row(const Body& body) {
    for (int b = 0; b < layout_.batch; ++b)
      for (int h = 0; h < layout_.channels; ++h) body(bits_.data() + layout_.begin_of(b, h));
  }

  RowLayout layout_;
  DataType dtype_ = DataType::fp16;
  std::vector<std::uint16_t> bits_;
  examples::Buffer memory_;
};

}  // namespace ffc::shapes
