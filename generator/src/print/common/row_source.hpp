// Samples as they are read: what they are multiplied by, and in which type.
#pragma once

#include <string>
#include <string_view>

#include "assemble.hpp"
#include "ffc/generator/conv_config.hpp"
#include "text.hpp"

namespace ffc {

/// Rows of a tensor and what they become on the way in: names in the text, empty where there is none.
struct RowSource {
  std::string_view rows;   ///< the samples: "u"
  std::string_view gate;   ///< what they are multiplied by: "w"
  std::string_view scale;  ///< a power of two: "input_scale"
};

/// u with its gate, as the config asks.
[[nodiscard]] RowSource input_source(const ConvConfig& config);

/// y with its gate, and what it is multiplied by.
[[nodiscard]] RowSource result_source(const ConvConfig& config);

/// What results are multiplied by: the filter's scale, that of the rows undone where it is not fixed.
[[nodiscard]] std::string_view result_scale_name(const ConvConfig& config);

/// Declares what `rows` ("input", "gradient") of a channel, an expression, are multiplied by, as `name`; nothing where
/// they are taken as they are, or the kernel finds it.
void emit_row_scale(TextWriter& out, const ConvConfig& config, std::string_view rows, std::string_view channel,
                    std::string_view name);
inline void emit_input_scale(TextWriter& out, const ConvConfig& config, std::string_view channel) {
  emit_row_scale(out, config, "input", channel, "input_scale");
}

/// With Scaling::given: declares the filter's scale times what brings results of such rows back, as `name`. A fixed
/// power of two is undone by the filter's scale itself.
void emit_result_scale(TextWriter& out, const ConvConfig& config, std::string_view rows, std::string_view channel,
                       std::string_view name = "result_scale");

/// The conversions of the config's type; powers of two that are given are applied in fp32.
void put_storage(Substitutes& substitutes, const ConvConfig& config);

/// Two stored samples as packed fp16, gated and scaled as the config asks, as an expression.
[[nodiscard]] std::string packed_sample(const ConvConfig& config, std::string_view sample, std::string_view gate);

/// The same of real parts ("re") or imaginary ones ("im"), which are of two rows.
[[nodiscard]] std::string packed_part(const ConvConfig& config, std::string_view part, std::string_view sample,
                                      std::string_view gate);

/// The same for rows of any tensor.
[[nodiscard]] std::string packed_sample(const RowSource& source, std::string_view sample, std::string_view gate);

/// The opposite: results in the rows' own type, times `scale`, and the gate unless that is empty.
[[nodiscard]] std::string stored_sample(std::string_view result, std::string_view scale, std::string_view gate);

}  // namespace ffc
