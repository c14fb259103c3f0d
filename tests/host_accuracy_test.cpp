// Every kind of kernel that the generator emits, run on the host, against float64: the same texts that a GPU runs.
#include <doctest/doctest.h>

#include "conv_run.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

struct Case {
  std::int64_t fft_length, length;
  Padding padding = Padding::circular;
  Gating gating = Gating::none;
  DataType dtype = DataType::fp16;
  std::vector<int> radices = {};
  std::string arch = {};
};

ConvConfig config_of(const Case& test) {
  ConvConfig config;
  config.fft_length = test.fft_length;
  config.length = test.length;
  config.padding = test.padding;
  config.gating = test.gating;
  config.dtype = test.dtype;
  config.radices = test.radices;
  config.arch = test.arch;
  return config;
}

void require_accurate(const ConvConfig& config, int batch, int channels) {
  static const auto machine = Machine::host();
  static unsigned seed = 100;
  Recipe recipe;
  recipe.batch = batch;
  recipe.channels = channels;
  recipe.row_gap = 1;
  CAPTURE(to_string(config));
  CHECK(relative_error(machine, config, recipe, ++seed) <= bar(config.dtype));
}

}  // namespace

TEST_CASE("circular convolutions of all families, both types, odd batches") {
  for (const std::int64_t n : {16, 100, 256, 512, 768, 1000, 1280, 2048, 2304, 4096, 6144, 8192})
    require_accurate(config_of({n, n, Padding::circular, n % 512 == 0 ? Gating::none : Gating::both,
                                n % 3 == 0 ? DataType::bf16 : DataType::fp16}),
                     3, 2);
}
