// One convolution on a GPU or on the host against float64.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../examples/machine.hpp"
#include "../../examples/reference.hpp"
#include "../../examples/sixteen_bit.hpp"
#include "ffc/ffc.hpp"
#include "share_out.hpp"

namespace ffc::conv_tests {

using examples::Buffer;
using examples::Machine;

/// The device of the test process; gpu_main has made sure that there is one.
inline std::shared_ptr<Machine> open_device() {
  std::string why;
  std::shared_ptr<Machine> device = Machine::gpu(0, why);
  if (!device) throw std::runtime_error(why);
  return device;
}

/// Data of one run.
struct Recipe {
  int batch = 2;
  int channels = 2;
  std::function<float(std::mt19937&)> sample;           ///< of u
  std::function<float(std::mt19937&)> gradient_sample;  ///< of dy
  std::function<float(std::mt19937&)> gate_sample;      ///< of w
  double filter_scale = 1;
  double channel_gain = 1;  ///< of a channel's filter over that of the one before
  bool skip = false;
  std::int64_t row_gap = 0;  ///< elements between rows beyond `length`, times the alignment
};

/// A config and the data of one run of it.
struct ConvCase {
  ConvConfig config;
  Recipe recipe;
  std::string data = {};  ///< its name, which a failure shows
};

/// Compiles the kernels of all runs, each with a `config`, side by side: the launches behind find them. A config that
/// fails does so again there.
template <class Runs>
void compile_ahead(const std::shared_ptr<Machine>& device, const Runs& runs) {
  const auto first = std::begin(runs);
  share_out(static_cast<int>(std::size(runs)), [&](int i) {
    try {
      (void)get_kernel(first[i].config, device->device());
    } catch (const Error&) {  // that run's own to report
    }
  });
}

inline float normal(std::mt19937& random) { return std::normal_distribution<float>()(random); }

/// Rows of (B, H, L) with gaps between them, as 16-bit values and as the doubles that those stand for.
class Rows {
 public:
  Rows(const Recipe& recipe, const ConvConfig& config)
      : length_(config.length),
        stride_(config.length + recipe.row_gap * config.row_alignment / 2),
        batch_(recipe.batch),
        channels_(recipe.channels),
        bits_(static_cast<std::size_t>(stride_ * batch_ * channels_), 0xFFFF) {}

  /// Sample by sample, in order: `sample` may count them. Without one, normal.
  void fill(DataType dtype, std::mt19937& random, const std::function<float(std::mt19937&)>& sample) {
    if (!sample) return fill_normal(dtype, random);
    for (int row = 0; row < batch_ * channels_; ++row)
      for (std::int64_t n = 0; n < length_; ++n) bits_[index(row, n)] = examples::encode(dtype, sample(random));
  }

  /// Normal samples of that deviation, on all cores: every stretch of a row has a generator of its own.
  void fill_normal(DataType dtype, std::mt19937& random, float deviation = 1) {
    constexpr std::int64_t stretch = 65536;
    const auto first_seed = static_cast<std::uint32_t>(random());
    const std::int64_t of_row = (length_ + stretch - 1) / stretch;
    share_out(static_cast<int>(of_row * batch_ * channels_), [&](int i) {
      std::mt19937 own(first_seed + 0x9E3779B9u * static_cast<std::uint32_t>(i));
      std::normal_distribution<float> sample(0, deviation);
      const std::int64_t begin = i % of_row * stretch, end = std::min(begin + stretch, length_);
      for (std::int64_t n = begin; n < end; ++n)
        bits_[index(static_cast<int>(i / of_row), n)] = examples::encode(dtype, sample(own));
    });
  }

  [[nodiscard]] std::vector<double> row(DataType dtype, int batch, int channel) const {
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(length_));
    for (std::int64_t n = 0; n < length_; ++n)
      values.push_back(examples::decode(dtype, bits_[index(batch * channels_ + channel, n)]));
    return values;
  }

  /// The gaps still hold what they were filled with.
  [[nodiscard]] bool gaps_untouched() const {
    for (int row = 0; row < batch_ * channels_; ++row)
      for (std::int64_t n = length_; n < stride_; ++n)
        if (bits_[index(row, n)] != 0xFFFF) return false;
    return true;
  }

  [[nodiscard]] std::int64_t batch_stride() const { return stride_ * channels_; }
  [[nodiscard]] std::int64_t channel_stride() const { return stride_; }
  std::vector<std::uint16_t>& bits() { return bits_; }

 private:
  [[nodiscard]] std::size_t index(int row, std::int64_t n) const { return static_cast<std::size_t>(row * stride_ + n); }

  std::int64_t length_, stride_;
  int batch_, channels_;
  std::vector<std::uint16_t> bits_;
};

/// Filters of one run: `taps` for each channel, and d.
struct Filters {
  std::size_t taps;
  std::vector<float> k, skip;
};

/// What every row of y should be, channel by channel.
inline std::vector<std::vector<double>> expected_rows(const ConvConfig& config, const Recipe& recipe,
                                                      const Filters& filters, const Rows& u, const Rows& w,
                                                      const Rows& v) {
  const auto length = static_cast<std::size_t>(config.length), batch = static_cast<std::size_t>(recipe.batch);
  const std::vector<std::uint8_t> kept = kept_frequencies(config.mask);
  // A masked filter has as many taps as the transform has points, whatever the padding.
  const std::size_t period = config.padding == Padding::causal && config.mask.empty()
                                 ? length + filters.taps
                                 : static_cast<std::size_t>(config.fft_length);
  std::vector<std::vector<double>> expected(batch * static_cast<std::size_t>(recipe.channels));
  const auto input = [&](int b, int h) {
    std::vector<double> row = u.row(config.dtype, b, h);
    return has_in_gate(config.gating) ? examples::gated(std::move(row), w.row(config.dtype, b, h)) : row;
  };
  const auto output = [&](std::vector<double> row, int b, int h) {
    if (has_out_gate(config.gating)) row = examples::gated(std::move(row), v.row(config.dtype, b, h));
    expected[static_cast<std::size_t>(h) * batch + static_cast<std::size_t>(b)] = std::move(row);
  };
  // The filter of a channel serves all of its rows, which are shared out by themselves.
  std::vector<std::optional<examples::ReferenceFilter>> references(static_cast<std::size_t>(recipe.channels));
  share_out(recipe.channels, [&](int h) {
    const auto channel = static_cast<std::size_t>(h);
    const auto taps = std::span<const float>(filters.k).subspan(channel * filters.taps, filters.taps);
    const double skip = recipe.skip ? filters.skip[channel] : 0.0;
    if (config.mask.empty())
      references[channel].emplace(taps, length, std::max(period, length), skip);
    else
      references[channel].emplace(length, period, examples::masked_taps(taps, period, skip, kept));
  });
  const int pairs = (recipe.batch + 1) / 2;
  share_out(recipe.channels * pairs, [&](int i) {
    const int h = i / pairs, b = 2 * (i % pairs);
    const bool lone = b + 1 == recipe.batch;
    auto [first, second] =
        references[static_cast<std::size_t>(h)]->apply(input(b, h), lone ? std::vector<double>() : input(b + 1, h));
    output(std::move(first), b, h);
    if (!lone) output(std::move(second), b + 1, h);
  });
  return expected;
}

/// The same with as many channels as hold `wanted` samples. The error is an estimate: of one pair of 1024 samples,
/// gated, it scatters by 4 %, of 131072 samples by 0.5 %.
inline Recipe with_enough_samples(Recipe recipe, const ConvConfig& config, std::int64_t wanted = 131072) {
  const std::int64_t of_channel = normalised(config).length * recipe.batch;
  recipe.channels = std::max(recipe.channels, static_cast<int>((wanted + of_channel - 1) / of_channel));
  return recipe;
}

/// Runs one kernel on fresh random data, by `launch`, and returns norm(y - ref) / norm(ref); infinity where memory
/// outside y's rows was written. Outputs are poisoned first.
inline double relative_error_of(const std::shared_ptr<Machine>& device, const Kernel& kernel, const Recipe& recipe,
                                unsigned seed, const std::function<void(const LaunchArguments&)>& launch) {
  const ConvConfig& config = kernel.config();
  std::mt19937 random(seed);
  Rows u(recipe, config), w(recipe, config), v(recipe, config), y(recipe, config);
  u.fill(config.dtype, random, recipe.sample);
  if (has_in_gate(config.gating)) w.fill(config.dtype, random, recipe.gate_sample);
  if (has_out_gate(config.gating)) v.fill_normal(config.dtype, random);
  const auto taps = static_cast<std::size_t>(config.filter_length);
  Filters filters{taps, std::vector<float>(taps * static_cast<std::size_t>(recipe.channels)), {}};
  std::vector<float>&k = filters.k, &d = filters.skip;
  for (std::size_t i = 0; i < k.size(); ++i) {
    const std::size_t channel = i / taps;
    const double gain = recipe.filter_scale * std::pow(recipe.channel_gain, static_cast<double>(channel));
    k[i] = static_cast<float>(gain * normal(random) / std::sqrt(static_cast<double>(taps)));
  }
  for (int h = 0; h < recipe.channels; ++h) d.push_back(static_cast<float>(recipe.filter_scale) * normal(random));

  const Buffer k_buffer = Buffer::of(device, k), d_buffer = Buffer::of(device, d);
  const Buffer u_buffer = Buffer::of(device, u.bits()), w_buffer = Buffer::of(device, w.bits());
  const Buffer v_buffer = Buffer::of(device, v.bits());
  Buffer y_buffer(device, y.bits().size() * 2);
  y_buffer.poison();

  FilterView filter;
  filter.k = k_buffer.at<float>(0);
  filter.skip = recipe.skip ? d_buffer.at<float>(0) : nullptr;
  filter.length = kernel.config().filter_length;
  filter.channels = recipe.channels;
  LaunchArguments arguments;
  const auto view = [&](const Buffer& buffer) {
    return TensorView{buffer.data(), u.batch_stride(), u.channel_stride()};
  };
  arguments.u = view(u_buffer);
  if (has_in_gate(config.gating)) arguments.w = view(w_buffer);
  if (has_out_gate(config.gating)) arguments.v = view(v_buffer);
  arguments.y = {y_buffer.data(), y.batch_stride(), y.channel_stride()};
  arguments.batch = recipe.batch;
  arguments.channels = recipe.channels;
  arguments.spectrum = kernel.prepare_filter(filter);
  launch(arguments);
  device->synchronize();
  y.bits() = y_buffer.download<std::uint16_t>(0, y.bits().size());
  if (!y.gaps_untouched()) return HUGE_VAL;

  const std::vector<std::vector<double>> expected = expected_rows(config, recipe, filters, u, w, v);
  std::vector<examples::RelativeError> errors(expected.size());
  share_out(static_cast<int>(expected.size()), [&](int i) {
    const auto row = static_cast<std::size_t>(i);
    errors[row].add(y.row(config.dtype, i % recipe.batch, i / recipe.batch), expected[row]);
  });
  examples::RelativeError error;
  for (const examples::RelativeError& of_row : errors) error.add(of_row);
  return error.value();
}

/// The same of a config, on the machine's own kernel.
inline double relative_error(const std::shared_ptr<Machine>& device, const ConvConfig& config, const Recipe& recipe,
                             unsigned seed) {
  const auto kernel = get_kernel(config, device->device());
  return relative_error_of(device, *kernel, recipe, seed,
                           [&](const LaunchArguments& arguments) { kernel->launch(arguments); });
}

/// The accuracy that runtime/README.md promises, within one block and past it.
// `split`: columns and rows in several blocks.
inline double bar(DataType dtype, bool split = false) {
  return dtype == DataType::bf16 ? 2.5e-3 : split ? 1.5e-3 : 1.0e-3;
}
inline double bar(const Kernel& kernel) {
  return bar(kernel.config().dtype, kernel.generated().split || kernel.generated().conv.cluster > 1);
}

}  // namespace ffc::conv_tests
