// Backward configs: what is filled in and refused, plans against float64, texts that differ in their feature alone.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "backward_config.hpp"
#include "ffc/generator/arch.hpp"
#include "ffc/generator/error.hpp"
#include "ffc/generator/generate.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "has.hpp"

using namespace ffc;

namespace {

std::string refusal(const ConvConfig& config) {
  try {
    (void)generate(config);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("gradients of gates that do not exist are dropped; a forward config has none of its own") {
  CHECK(to_string(normalised(backward(256)).gradients) == "du,dk");
  CHECK(to_string(normalised(backward(256, Gating::in)).gradients) == "du,dw,dk");
  CHECK(to_string(normalised(backward(256, Gating::out)).gradients) == "du,dv,dk");
  CHECK(to_string(normalised(backward(256, Gating::both)).gradients) == "du,dw,dv,dk");
  ConvConfig forward = with_gradients(backward(256), "dd");
  forward.pass = Pass::forward;
  CHECK(normalised(forward).gradients == Gradients{});
}

TEST_CASE("gradients are read as they are written") {
  CHECK(to_string(parse_gradients("du,dw,dv,dk,dd")) == "du,dw,dv,dk,dd");
  CHECK(to_string(parse_gradients("dd,du")) == "du,dd");
  CHECK_THROWS_WITH_AS((void)parse_gradients("du,dx"), "gradient is \"dx\"; it must be one of du, dw, dv, dk, dd",
                       ConfigError);
}

TEST_CASE("every field of a backward config is in its text, and none in that of a forward config") {
  const ConvConfig config = normalised(backward(256));
  CHECK(has(to_string(config), "pass=backward gradients=du,dk gradient_exponent=0"));
  CHECK_FALSE(has(to_string(normalised([] {
                    ConvConfig forward;
                    forward.fft_length = 256;
                    return forward;
                  }())),
                  "gradient"));
  CHECK(to_string(config) != to_string(normalised(with_gradients(backward(256), "du"))));
}

TEST_CASE("refused backward configs") {
  CHECK(has(refusal(with_gradients(backward(256), "dw,dv")), "gradients is empty with gating none"));
  ConvConfig config = backward(256);
  config.gradient_exponent = 15;
  CHECK(refusal(config) == "gradient_exponent is 15; it must lie in [-14, 14]");
  config.dtype = DataType::bf16;
  CHECK(refusal(config) == "accepted");
  config.gradient_exponent = 61;
  CHECK(refusal(config) == "gradient_exponent is 61; it must lie in [-60, 60]");
  config = backward(256);
  config.pass = Pass::forward;
  config.gradient_exponent = 1;
  CHECK(refusal(config) == "gradient_exponent is 1 and pass is forward; it must be 0");
}

TEST_CASE("lengths without a backward plan are refused in words") {
  // With a mask the transform is the config's, and goes digit by digit.
  ConvConfig config = backward(20000);
  config.mask = low_pass(0.25, 20000);
  CHECK(has(refusal(config), "pass is backward with fft_length 20000 and length 20000"));
  // Digits that nothing but a convolution has are folded, as the plan says.
  config = backward(3000);
  config.radices = {50, 60};
  CHECK(refusal(config) == "accepted");
}

TEST_CASE("plans past one block fit every arch, with the spectrum of a forward plan of those columns") {
  for (const Arch& arch : architectures())
    for (const std::int64_t n : {65536, 196608, 1048576, 8388608})
      for (const Gating gating : {Gating::none, Gating::both}) {
        ConvConfig config = backward(n, gating);
        config.arch = arch.name;
        CAPTURE(to_string(config));
        const Generated generated = generate(config);
        CHECK(generated.conv.shared_bytes <= arch.shared_per_block);
        CHECK(generated.conv.threads <= 1024);
        REQUIRE(generated.split);
        CHECK(!are_alone(generated.split->packing));
        CHECK(generated.split->pair_bytes() == 4 * n);
        REQUIRE(generated.backward);
        CHECK(generated.backward->tensors == 2);
        CHECK(generated.backward->sums_bytes ==
              8 * (generated.split->column_length / 2 + 1) * generated.split->row_length);
        REQUIRE(generated.backward->filter_gradient);
        CHECK(generated.backward->inverse_steps == 3);
        config.pass = Pass::forward;
        config.column_length =
            generated.split->column_length;  // it may be another that a convolution takes least time with
        CHECK(generate(config).spectrum_tag == generated.spectrum_tag);
      }
}

TEST_CASE("causal rows go alone where the convolution's do, in its digits and with its spectrum") {
  // Products of 8 only convolutions have, with a spectrum of their own.
  ConvConfig config = backward(0);
  config.padding = Padding::causal;
  for (const Gating gating : {Gating::none, Gating::both})
    for (const std::int64_t length :
         {2500, 4096, 6000, 8192, 12288, 16384, 20001, 32768, 65536, 245760, 262144, 1048576, 4194304}) {
      config.gating = gating;
      config.length = length;
      config.filter_length = length;
      ConvConfig forward = config;
      forward.pass = Pass::forward;
      CAPTURE(to_string(config));
      const Generated gradients = generate(config), convolution = generate(forward);
      CHECK(convolution.packing == Packing::right_angle);
      const bool in_ring = length >= 245760 || (gating == Gating::both && length == 65536);
      CHECK(convolution.split.has_value() == in_ring);
      CHECK(gradients.packing == Packing::right_angle);
      // A cluster has no gradients: columns and rows take its place, with a spectrum of their own.
      const bool in_cluster = !convolution.split && length > 32768;
      CHECK(in_cluster == (gating == Gating::none && length == 65536));
      CHECK((gradients.spectrum_tag == convolution.spectrum_tag) == !in_cluster);
      CHECK(gradients.conv.shared_bytes <= find_arch("sm_90a").shared_per_block);
      REQUIRE(gradients.backward);
      CHECK(gradients.backward->pairs(3) == 3);
    }
}

TEST_CASE("where rows alone have gradients in one block, a block of the arch makes their taps") {
  for (const std::string_view arch : {"sm_80", "sm_86", "sm_90a", "sm_120"})
    for (std::int64_t length = 2304; length <= 32768; length += 256) {
      ConvConfig config = backward(0);
      config.padding = Padding::causal;
      config.length = config.filter_length = length;
      config.arch = arch;
      const Generated generated = generate(config);
      CAPTURE(generated.name);
      if (generated.split || generated.packing != Packing::right_angle) continue;
      const GeneratedKernel& taps = generated.backward->filter_gradient.value();
      CHECK(taps.name.find("_angle_") != std::string::npos);
      CHECK(taps.shared_bytes > 0);
      CHECK(taps.shared_bytes <= find_arch(arch).shared_per_block);
    }
}

TEST_CASE("what one block's plans leave out is folded, or taken in windows where the filter is short") {
  const auto transform_of = [](const ConvConfig& config) {
    const Generated generated = generate(config);
    return generated.packing == Packing::right_angle ? 2 * generated.transform_length : generated.transform_length;
  };
  CHECK(transform_of(backward(32749)) >= 2 * 32749 - 1);  // a prime
  CHECK(transform_of(backward(40000)) >= 2 * 40000 - 1);
  ConvConfig causal = backward(0);
  causal.padding = Padding::causal;
  causal.length = 61440;
  CHECK(transform_of(causal) >= 2 * 61440 - 1);
  causal.filter_length = 30000;
  CHECK(transform_of(causal) >= 61440 + 29999);
  causal.filter_length = 2048;
  CHECK(generate(causal).windows);
  causal.length = std::int64_t{1} << 33;
  const Generated longest = generate(causal);
  REQUIRE(longest.windows);
  CHECK(longest.backward->pairs(2) == longest.windows->count);
  CHECK(longest.backward->slices(2, 768) <= 64);
}

TEST_CASE("plans of every length fit every arch, in the forward plan's digits") {
  for (const Arch& arch : architectures())
    for (const std::int64_t n : {256, 512, 768, 1000, 1024, 1280, 1792, 2048, 2304, 4096, 6144, 8192, 12288, 16384})
      for (const Gating gating : {Gating::none, Gating::both}) {
        ConvConfig config = backward(n, gating);
        config.arch = arch.name;
        CAPTURE(to_string(config));
        const Generated generated = generate(config);
        CHECK(generated.conv.shared_bytes <= arch.shared_per_block);
        CHECK(generated.conv.threads <= 1024);
        REQUIRE(generated.backward);
        CHECK(generated.backward->filter_gradient);
        config.pass = Pass::forward;
        if (n != 1000) CHECK(generate(config).spectrum_tag == generated.spectrum_tag);
      }
}

TEST_CASE("what is not wanted is not in the plan") {
  const auto count = [](std::string_view wanted, StepKind kind) {
    const Plan plan = make_plans(normalised(with_gradients(backward(4096, Gating::both), wanted))).front();
    return std::count_if(plan->steps.begin(), plan->steps.end(), [&](const Step& step) { return step.kind == kind; });
  };
  CHECK(count("du", StepKind::load) == 1);
  CHECK(count("dv", StepKind::load) == 1);
  CHECK(count("dk", StepKind::load) == 2);
  CHECK(count("dk", StepKind::store) == 0);
  CHECK(count("dk", StepKind::pointwise) == 0);
  CHECK(count("du,dw", StepKind::store) == 1);
  CHECK(count("du,dw,dv,dk", StepKind::store) == 2);
  CHECK(count("du,dw,dv", StepKind::accumulate) == 0);
  CHECK_FALSE(generate(with_gradients(backward(4096), "du")).backward->filter_gradient);
  CHECK(generate(with_gradients(backward(4096), "du")).backward->sums_bytes == 0);
}

TEST_CASE("both texts of launches that overlap say so, and no others") {
  const auto says = [](std::int64_t n, const char* arch, std::string_view wanted = "du,dk") {
    ConvConfig config = with_gradients(backward(n), wanted);
    config.arch = arch;
    const Generated generated = generate(config);
    const BackwardLaunch& launch = *generated.backward;
    const bool first = has(generated.conv.source, "  let_next_launch_begin();");
    const bool second = launch.filter_gradient && has(launch.filter_gradient->source, "  wait_for_previous_launch();");
    CAPTURE(arch);
    CHECK(first == launch.overlaps);
    const bool in_steps = launch.filter_gradient && launch.filter_gradient->overlaps;  // behind each other
    CHECK(second == (launch.overlaps || in_steps));
    CHECK(in_steps == (launch.inverse_steps > 1 && find_arch(arch).major >= 9));
    CHECK(has(generated.conv.source, "griddepcontrol") == launch.overlaps);
    return launch.overlaps;
  };
  for (const std::int64_t n : {256, 2304, 8192, 32768}) {
    CHECK(says(n, "sm_90a"));
    CHECK(says(n, "sm_100"));
    CHECK_FALSE(says(n, "sm_80"));
    CHECK_FALSE(says(n, "sm_90a", "du"));
  }
  CHECK(says(8192, "sm_120"));
  CHECK_FALSE(says(65536, "sm_90a"));
}

TEST_CASE("filter gradients stay within the limits of every arch") {
  for (const Arch& arch : architectures())
    for (const std::int64_t n : {256, 512, 768, 2304, 4096, 8192, 16384, 26624, 32768}) {
      ConvConfig config = backward(n);
      config.arch = arch.name;
      const Generated generated = generate(config);
      if (generated.split) continue;  // less shared memory than that length takes
      const BackwardLaunch& launch = *generated.backward;
      CAPTURE(to_string(config));
      CHECK(launch.filter_gradient->shared_bytes <= arch.shared_per_block);
      CHECK(launch.filter_gradient->threads <= 1024);
      CHECK((launch.inverse_bytes == 0) == (launch.filter_gradient->shared_bytes > 0));
      if (n <= 16384 || arch.shared_per_block > 200 << 10) CHECK(launch.inverse_bytes == 0);
    }
}

TEST_CASE("taps of rows alone come from one block or in two launches, without a workspace") {
  bool in_block = false, in_steps = false;
  for (const Arch& arch : architectures())
    for (std::int64_t length = 1024; length <= 32768; length += 512) {
      ConvConfig config = backward(0);
      config.length = config.filter_length = length;
      config.padding = Padding::causal;
      config.arch = arch.name;
      const Generated generated = generate(config);
      if (generated.split || generated.packing != Packing::right_angle) continue;
      const BackwardLaunch& launch = *generated.backward;
      CAPTURE(to_string(config));
      const bool fits = generated.transform_length <= 16384 && 8 * generated.transform_length <= arch.shared_per_block;
      CHECK(launch.inverse_steps == (fits ? 1 : 2));
      CHECK(launch.inverse_bytes == 0);
      (fits ? in_block : in_steps) = true;
    }
  CHECK(in_block);
  CHECK(in_steps);
}

TEST_CASE("the longest rows alone have sums in turns where an arch has clusters") {
  const auto in_turns = [](std::int64_t length, std::string_view arch, std::string_view gradients, Gating gating) {
    ConvConfig config = with_gradients(backward(0, gating), gradients);
    config.length = config.filter_length = length;
    config.padding = Padding::causal;
    config.arch = arch;
    const Plan plan = make_plans(normalised(config)).front();
    const InBlockPlan* const in_block = plan.as<InBlockPlan>();
    return in_block != nullptr && in_block->backward.sums && in_block->geometry.sums == Placement::turns;
  };
  CHECK(in_turns(32768, "sm_90a", "du,dk", Gating::none));
  CHECK(in_turns(32767, "sm_90a", "dk", Gating::none));
  CHECK(in_turns(32768, "sm_100", "du,dk,dd", Gating::none));
  CHECK_FALSE(in_turns(32768, "sm_80", "du,dk", Gating::none));
  CHECK_FALSE(in_turns(32768, "sm_120", "du,dk", Gating::none));
  CHECK_FALSE(in_turns(32768, "sm_90a", "du", Gating::none));
  CHECK(in_turns(32768, "sm_90a", "du,dw,dv,dk", Gating::both));
  CHECK_FALSE(in_turns(24576, "sm_90a", "du,dk", Gating::none));
}

TEST_CASE("the same config gives the same bytes, and its programs are three") {
  const Generated a = generate(backward(4096)), b = generate(backward(4096));
  CHECK(a.conv.source == b.conv.source);
  CHECK(a.backward->filter_gradient->source == b.backward->filter_gradient->source);
  const std::vector<ProgramView> views = programs(a);
  REQUIRE(views.size() == 3);
  CHECK(views[0].kind == "gradients");
  CHECK(views[2].kind == "filter gradient");
  CHECK(a.name == "conv_bwd_n4096_16x16x16_f16_du_dk_sm90a");
}
