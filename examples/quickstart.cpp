// One long convolution from start to finish: get a kernel, prepare a filter, launch, compare with float64.
#include <fmt/core.h>

#include <cmath>
#include <cstdint>
#include <ffc/ffc.hpp>
#include <random>
#include <span>
#include <vector>

#include "machine.hpp"
#include "reference.hpp"
#include "sixteen_bit.hpp"

namespace {

using namespace ffc::examples;

constexpr int batch = 4, channels = 8;
constexpr std::int64_t length = 2048;

ffc::ConvConfig make_config() {
  ffc::ConvConfig config;
  config.length = length;  // L samples a row; the FFT length is chosen
  config.padding = ffc::Padding::causal;
  return config;
}

std::vector<float> random_floats(std::size_t count, float scale) {
  static std::mt19937 random(1);
  std::normal_distribution<float> normal(0, scale);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

int run(const std::shared_ptr<Machine>& machine) {
  // u (B, H, L) fp16 and k (H, L) float32, as a model has them.
  const std::vector<float> u = random_floats(static_cast<std::size_t>(length * channels * batch), 1);
  const std::vector<float> k = random_floats(static_cast<std::size_t>(channels * length), 1 / std::sqrt(float(length)));
  const std::vector<std::uint16_t> u_bits = encode(ffc::DataType::fp16, u);
  const Buffer u_buffer = Buffer::of(machine, u_bits), k_buffer = Buffer::of(machine, k);
  Buffer y_buffer(machine, u_bits.size() * 2);
  y_buffer.poison();

  const auto kernel = ffc::get_kernel(make_config(), machine->device());
  ffc::LaunchArguments arguments;
  arguments.u = {u_buffer.data(), channels * length, length};
  arguments.y = {y_buffer.data(), channels * length, length};
  arguments.batch = batch;
  arguments.channels = channels;
  arguments.spectrum = kernel->prepare_filter({k_buffer.at<float>(0), nullptr, length, channels});
  kernel->launch(arguments);
  machine->synchronize();

  RelativeError error;
  const std::vector<std::uint16_t> y = y_buffer.download<std::uint16_t>(0, u_bits.size());
  for (int h = 0; h < channels; ++h) {
    const ReferenceFilter filter(std::span<const float>(k).subspan(static_cast<std::size_t>(h * length), length),
                                 length, 2 * length);
    for (int b = 0; b < batch; ++b) {
      const auto row = static_cast<std::size_t>((b * channels + h) * length);
      const auto input = decode(ffc::DataType::fp16, std::span(u_bits).subspan(row, length));
      error.add(decode(ffc::DataType::fp16, std::span(y).subspan(row, length)), filter.apply(input).first);
    }
  }
  fmt::print("{} on {}: relative error {:.2e} against float64\n", kernel->name(), machine->name(), error.value());
  return error.value() <= 1.0e-3 ? 0 : 1;
}

}  // namespace

// On a GPU where there is one; else the host runs the same kernel's text.
int main() try { return run(Machine::gpu_or_host()); } catch (const std::exception& error) {
  fmt::print(stderr, "quickstart: {}\n", error.what());
  return 1;
}
