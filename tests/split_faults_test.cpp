// Faults put into the texts of a transform past one block: each must show in the result.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <string_view>

#include "conv_run.hpp"
#include "host/host_kernel.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

enum class Which { forward, rows, inverse };

struct Fault {
  const char* what;
  Which kernel;
  std::string_view from, to;
};

std::string& source_of(Generated& generated, Which kernel) {
  return kernel == Which::forward ? generated.columns->forward.source
         : kernel == Which::rows  ? generated.conv.source
                                  : generated.columns->inverse.source;
}

host::HostKernel kernel_of(const Generated& generated) {
  static host::HostCompiler compiler(cache::options_from_environment({}));
  const std::string& arch = generated.config.arch;
  host::Programs programs;
  programs.conv = compiler.compile(generated.conv, arch);
  programs.filter = compiler.compile(generated.filter, arch);
  programs.forward_columns = compiler.compile(generated.columns->forward, arch);
  programs.inverse_columns = compiler.compile(generated.columns->inverse, arch);
  programs.turn_columns = compiler.compile(generated.columns->turn, arch);
  return {generated, programs};
}

// Error of pairs and a row alone, in a workspace of NaNs; infinite where the program was refused.
double error_of(const Generated& generated) {
  const auto machine = Machine::host();
  const host::HostKernel kernel = kernel_of(generated);
  Recipe recipe;
  recipe.batch = 3;
  recipe.channel_gain = 4;
  Buffer workspace(machine, kernel.workspace_bytes());
  workspace.poison();
  try {
    const double error = relative_error_of(machine, kernel, recipe, 7, [&](LaunchArguments arguments) {
      arguments.workspace = {workspace.data(), workspace.bytes()};
      kernel.launch(arguments, nullptr);
    });
    return std::isnan(error) ? HUGE_VAL : error;
  } catch (const HostError&) {
    return HUGE_VAL;
  }
}

Generated example(int column_length) {
  ConvConfig config;
  config.column_length = column_length;
  config.fft_length = 512 * column_length;  // rows with an outer digit
  config.arch = "sm_90a";
  return generate(config);
}

constexpr Fault faults[] = {
    {"mirrored rows go out unconjugated", Which::forward, "    conjugate_mirrored(x);", "    (void)0;"},
    {"and come back so", Which::inverse, "    conjugate_mirrored(x);", "    (void)0;"},
    {"no twiddle of the samples 256 apart on the way in", Which::rows, "multiply_columns(x[a], shifts[a]);", "{}"},
    {"and on the way back", Which::rows, "multiply_columns_conj(x[a], shifts[a]);", "{}"},
    {"the twiddle of another row", Which::rows, "split_twiddle(frequency + column_length * ",
     "split_twiddle(frequency + 1 + column_length * "},
    {"no barrier before the columns", Which::forward, "wait_copies<0>();\n  block_barrier();", "wait_copies<0>();"},
    {"no barrier behind them", Which::inverse, "block_barrier();\n  store_samples", "store_samples"},
    {"copies not waited for", Which::inverse, "wait_copies<0>();", ""},
    {"the spectrum of the next row", Which::rows, "frequency * (4LL * row_length)",
     "(frequency + 1) % spectrum_rows * (4LL * row_length)"},
    {"the spectrum of the first channel", Which::rows, "channel * spectrum_channel_bytes +", ""},
    {"the scale of the first channel", Which::inverse, "(place.channel + 1) * spectrum_channel_bytes",
     "spectrum_channel_bytes"},
    {"mirrored rows left as they are", Which::rows, "column_length - frequency;", "frequency;"},
    {"the middle row transformed twice", Which::rows, " || 2 * frequency == column_length", ""},
    {"rows that a row without a partner never wrote", Which::inverse, "place.lone && 2 * row > column_length", "false"},
    {"the middle row of a row without a partner left out", Which::forward, "column_length / 2 + 1 : column_length",
     "column_length / 2 : column_length"},
    {"the partner that does not exist stored", Which::inverse, "if (!exists) break;", ""},
};

}  // namespace

TEST_CASE("texts as they are emitted pass") {
  for (const int column_length : {16, 48}) CHECK(error_of(example(column_length)) <= bar(DataType::fp16, true));
}

TEST_CASE("every fault shows") {
  for (const Fault& fault : faults) {
    CAPTURE(std::string(fault.what));
    Generated generated = example(48);
    std::string& source = source_of(generated, fault.kernel);
    const std::size_t at = source.find(fault.from);
    // A fault must be one.
    REQUIRE(at != std::string::npos);
    source.replace(at, fault.from.size(), fault.to);
    CHECK(error_of(generated) > 1.0e-2);
  }
}
