#include "launch_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <span>

#include "../../examples/gradient_reference.hpp"
#include "config_text.hpp"
#include "guarded_floats.hpp"
#include "guarded_rows.hpp"
#include "row_sizes.hpp"

namespace ffc::shapes {
namespace {

using examples::Buffer;
using examples::Machine;
using MachinePointer = std::shared_ptr<Machine>;

/// About normal, of variance 1: four uniform numbers of one draw, added.
float sample(std::mt19937_64& random) {
  const std::uint64_t bits = random();
  const auto sum = static_cast<float>((bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48));
  return (sum / 65536 - 2) * std::numbers::sqrt3_v<float>;
}

/// Data of one launch, and the references that both passes share.
class Case {
 public:
  Case(MachinePointer machine, const Kernel& kernel, const Launch& launch)
      : machine_(std::move(machine)),
        kernel_(kernel),
        config_(kernel.config()),
        launch_(launch),
        random_(launch.seed),
        k_(machine_, random_, launch.channels, config_.filter_length, true,
           [&] { return sample(random_) / std::sqrt(static_cast<float>(config_.filter_length)); }),
        d_(machine_, random_, launch.channels, 1, false, [&] { return sample(random_); }),
        kept_(kept_frequencies(config_.mask)),
        sizes_(kernel.generated(), launch.seed, random_),
        lie_alike_(random_() % 2 == 0) {
    u_ = input_rows(config_.length, config_.row_alignment);
    if (has_in_gate(config_.gating)) w_ = rows(config_.length, config_.row_alignment);
    if (has_out_gate(config_.gating)) v_ = rows(config_.length, config_.row_alignment);
  }

  Outcome forward();
  Outcome gradients();

 private:
  [[nodiscard]] RowLayout layout(std::int64_t length, int alignment) {
    if (lie_alike_ && alike_.length == length) return draw_alike(random_, alike_);
    alike_ = draw_layout(random_, launch_.batch, launch_.channels, length, alignment);
    return alike_;
  }

  // Rows of samples times 2^exponent.
  [[nodiscard]] GuardedRows rows(std::int64_t length, int alignment, int exponent = 0) {
    const float scale = std::ldexp(1.0f, exponent);
    return {machine_, layout(length, alignment), config_.dtype, [&] { return scale * sample(random_); }};
  }

  // The same of rows that have each a size of its own, exponent_of(b, h).
  template <class ExponentOf>
  [[nodiscard]] GuardedRows rows_of_sizes(std::int64_t length, int alignment, const ExponentOf& exponent_of) {
    std::int64_t made = 0;  // row after row, of a batch row all channels
    return {machine_, layout(length, alignment), config_.dtype, [&] {
              const std::int64_t row = made++ / length;
              return std::ldexp(sample(random_), exponent_of(row / launch_.channels, row % launch_.channels));
            }};
  }
  [[nodiscard]] GuardedRows input_rows(std::int64_t length, int alignment) {
    return rows_of_sizes(length, alignment,
                         [&](std::int64_t b, std::int64_t h) { return sizes_.input() + input_size(b, h); });
  }
  [[nodiscard]] GuardedRows gradient_rows() {
    return rows_of_sizes(config_.length, config_.row_alignment,
                         [&](std::int64_t b, std::int64_t h) { return sizes_.gradient() + gradient_size(b, h); });
  }
  [[nodiscard]] int input_size(std::int64_t b, std::int64_t h) const { return sizes_.of_input(b, h, launch_.channels); }
  [[nodiscard]] int gradient_size(std::int64_t b, std::int64_t h) const {
    return sizes_.of_gradient(b, h, launch_.channels);
  }
  // Of the rows whose products are the largest of a channel.
  [[nodiscard]] int product_size(std::int64_t h) const {
    int largest = input_size(0, h) + gradient_size(0, h);
    for (std::int64_t b = 1; b < launch_.batch; ++b)
      largest = std::max(largest, input_size(b, h) + gradient_size(b, h));
    return largest;
  }

  // Bounds of rows of samples times 2^exponent, of each channel its own or one for all. Rows of two channels that are a
  // pair come out as accurate as others where there is as much room above either.
  [[nodiscard]] GuardedFloats bounds(int exponent) {
    const unsigned least = pairs_cross_channels() ? 8 : 4;
    const auto bound = [this, least] { return static_cast<float>(least + random_() % (16 - least)); };
    return {machine_, random_, launch_.channels, 1, random_() % 2 == 0, [=] { return std::ldexp(bound(), exponent); }};
  }
  [[nodiscard]] bool pairs_cross_channels() const {
    const auto& ring = kernel_.generated().split;
    return ring && !are_alone(ring->packing) && launch_.batch % 2 != 0;
  }
  // Where the kernel makes one. What it says is report_shapes_test's to check.
  [[nodiscard]] ChannelReport* report() {
    if (config_.report == Report::none) return nullptr;
    report_ = Buffer::of(machine_, std::vector<ChannelReport>(static_cast<std::size_t>(launch_.channels)));
    return report_.at<ChannelReport>(0);
  }

  [[nodiscard]] RowMagnitudes magnitudes(const GuardedFloats& bounds) const {
    return {bounds.data(), launch_.seed % 2 == 0 ? static_cast<std::int32_t>(bounds.stride()) : 0};
  }

  [[nodiscard]] GuardedRows poisoned() {
    return {machine_, layout(config_.length, config_.row_alignment), config_.dtype};
  }

  [[nodiscard]] FilterView filter() const {
    return {k_.data(), launch_.skip ? d_.data() : nullptr, config_.filter_length, launch_.channels, k_.stride()};
  }

  [[nodiscard]] bool masked() const { return !config_.mask.empty(); }
  [[nodiscard]] double skip_of(int h) const { return launch_.skip ? static_cast<double>(d_.row(h).front()) : 0.0; }

  // Samples after which rows come round.
  [[nodiscard]] std::size_t period(std::size_t length) const {
    const bool causal = config_.padding == Padding::causal && !masked();
    return causal ? length + static_cast<std::size_t>(config_.filter_length)
                  : static_cast<std::size_t>(config_.fft_length);
  }

  [[nodiscard]] std::vector<double> input_row(int b, int h) const;
  void take_history(LaunchArguments& arguments);
  void compare_row(Outcome& outcome, int b, int h, std::span<const double> expected, const GuardedRows& y) const;

  MachinePointer machine_;
  const Kernel& kernel_;
  const ConvConfig& config_;
  const Launch& launch_;
  std::mt19937_64 random_;
  GuardedFloats k_, d_;
  Buffer report_;
  std::vector<std::uint8_t> kept_;
  RowSizes sizes_;
  bool lie_alike_;   // all tensors, as they do where they are allocated alike; else each as it may
  RowLayout alike_;  // of the tensor before
  GuardedRows u_, w_, v_, u_before_, w_before_;
  std::int64_t reach_ = 0;  // samples of history
};

// u . w, with what was before it where there is a history.
std::vector<double> Case::input_row(int b, int h) const {
  const bool gate = has_in_gate(config_.gating);
  const auto product = [&](const GuardedRows& u, const GuardedRows& w) {
    return gate ? examples::gated(u.row(b, h), w.row(b, h)) : u.row(b, h);
  };
  std::vector<double> all;
  if (reach_ > 0) all = product(u_before_, w_before_);
  const std::vector<double> row = product(u_, w_);
  all.insert(all.end(), row.begin(), row.end());
  return all;
}

// Every fourth stream is at its beginning.
void Case::take_history(LaunchArguments& arguments) {
  if (!config_.history || config_.filter_length < 2 || random_() % 4 == 0) return;
  reach_ = config_.filter_length - 1;
  u_before_ = input_rows(reach_, 2);
  const auto view = [](const GuardedRows& rows) { return rows.view(); };
  arguments.history.u = view(u_before_);
  arguments.history.length = reach_;
  if (!has_in_gate(config_.gating)) return;
  w_before_ = rows(reach_, 2);
  arguments.history.w = view(w_before_);
}

Outcome Case::forward() {
  GuardedRows y = poisoned();
  LaunchArguments arguments;
  arguments.u = u_.view();
  if (has_in_gate(config_.gating)) arguments.w = w_.view();
  if (has_out_gate(config_.gating)) arguments.v = v_.view();
  arguments.y = y.output();
  arguments.batch = launch_.batch, arguments.channels = launch_.channels;
  take_history(arguments);
  const GuardedFloats input_bounds = bounds(sizes_.input());
  if (config_.scaling == Scaling::given) arguments.input_magnitudes = magnitudes(input_bounds);
  arguments.report = report();
  arguments.spectrum = kernel_.prepare_filter(filter());
  kernel_.launch(arguments);
  machine_->synchronize();
  y.download();

  Outcome outcome;
  outcome.begins_stream = config_.history && reach_ == 0;
  if (!y.untouched()) outcome.faults.push_back("y: a guard was written");
  const auto length = static_cast<std::size_t>(config_.length + reach_);
  const std::size_t round = std::max(period(length), length);
  for (int h = 0; h < launch_.channels; ++h) {
    const std::vector<float> taps = k_.row(h);
    const examples::ReferenceFilter reference =
        masked() ? examples::ReferenceFilter(length, round, examples::masked_taps(taps, round, skip_of(h), kept_))
                 : examples::ReferenceFilter(taps, length, round, skip_of(h));
    // Two rows at a time are one complex row of the reference, unless one would drown in the other.
    const int at_once = sizes_.differ_by_row() ? 1 : 2;
    for (int b = 0; b < launch_.batch; b += at_once) {
      const bool lone = at_once == 1 || b + 1 == launch_.batch;
      const auto [first, second] = reference.apply(input_row(b, h), lone ? std::vector<double>() : input_row(b + 1, h));
      compare_row(outcome, b, h, first, y);
      if (!lone) compare_row(outcome, b + 1, h, second, y);
    }
  }
  return outcome;
}

// values 2^exponent
std::vector<double> times_power(std::vector<double> values, int exponent) {
  for (double& value : values) value = std::ldexp(value, exponent);
  return values;
}

void Case::compare_row(Outcome& outcome, int b, int h, std::span<const double> expected, const GuardedRows& y) const {
  const std::span<const double> samples = expected.last(static_cast<std::size_t>(config_.length));
  std::vector<double> row(samples.begin(), samples.end());
  if (has_out_gate(config_.gating)) row = examples::gated(std::move(row), v_.row(b, h));
  std::vector<double> result = y.row(b, h);
  const int exponent = -input_size(b, h);
  outcome.errors[static_cast<int>(Kind::y)].add(times_power(std::move(result), exponent),
                                                times_power(std::move(row), exponent));
}

// Sums over the batch. A few of them may happen to be small: these are compared over what a sum of products of that
// size is about.
void add_sums(examples::RelativeError& error, std::vector<double> values, std::span<const double> expected,
              double size) {
  constexpr std::size_t few = 32;
  std::vector<double> wanted(expected.begin(), expected.end());
  if (wanted.size() < few)
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      values[i] += size - wanted[i];
      wanted[i] = size;
    }
  error.add(values, wanted);
}

Outcome Case::gradients() {
  const Gradients& wanted = config_.gradients;
  const GuardedRows dy = gradient_rows();
  const GuardedFloats input_bounds = bounds(sizes_.input()), gradient_bounds = bounds(sizes_.gradient());
  GuardedRows du = poisoned(), dw = poisoned(), dv = poisoned();
  GuardedFloats dk(machine_, random_, launch_.channels, config_.filter_length, true);
  GuardedFloats dd(machine_, random_, launch_.channels, 1, false);
  BackwardArguments arguments;
  arguments.u = u_.view(), arguments.dy = dy.view();
  if (has_in_gate(config_.gating)) arguments.w = w_.view();
  if (has_out_gate(config_.gating)) arguments.v = v_.view();
  if (wanted.u) arguments.du = du.output();
  if (wanted.w) arguments.dw = dw.output();
  if (wanted.v) arguments.dv = dv.output();
  if (wanted.k) arguments.dk = dk.data(), arguments.dk_channel_stride = dk.stride();
  if (wanted.d) arguments.dd = dd.data();
  arguments.batch = launch_.batch, arguments.channels = launch_.channels;
  if (config_.scaling == Scaling::given) {
    arguments.input_magnitudes = magnitudes(input_bounds);
    arguments.gradient_magnitudes = magnitudes(gradient_bounds);
  }
  arguments.report = report();
  arguments.spectrum = kernel_.prepare_filter(filter());
  kernel_.launch_backward(arguments);
  machine_->synchronize();

  Outcome outcome;
  const auto collect = [&](auto& output, bool is_wanted, Kind kind) {
    output.download();
    if (!output.untouched(!is_wanted))
      outcome.faults.push_back(fmt::format("{}: {} was written", to_string(kind), is_wanted ? "a guard" : "something"));
  };
  collect(du, wanted.u, Kind::du), collect(dw, wanted.w, Kind::dw), collect(dv, wanted.v, Kind::dv);
  collect(dk, wanted.k, Kind::dk), collect(dd, wanted.d, Kind::dd);

  const auto length = static_cast<std::size_t>(config_.length);
  const std::size_t taps = static_cast<std::size_t>(config_.filter_length), round = std::max(period(length), length);
  const auto error_of = [&](Kind kind) -> examples::RelativeError& { return outcome.errors[static_cast<int>(kind)]; };
  for (int h = 0; h < launch_.channels; ++h) {
    // With a mask the filter, skip term and all, is what the mask leaves of it, and so is its gradient.
    std::vector<float> k = k_.row(h);
    const auto projected = [&](const std::vector<float>& values, double skip) {
      const std::vector<double> left = examples::masked_taps(values, round, skip, kept_);
      return std::vector<float>(left.begin(), left.end());
    };
    if (masked()) k = projected(k, skip_of(h));
    examples::ReferenceGradients reference(k, length, round, masked() ? 0.0 : skip_of(h));
    double squares = 0;  // of the products whose sum dd is
    // Rows and channels of all sizes count alike.
    const int of_sums = -product_size(h);
    const auto compare = [&](Kind kind, std::vector<double> found, std::vector<double> reference_row, int exponent) {
      error_of(kind).add(times_power(std::move(found), exponent), times_power(std::move(reference_row), exponent));
    };
    for (int b = 0; b < launch_.batch; ++b) {
      const std::vector<double> x = input_row(b, h), u = u_.row(b, h), dy_row = dy.row(b, h);
      const std::vector<double> none, w = has_in_gate(config_.gating) ? w_.row(b, h) : none;
      const std::vector<double> g = has_out_gate(config_.gating) ? examples::gated(dy_row, v_.row(b, h)) : dy_row;
      for (std::size_t n = 0; n < x.size(); ++n) squares += x[n] * g[n] * x[n] * g[n];
      const auto result = reference.add(x, g);
      const int of_dy = -gradient_size(b, h), of_both = of_dy - input_size(b, h);
      if (wanted.u) compare(Kind::du, du.row(b, h), examples::gated(result.correlated, w), of_dy);
      if (wanted.w) compare(Kind::dw, dw.row(b, h), examples::gated(result.correlated, u), of_both);
      if (wanted.v) compare(Kind::dv, dv.row(b, h), examples::gated(result.convolved, dy_row), of_both);
    }
    std::vector<double> expected = reference.dk();
    if (masked()) {
      const std::vector<float> left = projected(std::vector<float>(expected.begin(), expected.end()), 0);
      expected.assign(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(taps));
    }
    expected = times_power(std::move(expected), of_sums);
    const double size = std::ldexp(std::sqrt(squares), of_sums);
    const auto sums = [&](const GuardedFloats& found) {
      const std::vector<float> row = found.row(h);
      return times_power({row.begin(), row.end()}, of_sums);
    };
    if (wanted.k) add_sums(error_of(Kind::dk), sums(dk), expected, size);
    if (wanted.d) add_sums(error_of(Kind::dd), sums(dd), {expected.data(), 1}, size);
  }
  return outcome;
}

}  // namespace

Outcome run(const MachinePointer& machine, const Launch& launch) {
  try {
    const auto kernel = get_kernel(launch.config, machine->device());
    Case data(machine, *kernel, launch);
    return kernel->config().pass == Pass::forward ? data.forward() : data.gradients();
  } catch (const std::exception& error) {
    Outcome outcome;
    outcome.faults.emplace_back(error.what());
    return outcome;
  }
}

}  // namespace ffc::shapes
