// Convolution reverb: a WAV file of minutes through a long impulse response, as one convolution per channel.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <ffc/ffc.hpp>
#include <numbers>
#include <random>
#include <span>

#include "between.hpp"
#include "levels.hpp"
#include "machine.hpp"
#include "reference.hpp"
#include "sixteen_bit.hpp"
#include "svg.hpp"
#include "wav.hpp"

namespace {

using namespace ffc::examples;

constexpr std::size_t longest_full_check = std::size_t{1} << 21;  // samples and taps: beyond, some are checked
constexpr std::size_t checked_samples = 500;
constexpr std::size_t most_row_samples = std::size_t{1} << 26;  // in rows of pieces convolved together

// A plucked chord every five seconds, each on another root, so that there is something to hear.
Audio demo_input(double seconds) {
  constexpr double phrase = 5;
  Audio audio;
  audio.samples.assign(2, std::vector<float>(static_cast<std::size_t>(std::max(1.0, seconds * audio.rate))));
  for (std::size_t c = 0; c < 2; ++c)
    for (std::size_t n = 0; n < audio.length(); ++n) {
      const double time = static_cast<double>(n) / audio.rate;
      const int root = std::array{0, 5, 7, 3}.at(static_cast<std::size_t>(time / phrase) % 4);
      for (int note = 0; note < 4; ++note) {
        const double t = std::fmod(time, phrase) - 0.4 * note;
        if (t < 0) continue;
        const double pitch =
            220 * std::pow(2, (root + std::array{0, 4, 7, 12}.at(static_cast<std::size_t>(note))) / 12.0);
        audio.samples[c][n] += static_cast<float>(0.2 * std::exp(-3 * t) *
                                                  std::sin(2 * std::numbers::pi * pitch * t + static_cast<double>(c)));
      }
    }
  return audio;
}

// Exponentially decaying noise, 60 dB over its length, with unit energy.
Audio synthetic_response(std::size_t taps, int rate, std::size_t channels) {
  Audio response;
  response.rate = rate;
  for (std::size_t c = 0; c < channels; ++c) {
    std::mt19937 random(static_cast<unsigned>(c) + 1);
    std::normal_distribution<double> normal;
    std::vector<float> k(taps);
    double energy = 0;
    for (std::size_t n = 0; n < taps; ++n) {
      k[n] = static_cast<float>(normal(random) * std::exp(-6.9 * static_cast<double>(n) / static_cast<double>(taps)));
      energy += static_cast<double>(k[n]) * k[n];
    }
    for (float& tap : k) tap = static_cast<float>(tap / std::sqrt(energy));
    response.samples.push_back(std::move(k));
  }
  return response;
}

float peak_of(const Audio& audio) {
  float peak = 0;
  for (const auto& channel : audio.samples)
    for (const float sample : channel) peak = std::max(peak, std::fabs(sample));
  return peak;
}

// How the input is cut: `piece` samples of it, and the tail that they leave, are one row of `row` samples.
struct Pieces {
  std::shared_ptr<const ffc::Kernel> kernel;
  std::size_t piece = 0, row = 0;
};

// All of the input in one row where a transform is long enough; else in halves, quarters ..., as long as these are not
// much shorter than their tails. `piece` is where to begin.
Pieces make_pieces(const Machine& machine, std::size_t piece, std::size_t taps) {
  std::string refused;
  for (Pieces pieces;; piece = (piece + 1) / 2) {
    pieces.piece = piece;
    pieces.row = (piece + taps - 1 + 7) / 8 * 8;  // whole 16 bytes: the fast way to memory
    ffc::ConvConfig config;
    config.length = static_cast<std::int64_t>(pieces.row);
    config.filter_length = static_cast<std::int64_t>(taps);
    config.padding = ffc::Padding::causal;  // the FFT length is chosen
    try {
      pieces.kernel = ffc::get_kernel(config, machine.device());
    } catch (const ffc::ConfigError& error) {
      if (refused.empty()) refused = fmt::format("{} samples and {} taps in one row: {}", piece, taps, error.what());
      if (piece <= taps / 8 + 1) throw std::runtime_error(refused);
      continue;
    }
    if (!refused.empty()) fmt::print("{}; so in pieces of {}\n", refused, piece);
    return pieces;
  }
}

// One channel: pieces are the rows of a batch; they overlap by their tails, and add up.
void convolve_channel(const std::shared_ptr<Machine>& machine, const Pieces& pieces, std::span<const float> input,
                      const std::vector<float>& response, float scale, std::span<float> output) {
  const Buffer taps = Buffer::of(machine, response);
  ffc::LaunchArguments arguments;
  arguments.spectrum =
      pieces.kernel->prepare_filter({taps.at<float>(0), nullptr, static_cast<std::int64_t>(response.size()), 1});
  arguments.channels = 1;
  const std::size_t most = std::max<std::size_t>(2, most_row_samples / pieces.row);
  for (std::size_t first = 0; first < input.size(); first += most * pieces.piece) {
    const std::size_t count = std::min(most, (input.size() - first + pieces.piece - 1) / pieces.piece);
    std::vector<std::uint16_t> rows(count * pieces.row);
    for (std::size_t i = 0; i < count * pieces.piece && first + i < input.size(); ++i)
      rows[i / pieces.piece * pieces.row + i % pieces.piece] = to_fp16(input[first + i] / scale);
    const Buffer u = Buffer::of(machine, rows);
    Buffer y(machine, rows.size() * sizeof(std::uint16_t));
    y.poison();
    const auto stride = static_cast<std::int64_t>(pieces.row);
    arguments.u = {u.data(), stride, stride};
    arguments.y = {y.data(), stride, stride};
    arguments.batch = static_cast<int>(count);
    pieces.kernel->launch(arguments);
    machine->synchronize();
    rows = y.download<std::uint16_t>(0, rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t at = first + i / pieces.row * pieces.piece + i % pieces.row;
      if (at < output.size()) output[at] += scale * from_fp16(rows[i]);
    }
  }
}

// One channel after the other: with a row of many minutes each has a spectrum of tens of megabytes.
Audio convolve(const std::shared_ptr<Machine>& machine, const Audio& input, const Audio& response, std::size_t piece) {
  const Pieces pieces =
      make_pieces(*machine, piece == 0 ? input.length() : std::min(piece, input.length()), response.length());
  fmt::print("{} channels, {} samples, {} taps, FFT length {} on {}\n", input.samples.size(), input.length(),
             response.length(), pieces.kernel->generated().transform_length, machine->name());
  const float scale = std::max(peak_of(input), 1e-9f);
  Audio output;
  output.rate = input.rate;
  output.samples.assign(input.samples.size(), std::vector<float>(input.length() + response.length() - 1));
  for (std::size_t c = 0; c < input.samples.size(); ++c)
    convolve_channel(machine, pieces, input.samples[c], response.samples[c], scale, output.samples[c]);
  return output;
}

// `written` is what the file holds, 16-bit rounding and all: the convolution times `scale`.
double error_against_float64(const Audio& input, const Audio& response, const Audio& written, double scale) {
  RelativeError error;
  const std::size_t length = input.length() + response.length() - 1;
  for (std::size_t c = 0; c < input.samples.size(); ++c) {
    std::vector<double> y(written.samples.at(c).begin(), written.samples.at(c).end()), expected;
    if (y.size() != length) throw std::runtime_error(fmt::format("the file has {} samples, not {}", y.size(), length));
    for (double& sample : y) sample /= scale;
    if (length + response.length() <= longest_full_check) {
      std::vector<double> padded(input.samples[c].begin(), input.samples[c].end());
      padded.resize(length);
      expected = ReferenceFilter(response.samples[c], length, length + response.length()).apply(padded).first;
    } else {
      const std::vector<std::size_t> positions = sample_positions(length, checked_samples, static_cast<unsigned>(c));
      for (std::size_t i = 0; i < positions.size(); ++i) y[i] = y[positions[i]];  // never a position before i
      y.resize(positions.size());
      for (const std::size_t n : positions) expected.push_back(causal_sample(response.samples[c], input.samples[c], n));
    }
    error.add(y, expected);
  }
  return error.value();
}

// Only where it would clip; returns the factor.
float scale_into_range(Audio& audio) {
  const float peak = peak_of(audio);
  if (peak <= 1) return 1;
  fmt::print("output peaks at {:.2f}: scaled down to full scale\n", peak);
  for (auto& channel : audio.samples)
    for (float& sample : channel) sample /= peak;
  return 1 / peak;
}

// Levels of the first channel over time: what came in, the room, and what it became.
void plot(const std::string& path, const Audio& input, const Audio& response, const Audio& output) {
  constexpr double quiet = 1e-9;  // silence has no level
  const std::size_t window = window_length(output.length(), 400);
  const auto curve = [&](const char* name, const char* colour, const Audio& audio) {
    return Curve{name, colour, mean_squares(output.length(), window, quiet, [&](std::size_t n) {
                   return n < audio.length() ? static_cast<double>(audio.samples.at(0)[n]) : 0.0;
                 })};
  };
  const double step = static_cast<double>(window) / output.rate;
  write_svg(path,
            {{"level", "seconds", {curve("output", "#3b82f6", output), curve("input", "#d9483b", input)}, true, step},
             {"impulse response, level", "seconds", {curve("", "#3b82f6", response)}, true, step}});
  fmt::print("{} shows the levels\n", path);
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Convolves a WAV file with an impulse response");
  std::string in, out, ir, svg;
  double seconds = 2, demo_seconds = 5;
  std::size_t piece = 0;
  bool demo = false, check = false;
  app.add_option("input", in, "WAV file: PCM 16, 24 or 32 bits or float, any channels");
  app.add_option("output", out, "WAV file to write, 16-bit PCM");
  app.add_option("--ir", ir, "impulse response, a WAV file of one channel or as many as the input");
  app.add_option("--seconds", seconds, "length of a synthetic response")->check(between(0.001, 600));
  app.add_flag("--demo", demo, "convolve a synthetic chord (the one file named is the output)");
  app.add_option("--demo-seconds", demo_seconds, "length of the chord, struck anew every five seconds")
      ->check(between(0.001, 3600));
  app.add_option("--piece", piece, "most samples to convolve in one row; 0 is all, as far as transforms reach")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--svg", svg, "plot of the levels over time");
  app.add_flag("--check", check, "compare the file written with a float64 convolution, a long one at some samples");
  CLI11_PARSE(app, argc, argv);
  if (demo && out.empty()) std::swap(in, out);
  if (out.empty() || in.empty() != demo)
    throw std::runtime_error("name an input and an output, or --demo and an output");

  const Audio input = demo ? demo_input(demo_seconds) : read_wav(in);
  if (input.length() == 0) throw std::runtime_error("the input has no samples");
  Audio response;
  if (!ir.empty()) response = read_wav(ir);
  const std::size_t channels = input.samples.size();
  const std::size_t taps =
      ir.empty() ? static_cast<std::size_t>(std::max(1.0, seconds * input.rate)) : response.length();
  if (taps == 0) throw std::runtime_error("the impulse response has no samples");
  check_wav(out, input.length() + taps - 1, channels);
  if (ir.empty()) response = synthetic_response(taps, input.rate, channels);
  if (response.samples.size() == 1) response.samples.resize(channels, response.samples[0]);
  if (response.samples.size() != channels)
    throw std::runtime_error(
        fmt::format("the response has {} channels; it must have 1 or {}", response.samples.size(), channels));
  const auto machine = Machine::gpu_or_host();
  Audio output = convolve(machine, input, response, piece);
  const float scale = scale_into_range(output);
  write_wav(out, output);
  if (!svg.empty()) plot(svg, input, response, output);
  if (!check) return 0;
  const double error = error_against_float64(input, response, read_wav(out), scale);
  fmt::print("{}: relative error {:.2e} against float64\n", out, error);
  return error <= 2.0e-3 ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "reverb: {}\n", error.what());
  return 1;
}
