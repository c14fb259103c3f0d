// Which rows the tensors of a backward kernel are made of, and what becomes of their results.
#pragma once

#include <string_view>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "row_source.hpp"
#include "statement.hpp"
#include "text.hpp"

namespace ffc {

/// What the rows of a tensor are made of. Under way they are Z or G.
[[nodiscard]] RowSource source_of(const ConvConfig& config, Tensor tensor);

/// What a tile of columns is multiplied by, whose rows are of one tensor, the one that a turn is at.
[[nodiscard]] std::string_view scale_of_tile(const ConvConfig& config, const Transform& plan);

/// One gradient that a chunk of results becomes.
struct Gradient {
  std::string_view name;    ///< "du"
  std::string_view factor;  ///< what the result is multiplied by: "w", or nothing
};

/// Those that come from the rows of a tensor, and the scale of its results.
struct Results {
  Tensor tensor;
  std::string_view scale;
  std::vector<Gradient> gradients;
};

/// Declares the scales that results name beside the filter's own, `scale`, of rows of a channel, an expression.
void emit_result_scales(TextWriter& out, const ConvConfig& config, const Transform& plan, std::string_view channel);

/// Those of a turn; none of a tensor that is not inverted.
[[nodiscard]] std::vector<Results> results_of(const ConvConfig& config, const Transform& plan, Turn turn);

}  // namespace ffc
