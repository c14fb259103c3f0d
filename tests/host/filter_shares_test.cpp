// Spectra of long filters that are scaled while rows of others are made: by which launch, and by what, on the host.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "compiler.hpp"
#include "ffc/generator/generate.hpp"
#include "ffc/templates/half.hpp"
#include "host/host_kernel.hpp"

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
  REQUIRE(generated.filter_last_shares > 0);
  REQUIRE(generated.filter.source.find("constexpr int column_points = 32;") != std::string::npos);
  return generated;
}

// The test fails where there is nothing to replace.
void replace(std::string& text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
}

// With another distance between a share whose rows come and the one that is multiplied along with them.
Generated with_shares_between(int shares) {
  Generated generated = causal_filter();
  replace(generated.filter.source, fmt::format("shares_between = {};", generated.filter_last_shares),
          fmt::format("shares_between = {};", shares));
  generated.filter_last_shares = shares;
  return generated;
}

struct Prepared {
  std::vector<unsigned char> spectrum;
  std::uint32_t left = 0;  // shares of the last chunk that came too early
};

Prepared prepared(const Generated& generated, const std::vector<float>& k) {
  static host::HostCompiler compiler(cache::options_from_environment({}));
  host::Programs programs;
  programs.filter = compiler.compile(generated.filter, "sm_90a");
  const host::HostKernel kernel(generated, programs);
  Prepared result;
  std::vector<std::uint64_t> workspace(kernel.filter_workspace_bytes(channels) / 8 + 32, ~std::uint64_t{0});
  std::vector<std::uint64_t> memory(kernel.spectrum_bytes(channels) / 8, ~std::uint64_t{0});
  const auto aligned = (reinterpret_cast<std::uintptr_t>(workspace.data()) + 255) / 256 * 256;
  auto* const first = reinterpret_cast<unsigned char*>(aligned);
  (void)kernel.prepare_filter_into({k.data(), nullptr, taps, channels}, {memory.data(), 8 * memory.size()},
                                   {first, kernel.filter_workspace_bytes(channels)}, nullptr);
  std::memcpy(&result.left, first + 8 * taps + 12, sizeof result.left);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(memory.data());
  result.spectrum.assign(bytes, bytes + 8 * memory.size());
  return result;
}

// Channels whose magnitudes, and so whose powers of two, differ.
std::vector<float> random_taps() {
  std::mt19937 random(11);
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> k(channels * taps);
  for (std::size_t i = 0; i < k.size(); ++i)
    k[i] = std::ldexp(normal(random), -3 * static_cast<int>(i / static_cast<std::size_t>(taps)));
  return k;
}

// In each channel one frequency, of one row, is 0.67 as stored, and larger than all others by more than a half.
std::vector<float> tones(const std::vector<int>& rows) {
  std::vector<float> k(channels * taps);
  for (std::size_t h = 0; h < channels; ++h)
    for (std::int64_t n = 0; n < taps; ++n) {
      const double turns = (rows[h] + row_blocks * 100 + 0.25) * static_cast<double>(n) / static_cast<double>(taps);
      k[h * taps + static_cast<std::size_t>(n)] = static_cast<float>(0.0025 * std::cos(2 * std::numbers::pi * turns));
    }
  return k;
}

// Of a channel's stored halves, as they are.
double largest_stored(const Prepared& of, int channel) {
  const std::size_t channel_bytes = of.spectrum.size() / channels;
  double largest = 0;
  for (std::size_t i = 0; i + 16 < channel_bytes; i += 2) {
    std::uint16_t half = 0;
    std::memcpy(&half, of.spectrum.data() + static_cast<std::size_t>(channel) * channel_bytes + i, sizeof half);
    largest = std::max(largest, std::abs(static_cast<double>(from_half(half))));
  }
  return largest;
}

}  // namespace

TEST_CASE("whichever launch scales a share, the bits are the same") {
  const std::vector<float> k = random_taps();
  const Prepared as_emitted = prepared(causal_filter(), k);  // all in the last launch
  CHECK(as_emitted.left == 0);
  // A share behind: all but those of a channel's first rows come while its rows are under way.
  const Prepared early = prepared(with_shares_between(1), k);
  CHECK(early.left >= (row_blocks - 1) * channels);
  CHECK(early.spectrum == as_emitted.spectrum);
  // Two channels behind: mostly done, and what is not is left.
  const Prepared late = prepared(with_shares_between(2 * row_blocks), k);
  CHECK(late.left < 2 * row_blocks);
  CHECK(late.spectrum == as_emitted.spectrum);
  // In chunks, the last of one channel.
  Generated in_chunks = with_shares_between(row_blocks);
  in_chunks.filter_blocks = 3;
  CHECK(prepared(in_chunks, k).spectrum == as_emitted.spectrum);
}

TEST_CASE("every block's rows count for the scale") {
  const std::vector<int> rows = {0, 1, 17, 31};
  const std::vector<float> k = tones(rows);
  const Prepared right = prepared(causal_filter(), k);
  for (int h = 0; h < channels; ++h) {
    CHECK(largest_stored(right, h) > 0.3);  // of a real or imaginary part
    CHECK(largest_stored(right, h) < 1.001);
  }
  // Without those of one block, the channel whose largest frequency it has leaves (0.5, 1].
  Generated broken = causal_filter();
  replace(broken.filter.source, "  atomic_max_global(&state->largest,",
          "  if (blockIdx.x != 17) atomic_max_global(&state->largest,");
  const Prepared wrong = prepared(broken, k);
  for (int h = 0; h < channels; ++h)
    CHECK((largest_stored(wrong, h) > 1.2) == (rows[static_cast<std::size_t>(h)] == 17));
}
