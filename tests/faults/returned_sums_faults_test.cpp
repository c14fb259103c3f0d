// Faults put into sums that go back to taps with a channel's last row.
#include "gradient_outcome.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

// Of 16 rows of frequencies a block has all: sums of the first are in shared memory, others in global memory.
Generated gradients() {
  ConvConfig config;
  config.column_length = 16;
  config.fft_length = 65536, config.length = 32768;
  config.padding = Padding::causal;
  config.batch = 1;  // with which forced columns take rows alone
  config.pass = Pass::backward;
  config.gradients = parse_gradients("du,dk");
  config.arch = "sm_90a";
  return generate(config);
}

Outcome outcome_of_rows(const Generated& generated, unsigned seed) {
  const auto kernel = shared_kernel_of(generated);
  const Recipe recipe = recipe_of(3, 5);
  return gradient_outcome(kernel, recipe, kernel->backward_workspace_bytes(recipe.batch, recipe.channels), seed);
}

bool shows(const Generated& generated, const Fault& fault) {
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    const Outcome outcome = outcome_of_rows(generated, seed);
    if (outcome.error > 1.0e-2 && outcome.refusal.find(fault.refusal) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("sums that go back are right, and every fault of them shows") {
  const Generated generated = gradients();
  REQUIRE(generated.backward->returns_sums);
  CHECK(outcome_of_rows(generated, 1).error < 5.0e-3);
  constexpr Fault faults[] = {
      {"sums of the channel before", "      clear(sums.held + 16 * at);\n    } else if (!sums.first) {",
       "    } else if (!sums.first) {"},
      {"shared memory as it was", "make_uint4(0, 0, 0, 0));\n", "make_uint4(0x7fc00000, 0, 0, 0));\n"},
      {"the last row alone in shared memory", "      add_held(sums.held + 16 * at);\n      clear", "      clear"},
      {"the last row alone in memory", "add(load_global(sums.in_memory(at)), load_global(sums.in_memory(at) + 64));",
       ";"},
      {"sums of one row of frequencies for all", "row_of_block < held_rows", "row_of_block >= 0"},
      {"every row the last", "mine.pair + split.slices >= pairs_of_channel(split.conv)", "true"},
      {"no row the last", "mine.pair + split.slices >= pairs_of_channel(split.conv)", "false"},
      {"taps with the row before", "row.pair + 1 == pairs_of_channel(arguments)",
       "row.pair + 2 == pairs_of_channel(arguments)"},
      {"u's place that nobody says is free", "mine.sides && !sums.last)", "mine.sides && false)", stuck},
      {"sums that are not done", "if (thread == 0 && is_last)", "if (false)", stuck},
      {"columns that are not told", "tell_sums_exponent(split, mine.place, sums_exponent);", ";"},
      {"a power of two too large", "pairs_of_channel(split.conv));\n      if (sums.last && thread == 0",
       "pairs_of_channel(split.conv)) + 40;\n      if (sums.last && thread == 0"},
      {"no gain", "sample * taps_gain * scale", "sample * scale"},
      {"another lane's sums", "(mine.channel - at.channel) * spectrum_rows", "0 * spectrum_rows"},
  };
  for (const Fault& fault : faults) {
    CAPTURE(std::string(fault.what));
    Generated broken = generated;
    put(broken.conv.source, fault);
    CHECK(shows(broken, fault));
  }
}
