// Emission of filter kernels: names, text, tables and refusals; and where the taps go.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emit_filter.hpp"
#include "emit_long_filter.hpp"
#include "ffc/generator/arch.hpp"

using namespace ffc;

namespace {

SpectrumLayout natural_layout(std::int64_t length, int tile = 4) {
  SpectrumLayout layout;
  layout.order.resize(static_cast<std::size_t>(length));
  std::iota(layout.order.begin(), layout.order.end(), 0);
  while (layout.order.size() % 4 != 0) layout.order.push_back(-1);
  layout.tile = tile;
  layout.head = layout.tail_start = length;
  return layout;
}

bool contains(std::string_view text, std::string_view what) { return text.find(what) != std::string_view::npos; }

std::string source_of(const SpectrumLayout& layout, std::int64_t length = 1024) {
  return emit_filter(layout, length, "sm_80").source;
}

}  // namespace

TEST_CASE("the name spells length, passes, tile and arch, and is the entry's") {
  SpectrumLayout layout = natural_layout(6144, 256);
  const GeneratedKernel kernel = emit_filter(layout, 6144, "sm_90a");
  CHECK(kernel.name == "filter_n6144_half_3x16x8x8_tile256_sm90a");
  CHECK(kernel.source.starts_with("// " + kernel.name + "\n"));
  CHECK(contains(kernel.source, "extern \"C\" __global__ void __launch_bounds__(threads, blocks_per_sm)\n    " +
                                    kernel.name + "(const FilterArguments arguments) {\n"));
  CHECK(kernel.shared_bytes == 8 * (3072 + 16) + 128);  // one frequency more than points, in whole sixteens
}

TEST_CASE("the text is complete: no include, no mark of a template, no default left") {
  for (const Arch& arch : architectures()) {
    const std::string text = emit_filter(natural_layout(4096, 256), 4096, arch.name).source;
    CHECK_FALSE(contains(text, "#include"));
    CHECK_FALSE(contains(text, "#pragma once"));
    CHECK_FALSE(contains(text, "//[["));
    CHECK_FALSE(contains(text, "filter_template"));
    CHECK(text.ends_with("}\n"));
    CHECK(contains(text, "-arch=" + std::string(arch.name)));
  }
}

TEST_CASE("the same layout gives the same bytes") {
  const SpectrumLayout layout = natural_layout(3000, 8);
  const GeneratedKernel one = emit_filter(layout, 3000, "sm_80"), two = emit_filter(layout, 3000, "sm_80");
  CHECK(one.name == two.name);
  CHECK(one.source == two.source);
  CHECK(one.options == two.options);
  CHECK(one.tables == two.tables);
  CHECK(one.threads == two.threads);
}

TEST_CASE("whatever changes the spectrum changes the text") {
  const SpectrumLayout layout = natural_layout(1024);
  const std::string text = source_of(layout);
  SpectrumLayout other = layout;
  SUBCASE("order") { std::swap(other.order[5], other.order[900]); }
  SUBCASE("padding of the order") { other.order.insert(other.order.end(), 4, -1); }
  SUBCASE("tile") { other.tile = 8; }
  SUBCASE("gain") { other.gain = std::nextafter(1.0, 2.0); }
  SUBCASE("output exponent") { other.output_exponent = 1; }
  SUBCASE("range of the scale") { other.fp16_scale = false; }
  SUBCASE("head") { other.head = 1000; }
  SUBCASE("start of the tail") { other.tail_start = 1000; }
  SUBCASE("first tap of the tail") { other.tail_tap = 1; }
  CHECK(source_of(other) != text);
}

TEST_CASE("constants are written as they are") {
  SpectrumLayout layout = natural_layout(1024, 16);
  layout.head = 700, layout.tail_start = 800, layout.tail_tap = 33;
  layout.gain = 1.0 / 3;
  layout.output_exponent = -5;
  const std::string text = source_of(layout);
  for (const char* line : {"constexpr int length = 1024;", "constexpr int threads = 32;",
                           "constexpr int elements = 1024;", "constexpr int tile = 16;", "constexpr int head = 700;",
                           "constexpr int tail_start = 800;", "constexpr int tail_tap = 33;",
                           "constexpr double gain = 0.33333333333333331;", "constexpr int output_exponent = -5;",
                           "constexpr int least_exponent = -14;", "constexpr int most_exponent = 15;"}) {
    CAPTURE(line);
    CHECK(contains(text, line));
  }
  layout.fp16_scale = false;
  CHECK(contains(source_of(layout), "constexpr int least_exponent = -126;"));
  CHECK(contains(source_of(layout), "constexpr int most_exponent = 127;"));
}

TEST_CASE("passes are few, from the taps to the array and in it") {
  const std::string half = source_of(natural_layout(512), 512);
  CHECK(contains(half, "transform_pass<Row, 16, 1>(taps, array);"));
  CHECK(contains(half, "transform_pass<Row, 16, 16>(array, array);"));
  const std::string odd = source_of(natural_layout(7 * 61 * 4), 7 * 61 * 4);
  CHECK(contains(odd, "transform_pass<Row, 7, 1>(taps, array);"));  // odd ones first
  CHECK(contains(odd, "transform_pass<Row, 2, 7>(array, array);"));
  CHECK(contains(odd, "prime_pass<Row, 61, 14>(array, array);"));
  CHECK(contains(source_of(natural_layout(3 * 5 * 7), 105), "transform_pass<Row, 15, 1>(taps, array);"));
  CHECK(contains(source_of(natural_layout(27 * 4), 27 * 4), "transform_pass<Row, 9, 1>(taps, array);"));
  CHECK(contains(source_of(natural_layout(27 * 4), 27 * 4), "transform_pass<Row, 2, 27>(array, array);"));
}

TEST_CASE("a row goes as half as many points, at right angles as a fourth, of odd length as it is") {
  SpectrumLayout layout = natural_layout(1024);
  CHECK(contains(source_of(layout), "constexpr int points = length / 2;"));
  CHECK(contains(source_of(natural_layout(729), 729), "constexpr int points = length;"));
  layout.right_angle = true;
  layout.order.resize(256);
  for (std::int32_t& frequency : layout.order) frequency = 4 * frequency + 1;
  CHECK(contains(source_of(layout), "constexpr int points = length / 4;"));
}

// Element i of a tile of 256 has number i / 32 + ... of those as far apart as there are tiles.
SpectrumLayout tiles_at_right_angle(std::int64_t length, bool fours) {
  SpectrumLayout layout = natural_layout(length, 256);
  layout.right_angle = true;
  layout.order.clear();
  const int tiles = static_cast<int>(length / 4 / 256);
  for (int tile = 0; tile < tiles; ++tile)
    for (int lane = 0; lane < 32; ++lane)
      for (int half = 0; half < 2; ++half)     // of a lane's eight
        for (const int eight_behind : {0, 8})  // rows lane / 4 and that + 8
          for (const int next : {0, 1}) {      // neighbouring columns
            const int column = next + (fours ? 4 * (lane % 4) + 2 * half : 2 * (lane % 4) + 8 * half);
            layout.order.push_back(4 * (tile + tiles * (lane / 4 + eight_behind + 16 * column)) + 1);
          }
  return layout;
}

TEST_CASE("tiles at a right angle leave the registers of the last pass, in either order") {
  for (const bool fours : {false, true}) {
    SpectrumLayout layout = tiles_at_right_angle(4 * 1280, fours);
    const std::string text = source_of(layout, 4 * 1280);
    CHECK(contains(text, "transform_pass<Row, 5, 1>(taps, array, PointFrequencies());"));
    CHECK(contains(text, "transform_pass<Row, 16, 5>(array, array, PointFrequencies());"));
    CHECK(contains(text, fours ? "return 4 * eight + 2 * half;" : "return 2 * eight + 8 * half;"));
    CHECK_FALSE(contains(text, "store_item("));
    // Any other order is gathered.
    std::swap(layout.order[0], layout.order[1]);
    CHECK(contains(source_of(layout, 4 * 1280), "store_item("));
  }
}

TEST_CASE("every length of primes up to 61 has passes, others are refused") {
  for (const std::int64_t length : {16, 31 * 32, 3000, 59 * 61, 32768, 65536})
    CHECK_NOTHROW((void)emit_filter(natural_layout(length), length, "sm_80"));
  for (const std::int64_t length : {0, -16, 67, 4097})
    CHECK_THROWS_AS((void)emit_filter(natural_layout(16), length, "sm_80"), std::logic_error);
}

TEST_CASE("threads fill whole warps and stay within a block's limit") {
  for (const std::int64_t length : {16, 100, 1024, 3000, 4096, 65536}) {
    const int threads = emit_filter(natural_layout(length), length, "sm_80").threads;
    CHECK(threads % 32 == 0);
    CHECK(threads >= 32);
    CHECK(threads <= 1024);
  }
}

TEST_CASE("the table is the order") {
  SpectrumLayout layout = natural_layout(3000);
  std::swap(layout.order[1], layout.order[9]);
  layout.order.insert(layout.order.end(), 4, -1);
  const std::vector<std::uint32_t> words = emit_filter(layout, 3000, "sm_80").tables;
  REQUIRE(words.size() == layout.order.size());
  for (std::size_t i = 0; i < words.size(); ++i) REQUIRE(static_cast<std::int32_t>(words[i]) == layout.order[i]);
}

TEST_CASE("layouts that a row cannot hold are mistakes") {
  SpectrumLayout layout = natural_layout(64);
  SUBCASE("no tile") { layout.tile = 0; }
  SUBCASE("a part of a tile") { layout.tile = 48; }
  SUBCASE("no whole 16 bytes") { layout.order.pop_back(), layout.tile = 1; }
  SUBCASE("a frequency too high") { layout.order[3] = 64; }
  SUBCASE("a frequency too low") { layout.order[3] = -2; }
  CHECK_THROWS_AS((void)emit_filter(layout, 64, "sm_80"), std::logic_error);
}

TEST_CASE("what a block holds is transformed in its shared memory") {
  const auto fits = [](std::int64_t length, const char* arch) {
    return fits_filter_block(natural_layout(length), length, arch);
  };
  CHECK(fits(32768, "sm_90a"));
  CHECK(fits(32768, "sm_80"));
  CHECK_FALSE(fits(65536, "sm_90a"));
  CHECK_FALSE(fits(32768, "sm_86"));
  CHECK(fits(16384, "sm_86"));
  CHECK_FALSE(fits(31899, "sm_90a"));  // odd: a point for each sample
}

namespace {

// The row of M taps that place_taps describes, for taps 1, 2, 3, ...
std::vector<std::int64_t> placed(const ConvConfig& config, std::int64_t transform_length) {
  SpectrumLayout layout;
  place_taps(layout, config, transform_length);
  std::vector<std::int64_t> row(static_cast<std::size_t>(transform_length));
  for (std::int64_t position = 0; position < transform_length; ++position) {
    std::int64_t tap = config.filter_length;
    if (position < layout.head) tap = position;
    if (position >= layout.tail_start) tap = position - layout.tail_start + layout.tail_tap;
    row[static_cast<std::size_t>(position)] = tap < config.filter_length ? tap + 1 : 0;
  }
  return row;
}

// Circular convolution of length N at a transform of another length: every difference n - m of samples must find
// its tap, (n - m) mod N, at position (n - m) mod M.
void check_differences(const ConvConfig& config, std::int64_t transform_length) {
  const std::vector<std::int64_t> row = placed(config, transform_length);
  int wrong = 0;
  for (std::int64_t difference = 1 - config.length; difference < config.length; ++difference) {
    const bool causal = config.padding == Padding::causal;
    std::int64_t tap = causal ? difference : (difference + config.fft_length) % config.fft_length;
    if (tap < 0) tap = config.filter_length;
    const std::int64_t expected = tap < config.filter_length ? tap + 1 : 0;
    const std::int64_t position = (difference + transform_length) % transform_length;
    if (row[static_cast<std::size_t>(position)] != expected) ++wrong;
  }
  CAPTURE(to_string(config));
  CAPTURE(transform_length);
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("taps are where the convolution's differences find them") {
  ConvConfig config;
  config.fft_length = 97;
  for (const std::int64_t taps : {97, 96, 50, 1}) {
    config.filter_length = taps;
    config.padding = Padding::circular;
    config.length = 97;
    check_differences(config, 97);
    for (const std::int64_t folded : {193, 200, 256}) check_differences(config, folded);
    config.padding = Padding::padded;
    for (const std::int64_t length : {96, 60, 49, 48, 1}) {
      config.length = length;
      check_differences(config, 97);
      check_differences(config, 2 * length - 1 > 97 ? 2 * length - 1 : 128);
      check_differences(config, 200);
    }
  }
}

TEST_CASE("a causal convolution's taps wrap nowhere") {
  ConvConfig config;
  config.padding = Padding::causal;
  config.length = 60;
  for (const std::int64_t taps : {1, 30, 60, 100}) {
    config.filter_length = taps;
    config.fft_length = 128;
    check_differences(config, 128);
    check_differences(config, 192);
    // The shortest transform that leaves room: what wraps must meet no tap.
    check_differences(config, 60 + std::min<std::int64_t>(taps, 60) - 1);
  }
}
