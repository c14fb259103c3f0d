// Ends of delayed rows that lie behind the last point of a right-angle transform, and come round to the first ones, or,
// of pairs, behind the half of a transform that has samples: a few, which the first warp of a group takes by themselves
// (templates/memory/wrapped_ends.cuh, wrapped_pair_ends.cuh).
#pragma once

#include <string>
#include <string_view>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "row_access.hpp"
#include "statement.hpp"
#include "text.hpp"

namespace ffc {

/// What comes round of the rows of that name, in registers, as an expression: where its pointer is in scope.
[[nodiscard]] std::string read_end(const RowAccess& access, std::string_view name);

/// Starts the copies of the ends of a pair's rows, of all tensors, by the thread that copies their first chunk.
void emit_load_ends(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan);

/// Adds the ends of samples to the frequencies `x[0]` of the first columns; `scale`: what samples are multiplied by. Of
/// both tensors together, those of the one that the loop variable `tensor` says.
void emit_add_ends(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, Turn turn,
                   std::string_view scale);

/// Stores the ends of results, out of the same frequencies.
void emit_store_ends(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, Turn turn);

/// Where the end of the rows of that name is in shared memory.
[[nodiscard]] std::string wrapped_end(const RowAccess& access, std::string_view name);

}  // namespace ffc
