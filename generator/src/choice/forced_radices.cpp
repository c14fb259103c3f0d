// Digits against the radices that were asked for, and other orders of them.
#include "forced_radices.hpp"

#include <algorithm>
#include <functional>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/error.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"

namespace ffc {
namespace {

// Orders of six different radices. More are seldom given, and a refusal should not take seconds.
constexpr int most_orders = 720;

bool has_plan(const ConvConfig& config) {
  try {
    return !find_plans(normalised(config)).empty();
  } catch (const ConfigError&) {
    return false;
  }
}

}  // namespace

void leave_out_other_digits(std::vector<Plan>& plans, const ConvConfig& config) {
  if (config.radices.empty()) return;
  std::erase_if(plans, [&](const Plan& plan) {
    return !std::equal(plan->digits.begin(), plan->digits.end(), config.radices.begin(), config.radices.end(),
                       [](const Digit& digit, int radix) { return digit.radix == radix; });
  });
}

std::vector<int> order_that_works(const ConvConfig& config) {
  ConvConfig other = config;
  // Largest first: columns and rows begin with 16 more often than not.
  std::sort(other.radices.begin(), other.radices.end(), std::greater<>());
  for (int tried = 0; tried < most_orders; ++tried) {
    if (has_plan(other)) return other.radices;
    if (!std::prev_permutation(other.radices.begin(), other.radices.end())) break;
  }
  return {};
}

}  // namespace ffc
