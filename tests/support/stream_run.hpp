// Rows convolved in one call, or segment by segment with a history, on a GPU or on the host.
#pragma once

#include <algorithm>
#include <vector>

#include "conv_run.hpp"

namespace ffc::conv_tests {

/// u, w and v of (B, H, L), rows without gaps; those that there are.
struct StreamData {
  std::vector<std::uint16_t> u, w, v;
};

/// y of (B, H, L).
struct Stream {
  std::vector<std::uint16_t> y;
};

inline StreamData random_stream(const ConvConfig& config, int batch, int channels, unsigned seed) {
  std::mt19937 random(seed);
  const auto fill = [&](bool wanted) {
    std::vector<std::uint16_t> bits(wanted ? static_cast<std::size_t>(config.length * batch * channels) : 0);
    for (std::uint16_t& value : bits) value = examples::encode(config.dtype, normal(random));
    return bits;
  };
  return {fill(true), fill(has_in_gate(config.gating)), fill(has_out_gate(config.gating))};
}

inline std::vector<float> stream_taps(const ConvConfig& config, int channels, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> k(static_cast<std::size_t>(config.filter_length * channels));
  for (float& tap : k) tap = normal(random) / std::sqrt(static_cast<float>(config.filter_length));
  return k;
}

/// One launch of a part of the rows on a machine: from sample `start` on, as many as the kernel's config has. y is
/// poisoned first.
class StreamRun {
 public:
  StreamRun(std::shared_ptr<Machine> machine, const ConvConfig& config, std::int64_t length, const StreamData& data,
            int batch, int channels, unsigned seed)
      : machine_(std::move(machine)),
        length_(length),
        batch_(batch),
        channels_(channels),
        k_(Buffer::of(machine_, stream_taps(config, channels, seed))),
        data_(data),
        u_(Buffer::of(machine_, data.u)),
        w_(machine_, std::max<std::size_t>(16, 2 * data.w.size())),
        v_(machine_, std::max<std::size_t>(16, 2 * data.v.size())),
        y_(machine_, 2 * data.u.size()) {
    if (!data.w.empty()) w_ = Buffer::of(machine_, data.w);
    if (!data.v.empty()) v_ = Buffer::of(machine_, data.v);
    y_.poison();
  }

  void launch(const Kernel& kernel, std::int64_t start) {
    const ConvConfig& config = kernel.config();
    LaunchArguments arguments;
    const auto view = [&](const Buffer& buffer) {
      return TensorView{buffer.at<std::uint16_t>(static_cast<std::size_t>(start)), length_ * channels_, length_};
    };
    arguments.u = view(u_);
    if (!data_.w.empty()) arguments.w = view(w_);
    if (!data_.v.empty()) arguments.v = view(v_);
    arguments.y = {y_.at<std::uint16_t>(static_cast<std::size_t>(start)), length_ * channels_, length_};
    arguments.batch = batch_;
    arguments.channels = channels_;
    arguments.spectrum = kernel.prepare_filter({k_.at<float>(0), nullptr, config.filter_length, channels_});
    const Buffer u = history(data_.u, config, start), w = history(data_.w, config, start);
    if (config.history && start > 0) {
      const std::int64_t reach = config.filter_length - 1;
      arguments.history.length = reach;
      arguments.history.u = {u.data(), reach * channels_, reach};
      if (!data_.w.empty()) arguments.history.w = {w.data(), reach * channels_, reach};
    }
    kernel.launch(arguments);
    machine_->synchronize();
  }

  [[nodiscard]] Stream finish() const { return {y_.download<std::uint16_t>(0, data_.u.size())}; }

 private:
  // The samples before `start`, with zeros where the stream has not begun.
  [[nodiscard]] Buffer history(const std::vector<std::uint16_t>& rows, const ConvConfig& config,
                               std::int64_t start) const {
    const std::int64_t reach = config.filter_length - 1;
    std::vector<std::uint16_t> bits(static_cast<std::size_t>(std::max<std::int64_t>(1, reach * batch_ * channels_)));
    for (std::int64_t row = 0; row < std::int64_t{batch_} * channels_ && !rows.empty(); ++row)
      for (std::int64_t i = 0; i < reach; ++i)
        if (const std::int64_t n = start - reach + i; n >= 0)
          bits[static_cast<std::size_t>(row * reach + i)] = rows[static_cast<std::size_t>(row * length_ + n)];
    return Buffer::of(machine_, bits);
  }

  std::shared_ptr<Machine> machine_;
  std::int64_t length_;
  int batch_, channels_;
  Buffer k_;
  const StreamData& data_;
  Buffer u_, w_, v_, y_;
};

/// Whole rows in one launch; `seed` is that of the taps.
inline Stream run_whole(const std::shared_ptr<Machine>& machine, const Kernel& kernel, const StreamData& data,
                        int batch, int channels, unsigned seed) {
  StreamRun run(machine, kernel.config(), kernel.config().length, data, batch, channels, seed);
  run.launch(kernel, 0);
  return run.finish();
}

/// The same, segment by segment; the last one takes a kernel of its own where it is shorter.
inline Stream run_segments(const std::shared_ptr<Machine>& machine, const Kernel& kernel, std::int64_t length,
                           const StreamData& data, int batch, int channels, unsigned seed) {
  const ConvConfig& config = kernel.config();
  StreamRun run(machine, config, length, data, batch, channels, seed);
  std::int64_t start = 0;
  for (; start + config.length <= length; start += config.length) run.launch(kernel, start);
  if (start < length) {
    ConvConfig rest = config;
    rest.length = length - start;
    run.launch(*get_kernel(rest, machine->device()), start);
  }
  return run.finish();
}

/// norm(y - ref) / norm(ref) of whole rows against float64.
inline double stream_error(const ConvConfig& config, const Stream& stream, const StreamData& data, int batch,
                           int channels, unsigned seed) {
  const auto length = static_cast<std::size_t>(config.length), taps = static_cast<std::size_t>(config.filter_length);
  const std::vector<float> k = stream_taps(config, channels, seed);
  const auto row_of = [&](const std::vector<std::uint16_t>& bits, int b, int h) {
    std::vector<double> row(length);
    for (std::size_t n = 0; n < length; ++n)
      row[n] = examples::decode(config.dtype, bits[static_cast<std::size_t>(b * channels + h) * length + n]);
    return row;
  };
  std::vector<examples::RelativeError> errors(static_cast<std::size_t>(channels));
  share_out(channels, [&](int h) {
    const examples::ReferenceFilter reference(
        std::span<const float>(k).subspan(static_cast<std::size_t>(h) * taps, taps), length, length + taps, 0.0);
    for (int b = 0; b < batch; ++b) {
      std::vector<double> u = row_of(data.u, b, h);
      if (!data.w.empty()) u = examples::gated(std::move(u), row_of(data.w, b, h));
      std::vector<double> expected = reference.apply(u, {}).first;
      if (!data.v.empty()) expected = examples::gated(std::move(expected), row_of(data.v, b, h));
      errors[static_cast<std::size_t>(h)].add(row_of(stream.y, b, h), expected);
    }
  });
  examples::RelativeError error;
  for (const examples::RelativeError& of_channel : errors) error.add(of_channel);
  return error.value();
}

}  // namespace ffc::conv_tests
