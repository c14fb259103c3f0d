// Reports and delayed scaling on a GPU.
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "conv_run.hpp"
#include "report_run.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

void check_config(ConvConfig config, int batch, int channels) {
  config.report = Report::magnitudes;
  CAPTURE(to_string(config));
  const auto device = open_device();
  const auto kernel = get_kernel(config, device->device());
  CAPTURE(kernel->name());
  Recipe recipe;
  recipe.batch = batch, recipe.channels = channels, recipe.row_gap = 1;
  ReportRun run(device, kernel, recipe, 51);
  check_report(run);
}

}  // namespace

TEST_CASE("largest magnitudes, to the bit") {
  for (const std::int64_t n : {256, 1024, 4096, 32768, 65536, 1048576})
    for (const Gating gating : {Gating::none, Gating::both})
      for (const DataType dtype : {DataType::fp16, DataType::bf16})
        for (const Pass pass : {Pass::forward, Pass::backward}) {
          ConvConfig config;
          config.fft_length = n;
          config.gating = gating, config.dtype = dtype, config.pass = pass;
          check_config(config, 5, n > 32768 ? 3 : 40);
        }
}

TEST_CASE("of windows, and of rows of any alignment") {
  ConvConfig config;
  config.padding = Padding::causal;
  config.length = 50001, config.filter_length = 129;
  check_config(config, 3, 7);
  config.gating = Gating::both, config.pass = Pass::backward;
  check_config(config, 3, 7);
}

TEST_CASE("steps whose rows drift, and one that jumps") {
  const auto device = open_device();
  for (const std::int64_t n : {4096, 131072}) {
    ConvConfig config;
    config.fft_length = n;
    config.dtype = DataType::bf16;
    config.scaling = Scaling::given, config.report = Report::magnitudes;
    const auto kernel = get_kernel(config, device->device());
    constexpr int channels = 2;
    const Buffer memory(device, DelayedScaling::bytes(channels));
    const DelayedScaling scaling(kernel, {memory.data(), memory.bytes()}, channels);
    scaling.reset();
    unsigned dropped = 0;
    for (int step = 0; step < 30; ++step) {
      CAPTURE(step);
      const auto scale = static_cast<float>(std::exp2(step < 20 ? 2.0 * step : 60));
      Recipe recipe;
      recipe.batch = 4, recipe.channels = channels;
      recipe.sample = [scale](std::mt19937& random) { return scale * normal(random); };
      const double error =
          relative_error_of(device, *kernel, recipe, static_cast<unsigned>(step), [&](LaunchArguments arguments) {
            arguments.input_magnitudes = scaling.input_magnitudes();
            arguments.report = scaling.report();
            kernel->launch(arguments);
          });
      scaling.update();
      device->synchronize();
      const auto status = memory.download<ScalingStatus>(0, 1)[0];
      CHECK(status.steps == static_cast<unsigned>(step + 1));
      CHECK(status.faint == 0);
      dropped += status.drop;
      if (status.drop == 0) CHECK(error <= 1.1 * bar(config.dtype));
    }
    CHECK(dropped <= 1);
  }
}
