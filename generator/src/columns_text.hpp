// Pieces of the text of a split plan's columns that convolutions and gradients have in common.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ffc/generator/plan.hpp"
#include "text.hpp"

namespace ffc {

/// How many samples of a chunk exist, as an expression, in rows of a tile up to `rows`.
[[nodiscard]] std::string live_samples(const Plan& plan, std::int64_t rows);

/// Rows of a tile that have samples.
[[nodiscard]] int sample_rows(const Plan& plan);

/// Opens the loop over a thread's chunks of the first `rows` rows of samples.
void open_sample_loop(TextWriter& out, const Plan& plan, std::string_view rows);

}  // namespace ffc
