// Faults put into emitted texts: what a GPU may forgive, the host must show.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "conv_run.hpp"
#include "host_kernel.hpp"
#include "made_kernel.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

ConvConfig config_of(std::int64_t n, std::int64_t length) {
  ConvConfig config;
  config.fft_length = n;
  config.length = length;
  config.padding = length == n ? Padding::circular : Padding::padded;
  config.arch = "sm_90a";
  return config;
}

// The text with occurrence `which` of `from` replaced. The test fails where there is none: a fault must be one.
std::string replaced(std::string text, std::string_view from, std::string_view to, int which = 0) {
  std::size_t at = text.find(from);
  for (int i = 0; i < which && at != std::string::npos; ++i) at = text.find(from, at + 1);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

int occurrences(std::string_view text, std::string_view of) {
  int count = 0;
  for (std::size_t at = text.find(of); at != std::string_view::npos; at = text.find(of, at + 1)) ++count;
  return count;
}

host::HostKernel kernel_with(Generated generated, std::string source) {
  generated.conv.source = std::move(source);
  return kernel_of(generated);
}

struct Verdict {
  double worst = 0;  ///< error over all seeds; infinite where the program was refused
  std::int64_t conflicts = 0;
};

// Several pairs of rows, under several orders of the warps.
Verdict judge(const host::HostKernel& kernel) {
  Recipe recipe;
  recipe.batch = 6;
  recipe.channels = 1;
  const auto machine = Machine::host();
  Verdict verdict;
  HostOptions options;
  options.slices = 1;
  for (options.seed = 1; options.seed <= 4; ++options.seed) {
    double error = HUGE_VAL;
    try {
      error = relative_error_of(machine, kernel, recipe, 7, [&](const LaunchArguments& arguments) {
        verdict.conflicts += kernel.run(arguments, options).conflicts;
      });
    } catch (const HostError&) {
    }
    // Poison comes out as a NaN, which is larger than nothing.
    verdict.worst = std::isnan(error) ? HUGE_VAL : std::max(verdict.worst, error);
  }
  return verdict;
}

}  // namespace

TEST_CASE("texts as they are emitted pass") {
  for (const std::int64_t n : {1024, 4096, 8192}) {
    const Generated generated = generate(config_of(n, n));
    const Verdict verdict = judge(kernel_with(generated, generated.conv.source));
    CHECK(verdict.worst <= 1.0e-3);
    CHECK(verdict.conflicts == 0);
  }
}

TEST_CASE("every barrier that is removed shows") {
  constexpr std::string_view barrier = "group_barrier<group_threads>(group);";
  for (const ConvConfig& config :
       {config_of(4096, 4096), config_of(8192, 8192), config_of(8192, 4096), config_of(16384, 8192)}) {
    const Generated generated = generate(config);
    const int barriers = occurrences(generated.conv.source, barrier);
    CHECK(barriers >= 2);
    for (int which = 0; which < barriers; ++which) {
      CAPTURE(generated.conv.name);
      CAPTURE(which);
      CHECK(judge(kernel_with(generated, replaced(generated.conv.source, barrier, "", which))).worst > 1.0e-2);
    }
  }
  // Of the general family, whose blocks meet between passes: the ones inside a pair of rows.
  ConvConfig config = config_of(992, 992);
  config.radices = {31, 32};
  const Generated generated = generate(config);
  for (int which = 1; which < occurrences(generated.conv.source, "block_barrier();"); ++which) {
    CAPTURE(which);
    const std::string source = replaced(generated.conv.source, "block_barrier();", "", which);
    CHECK(judge(kernel_with(generated, source)).worst > 1.0e-2);
  }
}

TEST_CASE("a wait that is shortened by one group shows") {
  for (const auto& [n, from, to] : {std::tuple{4096, "wait_copies<1>();", "wait_copies<2>();"},
                                    std::tuple{32768, "wait_copies<0>();", "wait_copies<1>();"}}) {
    const Generated generated = generate(config_of(n, n));
    CHECK(judge(kernel_with(generated, replaced(generated.conv.source, from, to))).worst > 1.0e-2);
  }
}

TEST_CASE("a swizzle that is dropped shows in the bank conflicts, or in the result where only one side drops it") {
  const Generated generated = generate(config_of(4096, 4096));
  const std::string both =
      replaced(generated.conv.source, "return (chunk ^ (chunk >> 3 & 3)) << 4;", "return chunk << 4;");
  const Verdict verdict = judge(kernel_with(generated, both));
  CHECK(verdict.worst <= 1.0e-3);
  CHECK(verdict.conflicts > 0);
  const std::string one = replaced(generated.conv.source, "(swizzled(chunk) ^ ((slot & 7) << 4))", "swizzled(chunk)");
  CHECK(judge(kernel_with(generated, one)).worst > 1.0e-2);
}

TEST_CASE("a twiddle that is taken from the next row shows") {
  ConvConfig gated = config_of(4096, 4096);
  gated.gating = Gating::both;
  const Generated middle = generate(gated), longest = generate(config_of(32768, 32768));
  CHECK(judge(kernel_with(middle, replaced(middle.conv.source, "outer_twiddle_offset + (row) *",
                                           "outer_twiddle_offset + (row + 1) *")))
            .worst > 1.0e-2);
  const Generated alone = generate(config_of(16384, 8192));
  CHECK(judge(kernel_with(
                  alone, replaced(alone.conv.source, "row_factors_offset + row *", "row_factors_offset + (row ^ 1) *")))
            .worst > 1.0e-2);
  CHECK(judge(kernel_with(longest, replaced(longest.conv.source, "outer_twiddle_table + (first + 1 < rows_per_warp",
                                            "outer_twiddle_table + (first + 2 < rows_per_warp")))
            .worst > 1.0e-2);
}

namespace {

struct Fault {
  std::string from, to;
};

// Each wherever it may be put. A few samples of a row make little of the norm of all.
void check_faults(const ConvConfig& config, const std::vector<Fault>& faults) {
  const Generated generated = generate(config);
  const std::string& text = generated.conv.source;
  CAPTURE(generated.conv.name);
  const double clean = judge(kernel_with(generated, text)).worst;
  CHECK(clean <= 1.0e-3);
  for (const Fault& fault : faults) {
    CAPTURE(fault.from);
    CHECK(occurrences(text, fault.from) > 0);
    for (int which = 0; which < occurrences(text, fault.from); ++which) {
      CAPTURE(which);
      CHECK(judge(kernel_with(generated, replaced(text, fault.from, fault.to, which))).worst > 1.5 * clean);
    }
  }
}

}  // namespace

TEST_CASE("every fault of rows that are delayed to a line shows") {
  ConvConfig pairs = config_of(0, 1907), words = config_of(0, 4095);
  pairs.padding = words.padding = Padding::causal;
  // What is ahead of a row is convolved with it; results go where the row before ends.
  const Fault drops{"drop_ahead(shared", "(void)(shared"};
  const std::vector<Fault> alone = {drops, {"if (gone <= 0 && live >= 8)", "if (live >= 8)"}};
  check_faults(words, alone);
  std::vector<Fault> faults = {drops, {"if (gone > 0 || live < 8)", "if (live < 8)"}};
  faults.push_back({"channel_stride - delay;", "channel_stride;"});  // where a row begins, and where it ends
  faults.push_back({"length + delay - sample", "length - sample"});
  faults.push_back({"const int end = length + delay;", "const int end = length;"});
  faults.push_back({" && chunk / columns_per_warp == warp", " && warp == 0"});  // whose ends a warp stores
  faults.push_back({"lane % 8 < end % 8", "lane % 8 < (end + 7) % 8"});
  check_faults(pairs, faults);
  faults = alone;
  faults.push_back({"- delay;", ";"});
  faults.push_back({"end = length + begin;", "end = length - first_sample;"});
  check_faults(config_of(8007, 8007), faults);
}

TEST_CASE("every fault of what comes round of delayed rows shows") {
  const std::vector<Fault> faults = {
      {"x[a].im[2 * j] = sub(x[a].im[2 * j]", "x[a].im[2 * j] = add(x[a].im[2 * j]"},
      {"pack(-end_scale * sum, -end_scale * sum)", "pack(end_scale * sum, end_scale * sum)"},
      {"step < 4; step *= 2) sum", "step < 2; step *= 2) sum"},
      {"u + points", "u + points + 1"},
      {"const int sample = points + lane / 4;", "const int sample = points + lane / 4 + 1;"},
      {"sample < length + delay)", "sample < length)"},
  };
  // Circular, so that the last samples are in every result.
  for (const std::int64_t length : {3071, 4095, 8191}) check_faults(config_of(length, length), faults);
}

TEST_CASE("every fault of delayed rows that a warp holds shows") {
  check_faults(config_of(303, 303), {{"drop_from_tile(part == 0 ? x[0].re[0]", "drop_from_tile(part == 0 ? x[1].re[0]"},
                                     {"lane / 4 < delay", "lane / 4 + 1 < delay"},
                                     {"if (gone > 0 || live < 8)", "if (live < 8)"},
                                     {"channel_stride - delay;", "channel_stride;"},
                                     {"delay > 0 && lane % 8 >= delay", "delay > 0 && lane % 8 > delay"},
                                     {"const int end = length + delay;", "const int end = length;"}});
}

TEST_CASE("every fault of rows alone that a warp holds shows") {
  ConvConfig config = config_of(0, 1001);
  config.padding = Padding::causal;
  check_faults(config, {{"turn_re(a * (4 * k + 1))", "turn_re(a * (4 * k + 2))"},
                        {"turn_im(a * (4 * k + 1))", "turn_im(a * (4 * k + 2))"},
                        {"turn_im(a * (4 * other + 1))", "turn_im(a * (4 * other + 2))"},
                        {"sub(part_re", "add(part_re"},
                        {"sub(part_im", "add(part_im"},
                        {"row_factors_offset + a *", "row_factors_offset + (a ^ 1) *"},
                        {"drop_from_tile(samples[0]", "drop_from_tile(samples[1]"},
                        {"if (gone > 0 || live < 8)", "if (live < 8)"},
                        {"const int end = length + delay;", "const int end = length;"}});
}

TEST_CASE("every fault of products that padding halves shows, of tiles of 9 to 15, too") {
  for (const std::int64_t length : {1664, 1900, 2048})
    check_faults(config_of(2 * length, length),
                 {{"lane / 16 * plane_bytes", "0"},  // of samples and results in either plane
                  {"to_im[j][0], f.to_im[j][1]", "to_re[j][0], f.to_re[j][1]"},
                  {"make_half_matrix(load_constant(tables + ", "make_half_matrix(load_constant(tables + 32 + "},
                  {"f.minus_im[0], f.minus_im[1]", "f.im[0], f.im[1]"}});
}

TEST_CASE("every fault of a real row shows") {
  std::vector<Fault> faults = {
      {"x.im[2 * j] ^= signs, x.im[2 * j + 1] ^= signs;", ";"},  // of the upper half of a frequency's rows
      {"if (first == rows_per_warp && warp > 0) break;", "if (first == rows_per_warp) break;"},  // row rows / 2
      {"row == rows / 2", "row == rows"},
      {"(butterflies - q) * slot_stride + tile_radix - 1 - k", "(butterflies - q) * slot_stride + tile_radix - 2 - k"},
      {"return slot_stride / 2 + k;", "return slot_stride / 2 + (k ^ 1);"},
      {"real = lone || (first == 0 && warp == 0)", "real = lone"},  // row 0 with the other one as imaginary part
      {"float scale = 2 *", "float scale ="},
  };
  check_faults(config_of(16384, 16384), faults);
  // Of an odd radix rows 0 and rows / 2 have places of their own.
  check_faults(config_of(4608, 4608),
               {{"if (first == rows_per_warp && warp > 0) break;", "if (first == rows_per_warp) break;"},
                {"tile_radix % 2 == 0", "tile_radix % 2 == 1"},
                {"return slot_stride / 2 + k;", "return slot_stride / 2 + (k ^ 1);"}});
  // Without a butterfly.
  ConvConfig short_row = config_of(3072, 3072);
  short_row.batch = 1;
  check_faults(short_row, {{"if (first == rows_per_warp && warp > 0) break;", "if (first == rows_per_warp) break;"},
                           {"row % (rows / 2)", "row % (rows / 2 - 1)"},
                           {"f.im[0], f.im[1]", "f.im[2], f.im[3]"},
                           {"unload(im, y.re[2], y.re[3])", "unload(im, y.re[3], y.re[2])"},
                           {"float scale = 2 *", "float scale ="}});
}
