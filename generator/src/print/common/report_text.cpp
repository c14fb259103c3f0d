// Names of what is met.
#include "report_text.hpp"

#include <fmt/format.h>

#include "tiled_magnitudes.hpp"

namespace ffc {

Met met_of(const ConvConfig& config, const RowSource& source) {
  if (!reports(config)) return Met::nothing;
  if (source.gate.empty()) return Met::samples;
  const bool rounds_products = config.dtype == DataType::fp16 && source.scale.empty();
  return rounds_products ? Met::packed : Met::products;
}

void emit_met(TextWriter& out, Met met, std::string_view field) {
  if (met != Met::nothing)
    out.line(fmt::format("{} met_{};", met == Met::products ? "MetProducts" : "MetSamples", field));
}

void emit_met_results(TextWriter& out, const ConvConfig& config, std::string_view field) {
  if (reports(config)) emit_met(out, Met::samples, field);
}

void emit_meet(TextWriter& out, Met met, std::string_view field, std::string_view value, std::string_view gate) {
  if (met == Met::nothing) return;
  out.line(met == Met::products ? fmt::format("met_{}.add({}, {});", field, value, gate)
                                : fmt::format("met_{}.add({});", field, value));
}

void emit_meet_results(TextWriter& out, const ConvConfig& config, std::string_view field, std::string_view value,
                       std::string_view live) {
  if (!reports(config)) return;
  if (live == "8")
    out.line(fmt::format("met_{}.add({});", field, value));
  else
    out.line(fmt::format("met_{}.add_live({}, {});", field, value, live));
}

void emit_report(TextWriter& out, std::string_view field, std::string_view channel, std::string_view arguments) {
  out.line(fmt::format("report_largest({}, met_{}.bits());", record_of(channel, field, arguments), field));
}

void emit_met_again(TextWriter& out, Met met, std::string_view name, std::string_view record) {
  if (met == Met::nothing) return;
  emit_met(out, met, name);
  out.line(fmt::format("const unsigned int told_{} = load_relaxed({});", name, record));
}

void emit_report_again(TextWriter& out, std::string_view name, std::string_view record) {
  out.line(fmt::format("report_largest({0}, met_{1}.bits(), told_{1});", record, name));
}

std::string record_of(std::string_view channel, std::string_view field, std::string_view arguments) {
  return fmt::format("&{}.report[{}].{}", arguments, channel, field);
}

std::string_view samples_field(Tensor tensor) { return tensor == Tensor::input ? "input" : "gradient"; }

std::string_view results_field(const Transform& plan) { return plan.is_backward() ? "gradients" : "output"; }

void put_report(Substitutes& substitutes, const ConvConfig& config) {
  if (!reports(config)) {
    substitutes["report.cuh"] = "";
    return;
  }
  if (config.dtype == DataType::bf16) substitutes["fp16_samples.cuh"] = "bf16_samples.cuh";
  substitutes["arguments.cuh"] = "arguments_reporting.cuh";
  substitutes["stream_arguments.cuh"] = "stream_arguments_reporting.cuh";
  substitutes["gradient_arguments.cuh"] = "gradient_arguments_reporting.cuh";
}

}  // namespace ffc
