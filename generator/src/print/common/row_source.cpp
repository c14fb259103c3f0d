// Names of conversions.
#include "row_source.hpp"

#include <fmt/format.h>

#include "ffc/generator/conv_config.hpp"

namespace ffc {

RowSource input_source(const ConvConfig& config) {
  return {"u", has_in_gate(config.gating) ? "w" : "", scales_input(config) ? "input_scale" : ""};
}

std::string_view result_scale_name(const ConvConfig& config) {
  return config.scaling == Scaling::fixed ? "scale" : "result_scale";
}

RowSource result_source(const ConvConfig& config) {
  return {"y", has_out_gate(config.gating) ? "v" : "", result_scale_name(config)};
}

void emit_row_scale(TextWriter& out, const ConvConfig& config, std::string_view rows, std::string_view channel,
                    std::string_view name) {
  const int exponent = rows == "gradient" ? config.gradient_exponent : config.input_exponent;
  if (exponent != 0) out.line(fmt::format("const float {} = exp2f({});", name, exponent));
  if (config.scaling == Scaling::given)
    out.line(fmt::format("const float {} = scale_in(arguments.{}_magnitudes, {});", name, rows, channel));
}

void emit_result_scale(TextWriter& out, const ConvConfig& config, std::string_view rows, std::string_view channel,
                       std::string_view name) {
  if (config.scaling == Scaling::given)
    out.line(fmt::format("const float {} = scale * scale_out(arguments.{}_magnitudes, {});", name, rows, channel));
}

void put_storage(Substitutes& substitutes, const ConvConfig& config) {
  if (config.dtype == DataType::bf16)
    substitutes["storage_fp16.cuh"] = "storage_bf16.cuh";
  else if (config.scaling != Scaling::fixed)
    substitutes["storage_fp16.cuh"] = "storage_fp16_wide.cuh";
  substitutes["row_scale.cuh"] = config.scaling == Scaling::given ? "row_scale.cuh" : "";
}

std::string packed_sample(const ConvConfig& config, std::string_view sample, std::string_view gate) {
  return packed_sample(input_source(config), sample, gate);
}

std::string packed_part(const ConvConfig& config, std::string_view part, std::string_view sample,
                        std::string_view gate) {
  RowSource source = input_source(config);
  if (config.scaling == Scaling::found) source.scale = part == "re" ? "found.in[0]" : "found.in[1]";
  return packed_sample(source, sample, gate);
}

std::string packed_sample(const RowSource& source, std::string_view sample, std::string_view gate) {
  const bool gated = !source.gate.empty(), scaled = !source.scale.empty();
  return fmt::format("to_packed{}{}({}{}{})", gated ? "_gated" : "", scaled ? "_scaled" : "", sample,
                     gated ? fmt::format(", {}", gate) : "", scaled ? fmt::format(", {}", source.scale) : "");
}

std::string stored_sample(std::string_view result, std::string_view scale, std::string_view gate) {
  return gate.empty() ? fmt::format("to_stored({}, {})", result, scale)
                      : fmt::format("to_stored_gated({}, {}, {})", result, scale, gate);
}

}  // namespace ffc
