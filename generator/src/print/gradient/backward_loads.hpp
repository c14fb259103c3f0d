// Loads of a backward kernel: rows of u and dy to shared memory, and their gates.
#pragma once

#include <string>
#include <string_view>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "register_copies.hpp"
#include "text.hpp"
#include "tiled_chunks.hpp"

namespace ffc {

/// Some rows are left in the L2 cache when they are loaded: they are read again when results are stored.
[[nodiscard]] bool keeps_rows(const ConvConfig& config, const InBlockPlan& plan);

/// The chunks of `rows` rows that pass through registers, in batches; `sample` declares where they are.
[[nodiscard]] ChunkBatches batches_of(TextWriter& out, const InBlockPlan& plan, int rows,
                                      std::string_view sample = copy_sample_line);

/// How such batches go over them.
[[nodiscard]] ChunkOrder order_in_batches(const InBlockPlan& plan, int rows);

/// The block "load" of a backward kernel: a lambda for each tensor, or one for both.
[[nodiscard]] std::string backward_load(const ConvConfig& config, const InBlockPlan& plan);

/// The block "first_load": the loads ahead of the loop over pairs.
[[nodiscard]] std::string backward_first_load(const ConvConfig& config, const InBlockPlan& plan);

/// Calls that load rows of pair `pair` where a pair has one place: u's, dy's or both.
void emit_load_calls(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, std::string_view pair,
                     bool input, bool gradient);

}  // namespace ffc
