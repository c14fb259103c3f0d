// What ffc-gen prints about kernels and plans.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "build.hpp"
#include "ffc/generator/plan_report.hpp"

namespace ffc::tools {

/// The plans that were weighed for one config.
struct PlanReport {
  ConvConfig config;
  std::vector<PlanSummary> plans;  ///< the chosen one first
};

/// Leaves out the configs that no plan can be made for: they fail in the build.
[[nodiscard]] std::vector<PlanReport> rank_all(const BuildCommand& command);

/// Compiled or cached, the name padded to that width, time and size.
[[nodiscard]] std::string result_line(const KernelResult& result, std::size_t name_width);
[[nodiscard]] std::string summary_line(const std::vector<KernelResult>& results, double seconds);

void print_plans(const std::vector<PlanReport>& reports);
void print_json(const std::vector<KernelResult>& results, const std::vector<PlanReport>& reports, double seconds);
/// To stderr.
void print_errors(const std::vector<KernelResult>& results);

}  // namespace ffc::tools
