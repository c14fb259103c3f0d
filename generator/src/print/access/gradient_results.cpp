// From the config of gradients to names of tensors.
#include "gradient_results.hpp"

#include <fmt/format.h>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "row_source.hpp"

namespace ffc {

RowSource source_of(const ConvConfig& config, Tensor tensor) {
  RowSource source = tensor == Tensor::input ? input_source(config)
                                             : RowSource{"dy", has_out_gate(config.gating) ? "v" : "",
                                                         scales_gradient(config) ? "gradient_scale" : ""};
  if (config.scaling == Scaling::found) source.scale = tensor == Tensor::input ? "found.in[0]" : "found.in[1]";
  return source;
}

std::string_view scale_of_tile(const ConvConfig& config, const Transform& plan) {
  const BackwardWork& work = plan.backward;
  const std::string_view input = source_of(config, Tensor::input).scale,
                         gradient = source_of(config, Tensor::gradient).scale;
  if (work.tensors() == 1) return work.transforms_input ? input : gradient;
  return input.empty() && gradient.empty() ? "" : "tile_scale";
}

void emit_result_scales(TextWriter& out, const ConvConfig& config, const Transform& plan, std::string_view channel) {
  if (plan.backward.inverts_gradient && config.input_exponent != config.gradient_exponent)
    out.line(fmt::format("const float result_scale = scale * exp2f({});  // the scale is made for rows of u",
                         config.input_exponent - config.gradient_exponent));
  if (plan.backward.inverts_input) emit_result_scale(out, config, "input", channel, "input_result_scale");
  if (plan.backward.inverts_gradient) emit_result_scale(out, config, "gradient", channel);
}

std::vector<Results> results_of(const ConvConfig& config, const Transform& plan, Turn turn) {
  std::vector<Results> all;
  if (plan.backward.inverts_input && turn != Turn::gradient)
    all.push_back({Tensor::input, config.scaling == Scaling::fixed ? "scale" : "input_result_scale", {{"dv", "dy"}}});
  if (plan.backward.inverts_gradient && turn != Turn::input) {
    const bool same_scale = config.input_exponent == config.gradient_exponent && config.scaling == Scaling::fixed;
    all.push_back({Tensor::gradient, same_scale ? "scale" : "result_scale", {}});
    if (config.gradients.u) all.back().gradients.push_back({"du", has_in_gate(config.gating) ? "w" : ""});
    if (config.gradients.w) all.back().gradients.push_back({"dw", "u"});
  }
  return all;
}

}  // namespace ffc
