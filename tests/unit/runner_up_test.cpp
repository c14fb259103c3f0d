// Plans that are not the first one, asked for by their place.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/error.hpp"
#include "ffc/generator/few_rows.hpp"
#include "ffc/generator/generate.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "length_config.hpp"

using namespace ffc;

TEST_CASE("a runner-up is the plan in that place, ahead of the others in their order") {
  for (ConvConfig config : {causal_of_length(300), causal_of_length(3000), causal_of_length(50000),
                            causal_gradients(300), causal_gradients(50000)}) {
    const std::vector<Plan> plans = make_plans(normalised(config));
    REQUIRE(plans.size() > 2);
    for (std::size_t k = 0; k < plans.size(); ++k) {
      config.runner_up = static_cast<int>(k);
      const std::vector<Plan> with = make_plans(normalised(config));
      REQUIRE(with.size() == plans.size());
      CHECK(with.front()->cost.total == plans[k]->cost.total);
      CHECK(with.front()->digits == plans[k]->digits);
      if (k + 1 < plans.size()) CHECK(with.back()->cost.total == plans.back()->cost.total);
    }
  }
}

TEST_CASE("a kernel is that of its runner-up") {
  ConvConfig config = causal_of_length(3000);
  CHECK(generate(config).conv.name == "conv_fwd_n3072_12x16x16_f16_causal_l3000_quarters_sm90a");
  config.runner_up = 1;
  CHECK(generate(config).conv.name != generate(causal_of_length(3000)).conv.name);
  CHECK(to_string(normalised(config)).ends_with(" runner_up=1"));
}

TEST_CASE("one spectrum serves a runner-up however its rows are scaled") {
  for (const std::int64_t length : {3000, 50000}) {
    ConvConfig config = causal_of_length(length);
    config.dtype = DataType::bf16;
    for (config.runner_up = 0; config.runner_up < 3; ++config.runner_up) {
      config.scaling = Scaling::fixed;
      const std::string fixed = generate(config).spectrum_tag;
      config.scaling = Scaling::found;
      CHECK(generate(config).spectrum_tag == fixed);
    }
  }
}

TEST_CASE("gradients of a runner-up are not parted by the costs of others") {
  ConvConfig config = causal_gradients(1048576);
  config.gating = Gating::both;
  config.gradients = parse_gradients("du,dw,dv,dk");
  config.batch = 1;
  REQUIRE(gradient_parts(config));
  config.runner_up = 1;
  CHECK_FALSE(gradient_parts(config));
}

TEST_CASE("a runner-up that does not exist is refused in words") {
  ConvConfig config = of_length(256, "sm_90a");
  config.runner_up = 1;
  CHECK_THROWS_WITH_AS((void)make_plans(normalised(config)), "runner_up is 1 and this config has 1 plan; it must be 0",
                       ConfigError);
  config = causal_of_length(3000);
  const int last = static_cast<int>(make_plans(normalised(config)).size()) - 1;
  config.runner_up = last + 1;
  CHECK_THROWS_AS((void)make_plans(normalised(config)), ConfigError);
  config.runner_up = last;
  CHECK_NOTHROW((void)make_plans(normalised(config)));
  config.runner_up = -1;
  CHECK_THROWS_WITH_AS((void)normalised(config), "runner_up is -1; it must be 0 or more", ConfigError);
}
