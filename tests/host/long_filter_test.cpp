// Filter kernels of long transforms, run on the host step by step, against float64; and their launches.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "compiler.hpp"
#include "emit_filter.hpp"
#include "emit_long_filter.hpp"
#include "ffc/templates/half.hpp"
#include "filter_launches.hpp"
#include "host/host_kernel.hpp"

using namespace ffc;

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

struct Case {
  int column_length, row_length;
  std::int64_t taps = 0;  ///< 0: as many as the transform is long
  int channels = 1;
  int channels_of_chunk = 0;  ///< 0: as emitted
  bool skip = false;
  std::int64_t head = -1, tail_start = -1, tail_tap = 0;  ///< -1: the transform's length
  std::int64_t stride = 0;
  int tile = 16;
  int output_exponent = 0;
  bool lent_workspace = false;
  double gain = 1;
  double magnitude = 1;      ///< of the taps
  bool right_angle = false;  ///< frequencies 4 k + 1 of a transform four times as long, in tiles of 256 as a plan's are
  bool shuffled = false;     ///< those tiles in an order that no plan has, so that rows do not hold them
  bool any_scale = false;    ///< scales that fp16 cannot hold
};

int parts_of(const Case& test) { return test.right_angle ? 4 : 1; }
// Between frequencies of a row; the order of a single row at right angles has them itself.
int distance_of(const Case& test) { return test.column_length == 1 ? 1 : parts_of(test) * test.column_length; }
int rows_of(const Case& test) { return test.right_angle ? test.column_length : test.column_length / 2 + 1; }
std::int64_t length_of(const Case& test) { return std::int64_t{parts_of(test)} * test.column_length * test.row_length; }

// The frequencies of a tile lie as far apart as there are tiles; a single row is at right angles itself.
void put_right_angle(SpectrumLayout& layout, const Case& test) {
  layout.right_angle = true;
  layout.tile = 256;
  // As fragments hold a tile's frequencies.
  std::vector<int> first;
  for (const int eight : {0, 1, 2, 3, 4, 5, 6, 7})
    for (const int thirty_two : {0, 32, 64, 96})
      for (const int high : {0, 128})
        for (const int middle : {0, 8})
          for (const int low : {0, 16}) first.push_back(eight + thirty_two + high + middle + low);
  if (test.shuffled) std::shuffle(first.begin(), first.end(), std::mt19937(7));
  const int tiles = test.row_length / 256;
  for (std::size_t i = 0; i < layout.order.size(); ++i) {
    const int k = first[i % 256] * tiles + static_cast<int>(i / 256);
    layout.order[i] = test.column_length == 1 ? 4 * k + 1 : k;
  }
  for (int row = 0; test.column_length > 1 && row < test.column_length; ++row) layout.rows.push_back(4 * row + 1);
}

// A row's frequencies in some order: emission must not care which.
SpectrumLayout layout_of(const Case& test) {
  SpectrumLayout layout;
  layout.order.resize(static_cast<std::size_t>(test.row_length));
  std::iota(layout.order.begin(), layout.order.end(), 0);
  std::shuffle(layout.order.begin(), layout.order.end(), std::mt19937(7));
  layout.tile = test.tile;
  if (test.right_angle) put_right_angle(layout, test);
  layout.gain = test.gain;
  layout.fp16_scale = !test.any_scale;
  layout.output_exponent = test.output_exponent;
  const std::int64_t length = length_of(test);
  layout.head = test.head < 0 ? length : test.head;
  layout.tail_start = test.tail_start < 0 ? length : test.tail_start;
  layout.tail_tap = test.tail_tap;
  return layout;
}

Generated generated_of(const Case& test) {
  Generated generated;
  generated.config.fft_length = length_of(test);
  generated.config.filter_length = test.taps > 0 ? test.taps : length_of(test);
  generated.config.arch = "sm_90a";
  generated.name = generated.conv.name = "conv_of_long_filter_test";
  generated.transform_length = length_of(test) / parts_of(test);
  put_long_filter(generated, layout_of(test), length_of(test), distance_of(test), "sm_90a");
  if (test.channels_of_chunk > 0) generated.filter_blocks = test.channels_of_chunk;
  return generated;
}

struct Filter {
  std::int64_t stride;
  std::vector<float> taps, skip;
};

Filter filter_of(const Case& test, const Generated& generated) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal(0, test.magnitude);
  const std::int64_t taps = generated.config.filter_length;
  Filter filter{test.stride > 0 ? test.stride : taps, {}, {}};
  filter.taps.resize(static_cast<std::size_t>(filter.stride * (test.channels - 1) + taps));
  for (std::size_t i = 0; i < filter.taps.size(); ++i)
    // Channels differ in magnitude, so that a scale of another one would show.
    filter.taps[i] =
        static_cast<float>(normal(random) * std::ldexp(1, 2 * (static_cast<int>(i) / static_cast<int>(filter.stride))));
  for (int h = 0; h < test.channels; ++h) filter.skip.push_back(static_cast<float>(100 * normal(random)));
  return filter;
}

// What the transform is taken of.
std::vector<double> placed(const Case& test, const Filter& filter, std::int64_t taps, int channel) {
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
double error_of(const Case& test, const unsigned char* stored, const std::vector<Complex>& reference) {
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
      const Complex expected = test.gain * reference[static_cast<std::size_t>(frequency)];
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

void check_case(const Case& test) {
  const Generated generated = generated_of(test);
  CAPTURE(generated.filter.name);
  const Filter filter = filter_of(test, generated);
  const host::HostKernel kernel(generated, programs_of(generated));
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
  const auto check = [](Case test) {
    test.right_angle = true;
    CHECK(generated_of(test).filter_steps == 2);  // columns, rows
    check_case(test);
  };
  check({.column_length = 16, .row_length = 1024, .channels = 3, .channels_of_chunk = 2, .skip = true});
  check({.column_length = 64, .row_length = 4096});                                        // a row each
  check({.column_length = 128, .row_length = 512, .taps = 5000, .channels = 2});           // several rows at once
  check({.column_length = 16, .row_length = 16384, .taps = 100, .lent_workspace = true});  // parts of rows
  check({.column_length = 80, .row_length = 1280});
  check({.column_length = 80, .row_length = 256 * 11});  // not all lanes have something to store
  check({.column_length = 1, .row_length = 32768, .taps = 32768});
  const Case shuffled = {.column_length = 16, .row_length = 1024, .right_angle = true, .shuffled = true};
  CHECK(generated_of(shuffled).filter_steps == 3);
  check_case(shuffled);
  check({.column_length = 16, .row_length = 1024, .output_exponent = -8, .gain = 1.0 / 3});
  for (const double magnitude : {1e-30, 1e-4, 1e4, 1e30})
    check({.column_length = 16, .row_length = 1024, .magnitude = magnitude, .any_scale = true});
}

TEST_CASE("gain, output exponent and taps of any magnitude") {
  check_case({.column_length = 16, .row_length = 256, .output_exponent = -8, .gain = 1.0 / 3});
  check_case({.column_length = 16, .row_length = 256, .magnitude = 1e-4});
}

TEST_CASE("a spectrum of zeros has the scale 1") {
  const Case test = {.column_length = 16, .row_length = 256, .taps = 8};
  const Generated generated = generated_of(test);
  const host::HostKernel kernel(generated, programs_of(generated));
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

TEST_CASE("launches go through the steps of one chunk after the other") {
  Generated generated = generated_of({.column_length = 16, .row_length = 256});
  CHECK(generated.filter_steps == 3);  // columns, rows, spectrum
  generated.filter_blocks = 4;
  FilterArguments all;
  all.k = reinterpret_cast<const float*>(0x1000);
  all.skip = reinterpret_cast<const float*>(0x2000);
  all.spectrum = reinterpret_cast<void*>(0x4000);
  all.workspace = reinterpret_cast<void*>(0x8000);
  all.tables = reinterpret_cast<const void*>(0x9000);
  all.k_channel_stride = std::int64_t{1} << 32;  // 4 channels of it are more than an int holds
  all.channels = 10;
  all.filter_length = 77;
  int launches = 0;
  for_each_filter_launch(generated, all, [&](const LongFilterArguments& got, const LaunchGrid& grid) {
    const int chunk = launches / 3;
    CHECK(got.step == launches % 3);
    CHECK(got.channels == (chunk < 2 ? 4 : 2));
    CHECK(got.k == all.k + 4 * chunk * all.k_channel_stride);
    CHECK(got.skip == all.skip + 4 * chunk);
    CHECK(got.spectrum == static_cast<unsigned char*>(all.spectrum) + 4 * chunk * generated.spectrum_row_bytes);
    CHECK(got.workspace == all.workspace);
    CHECK(got.tables == all.tables);
    CHECK(got.k_channel_stride == all.k_channel_stride);
    CHECK(got.filter_length == 77);
    CHECK(static_cast<int>(grid.x) == generated.filter_shares);
    CHECK(grid.y == static_cast<unsigned>(got.channels));
    ++launches;
  });
  CHECK(launches == 9);
  CHECK(filter_chunks(generated, 8) == 2);
  CHECK(filter_chunks(generated, 1) == 1);
  all.skip = nullptr;
  const FilterLaunch last = filter_launch(generated, all, 2, 2);
  CHECK(last.arguments.skip == nullptr);
  CHECK(static_cast<int>(last.grid.x) == generated.filter_shares);
}

TEST_CASE("what a chunk holds is bounded by 128 MB of workspace") {
  const Generated little = generated_of({.column_length = 16, .row_length = 256});
  CHECK(little.transform_length == 4096);
  CHECK(little.spectrum_row_bytes == 9 * 4 * 256 + 16);
  CHECK(little.filter_workspace_bytes_per_block == 4 * 4096 + 256);
  CHECK(little.filter_blocks == (128 << 20) / (4 * 4096 + 256));
  const Generated longest = generated_of({.column_length = 512, .row_length = 32768});
  CHECK(longest.filter_workspace_bytes_per_block == (64 << 20) + 256);
  CHECK(longest.filter_blocks == 1);
  CHECK(longest.filter.tables.size() == 32768);
  CHECK(longest.spectrum_row_bytes == 257 * 4 * 32768 + 16);
}

TEST_CASE("lengths and rows that no filter kernel takes are refused") {
  const SpectrumLayout layout = layout_of({.column_length = 16, .row_length = 256});
  CHECK_THROWS_AS((void)emit_long_filter(layout, 4096, 0, "sm_80"), std::logic_error);
  CHECK_THROWS_AS((void)emit_long_filter(layout, 4096, 15, "sm_80"), std::logic_error);
  CHECK_THROWS_AS((void)emit_long_filter(layout, 4096, 32, "sm_80"), std::logic_error);  // frequencies past the row
  CHECK_THROWS_AS((void)emit_long_filter(layout, 256 * 67, 67, "sm_80"), std::logic_error);
  CHECK_THROWS_AS((void)emit_long_filter(layout, 1 << 26, 1 << 18, "sm_80"), std::logic_error);
}

TEST_CASE("NVRTC compiles them") {
  Compiler nvrtc([] { return load_nvrtc(nvrtc_candidates()); }, {.root = {}, .disabled = true, .warn = {}});
  const auto check = [&](const Case& test, const char* arch) {
    const GeneratedKernel kernel = emit_long_filter(layout_of(test), length_of(test), test.column_length, arch);
    const CompiledProgram program = nvrtc.compile(kernel, arch);
    CAPTURE(program.log);
    CHECK(program.cubin.find(kernel.name) != std::string::npos);
  };
  check({.column_length = 512, .row_length = 32768}, "sm_90a");
  check({.column_length = 3 * 59, .row_length = 256}, "sm_80");
}
