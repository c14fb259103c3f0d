// Faults put into the text of gradients in windows: what is read on either side, the gap, and who waits for whom.
#include "backward_windows.hpp"
#include "gradient_outcome.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

Generated windows_of(std::int64_t n, Gating gating) {
  ConvConfig config = config_of({n, n / 8, 5 * n, gating, gating == Gating::none ? "du,dk" : "du,dw,dv,dk"});
  config.arch = "sm_90a";
  return generate(config);
}

bool shows(const Generated& generated) {
  const auto kernel = shared_kernel_of(generated);
  for (unsigned seed = 1; seed <= seeds; ++seed)
    if (gradient_outcome(kernel, recipe_of(3, 1), kernel->backward_workspace_bytes(3, 1), seed).error > 1.0e-2)
      return true;
  return false;
}

void check_faults(const Generated& generated, const std::vector<Fault>& faults) {
  CAPTURE(generated.name);
  CHECK_FALSE(shows(generated));
  for (const Fault& fault : faults) {
    CAPTURE(std::string(fault.what));
    Generated broken = generated;
    put(broken.conv.source, fault);
    CHECK(shows(broken));
  }
}

const Fault nothing_ahead = {"dy ends with the new samples", "constexpr int read_ahead = read_back;",
                             "constexpr int read_ahead = 0;"};
const Fault past_the_end = {"dy goes on where the row ends", "left < step + read_ahead ?", "false ?"};

}  // namespace

TEST_CASE("faults of windows that look ahead show") {
  for (const std::int64_t n : {1024, 4096}) check_faults(windows_of(n, Gating::none), {nothing_ahead, past_the_end});
}

TEST_CASE("faults of windows that look both ways show") {
  for (const std::int64_t n : {1024, 4096})
    check_faults(windows_of(n, Gating::both),
                 {nothing_ahead,
                  past_the_end,
                  {"dy ahead without a gap", "sample < step + gap ? -1 : sample - gap", "sample < step ? -1 : sample"},
                  {"samples in the gap", "? -1 :", "? sample - gap :"},
                  {"the end of du without what is in the gap", "if (sample >= step - gap &&", "if (false &&"},
                  {"too much of du with it", "if (sample >= step - gap &&", "if (sample >= step - gap - 64 &&"}});
}

TEST_CASE("every barrier of windows that look both ways is needed") {
  constexpr std::string_view barrier = "group_barrier<group_threads>(group);";
  const Generated generated = windows_of(4096, Gating::both);
  const std::string& source = generated.conv.source;
  int barriers = 0;
  for (std::size_t at = source.find(barrier); at != std::string::npos; at = source.find(barrier, at + 1)) {
    CAPTURE(barriers);
    Generated broken = generated;
    broken.conv.source.erase(at, barrier.size());
    CHECK(shows(broken));
    ++barriers;
  }
  CHECK(barriers == 5);
}
