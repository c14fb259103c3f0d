// Gradients of transforms past one block, forced on short ones and run on the host, against float64.
#include <doctest/doctest.h>

#include <string>

#include "backward_run.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "ffc/generator/work.hpp"
#include "ffc/runtime/host.hpp"

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
  require_accurate(config_of({16, 256, 0, Gating::none, DataType::fp16, "du,dk"}), 1, 2);
  require_accurate(config_of({16, 256}), 5, 3);
}

// There they would take other columns than those that gradients are emitted for.
TEST_CASE("pairs where the convolution takes rows one by one") {
  ConvConfig config = config_of({16, 256});
  config.batch = 1;
  CHECK(!are_alone(get_kernel(config, Machine::host()->device())->generated().split->packing));
  require_accurate(config, 1, 2);
  require_accurate(config, 3, 1);
}

TEST_CASE("gates, both types") {
  require_accurate(config_of({16, 256, 0, Gating::both}), 3, 2);
  require_accurate(config_of({32, 256, 0, Gating::both, DataType::bf16}), 3, 1);
  require_accurate(config_of({32, 256, 0, Gating::none, DataType::bf16}), 2, 2);
  require_accurate(config_of({16, 256, 0, Gating::in}), 2, 2);
  require_accurate(config_of({16, 256, 0, Gating::out, DataType::bf16}), 2, 1);
}

TEST_CASE("columns of several lengths") {
  for (const int column_length : {48, 256, 1024})
    require_accurate(config_of({column_length, 256, 0, Gating::none, DataType::fp16, "du,dv,dk"}), 2, 1);
}

TEST_CASE("rows of several kinds") {
  for (const int row_length : {512, 1792, 2048, 2304, 4096})
    require_accurate(config_of({16, row_length, 0, Gating::none, DataType::fp16, "du,dv,dk"}), 3, 1);
  require_accurate(config_of({16, 32768, 0, Gating::none, DataType::fp16, "du,dk"}), 1, 1);
}

TEST_CASE("zero-padded rows, odd alignments") {
  require_accurate(config_of({32, 256, 4096, Gating::both}), 3, 2);
  require_accurate(config_of({32, 256, 4096, Gating::none, DataType::bf16}), 2, 2);
  require_accurate(config_of({32, 256, 8189, Gating::in, DataType::bf16}), 3, 1);
  require_accurate(config_of({32, 256, 1234}), 2, 2);
  require_accurate(config_of({16, 256, 7, Gating::both}), 3, 2);
  require_accurate(config_of({64, 256, 8001, Gating::both}), 2, 1);
}

TEST_CASE("causal and folded") {
  ConvConfig config = config_of({32, 256, 5000});
  config.padding = Padding::causal;
  config.filter_length = 8192 - 5000 + 1;  // as many taps as there is room for
  require_accurate(config, 3, 1);
  config.length = 8001;
  config.filter_length = 100;
  config.gating = Gating::both;
  require_accurate(config, 2, 2);
  // A length that no block holds leaves the transform to the plan; the filter is too long for windows.
  config = config_of({32, 256});
  config.column_length = 0;
  config.fft_length = 0;
  config.padding = Padding::causal;
  config.length = 33007;
  config.filter_length = 30000;
  require_accurate(config, 2, 1);
  // A circular length with a large prime is folded into a longer transform.
  config.padding = Padding::circular;
  config.fft_length = config.length = 33013;
  config.filter_length = 0;
  require_accurate(config, 2, 1);
}

TEST_CASE("what is wanted alone, and nothing else is written") {
  for (const std::string_view wanted : {"du", "dw", "dv", "dk", "dd", "du,dv", "dv,dd"})
    require_accurate(config_of({16, 256, 0, Gating::both, DataType::fp16, wanted}), 3, 2);
}

TEST_CASE("masked filters") {
  const auto masked = [](ConvConfig config, const FrequencyMask& mask) {
    config.mask = mask;
    return config;
  };
  require_accurate(masked(config_of({32, 256}), keep_counts({16, 16}, {32, 256})), 3, 2);
  require_accurate(masked(config_of({16, 512, 4096, Gating::both}), low_pass(0.2, 8192)), 2, 1);
  require_accurate(masked(config_of({16, 256}), keep_values({{0, 3, 8}, {0, 7}}, {16, 256})), 2, 1);
}

TEST_CASE("slices of a large batch, in more channels than take turns") {
  require_accurate(config_of({16, 256, 0, Gating::none, DataType::fp16, "du,dk"}), 41, 3);
  require_accurate(config_of({16, 256, 0, Gating::none, DataType::fp16, "du,dk"}), 4, 19);
}

TEST_CASE("gradients far from 1 keep their accuracy with an exponent") {
  ConvConfig config = config_of({16, 256, 0, Gating::both, DataType::bf16});
  config.gradient_exponent = 30;
  require_accurate(config, 2, 1);
  config.gating = Gating::none;
  config.input_exponent = -5;
  config.gradient_exponent = -3;
  require_accurate(config, 2, 1);
}

TEST_CASE("the same inputs give the same bits whatever the workspace and the order of the warps") {
  check_same_bits(config_of({16, 256, 0, Gating::both}), 19, 3);
}

TEST_CASE("65536, as its plan has it") {
  ConvConfig config = config_of({128, 512});
  config.column_length = 0;
  require_accurate(config, 2, 1);
}

TEST_CASE("counts are those of the plan's statements, but for sums") {
  for (const int column_length : {16, 48})
    for (const int row_length : {256, 1024})
      for (const bool alone : {false, true})
        for (const auto& [gating, wanted] : {std::pair{Gating::none, "du,dk"}, std::pair{Gating::none, "dk"},
                                             std::pair{Gating::both, "du"}, std::pair{Gating::both, "dv"}}) {
          ConvConfig config = config_of({column_length, row_length, 0, gating, DataType::fp16, wanted});
          config.arch = "sm_90a";
          if (alone) config.fft_length *= 2, config.padding = Padding::padded, config.batch = 1;
          const auto kernel = get_kernel(config, Device::host());
          CAPTURE(kernel->name());
          REQUIRE(are_alone(kernel->generated().split->packing) == alone);
          const Work work = predict_work(make_plans(kernel->config()).front(), kernel->config());
          HostCounts counts[2];
          for (const int i : {0, 1}) {
            BackwardRun run(Machine::host(), kernel, recipe_of(4 + 4 * i, 1), 3);
            counts[i] = profile(*kernel, run.arguments(), {});
          }
          const auto of_pair = [&](std::int64_t HostCounts::*count) {
            return static_cast<double>(counts[1].*count - counts[0].*count) / 2;
          };
          CHECK(of_pair(&HostCounts::matrix_products) == work.matrix_products);
          CHECK(of_pair(&HostCounts::wavefronts) >= work.wavefronts);
          CHECK(of_pair(&HostCounts::wavefronts) <= 1.07 * work.wavefronts);
          const bool sums = config.gradients.k;
          CHECK((of_pair(&HostCounts::bytes_written) == work.bytes_written) == !sums);
          if (sums) continue;
          // Rows 0 and R / 2 of a pair share a spectrum that is read once for both. Each row of frequencies reads, by a
          // warp, the power of two behind a spectrum that lacks it, which the plan's work leaves out.
          const std::string& text = kernel->generated().conv.source;
          const bool lacks_power = text.find("const Packed spectrum_power = power_of(") != std::string::npos;
          const double powers = lacks_power ? 2.0 * column_length * 32 * 4 : 0;
          CHECK(of_pair(&HostCounts::bytes_read) ==
                doctest::Approx(work.bytes_read + powers).epsilon(alone ? 1e-6 : 0.025));
        }
}
