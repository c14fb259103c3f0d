// What gradients in windows count on the host is what their plans predict, and no access to shared memory meets a bank
// conflict.
#include <doctest/doctest.h>

#include "backward_windows.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "ffc/generator/work.hpp"
#include "made_kernel.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

HostCounts counts_of(const std::shared_ptr<const Kernel>& kernel, int pairs) {
  BackwardRun run(Machine::host(), kernel, recipe_of(2 * pairs, 1), 3);
  HostOptions options;
  options.slices = 1;
  return profile(*kernel, run.arguments(), options);
}

// Bytes of u's frequencies, which wait in global memory for those of dy where tensors take turns: work leaves them out.
double parked_bytes(const Plan& plan) {
  const auto* const in_block = plan.as<InBlockPlan>();
  if (in_block == nullptr || !in_block->geometry.in_turn) return 0;
  return 1024.0 * in_block->rows() * static_cast<double>(plan->windows->count);
}

// Of `more` pairs beyond `few`, of one slice both: what a block does once is in both.
void check_counts(const WindowCase& test) {
  ConvConfig config = config_of(test);
  config.arch = "sm_90a";
  const auto kernel = kernel_of_one_slice(config);
  CAPTURE(kernel->name());
  const Plan plan = make_plans(kernel->config()).front();
  REQUIRE(plan->windows);
  const Work work = predict_work(plan, kernel->config());
  const int few = 1, more = 2;
  REQUIRE(kernel->generated().backward->slices(2 * more, 1) == 1);
  const HostCounts one = counts_of(kernel, few), two = counts_of(kernel, more);
  const double pairs = more - few;
  CHECK(static_cast<double>(two.matrix_products - one.matrix_products) == pairs * work.matrix_products);
  CHECK(static_cast<double>(two.bytes_written - one.bytes_written) ==
        pairs * (work.bytes_written + parked_bytes(plan)));
  CHECK(static_cast<double>(two.bytes_read - one.bytes_read) == pairs * (work.bytes_read + parked_bytes(plan)));
  CHECK(static_cast<double>(two.wavefronts - one.wavefronts) == pairs * work.wavefronts);
  CHECK(two.conflicts == one.conflicts);
}

}  // namespace

TEST_CASE("counts of gradients in windows are those of their plans, without a bank conflict") {
  for (const std::int64_t n : {256, 512, 1024, 2048, 2304, 4096, 8192})
    for (const Gating gating : {Gating::none, Gating::both}) {
      if (n < 512 && gating == Gating::both) continue;
      check_counts({n, n / 8 + 1, 2 * n, gating, gating == Gating::none ? "du,dk" : "du,dw,dv,dk"});
    }
}

TEST_CASE("so are those of tensors that take turns") {
  const WindowCase test{20480, 5121, 40960, Gating::none, "du,dk"};
  ConvConfig config = config_of(test);
  config.arch = "sm_90a";
  REQUIRE(make_plans(normalised(config)).front().as<InBlockPlan>()->geometry.in_turn);
  check_counts(test);
}
