// Which rows are delayed until they begin on a line, by how much at most, and to lines of how many bytes.
#include <doctest/doctest.h>

#include <cstdint>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "length_config.hpp"

using namespace ffc;

namespace {

// Of the plan that is chosen for causal rows: samples, and bytes of a line.
struct Delay {
  int most, line;
  friend bool operator==(const Delay&, const Delay&) = default;
};

Delay delay_of(std::int64_t length, Pass pass = Pass::forward, Gating gating = Gating::none) {
  ConvConfig config = pass == Pass::forward ? causal_of_length(length) : causal_gradients(length);
  config.gating = gating;
  const Plan plan = make_plans(normalised(config)).front();
  return {plan->most_delay, plan->most_delay == 0 ? 0 : plan->delay_line};
}

constexpr Delay none = {0, 0};

}  // namespace

TEST_CASE("rows on lines are not delayed, others to lines of 16 bytes where there is room") {
  CHECK(delay_of(3000) == none);
  CHECK(delay_of(3001) == Delay{7, 16});
  CHECK(delay_of(3002) == Delay{6, 16});
  CHECK(delay_of(12001) == Delay{7, 16});
  CHECK(delay_of(3001, Pass::backward) == Delay{7, 16});
  CHECK(delay_of(3002, Pass::backward) == Delay{6, 16});
}

TEST_CASE("short rows are not delayed") {
  CHECK(delay_of(101) == Delay{7, 16});
  CHECK(delay_of(15) == none);
  CHECK(delay_of(98) == none);
  CHECK(delay_of(130) == Delay{6, 16});
  CHECK(delay_of(101, Pass::backward) == Delay{7, 16});
  CHECK(delay_of(98, Pass::backward) == none);
}

TEST_CASE("rows at multiples of 8 bytes are delayed where it pays: long ones of convolutions in one block") {
  CHECK(delay_of(3068) == none);
  CHECK(delay_of(3076) == Delay{4, 16});
  CHECK(delay_of(3076, Pass::forward, Gating::both) == Delay{4, 16});
  CHECK(delay_of(30004) == Delay{4, 16});
  CHECK(delay_of(3076, Pass::backward) == none);
  CHECK(delay_of(200004) == none);  // columns and rows
}

TEST_CASE("rows of clusters are delayed where they do not begin on what is read at once") {
  CHECK(delay_of(50004) == Delay{4, 16});  // four blocks, 16 bytes
  CHECK(delay_of(50008) == none);
  CHECK(delay_of(90004) == none);  // eight, 8 bytes
  CHECK(delay_of(90001) == Delay{7, 16});
}

namespace {

// Of windows of 1024 samples, 832 of them new.
Plan windows_of(std::int64_t length, Pass pass = Pass::forward, bool history = false) {
  ConvConfig config = pass == Pass::forward ? causal_of_length(length) : causal_gradients(length);
  config.fft_length = 1024, config.filter_length = 181, config.history = history;
  return make_plans(normalised(config)).front();
}

}  // namespace

TEST_CASE("windows of odd rows are delayed, and as many as that takes") {
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    CHECK(windows_of(40000, pass)->most_delay == 0);
    CHECK(windows_of(40004, pass)->most_delay == 0);
    CHECK(windows_of(40001, pass)->most_delay == 7);
    CHECK(windows_of(40002, pass)->most_delay == 6);
    CHECK(windows_of(40001, pass)->delay_line == 16);
  }
  CHECK(windows_of(40001, Pass::forward, true)->most_delay == 0);
  const std::int64_t step = windows_of(40001)->windows->step;
  REQUIRE(step == 832);
  CHECK(windows_of(10 * step)->windows->count == 10);
  CHECK(windows_of(10 * step - 7)->windows->count == 10);
  CHECK(windows_of(10 * step - 5)->windows->count == 11);  // where a row begins behind a line
  CHECK(windows_of(10 * step - 6)->windows->count == 10);
}
