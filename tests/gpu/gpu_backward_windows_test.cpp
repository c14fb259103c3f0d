// Gradients of rows in windows on a GPU against float64: transforms, gates, types, long rows, bits.
#include <doctest/doctest.h>

#include "backward_windows.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

ConvCase case_of(const WindowCase& test, int batch, int channels) {
  return {config_of(test), recipe_of(batch, channels)};
}

void require_accurate(const std::vector<ConvCase>& cases) {
  const auto device = open_device();
  compile_ahead(device, cases);
  for (const auto& [config, recipe, data] : cases)
    require_accurate_windows(device, config, recipe.batch, recipe.channels);
}

constexpr std::string_view all = "du,dw,dv,dk,dd";

}  // namespace

TEST_CASE("windows of every kind of transform, plain and gated, both types in turn, odd batches") {
  std::vector<ConvCase> cases;
  for (const std::int64_t n : {256,  512,  768,  1024, 1280,  1536,  1792,  2048,  2304,  2560, 3840,
                               4096, 5120, 6144, 8192, 10240, 12288, 16384, 20480, 24576, 32768}) {
    const auto [dtype, other] =
        cases.size() % 2 == 0 ? std::pair{DataType::fp16, DataType::bf16} : std::pair{DataType::bf16, DataType::fp16};
    cases.push_back(case_of({n, n / 8 + 1, 3 * n + 40, Gating::none, all, dtype}, 3, 2));
    cases.push_back(case_of({n, n - 200, 3 * n + 5, Gating::none, all, other}, 2, 2));
    cases.push_back(case_of({n, n / 4, 3 * n + 8, Gating::both, all, dtype}, 5, 2));
  }
  require_accurate(cases);
}

TEST_CASE("what is wanted alone looks back, ahead or both ways") {
  std::vector<ConvCase> cases;
  for (const std::int64_t n : {512, 4096, 32768})
    for (const std::string_view wanted : {"du", "dw", "dv", "dk", "dd", "du,dv", "dw,dk", "dv,dk"})
      cases.push_back(case_of({n, n / 4, 3 * n + 8, Gating::both, wanted}, 3, 2));
  require_accurate(cases);
}

TEST_CASE("one gate, odd lengths, rows shorter than a window and its halos") {
  std::vector<ConvCase> cases;
  for (const std::int64_t n : {1024, 4096, 16384})
    for (const Gating gating : {Gating::in, Gating::out}) {
      cases.push_back(case_of({n, n / 5, 4 * n + 1, gating}, 3, 2));
      cases.push_back(case_of({n, n / 4, n - 100, gating}, 3, 2));
    }
  ConvConfig config = config_of({2048, 130, 4099, Gating::both});
  config.row_alignment = 2;
  cases.push_back({config, recipe_of(2, 3)});
  require_accurate(cases);
}

TEST_CASE("long rows as they are chosen, and one that no transform holds") {
  std::vector<ConvCase> cases;
  for (const Gating gating : {Gating::none, Gating::both})
    for (const std::int64_t taps : {257, 1024, 4096}) cases.push_back(case_of({0, taps, 1048576, gating}, 2, 2));
  cases.push_back(case_of({0, 100, (std::int64_t{1} << 24) + 5, Gating::none, "du,dk"}, 1, 1));
  cases.push_back(case_of({0, 3000, (std::int64_t{1} << 24) + 12345, Gating::both}, 1, 1));
  require_accurate(cases);
}

TEST_CASE("many channels and a large batch: every block, slices of the windows, chunks of the channels") {
  std::vector<ConvCase> cases;
  cases.push_back(case_of({1024, 257, 8192, Gating::none, "du,dk"}, 32, 200));
  cases.push_back(case_of({8192, 2000, 32768, Gating::both}, 5, 100));
  cases.push_back(case_of({32768, 8000, 65536, Gating::none, "du,dk"}, 3, 300));
  require_accurate(cases);
}

TEST_CASE("the same inputs give the same bits in every launch and with every workspace") {
  const auto device = open_device();
  std::vector<ConvCase> cases;
  for (const std::int64_t n : {512, 4096, 16384, 32768})
    for (const Gating gating : {Gating::none, Gating::both})
      cases.push_back({config_of({n, n / 8, 131072, gating}), {}});
  compile_ahead(device, cases);
  for (const ConvCase& test : cases) require_same_bits(device, test.config);
}
