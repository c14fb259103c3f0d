// magnitude_table: errors of y, du and dk by the magnitudes of u and dy.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "../shapes/open_machine.hpp"
#include "magnitude_run.hpp"

using namespace ffc;
using namespace ffc::range_tests;

namespace {

struct Options {
  std::string device = "gpu";
  std::vector<std::int64_t> lengths = {1024, 32768, 1048576};
};

// Rows of a type, and where their powers of two come from.
struct Kind {
  DataType dtype;
  Scaling scaling;
  std::vector<float> magnitudes;
};

std::vector<Kind> kinds() {
  const std::vector<float> of_bf16 = {1e-30F, 1e-8F, 1e-4F, 1, 1e3F, 1e8F, 1e30F};
  const std::vector<float> of_fp16 = {1e-6F, 1e-4F, 1e-2F, 1, 1e2F, 1e4F, 6e4F};
  return {{DataType::bf16, Scaling::automatic, of_bf16},
          {DataType::fp16, Scaling::given, of_fp16},
          {DataType::fp16, Scaling::found, of_fp16}};
}

// Of fp16, results are held to about 1 by gains that filters may have; bf16 holds them as they come.
float gain_for(DataType dtype, float magnitude) {
  return dtype == DataType::bf16 ? 1 : std::exp2(std::clamp(std::round(-std::log2(magnitude)), -14.0F, 15.0F));
}

bool is_right(const ResultError& result, double most) {
  return result.error <= most && result.not_finite == 0 && result.flushed == 0;
}

// What is wrong has a mark.
std::string text(const ResultError& result, double most) {
  return fmt::format("{:>8.2e} {:>5} {:>3}{}", result.error, result.not_finite, result.flushed,
                     is_right(result, most) ? ' ' : '!');
}

// The accuracy that runtime/README.md promises, of y, du and dk.
struct Bounds {
  double y, du, dk;
};
Bounds bounds_of(const Kernel& kernel) {
  if (kernel.config().dtype == DataType::bf16) return {2.5e-3, 4e-3, 5e-3};
  return {conv_tests::bar(kernel), 1.5e-3, 2e-3};
}

// Of as many rows as take a while on either machine.
int channels_for(const Options& options, std::int64_t length) {
  const std::int64_t samples = options.device == "gpu" ? std::int64_t{1} << 21 : std::int64_t{1} << 14;
  return static_cast<int>(std::clamp<std::int64_t>(samples / (2 * length), 1, 64));
}

// Whether all is right.
bool print_table(const Options& options, const std::shared_ptr<Machine>& machine, const Kind& kind,
                 std::int64_t length) {
  ConvConfig config;
  config.fft_length = length;
  config.dtype = kind.dtype, config.scaling = kind.scaling;
  const MagnitudeRun run(machine, config, 2, channels_for(options, length));
  fmt::print("\n# {} {}, N = {}: {}\n", to_string(kind.dtype), to_string(kind.scaling), length, run.forward().name());
  fmt::print("{:>8} {:>8}  {:>18}  {:>18}  {:>18}\n", "|u|", "|dy|", "y: inf, zero rows", "du", "dk");
  const Bounds bounds = bounds_of(run.forward());
  bool right = true;
  unsigned seed = 1;
  const auto print = [&](const Magnitudes& magnitudes) {
    const MagnitudeErrors errors = run.errors(magnitudes, seed++);
    fmt::print("{:>8.0e} {:>8.0e}  {}  {}  {}\n", magnitudes.u, magnitudes.dy, text(errors.y, bounds.y),
               text(errors.du, bounds.du), text(errors.dk, bounds.dk));
    right = right && is_right(errors.y, bounds.y) && is_right(errors.du, bounds.du) && is_right(errors.dk, bounds.dk);
    std::fflush(stdout);
  };
  // Where both are far from 1, dk is further away than float32 goes.
  for (const float magnitude : kind.magnitudes) print({magnitude, 1, gain_for(kind.dtype, magnitude), 1});
  for (const float magnitude : kind.magnitudes)
    if (magnitude != 1) print({1, magnitude, 1, gain_for(kind.dtype, magnitude)});
  return right;
}

int run(const Options& options) {
  const auto machine = shapes::open_machine(options.device);
  if (!machine) return shapes::skipped;
  fmt::print("# errors against float64, elements that are not finite, and rows that are zero, where none should be\n");
  bool right = true;
  for (const std::int64_t length : options.lengths)
    for (const Kind& kind : kinds()) right = print_table(options, machine, kind, length) && right;
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Errors of y, du and dk by the magnitudes of u and dy");
  Options options;
  app.add_option("--device", options.device, "gpu or host")->capture_default_str();
  app.add_option("--lengths", options.lengths, "N")->delimiter(',')->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    return run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
