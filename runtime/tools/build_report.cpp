// What ffc-gen prints about kernels and plans.
#include "build_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "ffc/generator/error.hpp"
#include "json.hpp"
#include "sizes.hpp"

namespace ffc::tools {
namespace {

constexpr std::size_t plans_shown = 6;

std::string_view to_string(Status status) {
  switch (status) {
    case Status::compiled:
      return "compiled";
    case Status::cached:
      return "cached";
    case Status::generated:
      return "generated";
    case Status::failed:
      return "failed";
  }
  return "unknown";
}

std::ptrdiff_t count(const std::vector<KernelResult>& results, Status status) {
  return std::ranges::count(results, status, &KernelResult::status);
}

/// A refused config has no kernel's name, and is named by its fields.
std::string display_name(const KernelResult& result) { return result.name.empty() ? result.config : result.name; }

std::string geometry_text(const KernelSummary& kernel) {
  return fmt::format("{:5} threads {:3} groups {:3} blocks/SM {:>10} shared", kernel.threads, kernel.groups,
                     kernel.blocks_per_sm, readable_bytes(static_cast<std::uint64_t>(kernel.shared_bytes)));
}

std::string plan_line(const PlanSummary& plan) {
  std::string split;
  if (plan.column_length > 0)
    split = fmt::format(" columns of {}, rows of {}, {} workspace a {}", plan.column_length, plan.row_length,
                        readable_bytes(static_cast<std::uint64_t>(plan.pair_bytes)),
                        are_alone(plan.packing) ? "row" : "pair");
  if (plan.windows)
    split = fmt::format(" {} windows of {}: {} new, {} again", plan.windows->count, plan.windows->length,
                        plan.windows->step, plan.windows->halo());
  if (are_alone(plan.packing)) split += ", alone";
  if (plan.sparsity > 0) split += fmt::format(", {:.2f} % dropped", 100 * plan.sparsity);
  const std::string measured =
      plan.measured_ratio ? fmt::format(", measured {:.2f} on an H200", *plan.measured_ratio) : std::string();
  return fmt::format("{:<14} {}{} {:6.2f} x floor{} {:>10} a pair", plan.factorisation, geometry_text(plan.kernel),
                     split, plan.predicted_ratio, measured, readable_time(plan.predicted_us_per_pair));
}

void write_kernel(JsonWriter& json, const KernelResult& result) {
  json.begin_object();
  json.field("name", result.name);
  json.field("kind", result.kind);
  json.field("arch", result.arch);
  json.field("config", result.config);
  json.field("status", to_string(result.status));
  json.field("seconds", result.seconds);
  json.field("cubin_bytes", result.cubin_bytes);
  json.field("threads", result.threads);
  json.field("shared_bytes", result.shared_bytes);
  json.field("cache_path", result.cache_path);
  json.field("source_path", result.source_path);
  json.field("error", result.error);
  json.end_object();
}

void write_plan(JsonWriter& json, const PlanSummary& plan) {
  json.begin_object();
  json.field("factorisation", plan.factorisation);
  if (!plan.reading.empty()) json.field("reading", plan.reading);
  json.key("steps").begin_array();
  for (const auto& step : plan.steps) json.value(step);
  json.end_array();
  json.field("threads", plan.kernel.threads).field("groups", plan.kernel.groups);
  json.field("blocks_per_sm", plan.kernel.blocks_per_sm).field("shared_bytes", plan.kernel.shared_bytes);
  json.field("column_length", plan.column_length);
  json.field("row_length", plan.row_length);
  json.field("pair_bytes", plan.pair_bytes);
  json.field("alone", are_alone(plan.packing));
  if (plan.windows) {
    json.key("windows").begin_object().field("length", plan.windows->length).field("step", plan.windows->step);
    json.field("halo", plan.windows->halo()).field("count", plan.windows->count).end_object();
  }
  json.field("sparsity", plan.sparsity);
  json.key("skipped").begin_array();
  for (const auto& line : plan.skipped) json.value(line);
  json.end_array();
  json.field("predicted_ratio", plan.predicted_ratio);
  json.field("predicted_us_per_pair", plan.predicted_us_per_pair);
  if (plan.measured_ratio) json.field("measured_ratio", *plan.measured_ratio);
  json.end_object();
}

}  // namespace

std::vector<PlanReport> rank_all(const BuildCommand& command) {
  std::vector<PlanReport> reports;
  for (const auto& config : command.configs) {
    try {
      reports.push_back({normalised(config), rank_plans(config, plans_shown)});
    } catch (const ConfigError&) {
      // generate() refuses the same config, and its message is the one that is shown.
    }
  }
  return reports;
}

std::string result_line(const KernelResult& result, std::size_t name_width) {
  if (result.status != Status::compiled && result.status != Status::cached) {
    return fmt::format("{:<9} {}", to_string(result.status), display_name(result));
  }
  return fmt::format("{:<9} {:<{}} {:8.3f} s {:>10}", to_string(result.status), result.name, name_width, result.seconds,
                     readable_bytes(result.cubin_bytes));
}

std::string summary_line(const std::vector<KernelResult>& results, double seconds) {
  return fmt::format("{} kernels: {} compiled, {} cached, {} failed, {:.2f} s", results.size(),
                     count(results, Status::compiled), count(results, Status::cached), count(results, Status::failed),
                     seconds);
}

void print_plans(const std::vector<PlanReport>& reports) {
  for (const auto& report : reports) {
    fmt::print("{}\n", ffc::to_string(report.config));
    for (std::size_t index = 0; index < report.plans.size(); ++index) {
      const auto& plan = report.plans[index];
      if (index == 1) fmt::print("  runners-up\n");
      fmt::print("  {}{}\n", index == 0 ? "" : "  ", plan_line(plan));
      if (!plan.reading.empty()) fmt::print("      radices {}\n", plan.reading);
      if (index > 0) continue;
      for (const auto& step : plan.steps) fmt::print("      {}\n", step);
      for (const auto& line : plan.skipped) fmt::print("      skipped: {}\n", line);
    }
  }
}

void print_json(const std::vector<KernelResult>& results, const std::vector<PlanReport>& reports, double seconds) {
  JsonWriter json;
  json.begin_object();
  json.key("kernels").begin_array();
  for (const auto& result : results) write_kernel(json, result);
  json.end_array();
  json.key("plans").begin_array();
  for (const auto& report : reports) {
    json.begin_object().field("config", ffc::to_string(report.config)).key("candidates").begin_array();
    for (const auto& plan : report.plans) write_plan(json, plan);
    json.end_array().end_object();
  }
  json.end_array();
  json.key("summary").begin_object();
  for (const auto status : {Status::compiled, Status::cached, Status::failed}) {
    json.field(to_string(status), count(results, status));
  }
  json.field("seconds", seconds).end_object();
  json.end_object();
  fmt::print("{}\n", json.text());
}

void print_errors(const std::vector<KernelResult>& results) {
  for (const auto& result : results) {
    if (result.status == Status::failed) {
      fmt::print(stderr, "ffc-gen: {}: {}\n", display_name(result), result.error);
    }
  }
}

}  // namespace ffc::tools
