// The plans of a config in the order in which they are taken: who finds magnitudes, who reports, and runners-up.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/error.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "no_plan.hpp"
#include "tiled_magnitudes.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

// Those that find magnitudes themselves, the one in `first`'s digits ahead; none where it is not among them.
std::vector<Plan> finding_plans(const ConvConfig& config, const Plan& first) {
  if (!finds_magnitudes(config, first)) return {};
  std::vector<Plan> plans = find_plans(config);
  std::erase_if(plans, [&](const Plan& plan) { return !finds_magnitudes(config, plan); });
  const auto has_digits = [&](const Plan& plan) {
    return plan->digits == first->digits && plan->packing == first->packing &&
           plan->windows.has_value() == first->windows.has_value();
  };
  const auto others = std::stable_partition(plans.begin(), plans.end(), has_digits);
  return others == plans.begin() ? std::vector<Plan>() : plans;
}

// Those that make a report, where one is wanted. The general family makes none.
void keep_reporting(const ConvConfig& config, std::vector<Plan>& plans) {
  if (!reports(config)) return;
  const std::string first = factorisation_name(*plans.front());
  std::erase_if(plans, [](const Plan& plan) { return plan.as<MixedRadixPlan>() != nullptr; });
  if (!plans.empty()) return;
  throw ConfigError(
      fmt::format("report is {} and fft_length {}, which runs as {}, digit by digit; such kernels make no report: it "
                  "must be none, or radices and fft_length another",
                  to_string(config.report), config.fft_length, first));
}

// The runner-up that is wanted goes ahead of the others.
void put_first(const ConvConfig& config, std::vector<Plan>& plans) {
  if (static_cast<std::size_t>(config.runner_up) >= plans.size())
    throw ConfigError(fmt::format("runner_up is {} and this config has {} plan{}; it must be 0{}", config.runner_up,
                                  plans.size(), plans.size() == 1 ? "" : "s",
                                  plans.size() == 1 ? "" : fmt::format(" to {}", plans.size() - 1)));
  std::rotate(plans.begin(), plans.begin() + config.runner_up, plans.begin() + config.runner_up + 1);
}

}  // namespace

std::vector<Plan> make_plans(const ConvConfig& config) {
  // One spectrum serves a config however its rows are scaled: who finds magnitudes changes nobody's digits.
  const bool found = config.scaling == Scaling::found;
  std::vector<Plan> plans = find_plans(found ? as_given(config) : config);
  if (plans.empty()) throw_no_plan(config);
  keep_reporting(config, plans);
  put_first(config, plans);
  if (!found) return plans;
  std::vector<Plan> finding = finding_plans(config, plans.front());
  return finding.empty() ? plans : finding;
}

}  // namespace ffc
