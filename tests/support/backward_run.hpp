// Gradients of one convolution on a GPU or on the host against float64.
#pragma once

#include <doctest/doctest.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "../../examples/gradient_reference.hpp"
#include "conv_run.hpp"
#include "ffc/runtime/host.hpp"

namespace ffc::conv_tests {

/// norm(y - ref) / norm(ref) of each gradient, 0 of those that the config does not want. That of dd, one number
/// which may happen to be small, is taken over what a sum of products of that size is about: the norm of its terms.
struct GradientErrors {
  double u = 0, w = 0, v = 0, k = 0, d = 0;
};

/// Inputs and outputs of one run in the machine's memory, outputs poisoned.
class BackwardRun {
 public:
  BackwardRun(std::shared_ptr<Machine> machine, const std::shared_ptr<const Kernel>& kernel, const Recipe& recipe,
              unsigned seed)
      : machine_(std::move(machine)),
        kernel_(kernel),
        recipe_(recipe),
        masked_(!kernel->config().mask.empty()),
        u_(recipe, kernel->config()),
        w_(u_),
        v_(u_),
        dy_(u_) {
    const ConvConfig& config = kernel->config();
    std::mt19937 random(seed);
    u_.fill(config.dtype, random, recipe.sample);
    if (has_in_gate(config.gating)) w_.fill(config.dtype, random, recipe.gate_sample);
    if (has_out_gate(config.gating)) v_.fill_normal(config.dtype, random);
    if (recipe.gradient_sample)
      dy_.fill(config.dtype, random, recipe.gradient_sample);
    else
      dy_.fill_normal(config.dtype, random, std::ldexp(1.0f, -config.gradient_exponent));
    const std::size_t taps = taps_of_row();
    k_.resize(taps * channels());
    for (std::size_t i = 0; i < k_.size(); ++i) {
      const std::size_t channel = i / taps;
      const double gain = recipe.filter_scale * std::pow(recipe.channel_gain, static_cast<double>(channel));
      k_[i] = static_cast<float>(gain * normal(random) / std::sqrt(static_cast<double>(taps)));
    }
    for (int h = 0; h < recipe.channels; ++h) d_.push_back(static_cast<float>(recipe.filter_scale) * normal(random));
    upload();
  }

  [[nodiscard]] const BackwardArguments& arguments() const { return arguments_; }
  [[nodiscard]] BackwardArguments& arguments() { return arguments_; }

  /// What the spectrum was prepared from.
  [[nodiscard]] FilterView filter() const {
    return {filter_.at<float>(0), recipe_.skip ? skip_.at<float>(0) : nullptr, kernel_->config().filter_length,
            recipe_.channels};
  }

  void poison() {
    for (Buffer* buffer : {&du_, &dw_, &dv_, &dk_, &dd_}) buffer->poison();
  }

  /// All outputs, to the byte.
  [[nodiscard]] std::vector<std::uint8_t> bytes() const {
    std::vector<std::uint8_t> all;
    for (const Buffer* buffer : {&du_, &dw_, &dv_, &dk_, &dd_}) {
      const auto part = buffer->download<std::uint8_t>(0, buffer->bytes());
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }

  [[nodiscard]] std::vector<float> dk() const { return dk_.download<float>(0, k_.size()); }
  [[nodiscard]] std::vector<float> dd() const { return dd_.download<float>(0, d_.size()); }

  /// Of what was launched with arguments(). Infinity where memory outside the rows was written, or outputs that nobody
  /// wants.
  [[nodiscard]] GradientErrors errors() const {
    const ConvConfig& config = kernel_->config();
    const auto length = static_cast<std::size_t>(config.length);
    const std::size_t taps = taps_of_row();
    const std::size_t period =
        config.padding == Padding::causal && !masked_ ? length + taps : static_cast<std::size_t>(config.fft_length);
    const Gradients& wanted = config.gradients;
    bool untouched = true;
    const Rows du = rows_of(du_, wanted.u, untouched), dw = rows_of(dw_, wanted.w, untouched),
               dv = rows_of(dv_, wanted.v, untouched);
    const std::vector<float> dk = this->dk(), dd = this->dd();
    if (!wanted.k && !poisoned(dk)) untouched = false;
    if (!wanted.d && !poisoned(dd)) untouched = false;
    struct Sums {
      examples::RelativeError u, w, v;
      double squares = 0;  // of the products whose sum dd is
    };
    std::vector<std::unique_ptr<examples::ReferenceGradients>> references(channels());
    share_out(recipe_.channels, [&](int h) {
      const auto channel = static_cast<std::size_t>(h);
      const std::span<const float> k(k_.data() + channel * taps, taps);
      // With a mask the filter, skip term and all, is what the mask leaves of it, and so is its gradient.
      const double skip = recipe_.skip ? d_[channel] : 0.0;
      const std::vector<float> left = masked_ ? masked(k, skip) : std::vector<float>(k.begin(), k.end());
      references[channel] =
          std::make_unique<examples::ReferenceGradients>(left, length, std::max(period, length), masked_ ? 0.0 : skip);
    });
    std::vector<Sums> rows(this->channels() * static_cast<std::size_t>(recipe_.batch));
    share_out(static_cast<int>(rows.size()), [&](int i) {
      const int b = i % recipe_.batch, h = i / recipe_.batch;
      Sums& sums = rows[static_cast<std::size_t>(i)];
      const auto row = [&](const Rows& of) { return of.row(config.dtype, b, h); };
      const std::vector<double> u = row(u_), dy = row(dy_);
      const std::vector<double> none, w = has_in_gate(config.gating) ? row(w_) : none;
      const std::vector<double> v = has_out_gate(config.gating) ? row(v_) : none;
      const std::vector<double> x = examples::gated(u, w), g = examples::gated(dy, v);
      for (std::size_t n = 0; n < x.size(); ++n) sums.squares += x[n] * g[n] * x[n] * g[n];
      const auto result = references[static_cast<std::size_t>(h)]->add(x, g);
      if (wanted.u) sums.u.add(row(du), examples::gated(result.correlated, w));
      if (wanted.w) sums.w.add(row(dw), examples::gated(result.correlated, u));
      if (wanted.v) sums.v.add(row(dv), examples::gated(result.convolved, dy));
    });
    std::vector<examples::RelativeError> of_k(this->channels()), of_d(this->channels());
    share_out(recipe_.channels, [&](int h) {
      const auto channel = static_cast<std::size_t>(h);
      std::vector<double> expected = references[channel]->dk();
      if (masked_) {
        const std::vector<float> projected = masked(std::vector<float>(expected.begin(), expected.end()), 0);
        expected.assign(projected.begin(), projected.begin() + static_cast<std::ptrdiff_t>(taps));
      }
      const auto begin = dk.begin() + static_cast<std::ptrdiff_t>(channel * taps);
      if (wanted.k) of_k[channel].add(std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(taps)), expected);
      double squares = 0;
      const auto batch = static_cast<std::size_t>(recipe_.batch), first = static_cast<std::size_t>(h) * batch;
      for (std::size_t b = 0; b < batch; ++b) squares += rows[first + b].squares;
      const double size = std::sqrt(squares);
      if (wanted.d)
        of_d[channel].add(std::vector<double>{size + (dd[channel] - expected[0])}, std::vector<double>{size});
    });
    examples::RelativeError of_u, of_w, of_v, all_k, all_d;
    for (const Sums& of_row : rows) of_u.add(of_row.u), of_w.add(of_row.w), of_v.add(of_row.v);
    for (const auto& of_channel : of_k) all_k.add(of_channel);
    for (const auto& of_channel : of_d) all_d.add(of_channel);
    if (!untouched) return {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
    return {of_u.value(), of_w.value(), of_v.value(), all_k.value(), all_d.value()};
  }

 private:
  [[nodiscard]] std::size_t taps_of_row() const { return static_cast<std::size_t>(kernel_->config().filter_length); }
  [[nodiscard]] std::size_t channels() const { return static_cast<std::size_t>(recipe_.channels); }

  [[nodiscard]] std::vector<float> masked(std::span<const float> k, double skip) const {
    const ConvConfig& config = kernel_->config();
    const auto period = static_cast<std::size_t>(config.fft_length);
    const std::vector<double> left = examples::masked_taps(k, period, skip, kept_frequencies(config.mask));
    return {left.begin(), left.end()};
  }

  static bool poisoned(const std::vector<float>& values) {
    return std::all_of(values.begin(), values.end(),
                       [](float value) { return std::bit_cast<std::uint32_t>(value) == 0xFFFFFFFFu; });
  }

  // What an output holds. Clears `untouched` where its gaps, or all of it where nobody wants it, were written.
  [[nodiscard]] Rows rows_of(const Buffer& buffer, bool wanted, bool& untouched) const {
    Rows rows(recipe_, kernel_->config());
    rows.bits() = buffer.download<std::uint16_t>(0, rows.bits().size());
    const auto& bits = rows.bits();
    const bool whole = std::all_of(bits.begin(), bits.end(), [](std::uint16_t value) { return value == 0xFFFF; });
    if (!rows.gaps_untouched() || (!wanted && !whole)) untouched = false;
    return rows;
  }

  void upload() {
    const ConvConfig& config = kernel_->config();
    const Gradients& wanted = config.gradients;
    const std::size_t row_bytes = u_.bits().size() * 2;
    inputs_.push_back(Buffer::of(machine_, u_.bits()));
    inputs_.push_back(Buffer::of(machine_, w_.bits()));
    inputs_.push_back(Buffer::of(machine_, v_.bits()));
    inputs_.push_back(Buffer::of(machine_, dy_.bits()));
    for (Buffer* buffer : {&du_, &dw_, &dv_}) *buffer = Buffer(machine_, row_bytes);
    dk_ = Buffer(machine_, k_.size() * sizeof(float));
    dd_ = Buffer(machine_, d_.size() * sizeof(float));
    poison();
    const auto view = [&](const Buffer& buffer) {
      return TensorView{buffer.data(), u_.batch_stride(), u_.channel_stride()};
    };
    const auto output = [&](const Buffer& buffer, bool is_wanted) {
      return is_wanted ? MutableTensorView{buffer.data(), u_.batch_stride(), u_.channel_stride()} : MutableTensorView{};
    };
    arguments_.u = view(inputs_[0]);
    if (has_in_gate(config.gating)) arguments_.w = view(inputs_[1]);
    if (has_out_gate(config.gating)) arguments_.v = view(inputs_[2]);
    arguments_.dy = view(inputs_[3]);
    arguments_.du = output(du_, wanted.u);
    arguments_.dw = output(dw_, wanted.w);
    arguments_.dv = output(dv_, wanted.v);
    if (wanted.k) arguments_.dk = dk_.at<float>(0);
    if (wanted.d) arguments_.dd = dd_.at<float>(0);
    arguments_.batch = recipe_.batch;
    arguments_.channels = recipe_.channels;
    filter_ = Buffer::of(machine_, k_);
    skip_ = Buffer::of(machine_, d_);
    arguments_.spectrum = kernel_->prepare_filter(filter());
  }

  std::shared_ptr<Machine> machine_;
  std::shared_ptr<const Kernel> kernel_;
  Recipe recipe_;
  bool masked_;
  Rows u_, w_, v_, dy_;
  std::vector<float> k_, d_;
  std::vector<Buffer> inputs_;
  Buffer du_, dw_, dv_, dk_, dd_, filter_, skip_;
  BackwardArguments arguments_;
};

/// Runs a backward config on fresh random data on the machine's own kernel.
inline GradientErrors gradient_errors(const std::shared_ptr<Machine>& machine, const ConvConfig& config,
                                      const Recipe& recipe, unsigned seed) {
  const auto kernel = get_kernel(config, machine->device());
  BackwardRun run(machine, kernel, recipe, seed);
  kernel->launch_backward(run.arguments());
  machine->synchronize();
  return run.errors();
}

/// The accuracy that runtime/README.md promises of du, dw and dv, and of dk and dd.
inline double rows_bar(DataType dtype) { return dtype == DataType::bf16 ? 4e-3 : 1.5e-3; }
inline double sums_bar(DataType dtype) { return dtype == DataType::bf16 ? 5e-3 : 2e-3; }

/// Of gradients: with a skip term, and gaps between rows.
inline Recipe recipe_of(int batch, int channels) {
  Recipe recipe;
  recipe.batch = batch;
  recipe.channels = channels;
  recipe.row_gap = 1;
  recipe.skip = true;
  return recipe;
}

inline void check_errors(const GradientErrors& errors, DataType dtype) {
  CHECK(errors.u <= rows_bar(dtype));
  CHECK(errors.w <= rows_bar(dtype));
  CHECK(errors.v <= rows_bar(dtype));
  CHECK(errors.k <= sums_bar(dtype));
  // One number a channel, whose error scatters as those of dk's taps do: their root mean square is held to half of
  // this, and about a quarter of it is measured.
  CHECK(errors.d <= 2 * sums_bar(dtype));
}

/// What a launch names as the least that it takes.
inline std::size_t least_bytes(const Kernel& kernel, BackwardArguments arguments) {
  std::uint64_t memory[2] = {};
  arguments.workspace = {memory, 16};
  try {
    kernel.launch_backward(arguments);
  } catch (const LaunchError& error) {
    const std::string text = error.what();
    return std::stoull(text.substr(text.rfind(' ') + 1));
  }
  return 0;
}

/// On the host, in fp16: launches with any workspace, warps in any order, give the bits of one that has all it wants.
inline void check_same_bits(const ConvConfig& config, int batch, int channels) {
  const auto kernel = get_kernel(config, Device::host());
  BackwardRun run(Machine::host(), kernel, recipe_of(batch, channels), 9);
  kernel->launch_backward(run.arguments());
  const auto expected = run.bytes();
  check_errors(run.errors(), DataType::fp16);
  const std::size_t most = kernel->backward_workspace_bytes(batch, channels),
                    least = least_bytes(*kernel, run.arguments());
  CHECK(least < most);
  for (const std::size_t bytes : {least, (least + most) / 2, most}) {
    run.poison();
    const Buffer workspace(Machine::host(), bytes);
    run.arguments().workspace = {workspace.data(), workspace.bytes()};
    HostOptions options;
    options.seed = bytes;
    (void)profile(*kernel, run.arguments(), options);
    CHECK(run.bytes() == expected);
  }
}

}  // namespace ffc::conv_tests
