// Lists of steps that the interpreter must not take.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "complex_rows.hpp"
#include "ffc/generator/interpreter.hpp"
#include "ffc/generator/plan.hpp"
#include "listed_plan.hpp"

using namespace ffc;
using namespace ffc::test;

namespace {

void run(const Plan& plan) {
  const auto size = static_cast<std::size_t>(plan->transform_length);
  (void)interpret(plan, Row(size), Row(size));
}

std::size_t find_step(const Plan& plan, StepKind kind, bool inverse = false) {
  const auto found = std::find_if(plan->steps.begin(), plan->steps.end(),
                                  [&](const Step& step) { return step.kind == kind && step.inverse == inverse; });
  REQUIRE(found != plan->steps.end());
  return static_cast<std::size_t>(found - plan->steps.begin());
}

}  // namespace

TEST_CASE("a contradictory list of steps is refused") {
  Plan plan = general_plan({4, 6});
  REQUIRE_NOTHROW(run(plan));
  const std::size_t first = find_step(plan, StepKind::contract);
  const std::size_t twiddle = find_step(plan, StepKind::twiddle);
  const std::size_t middle = find_step(plan, StepKind::pointwise);
  const auto at = [](std::size_t index) { return static_cast<std::ptrdiff_t>(index); };

  SUBCASE("a digit contracted twice") { plan->steps.insert(plan->steps.begin() + at(first), plan->steps[first]); }
  SUBCASE("a digit that is not there") { plan->steps[first].digit = 2; }
  SUBCASE("no digit") { plan->steps[first].digit = -1; }
  SUBCASE("a digit never contracted") { erase_step(plan, first); }
  SUBCASE("a digit never brought back") { erase_step(plan, find_step(plan, StepKind::contract, true)); }
  SUBCASE("an inverse sum on the way in") { plan->steps[first].inverse = true; }
  SUBCASE("a forward sum on the way back") { plan->steps[find_step(plan, StepKind::contract, true)].inverse = false; }
  SUBCASE("a twiddle before its digit is contracted") { std::swap(plan->steps[first], plan->steps[twiddle]); }
  SUBCASE("a twiddle of a digit that is contracted") { plan->steps[twiddle].open = {0}; }
  SUBCASE("a twiddle by a digit that is open") { plan->steps[twiddle].done = {1}; }
  SUBCASE("a twiddle by a digit that is not there") { plan->steps[twiddle].done = {5}; }
  SUBCASE("a twiddle of a digit that is not there") { plan->steps[twiddle].open = {-1}; }
  SUBCASE("an inverse twiddle on the way in") { plan->steps[twiddle].inverse = true; }
  SUBCASE("the spectrum too early") { std::swap(plan->steps[middle], plan->steps[middle - 1]); }
  SUBCASE("the spectrum twice") { plan->steps.insert(plan->steps.begin() + at(middle), plan->steps[middle]); }
  SUBCASE("no spectrum") { erase_step(plan, middle); }
  SUBCASE("no load") { erase_step(plan, 0); }
  SUBCASE("two loads") { plan->steps.insert(plan->steps.begin(), plan->steps[0]); }
  SUBCASE("no store") { plan->steps.pop_back(); }
  SUBCASE("two stores") { plan->steps.push_back(plan->steps.back()); }
  SUBCASE("a step behind the store") { plan->steps.push_back(plan->steps[first]); }
  SUBCASE("no steps") { plan->steps.clear(); }
  SUBCASE("a stride that skips") { plan->digits[0].stride = 5; }
  SUBCASE("a weight of another digit") { plan->digits[1].weight = 6; }
  SUBCASE("digits that make another length") { plan->transform_length = plan->length = 12; }
  SUBCASE("more samples than the transform has") { plan->length = 25; }
  CHECK_THROWS_AS(run(plan), std::logic_error);
}

TEST_CASE("the refusal names the step") {
  Plan plan = general_plan({4, 6});
  plan->steps[find_step(plan, StepKind::twiddle)].done = {1};
  CHECK_THROWS_WITH_AS(run(plan), "step 2 (forward twiddle between digits {1} and {1}): a done digit is not contracted",
                       std::logic_error);
}

TEST_CASE("data of another length is refused") {
  const Plan plan = general_plan({4, 6});
  CHECK_THROWS_AS((void)interpret(plan, Row(23), Row(24)), std::invalid_argument);
  CHECK_THROWS_AS((void)interpret(plan, Row(24), Row(25)), std::invalid_argument);
}
