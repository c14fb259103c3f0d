// Samples as they are read: what they are multiplied by, and in which type.
#pragma once

#include <string>
#include <string_view>

#include "ffc/generator/conv_config.hpp"

namespace ffc {

/// Rows of a tensor and what they become on the way in: names in the text, empty where there is none.
struct RowSource {
  std::string_view rows;   ///< the samples: "u"
  std::string_view gate;   ///< what they are multiplied by: "w"
  std::string_view scale;  ///< a power of two: "input_scale"
};

/// u with its gate, as the config asks.
[[nodiscard]] RowSource input_source(const ConvConfig& config);

/// Two stored samples as packed fp16, gated and scaled as the config asks, as an expression.
[[nodiscard]] std::string packed_sample(const ConvConfig& config, std::string_view sample, std::string_view gate);

/// The same for rows of any tensor.
[[nodiscard]] std::string packed_sample(const RowSource& source, std::string_view sample, std::string_view gate);

}  // namespace ffc
