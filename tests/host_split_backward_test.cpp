// Gradients of transforms past one block, forced on short ones and run on the host, against float64.
#include <doctest/doctest.h>

#include "backward_run.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

struct Case {
  int column_length, row_length;
  std::int64_t length = 0;  ///< 0: all of them
  Gating gating = Gating::none;
  DataType dtype = DataType::fp16;
  std::string_view gradients = "du,dw,dv,dk,dd";
};

ConvConfig config_of(const Case& test) {
  ConvConfig config;
  config.column_length = test.column_length;
  config.fft_length = std::int64_t{test.column_length} * test.row_length;
  config.length = test.length > 0 ? test.length : config.fft_length;
  config.padding = config.length == config.fft_length ? Padding::circular : Padding::padded;
  config.gating = test.gating;
  config.dtype = test.dtype;
  config.pass = Pass::backward;
  config.gradients = parse_gradients(test.gradients);
  return config;
}

void require_accurate(const ConvConfig& config, int batch, int channels) {
  static unsigned seed = 1;
  CAPTURE(to_string(config));
  CAPTURE(batch);
  const auto kernel = get_kernel(config, Machine::host()->device());
  REQUIRE(kernel->generated().split);
  check_errors(gradient_errors(Machine::host(), config, recipe_of(batch, channels), seed++), config.dtype);
}

}  // namespace

TEST_CASE("plain, pairs and rows without a partner") {
  require_accurate(config_of({16, 256, 0, Gating::none, DataType::fp16, "du,dk"}), 2, 1);
  require_accurate(config_of({16, 256, 0, Gating::none, DataType::fp16, "du,dk"}), 3, 2);
  require_accurate(config_of({16, 256}), 5, 3);
}
