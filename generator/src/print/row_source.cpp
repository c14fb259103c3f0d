// Names of conversions.
#include "row_source.hpp"

#include <fmt/format.h>

#include "ffc/generator/conv_config.hpp"

namespace ffc {

RowSource input_source(const ConvConfig& config) {
  return {"u", has_in_gate(config.gating) ? "w" : "", config.input_exponent != 0 ? "input_scale" : ""};
}

std::string packed_sample(const ConvConfig& config, std::string_view sample, std::string_view gate) {
  return packed_sample(input_source(config), sample, gate);
}

std::string packed_sample(const RowSource& source, std::string_view sample, std::string_view gate) {
  const bool gated = !source.gate.empty(), scaled = !source.scale.empty();
  return fmt::format("to_packed{}{}({}{}{})", gated ? "_gated" : "", scaled ? "_scaled" : "", sample,
                     gated ? fmt::format(", {}", gate) : "", scaled ? fmt::format(", {}", source.scale) : "");
}

}  // namespace ffc
