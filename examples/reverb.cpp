// Convolution reverb: a WAV file through a long impulse response, by one generated kernel and overlap-add.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <ffc/ffc.hpp>
#include <numbers>
#include <random>
#include <span>

#include "machine.hpp"
#include "reference.hpp"
#include "sixteen_bit.hpp"
#include "wav.hpp"

namespace {

using namespace ffc::examples;

constexpr std::size_t window = 32768;      // N: the longest row that one block holds
constexpr std::size_t block = window / 2;  // samples of input, and taps, that a row takes: it holds all their outputs
constexpr std::size_t most_blocks = 512;   // of input per launch

ffc::ConvConfig make_config() {
  ffc::ConvConfig config;
  config.fft_length = window;
  config.filter_length = block;
  return config;
}

// A plucked chord, so that there is something to hear.
Audio demo_input() {
  Audio audio;
  audio.samples.assign(2, std::vector<float>(5 * 48000));
  for (std::size_t c = 0; c < 2; ++c)
    for (std::size_t n = 0; n < audio.length(); ++n)
      for (int note = 0; note < 4; ++note) {
        const double t = static_cast<double>(n) / audio.rate - 0.4 * note;
        if (t < 0) continue;
        const double pitch = 220 * std::pow(2, (note == 1 ? 4 : note == 2 ? 7 : note == 3 ? 12 : 0) / 12.0);
        audio.samples[c][n] += static_cast<float>(0.2 * std::exp(-3 * t) *
                                                  std::sin(2 * std::numbers::pi * pitch * t + static_cast<double>(c)));
      }
  return audio;
}

// Exponentially decaying noise, 60 dB over its length, with unit energy.
Audio synthetic_response(double seconds, int rate, std::size_t channels) {
  Audio response;
  response.rate = rate;
  const auto taps = static_cast<std::size_t>(std::max(1.0, seconds * rate));
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

// A piece of every channel, padded with zeros, channels after each other.
template <class T, class Convert>
void append_piece(std::vector<T>& to, const Audio& audio, std::size_t start, std::size_t row, Convert convert) {
  for (const std::vector<float>& channel : audio.samples) {
    const std::size_t first = to.size();
    to.resize(first + row);
    for (std::size_t n = 0; n < block && start + n < channel.size(); ++n) to[first + n] = convert(channel[start + n]);
  }
}

// Input and response in blocks of half a window; each product of two blocks fills one row, rows overlap and add up.
Audio convolve(const std::shared_ptr<Machine>& machine, const Audio& input, const Audio& response) {
  const std::size_t channels = input.samples.size();
  const auto kernel = ffc::get_kernel(make_config(), machine->device());
  float peak = 1e-9f;
  for (const auto& channel : input.samples)
    for (const float sample : channel) peak = std::max(peak, std::fabs(sample));
  Audio output;
  output.rate = input.rate;
  output.samples.assign(channels, std::vector<float>(input.length() + response.length() - 1));

  for (std::size_t tap = 0; tap < response.length(); tap += block) {
    std::vector<float> k;
    append_piece(k, response, tap, block, [](float value) { return value; });
    const Buffer taps = Buffer::of(machine, k);
    const auto spectrum = kernel->prepare_filter({taps.at<float>(0), nullptr, 0, static_cast<int>(channels)});
    for (std::size_t first = 0; first < input.length(); first += most_blocks * block) {
      std::vector<std::uint16_t> rows;
      int batch = 0;
      for (std::size_t start = first; start < std::min(input.length(), first + most_blocks * block);
           start += block, ++batch)
        append_piece(rows, input, start, window, [&](float value) { return to_fp16(value / peak); });
      const Buffer u = Buffer::of(machine, rows);
      Buffer y(machine, rows.size() * 2);
      y.poison();
      const auto stride = static_cast<std::int64_t>(window);
      ffc::LaunchArguments arguments;
      arguments.u = {u.data(), stride * static_cast<std::int64_t>(channels), stride};
      arguments.y = {y.data(), stride * static_cast<std::int64_t>(channels), stride};
      arguments.batch = batch;
      arguments.channels = static_cast<int>(channels);
      arguments.spectrum = spectrum;
      kernel->launch(arguments);
      machine->synchronize();
      const std::vector<std::uint16_t> result = y.download<std::uint16_t>(0, rows.size());
      for (std::size_t i = 0; i < result.size(); ++i) {
        const std::size_t row = i / window, at = first + row / channels * block + tap + i % window;
        if (at < output.length()) output.samples[row % channels][at] += peak * from_fp16(result[i]);
      }
    }
  }
  return output;
}

// `written` is what the file holds, 16-bit rounding and all: the convolution times `scale`.
double error_against_float64(const Audio& input, const Audio& response, const Audio& written, double scale) {
  RelativeError error;
  for (std::size_t c = 0; c < input.samples.size(); ++c) {
    const std::size_t length = input.length() + response.length() - 1;
    std::vector<double> padded(input.samples[c].begin(), input.samples[c].end());
    padded.resize(length);
    const ReferenceFilter filter(response.samples[c], length, length + response.length());
    std::vector<double> y(written.samples.at(c).begin(), written.samples.at(c).end());
    for (double& sample : y) sample /= scale;
    error.add(y, filter.apply(padded).first);
  }
  return error.value();
}

// Only where it would clip; returns the factor.
float scale_into_range(Audio& audio) {
  float peak = 0;
  for (const auto& channel : audio.samples)
    for (const float sample : channel) peak = std::max(peak, std::fabs(sample));
  if (peak <= 1) return 1;
  fmt::print("output peaks at {:.2f}: scaled down to full scale\n", peak);
  for (auto& channel : audio.samples)
    for (float& sample : channel) sample /= peak;
  return 1 / peak;
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Convolves a WAV file with an impulse response");
  std::string in, out, ir;
  double seconds = 2;
  bool demo = false, check = false;
  app.add_option("input", in, "WAV file: PCM 16, 24 or 32 bits or float, any channels");
  app.add_option("output", out, "WAV file to write, 16-bit PCM");
  app.add_option("--ir", ir, "impulse response, a WAV file of one channel or as many as the input");
  app.add_option("--seconds", seconds, "length of a synthetic response")->check(CLI::Range(0.001, 600.0));
  app.add_flag("--demo", demo, "convolve a synthetic chord (the one file named is the output)");
  app.add_flag("--check", check, "compare the file written with a float64 convolution");
  CLI11_PARSE(app, argc, argv);
  if (demo && out.empty()) std::swap(in, out);
  if (out.empty() || in.empty() != demo)
    throw std::runtime_error("name an input and an output, or --demo and an output");

  const Audio input = demo ? demo_input() : read_wav(in);
  if (input.length() == 0) throw std::runtime_error("the input has no samples");
  Audio response = ir.empty() ? synthetic_response(seconds, input.rate, input.samples.size()) : read_wav(ir);
  if (response.length() == 0) throw std::runtime_error("the impulse response has no samples");
  if (response.samples.size() == 1) response.samples.resize(input.samples.size(), response.samples[0]);
  if (response.samples.size() != input.samples.size())
    throw std::runtime_error(fmt::format("the response has {} channels; it must have 1 or {}", response.samples.size(),
                                         input.samples.size()));
  const auto machine = Machine::gpu_or_host();
  Audio output = convolve(machine, input, response);
  fmt::print("{} channels, {} samples, {} taps on {}\n", input.samples.size(), input.length(), response.length(),
             machine->name());
  const float scale = scale_into_range(output);
  write_wav(out, output);
  if (!check) return 0;
  const double error = error_against_float64(input, response, read_wav(out), scale);
  fmt::print("{}: relative error {:.2e} against float64\n", out, error);
  return error <= 2.0e-3 ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "reverb: {}\n", error.what());
  return 1;
}
