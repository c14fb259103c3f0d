// Filter kernels of long transforms, run on the host step by step, against float64.
#include "long_filter.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>
#include <random>
#include <string_view>
#include <vector>

#include "ffc/templates/half.hpp"
#include "host_kernel.hpp"

using namespace ffc;
using namespace ffc::filter_tests;

namespace {

using Complex = std::complex<double>;

// Sum of x[first + stride n] exp(-2 pi i n k / length), by the smallest factor of the length.
std::vector<Complex> transformed(const std::vector<double>& x, std::size_t first, std::size_t stride,
                                 std::size_t length) {
  if (length == 1) return {x[first]};
  std::size_t radix = 2;
  while (length % radix != 0) ++radix;
  const std::size_t shorter = length / radix;
  std::vector<std::vector<Complex>> parts;
  for (std::size_t p = 0; p < radix; ++p) parts.push_back(transformed(x, first + p * stride, radix * stride, shorter));
  std::vector<Complex> result(length);
  for (std::size_t k = 0; k < length; ++k)
    for (std::size_t p = 0; p < radix; ++p)
      result[k] += parts[p][k % shorter] * std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(p * k % length) /
                                                               static_cast<double>(length));
  return result;
}

struct Filter {
  std::int64_t stride;
  std::vector<float> taps, skip;
};

Filter filter_of(const LongFilter& test, const Generated& generated) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal(0, test.magnitude);
  const std::int64_t taps = generated.config.filter_length;
  Filter filter{test.stride > 0 ? test.stride : taps, {}, {}};
  filter.taps.resize(static_cast<std::size_t>(filter.stride * (test.channels - 1) + taps));
  for (std::size_t i = 0; i < filter.taps.size(); ++i)
    // Channels differ in magnitude, so that a scale of another one would show.
    filter.taps[i] =
        static_cast<float>(normal(random) * std::ldexp(1, 2 * (static_cast<int>(i) / static_cast<int>(filter.stride))));
  for (std::size_t i = 0; test.tone > 0 && i < filter.taps.size(); ++i)
    filter.taps[i] += static_cast<float>(
        4 * std::cos(2 * std::numbers::pi * static_cast<double>(i) * test.tone / static_cast<double>(length_of(test))));
  for (int h = 0; h < test.channels; ++h) filter.skip.push_back(static_cast<float>(100 * normal(random)));
  return filter;
}

// What the transform is taken of.
std::vector<double> placed(const LongFilter& test, const Filter& filter, std::int64_t taps, int channel) {
  const SpectrumLayout layout = layout_of(test);
  std::vector<double> row(static_cast<std::size_t>(length_of(test)));
  const auto tap = [&](std::int64_t i) {
    return i < taps ? static_cast<double>(filter.taps[static_cast<std::size_t>(channel * filter.stride + i)]) : 0.0;
  };
  for (std::int64_t i = 0; i < length_of(test); ++i) {
    if (i < layout.head) row[static_cast<std::size_t>(i)] = tap(i);
    if (i >= layout.tail_start) row[static_cast<std::size_t>(i)] = tap(i - layout.tail_start + layout.tail_tap);
  }
  if (test.skip) row[0] += static_cast<double>(filter.skip[static_cast<std::size_t>(channel)]);
  return row;
}

// What stands behind a channel's spectrum.
struct SpectrumEnd {
  float scale = 0;
  std::uint16_t power[2] = {};  // that the spectrum lacks, a half twice
};

// norm(spectrum - reference) / norm(reference) of one channel's stored rows; checks scale and range.
double error_of(const LongFilter& test, const unsigned char* stored, const std::vector<Complex>& reference) {
  const SpectrumLayout layout = layout_of(test);
  const int rows = rows_of(test);
  const std::int64_t row_bytes = 4 * static_cast<std::int64_t>(layout.order.size());
  SpectrumEnd end;
  std::memcpy(&end, stored + rows * row_bytes, sizeof end);
  int exponent = 0;
  CHECK(std::frexp(end.scale, &exponent) == 0.5f);
  CHECK(end.power[0] == end.power[1]);
  const double power = from_half(end.power[0]), scale = end.scale;
  CHECK(std::frexp(power, &exponent) == 0.5);
  const std::vector<std::uint8_t> kept = test.masked ? kept_frequencies(layout.mask) : std::vector<std::uint8_t>();
  double error = 0, norm = 0, largest = 0;
  const auto half = [&](std::int64_t index) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, stored + 2 * index, sizeof bits);
    return from_half(bits);
  };
  for (int j = 0; j < rows; ++j)
    for (std::int64_t i = 0; i < test.row_length; ++i) {
      const std::int64_t at = j * row_bytes / 2 + i / layout.tile * (2 * layout.tile) + i % layout.tile;
      const Complex value = power * Complex(half(at), half(at + layout.tile));
      const int first = layout.rows.empty() ? j : layout.rows[static_cast<std::size_t>(j)];
      const std::int64_t frequency =
          first + std::int64_t{distance_of(test)} * layout.order[static_cast<std::size_t>(i)];
      const bool dropped = test.masked && kept[static_cast<std::size_t>(frequency)] == 0;
      const Complex expected = dropped ? 0.0 : test.gain * reference[static_cast<std::size_t>(frequency)];
      largest = std::max(largest, std::abs(value));
      error += std::norm(value * std::ldexp(scale, -test.output_exponent) - expected);
      norm += std::norm(expected);
    }
  CHECK(largest > 0.499);
  CHECK(largest < 1.001);
  return std::sqrt(error / norm);
}

host::HostCompiler& compiler() {
  static host::HostCompiler one(cache::options_from_environment({}));
  return one;
}

// No convolution: only filters are prepared.
host::Programs programs_of(const Generated& generated) {
  host::Programs programs;
  programs.filter = compiler().compile(generated.filter, "sm_90a");
  return programs;
}

void check_case(const LongFilter& test) {
  const Generated generated = generated_of(test);
  CAPTURE(generated.filter.name);
  const Filter filter = filter_of(test, generated);
  const host::HostKernel kernel(generated, programs_of(generated), {});
  FilterView view;
  view.k = filter.taps.data();
  view.skip = test.skip ? filter.skip.data() : nullptr;
  view.length = generated.config.filter_length;
  view.channels = test.channels;
  view.channel_stride = test.stride;
  std::vector<std::uint64_t> lent(2 * (kernel.filter_workspace_bytes(test.channels) + 15) / 16, ~std::uint64_t{0});
  Workspace workspace;
  if (test.lent_workspace) workspace = {lent.data(), kernel.filter_workspace_bytes(test.channels)};
  const FilterSpectrum spectrum = kernel.prepare_filter(view, nullptr, workspace);
  const auto channel_bytes = static_cast<std::size_t>(rows_of(test) * std::int64_t{4} * test.row_length + 16);
  REQUIRE(spectrum.bytes() == channel_bytes * static_cast<std::size_t>(test.channels));
  for (int h = 0; h < test.channels; ++h) {
    const std::vector<double> row = placed(test, filter, generated.config.filter_length, h);
    const auto* const stored = static_cast<const unsigned char*>(spectrum.data());
    CHECK(error_of(test, stored + channel_bytes * static_cast<std::size_t>(h), transformed(row, 0, 1, row.size())) <
          6e-4);
  }
}

}  // namespace

TEST_CASE("spectra of long transforms are those of float64, in rows") {
  check_case({.column_length = 16, .row_length = 256, .channels = 3, .channels_of_chunk = 2});
  check_case({.column_length = 48, .row_length = 512});
  check_case({.column_length = 80, .row_length = 256, .tile = 256});
  check_case({.column_length = 15, .row_length = 256, .channels = 2});
  check_case({.column_length = 1, .row_length = 4096, .tile = 4});
  check_case({.column_length = 2 * 17, .row_length = 128});
  check_case({.column_length = 1, .row_length = 27000, .tile = 1});
  check_case({.column_length = 1, .row_length = 27001 - 1001, .tile = 4});
}

TEST_CASE("few taps, a causal head, folded tails, the skip term") {
  check_case({.column_length = 16, .row_length = 256, .taps = 100, .skip = true});
  check_case({.column_length = 16, .row_length = 256, .taps = 3000, .head = 2000});
  check_case(
      {.column_length = 16, .row_length = 256, .taps = 3900, .head = 1900, .tail_start = 2198, .tail_tap = 2101});
  check_case({.column_length = 16,
              .row_length = 256,
              .taps = 500,
              .channels = 5,
              .channels_of_chunk = 2,
              .skip = true,
              .head = 300,
              .tail_start = 3900,
              .tail_tap = 310,
              .stride = 777,
              .lent_workspace = true});
}

TEST_CASE("rows alone, whose transforms hold whole tiles of the spectrum") {
  const auto check = [](LongFilter test) {
    test.right_angle = true;
    CHECK(generated_of(test).filter_steps == 2);  // columns, rows
    check_case(test);
  };
  check({.column_length = 16, .row_length = 1024, .channels = 3, .channels_of_chunk = 2, .skip = true});
  check({.column_length = 64, .row_length = 4096});                                        // a row each
  check({.column_length = 128, .row_length = 512, .taps = 5000, .channels = 2});           // several rows at once
  check({.column_length = 16, .row_length = 16384, .taps = 100, .lent_workspace = true});  // parts of rows
  check({.column_length = 80, .row_length = 1280});
  check({.column_length = 80, .row_length = 256 * 11});             // not all lanes have something to store
  check({.column_length = 48, .row_length = 1536, .channels = 2});  // three inputs of a butterfly have units
  check({.column_length = 48, .row_length = 13 * 256, .any_scale = true, .tone = 77});  // thirteen
  check({.column_length = 1, .row_length = 32768, .taps = 32768});
  for (const int tone : {1, 4 * 5, 4 * 16 * 9 + 1})
    check({.column_length = 16, .row_length = 1024, .any_scale = true, .tone = tone});
  const LongFilter shuffled = {.column_length = 16, .row_length = 1024, .right_angle = true, .shuffled = true};
  CHECK(generated_of(shuffled).filter_steps == 3);
  check_case(shuffled);
  check({.column_length = 16, .row_length = 1024, .output_exponent = -8, .gain = 1.0 / 3});
  for (const double magnitude : {1e-30, 1e-4, 1e4, 1e30})
    check({.column_length = 16, .row_length = 1024, .magnitude = magnitude, .any_scale = true});
}

TEST_CASE("frequencies of one residue in each block") {
  // In two blocks, four and eight, as far as the frequencies of a tile have one residue of twice as many.
  const auto check = [](LongFilter test) {
    test.tile = 256;
    for (test.blocks = 2; test.blocks <= 8 && length_of(test) / 256 % (2 * test.blocks) == 0; test.blocks *= 2) {
      const Generated generated = generated_of(test);
      CHECK(generated.filter_steps == 1);
      CHECK(generated.filter.cluster == test.blocks);
      check_case(test);
    }
  };
  check({.column_length = 16, .row_length = 256, .channels = 3});
  for (const int tone : {16, 8, 4, 2, 6, 10, 1, 7, 3, 5, 11, 15})  // the largest magnitude is another block's
    check({.column_length = 16, .row_length = 256, .tone = tone});
  check({.column_length = 2, .row_length = 512, .channels = 2, .skip = true});  // every second tile of a row
  check({.column_length = 4, .row_length = 256, .taps = 100, .skip = true, .stride = 333});
  check({.column_length = 4, .row_length = 1024, .channels = 2, .skip = true});
  check({.column_length = 2, .row_length = 1024});  // every fourth
  check({.column_length = 6, .row_length = 1024});  // and three rows
  check({.column_length = 20, .row_length = 256});
  check({.column_length = 5, .row_length = 2048, .channels = 2});
  check({.column_length = 48, .row_length = 768});
  check({.column_length = 8 * 17, .row_length = 256});
  check({.column_length = 2, .row_length = 2048});
  check({.column_length = 12, .row_length = 1024, .channels = 2});
  check({.column_length = 16,
         .row_length = 256,
         .taps = 500,
         .channels = 3,
         .skip = true,
         .head = 300,
         .tail_start = 3900,
         .tail_tap = 310,
         .stride = 777});
  check({.column_length = 4, .row_length = 16384});
  for (const int tone : {0, 3, 5, 8}) check({.column_length = 8, .row_length = 512, .tone = tone, .masked = true});
  check({.column_length = 16, .row_length = 256, .output_exponent = -8, .gain = 1.0 / 3});
  for (const double magnitude : {1e-30, 1e-4, 1e4, 1e30})
    check({.column_length = 16, .row_length = 256, .magnitude = magnitude, .any_scale = true});
}

TEST_CASE("filters go in blocks of a cluster where these hold them, and one would have no room beside it") {
  const auto blocks = [](LongFilter test, std::string_view arch = "sm_90a") {
    if (test.tile != 64) test.tile = 256;
    return residue_blocks(layout_of(test), length_of(test), distance_of(test), arch).value_or(0);
  };
  CHECK(blocks({.column_length = 4, .row_length = 16384}) == 8);
  CHECK(blocks({.column_length = 40, .row_length = 512}) == 8);
  CHECK(blocks({.column_length = 8, .row_length = 13 * 256}) == 4);
  CHECK(blocks({.column_length = 12, .row_length = 11 * 256}) == 2);
  CHECK(blocks({.column_length = 4, .row_length = 4096}) == 0);  // one block does
  CHECK(blocks({.column_length = 16, .row_length = 16384}) == 8);
  CHECK(blocks({.column_length = 32, .row_length = 16384}) == 0);
  CHECK(blocks({.column_length = 4, .row_length = 16384}, "sm_80") == 0);
  CHECK(blocks({.column_length = 8, .row_length = 16384}, "sm_120") == 8);  // 99 KB a block
  CHECK(blocks({.column_length = 16, .row_length = 16384}, "sm_120") == 0);
  CHECK(blocks({.column_length = 5, .row_length = 256 * 33}) == 0);  // tiles of all kinds of frequencies
  CHECK(blocks({.column_length = 6, .row_length = 256 * 33}) == 0);
  CHECK(blocks({.column_length = 4, .row_length = 8192, .tile = 64}) == 0);
  CHECK(blocks({.column_length = 4, .row_length = 8192, .right_angle = true}) == 0);
  CHECK(blocks({.column_length = 4, .row_length = 8192, .shuffled = true}) == 0);
}

TEST_CASE("gain, output exponent and taps of any magnitude") {
  check_case({.column_length = 16, .row_length = 256, .output_exponent = -8, .gain = 1.0 / 3});
  check_case({.column_length = 16, .row_length = 256, .magnitude = 1e-4});
}

TEST_CASE("a spectrum of zeros has the scale 1") {
  const LongFilter test = {.column_length = 16, .row_length = 256, .taps = 8};
  const Generated generated = generated_of(test);
  const host::HostKernel kernel(generated, programs_of(generated), {});
  const std::vector<float> taps(8, 0.0f);
  FilterView view;
  view.k = taps.data();
  view.length = 8;
  view.channels = 1;
  const FilterSpectrum spectrum = kernel.prepare_filter(view, nullptr, {});
  std::vector<std::uint32_t> words(spectrum.bytes() / 4);
  std::memcpy(words.data(), spectrum.data(), spectrum.bytes());
  CHECK(std::bit_cast<float>(words[words.size() - 4]) == 1.0f);
  CHECK(words[words.size() - 3] == 0x3c003c00u);  // ones
  words[words.size() - 4] = words[words.size() - 3] = 0;
  CHECK(std::all_of(words.begin(), words.end(), [](std::uint32_t word) { return (word & 0x7fff7fffu) == 0; }));
}
