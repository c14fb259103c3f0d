// Gradients of rows in windows, on the host against float64.
#include <doctest/doctest.h>

#include "backward_windows.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

void require_accurate(const WindowCase& test, int batch, int channels) {
  require_accurate_windows(Machine::host(), config_of(test), batch, channels);
}

}  // namespace

TEST_CASE("windows of every kind of transform, plain and gated, odd batches") {
  for (const std::int64_t n : {256, 768, 1024, 1792, 2048, 2304, 4096, 5120, 8192}) {
    const std::int64_t taps = n / 8 + 1;
    require_accurate({n, taps, 3 * n + 40}, 3, 2);
    if (n >= 768) require_accurate({n, taps, 2 * n, Gating::both}, 3, 2);
  }
}

TEST_CASE("one gate, bf16, odd lengths, rows shorter than a window and its halo") {
  require_accurate({1024, 100, 4001, Gating::in}, 3, 1);
  require_accurate({1024, 100, 4001, Gating::out}, 1, 2);
  require_accurate({2048, 333, 5555, Gating::both, "du,dw,dv,dk,dd", DataType::bf16}, 3, 1);
  require_accurate({2048, 333, 5555, Gating::none, "du,dk", DataType::bf16}, 2, 1);
  require_accurate({1024, 1, 3000, Gating::both}, 3, 16);  // dk of one tap is one number a channel, and may be small
  require_accurate({512, 400, 401, Gating::none}, 3, 1);
  require_accurate({1024, 250, 900, Gating::both}, 5, 1);
  ConvConfig config = config_of({2048, 130, 4099, Gating::both});
  config.row_alignment = 2;
  require_accurate_windows(Machine::host(), config, 2, 2);
}

TEST_CASE("of two rows the one with more delay has a window more") {
  constexpr std::int64_t step = 896;
  for (std::int64_t length = 3 * step - 6; length <= 3 * step + 1; ++length) {
    ConvConfig config = config_of({1024, 129, length, Gating::in});
    config.row_alignment = 2;
    require_accurate_windows(Machine::host(), config, 3, 2);
  }
}

TEST_CASE("more taps than new samples, more taps than samples") {
  require_accurate({1024, 900, 2500}, 3, 1);
  require_accurate({4096, 1024, 3500, Gating::both}, 3, 1);
  require_accurate({512, 500, 400, Gating::none, "du,dk"}, 2, 1);
}

TEST_CASE("what is wanted alone looks back, ahead or both ways") {
  for (const std::int64_t n : {1024, 4096})
    for (const std::string_view wanted : {"du", "dw", "dv", "dk", "dd", "du,dv", "dw,dk", "dv,dk"})
      require_accurate({n, n / 4, 3 * n + 8, Gating::both, wanted}, 3, 1);
}

TEST_CASE("the longest windows of one block, whose tensors take turns") {
  require_accurate({16384, 4000, 40000, Gating::none, "du,dk"}, 1, 1);
  require_accurate({32768, 8000, 70000, Gating::none, "du,dk"}, 1, 1);
  require_accurate({32768, 8000, 70000, Gating::both}, 2, 1);
}

TEST_CASE("blocks share the windows of a long row, and the bits depend on no workspace") {
  require_same_bits(Machine::host(), config_of({512, 65, 65536, Gating::none, "du,dk"}));
}
