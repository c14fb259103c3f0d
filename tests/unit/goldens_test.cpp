// Emitted sources of each family, as they stand in goldens/.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "backward_config.hpp"
#include "ffc/generator/frequency_mask.hpp"
#include "ffc/generator/generate.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "ffc/generator/real_transform.hpp"
#include "length_config.hpp"

using namespace ffc;

namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// FFC_REFRESH_GOLDENS=1 writes the files anew: a change of the generator then shows in the diff.
void check_golden(const GeneratedKernel& kernel) {
  REQUIRE_FALSE(kernel.name.empty());
  const std::filesystem::path path = std::filesystem::path(FFC_GOLDENS) / (kernel.name + ".cu");
  if (const char* refresh = std::getenv("FFC_REFRESH_GOLDENS"); refresh != nullptr && std::string(refresh) == "1")
    std::ofstream(path, std::ios::binary) << kernel.source;
  CAPTURE(path.string());
  CHECK(read_file(path) == kernel.source);
}

enum class Rows { pairs, alone };

// The cheapest plan of that kind, whichever is chosen.
Generated generate_in(const ConvConfig& config, Rows rows) {
  const ConvConfig checked = normalised(config);
  for (const Plan& plan : make_plans(checked))
    if (plan->right_angle() == (rows == Rows::alone)) return generate(checked, plan);
  throw std::runtime_error("there is no such plan");
}

}  // namespace

TEST_CASE("golden sources") {
  ConvConfig gated = of_length(1024, "sm_90a");
  gated.gating = Gating::both;
  ConvConfig half = of_length(8192, "sm_90a");
  half.length = 4096;
  half.padding = Padding::padded;
  ConvConfig general = of_length(992, "sm_86");
  general.radices = {31, 32};
  general.dtype = DataType::bf16, general.scaling = Scaling::fixed;
  for (const ConvConfig& config : {of_length(256, "sm_90a"), gated, general}) check_golden(generate(config).conv);
  check_golden(generate_in(half, Rows::pairs).conv);
}

TEST_CASE("golden sources of real rows: rows 0 and rows / 2 in one place, and in two") {
  check_golden(generate(of_length(16384, "sm_90a")).conv);
  ConvConfig gradients = of_length(4608, "sm_90a");
  gradients.pass = Pass::backward;
  check_golden(generate(gradients).conv);
  ConvConfig short_row = of_length(4096, "sm_90a");
  short_row.batch = 1;  // without a butterfly
  check_golden(generate(short_row).conv);
}

TEST_CASE("golden sources of rows alone that a warp holds") {
  ConvConfig causal = of_length(0, "sm_90a");
  causal.length = 700, causal.padding = Padding::causal;
  check_golden(generate(causal).conv);
  causal.pass = Pass::backward;
  check_golden(generate(causal).conv);
}

TEST_CASE("golden source of what measures rows") {
  ConvConfig config = of_length(65536, "sm_90a");
  config.dtype = DataType::bf16;
  config.row_alignment = 16;
  config.pass = Pass::backward;
  config.scaling = Scaling::found;
  const Generated generated = generate(config);
  REQUIRE(generated.magnitudes);
  check_golden(*generated.magnitudes);
}

TEST_CASE("golden sources of kernels that make a report, and of what follows it") {
  ConvConfig config = of_length(1024, "sm_90a");
  config.report = Report::magnitudes;
  check_golden(generate(config).conv);
  check_golden(*generate(config).scaling);
  config.fft_length = 65536;
  config.dtype = DataType::bf16, config.scaling = Scaling::given, config.gating = Gating::both;
  check_golden(generate(config).conv);
  config = of_length(4096, "sm_90a");
  config.report = Report::magnitudes;
  config.pass = Pass::backward;
  check_golden(generate(config).conv);
}

TEST_CASE("golden source of rows alone") {
  ConvConfig config = of_length(16384, "sm_90a");
  config.length = 8192;
  config.padding = Padding::padded;
  check_golden(generate_in(config, Rows::alone).conv);
}

TEST_CASE("golden sources of windows") {
  ConvConfig config = of_length(1024, "sm_90a");
  config.padding = Padding::causal;
  config.length = 1 << 20;
  config.filter_length = 256;
  check_golden(generate(config).conv);
  config.fft_length = 2048;
  config.filter_length = 1001;
  config.gating = Gating::both;
  config.dtype = DataType::bf16, config.scaling = Scaling::fixed;
  config.history = true;
  check_golden(generate(config).conv);
}

TEST_CASE("golden source of windows alone") {
  ConvConfig config = of_length(8192, "sm_90a");
  config.radices = {16, 16, 16};
  config.padding = Padding::causal;
  config.length = 1 << 20;
  config.filter_length = 2001;
  config.gating = Gating::both;
  config.dtype = DataType::bf16, config.scaling = Scaling::fixed;
  config.history = true;
  const Generated generated = generate(config);
  REQUIRE(generated.windows->packing == Packing::right_angle);
  check_golden(generated.conv);
}

TEST_CASE("golden sources of masked kernels: rows that are skipped, halved tiles, rows out of the workspace") {
  ConvConfig skipped = of_length(4096, "sm_90a");
  skipped.mask = keep_counts({8, 8, 16}, 4096);
  check_golden(generate(skipped).conv);
  ConvConfig long_rows = of_length(65536, "sm_90a");
  long_rows.mask = keep_counts({16, 32, 32}, {32, 32, 64});
  long_rows.column_length = 128;
  const Generated generated = generate(long_rows);
  REQUIRE(generated.split);
  check_golden(generated.conv);
  check_golden(generated.filter);
  long_rows.column_length = 128;  // one product for the rows of frequencies that are left
  long_rows.mask = keep_counts({7, 32, 32}, {32, 32, 64});
  check_golden(generate(long_rows).conv);
}

TEST_CASE("golden sources of clusters: pairs, and padded rows alone") {
  const Generated pairs = generate(of_length(65536, "sm_90a"));
  REQUIRE(pairs.conv.cluster == 4);
  check_golden(pairs.conv);
  check_golden(pairs.filter);
  ConvConfig alone = of_length(262144, "sm_90a");
  alone.length = 131072;
  alone.padding = Padding::padded;
  const Generated rows = generate(alone);
  REQUIRE(rows.conv.cluster == 8);
  check_golden(rows.conv);
  ConvConfig reporting = of_length(65536, "sm_90a");
  reporting.report = Report::magnitudes;
  check_golden(generate(reporting).conv);
}

TEST_CASE("golden sources of a transform past one block") {
  ConvConfig config = of_length(65536, "sm_90a");
  config.column_length = 128;
  config.gating = Gating::both;
  const Generated generated = generate(config);
  REQUIRE(generated.split);
  check_golden(generated.conv);
}

TEST_CASE("golden sources of rows that go one by one") {
  ConvConfig config = of_length(1048576, "sm_90a");
  config.column_length = 128;
  config.batch = 1;
  const Generated generated = generate(config);
  REQUIRE(generated.split);
  CHECK(are_alone(generated.split->packing));
  check_golden(generated.conv);
}

TEST_CASE("golden sources of rows that keep the spectrum of a channel") {
  ConvConfig config = of_length(524288, "sm_90a");
  config.column_length = 128;
  check_golden(generate(config).conv);
}

TEST_CASE("golden sources of rows that go alone") {
  ConvConfig config = of_length(131072, "sm_90a");
  config.padding = Padding::padded;
  config.length = 65536;
  config.column_length = 128;
  config.batch = 1;
  const Generated generated = generate(config);
  REQUIRE(generated.split);
  CHECK(are_alone(generated.split->packing));
  CHECK(generated.split->place_rows == 128);
  CHECK(generated.transform_length == 65536);
  check_golden(generated.conv);
}

TEST_CASE("golden sources of the longest rows: twiddles of steps, a spectrum that is copied ahead") {
  ConvConfig config = of_length(262144, "sm_90a");
  config.column_length = 16;
  check_golden(generate(config).conv);
}

TEST_CASE("golden sources of gradients") {
  const Generated small = generate(backward(256));
  check_golden(small.conv);
  check_golden(*small.backward->filter_gradient);
  check_golden(generate(backward(4096, Gating::both)).conv);
  const Generated past_one_block = generate(backward(65536));
  check_golden(past_one_block.conv);
  check_golden(*past_one_block.backward->filter_gradient);
  check_golden(generate(with_gradients(backward(262144, Gating::both), "du,dw,dv,dk")).conv);
  ConvConfig windows = backward(1024);
  windows.padding = Padding::causal;
  windows.length = 8192;
  windows.filter_length = 129;
  check_golden(generate(windows).conv);
  windows.gating = Gating::both;
  check_golden(generate(windows).conv);
  ConvConfig alone = backward(8192);
  alone.padding = Padding::causal;
  alone.column_length = 16;
  alone.length = 4096;
  alone.batch = 1;
  const Generated rows_alone = generate(alone);
  check_golden(rows_alone.conv);
  check_golden(*rows_alone.backward->filter_gradient);
  check_golden(rows_alone.filter);
  ConvConfig packed;  // a filter whose rows hold whole tiles
  packed.padding = Padding::causal;
  packed.fft_length = 16384, packed.length = 8192;
  packed.column_length = 32, packed.batch = 1;
  packed.arch = "sm_90a";
  check_golden(generate(packed).filter);
  ConvConfig few = alone;  // without sums
  few.fft_length = 65536, few.length = 32768;
  check_golden(generate(few).conv);
  ConvConfig fractional;  // whose filter's tiles hold fours
  fractional.padding = Padding::causal;
  fractional.length = 8192;
  fractional.arch = "sm_90a";
  check_golden(generate(fractional).filter);
}

TEST_CASE("golden sources of transforms between taps and spectra: of a block, past it, by chirps") {
  for (const std::int64_t length : {1024, 65536, 1009})
    check_golden(generate_real_transform({.length = length, .arch = "sm_90a"}).kernel);
  check_golden(
      generate_real_transform({.length = 1024, .taps = 1000, .pass = Pass::backward, .arch = "sm_90a"}).kernel);
}
