// Spectra of long filters that are stored before their largest magnitude is known, on the host.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "compiler.hpp"
#include "ffc/generator/generate.hpp"
#include "ffc/templates/half.hpp"
#include "host_kernel.hpp"

using namespace ffc;

namespace {

constexpr std::int64_t taps = 65536;
constexpr int channels = 4, row_blocks = 32;  // of a channel, each of one row: row c has frequencies c + 32 k

Generated causal_filter() {
  ConvConfig config;
  config.length = config.filter_length = taps;
  config.padding = Padding::causal;
  config.arch = "sm_90a";
  Generated generated = generate(config);
  REQUIRE(generated.filter_steps == 2);
  REQUIRE(generated.filter.source.find("constexpr int column_points = 32;") != std::string::npos);
  return generated;
}

// The test fails where there is nothing to replace.
void replace(std::string& text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
}

// The channels' spectra.
std::vector<unsigned char> prepared(const Generated& generated, const std::vector<float>& k) {
  static host::HostCompiler compiler(cache::options_from_environment({}));
  host::Programs programs;
  programs.filter = compiler.compile(generated.filter, "sm_90a");
  const host::HostKernel kernel(generated, programs, {});
  std::vector<std::uint64_t> workspace(kernel.filter_workspace_bytes(channels) / 8 + 32, ~std::uint64_t{0});
  std::vector<std::uint64_t> memory(kernel.spectrum_bytes(channels) / 8, ~std::uint64_t{0});
  const auto aligned = (reinterpret_cast<std::uintptr_t>(workspace.data()) + 255) / 256 * 256;
  auto* const first = reinterpret_cast<unsigned char*>(aligned);
  (void)kernel.prepare_filter_into({k.data(), nullptr, taps, channels}, {memory.data(), 8 * memory.size()},
                                   {first, kernel.filter_workspace_bytes(channels)}, nullptr);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(memory.data());
  return {bytes, bytes + 8 * memory.size()};
}

// In each channel one frequency, of one row, is 0.67 under the scale, and larger than all others by more than a half.
std::vector<float> tones(const std::vector<int>& rows) {
  std::vector<float> k(channels * taps);
  for (std::size_t h = 0; h < channels; ++h)
    for (std::int64_t n = 0; n < taps; ++n) {
      const double turns = (rows[h] + row_blocks * 100 + 0.25) * static_cast<double>(n) / static_cast<double>(taps);
      k[h * taps + static_cast<std::size_t>(n)] = static_cast<float>(0.0025 * std::cos(2 * std::numbers::pi * turns));
    }
  return k;
}

double half_at(const std::vector<unsigned char>& spectra, std::size_t byte) {
  std::uint16_t half = 0;
  std::memcpy(&half, spectra.data() + byte, sizeof half);
  return from_half(half);
}

// A channel's spectrum, times the power of two that stands behind it.
std::vector<double> values_of(const std::vector<unsigned char>& spectra, int channel) {
  const std::size_t channel_bytes = spectra.size() / channels,
                    first = static_cast<std::size_t>(channel) * channel_bytes;
  const std::size_t end = first + channel_bytes - 16;
  const double power = half_at(spectra, end + 4);
  std::vector<double> values;
  for (std::size_t i = first; i < end; i += 2) values.push_back(half_at(spectra, i) * power);
  return values;
}

double largest_of(const std::vector<unsigned char>& spectra, int channel) {
  double largest = 0;
  for (const double value : values_of(spectra, channel)) largest = std::max(largest, std::abs(value));
  return largest;
}

// norm(spectrum - other) / norm(other) of a channel.
double difference_of(const std::vector<unsigned char>& spectra, const std::vector<unsigned char>& others, int channel) {
  const std::vector<double> values = values_of(spectra, channel), expected = values_of(others, channel);
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    difference += (values[i] - expected[i]) * (values[i] - expected[i]), norm += expected[i] * expected[i];
  }
  return std::sqrt(difference / norm);
}

}  // namespace

TEST_CASE("zeros have the scale 1, tiny taps vanish, what is not finite stays so") {
  std::vector<float> k(channels * taps);
  k[1 * taps + 77] = std::numeric_limits<float>::quiet_NaN();
  k[2 * taps + 60000] = std::numeric_limits<float>::infinity();
  for (std::size_t i = 3 * taps; i < k.size(); ++i) k[i] = i % 2 == 0 ? 1e-30f : -3e-30f;
  const std::vector<unsigned char> spectra = prepared(causal_filter(), k);
  const std::size_t channel_bytes = spectra.size() / channels;
  for (std::size_t h = 0; h < channels; ++h) {
    const std::size_t end = (h + 1) * channel_bytes - 16;
    float scale = 0;
    std::memcpy(&scale, spectra.data() + end, sizeof scale);
    CHECK(scale == (h == 3 ? 0x1p-14f : 1.0f));
    const double power = half_at(spectra, end + 4);
    bool all_zeros = true, all_finite = true;
    for (std::size_t i = h * channel_bytes; i < end; i += 2) {
      const double value = half_at(spectra, i) * power;
      all_zeros = all_zeros && value == 0;
      all_finite = all_finite && std::isfinite(value);
    }
    CHECK(all_zeros == (h == 0 || h == 3));
    CHECK(all_finite == (h == 0 || h == 3));
  }
}

TEST_CASE("every block's rows count for the scale") {
  const std::vector<int> rows = {0, 1, 17, 31};
  const std::vector<float> k = tones(rows);
  const std::vector<unsigned char> right = prepared(causal_filter(), k);
  for (int h = 0; h < channels; ++h) {
    CHECK(largest_of(right, h) > 0.3);  // of a real or imaginary part
    CHECK(largest_of(right, h) < 1.001);
  }
  // Without those of one block, the channel whose largest frequency it has leaves (0.5, 1].
  Generated broken = causal_filter();
  replace(broken.filter.source, "  atomic_max_global(&channel.state->largest,",
          "  if (blockIdx.x != 17) atomic_max_global(&channel.state->largest,");
  const std::vector<unsigned char> wrong = prepared(broken, k);
  for (int h = 0; h < channels; ++h) CHECK((largest_of(wrong, h) > 1.2) == (rows[static_cast<std::size_t>(h)] == 17));
}

TEST_CASE("rows find the unit that their columns share with them") {
  const std::vector<float> k = tones({0, 1, 17, 31});
  const std::vector<unsigned char> right = prepared(causal_filter(), k);
  Generated broken = causal_filter();
  replace(broken.filter.source, "of[row % unit_rows]", "of[0]");
  const std::vector<unsigned char> wrong = prepared(broken, k);
  for (int h = 0; h < channels; ++h) CHECK(difference_of(wrong, right, h) > 0.5);
}
