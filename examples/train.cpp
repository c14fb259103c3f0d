// System identification: the impulse response of a room from what was played and what was recorded, by gradient
// descent. Forward and backward kernels do the convolutions; the program adds up vectors of taps and samples.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <bit>
#include <cmath>
#include <ffc/ffc.hpp>
#include <numeric>
#include <random>

#include "between.hpp"
#include "machine.hpp"
#include "recording.hpp"
#include "reference.hpp"
#include "sixteen_bit.hpp"
#include "svg.hpp"
#include "wav.hpp"

namespace {

using namespace ffc::examples;

struct Options {
  std::string input, recorded, svg = "train.svg", wav, device;
  int taps = 4096, iterations = 30;
  double seconds = 4, noise = -60;
  bool check = false;
};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Noise through a room: reflections that grow denser and fade by 60 dB, and the recorder's own noise.
Recording demonstration(const Options& options) {
  Recording made;
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  const auto taps = static_cast<std::size_t>(options.taps);
  made.played.resize(std::max(static_cast<std::size_t>(options.seconds * made.rate), taps));
  float last = 0;
  for (float& sample : made.played) sample = last = 0.5f * last + 0.2f * normal(random);  // duller than white
  made.response.resize(taps);
  for (std::size_t n = taps / 100; n < taps; ++n) {
    const double time = static_cast<double>(n) / static_cast<double>(taps);
    const bool reflects = std::uniform_real_distribution<>()(random) < 0.02 + time * time * 4;
    if (reflects) made.response[n] = static_cast<float>(std::exp(-6.9 * time)) * normal(random) * 0.3f;
  }
  made.response[taps / 100] = 1;  // the direct sound
  const std::vector<double> played(made.played.begin(), made.played.end());
  const ReferenceFilter room(made.response, played.size(), played.size() + taps);
  const double level = std::pow(10, options.noise / 20) * 0.3;
  for (const double sample : room.apply(played).first)
    made.recorded.push_back(static_cast<float>(sample + level * normal(random)));
  return made;
}

// The linear map from taps to recorded samples, and its adjoint, both by kernels. Rows of N samples of what was played
// overlap by taps - 1, and the samples behind those depend on nothing outside the row.
class Room {
 public:
  Room(std::shared_ptr<Machine> machine, const Recording& recording, int taps)
      : machine_(std::move(machine)),
        taps_(static_cast<std::size_t>(taps)),
        length_(std::bit_ceil(std::max<std::size_t>(2 * taps_, 256))),
        useful_(length_ - taps_ + 1),
        samples_(recording.played.size()),
        rows_((samples_ + useful_ - 1) / useful_) {
    ffc::ConvConfig config;
    config.fft_length = static_cast<std::int64_t>(length_);
    config.filter_length = taps;
    forward_ = ffc::get_kernel(config, machine_->device());
    config.pass = ffc::Pass::backward;
    config.gradients = ffc::parse_gradients("dk");
    backward_ = ffc::get_kernel(config, machine_->device());
    float peak = 1e-9f;
    for (const float sample : recording.played) peak = std::max(peak, std::fabs(sample));
    scale_ = peak;
    std::vector<std::uint16_t> rows(rows_ * length_);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t at = i / length_ * useful_ + i % length_ + 1;  // behind taps samples of silence
      if (at >= taps_ && at - taps_ < samples_) rows[i] = to_fp16(recording.played[at - taps_] / peak);
    }
    played_ = Buffer::of(machine_, rows);
    result_ = Buffer(machine_, rows.size() * sizeof(std::uint16_t));
    gradient_ = Buffer(machine_, taps_ * sizeof(float));
  }

  [[nodiscard]] const ffc::Kernel& forward_kernel() const { return *forward_; }
  [[nodiscard]] const ffc::Kernel& backward_kernel() const { return *backward_; }

  /// What would be recorded of a room with that response.
  [[nodiscard]] std::vector<double> recorded(const std::vector<double>& response) {
    const double norm = std::sqrt(dot(response, response));
    const Buffer k = Buffer::of(machine_, scaled(response, 1 / norm));  // a step may be tiny, and fp16 is not fine
    ffc::LaunchArguments arguments;
    arguments.spectrum =
        forward_->prepare_filter({k.at<float>(0), nullptr, static_cast<std::int64_t>(response.size()), 1});
    arguments.u = {played_.data(), stride(), stride()};
    arguments.y = {result_.data(), stride(), stride()};
    arguments.batch = static_cast<int>(rows_);
    arguments.channels = 1;
    forward_->launch(arguments);
    machine_->synchronize();
    const std::vector<std::uint16_t> rows = result_.download<std::uint16_t>(0, rows_ * length_);
    std::vector<double> samples(samples_);
    for (std::size_t n = 0; n < samples_; ++n) samples[n] = norm * scale_ * from_fp16(rows[place_of(n)]);
    return samples;
  }

  /// The gradient by the taps of the sum of recorded(taps) times `residual`.
  [[nodiscard]] std::vector<double> gradient(const std::vector<double>& residual) {
    const double norm = std::sqrt(dot(residual, residual) / static_cast<double>(samples_));
    std::vector<std::uint16_t> rows(rows_ * length_);
    for (std::size_t n = 0; n < samples_; ++n) rows[place_of(n)] = to_fp16(static_cast<float>(residual[n] / norm));
    result_.upload<std::uint16_t>(rows);
    ffc::BackwardArguments arguments;
    arguments.u = {played_.data(), stride(), stride()};
    arguments.dy = {result_.data(), stride(), stride()};
    arguments.dk = gradient_.at<float>(0);
    arguments.batch = static_cast<int>(rows_);
    arguments.channels = 1;
    backward_->launch_backward(arguments);
    machine_->synchronize();
    const std::vector<float> dk = gradient_.download<float>(0, taps_);
    std::vector<double> gradient(dk.begin(), dk.end());
    for (double& value : gradient) value *= norm * scale_;
    return gradient;
  }

 private:
  static std::vector<float> scaled(const std::vector<double>& values, double factor) {
    std::vector<float> result;
    result.reserve(values.size());
    for (const double value : values) result.push_back(static_cast<float>(value * factor));
    return result;
  }

  [[nodiscard]] std::int64_t stride() const { return static_cast<std::int64_t>(length_); }
  // Where sample n of the recording is among the rows.
  [[nodiscard]] std::size_t place_of(std::size_t n) const { return n / useful_ * length_ + taps_ - 1 + n % useful_; }

  std::shared_ptr<Machine> machine_;
  std::size_t taps_, length_, useful_, samples_, rows_;
  std::shared_ptr<const ffc::Kernel> forward_, backward_;
  double scale_ = 1;
  Buffer played_, result_, gradient_;
};

double relative_error(const std::vector<double>& found, const std::vector<float>& expected) {
  RelativeError error;
  error.add(found, std::vector<double>(expected.begin(), expected.end()));
  return error.value();
}

// What the descent went through: of every iteration the energy of what is not explained yet, over that of the
// recording.
struct Fit {
  std::vector<double> response, losses;
};

// Conjugate gradients: each step follows the gradient as far as the loss falls, in a direction that spoils none before.
Fit fit(Room& room, const Recording& recording, const Options& options) {
  Fit result;
  result.response.resize(static_cast<std::size_t>(options.taps));
  std::vector<double> residual(recording.recorded.begin(), recording.recorded.end());
  const double energy = dot(residual, residual);
  if (energy == 0) throw std::runtime_error("the recording is silent");
  result.losses.push_back(1);
  std::vector<double> gradient = room.gradient(residual), direction = gradient;
  double steepness = dot(gradient, gradient);
  fmt::print("iteration       loss{}\n", recording.response.empty() ? "" : "  error of the response");
  for (int i = 1; i <= options.iterations && steepness > 0; ++i) {
    const std::vector<double> change = room.recorded(direction);
    const double step = steepness / dot(change, change);
    for (std::size_t n = 0; n < result.response.size(); ++n) result.response[n] += step * direction[n];
    for (std::size_t n = 0; n < residual.size(); ++n) residual[n] -= step * change[n];
    result.losses.push_back(dot(residual, residual) / energy);
    gradient = room.gradient(residual);
    const double next = dot(gradient, gradient);
    for (std::size_t n = 0; n < direction.size(); ++n) direction[n] = gradient[n] + next / steepness * direction[n];
    steepness = next;
    fmt::print("{:>9} {:>7.1f} dB", i, 10 * std::log10(result.losses.back()));
    if (!recording.response.empty())
      fmt::print("  {:>20.2f} %", 100 * relative_error(result.response, recording.response));
    fmt::print("\n");
    std::fflush(stdout);
  }
  return result;
}

void plot(const std::string& path, const Fit& fit, const Recording& recording) {
  Panel loss{"loss", "iteration", {{"", "#d9483b", fit.losses}}, true};
  Panel response{"impulse response", "tap", {}, false};
  if (!recording.response.empty())
    response.curves.push_back({"true", "#999999", {recording.response.begin(), recording.response.end()}});
  response.curves.push_back({"recovered", "#3b82f6", fit.response});
  std::vector<Panel> panels = {loss, response};
  if (!recording.response.empty()) {
    Curve difference{"", "#d9483b", fit.response};
    for (std::size_t n = 0; n < difference.y.size(); ++n) difference.y[n] -= recording.response[n];
    panels.push_back({"recovered minus true", "tap", {difference}, false});
  }
  write_svg(path, panels);
}

// Loss falls and the response is found.
bool passes(const Fit& fit, const Recording& recording) {
  const double error = relative_error(fit.response, recording.response);
  const bool good = fit.losses.back() < 1e-4 && error < 0.02;
  fmt::print("check: loss {:.1e}, must be below 1.0e-4; error of the response {:.4f}, must be below 0.02: {}\n",
             fit.losses.back(), error, good ? "passed" : "FAILED");
  return good;
}

void add_options(CLI::App& app, Options& options) {
  app.add_option("input", options.input, "WAV file that was played; without one, a demonstration");
  app.add_option("recorded", options.recorded, "WAV file that was recorded meanwhile");
  app.add_option("--taps", options.taps, "length of the response")->check(CLI::Range(1, 16384))->capture_default_str();
  app.add_option("--iterations", options.iterations, "steps")->check(CLI::Range(1, 10000))->capture_default_str();
  app.add_option("--seconds", options.seconds, "of the demonstration, at 16 kHz")
      ->check(between(0.001, 600))
      ->capture_default_str();
  app.add_option("--noise", options.noise, "of the demonstration's recorder, in dB of full scale")
      ->check(between(-300, 60))
      ->capture_default_str();
  app.add_option("--svg", options.svg, "plot of the loss and the response")->capture_default_str();
  app.add_option("--wav", options.wav, "WAV file to write the response to");
  app.add_option("--device", options.device, "gpu or host; default: a GPU where there is one");
  app.add_flag("--check", options.check, "fail unless the demonstration's response is found");
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Finds the impulse response of a room from what was played and what was recorded, by gradient descent");
  Options options;
  add_options(app, options);
  CLI11_PARSE(app, argc, argv);
  if (options.input.empty() != options.recorded.empty())
    throw std::runtime_error("two files are needed: what was played, and what was recorded");
  if (options.check && !options.input.empty()) throw std::runtime_error("--check goes with the demonstration alone");
  check_writable(options.svg);
  if (!options.wav.empty()) check_wav(options.wav, static_cast<std::size_t>(options.taps), 1);
  const Recording recording =
      options.input.empty() ? demonstration(options) : read_recording(options.input, options.recorded);
  const auto machine = Machine::named(options.device);
  Room room(machine, recording, options.taps);
  fmt::print("{} samples, {} taps, on {}, by {} and {}\n", recording.played.size(), options.taps, machine->name(),
             room.forward_kernel().name(), room.backward_kernel().name());
  const Fit found = fit(room, recording, options);
  plot(options.svg, found, recording);
  fmt::print("{} shows the loss and the response\n", options.svg);
  if (!options.wav.empty()) {
    Audio audio{recording.rate, {{found.response.begin(), found.response.end()}}};
    write_wav(options.wav, audio);
  }
  return !options.check || passes(found, recording) ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "train: {}\n", error.what());
  return 1;
}
