// Copies of the tiled family: pairs of rows on their way in.
#pragma once

#include <string>
#include <string_view>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "row_source.hpp"
#include "text.hpp"

namespace ffc {

/// Lines that store to `to` in shared memory, as packed fp16, gated and scaled as the source says, the chunk that the
/// expression `rows` reads; `gate` reads that of the gate. What a report asks for is met for the field of that name.
void emit_read_chunk(TextWriter& out, const ConvConfig& config, const RowSource& source, std::string_view field,
                     std::string_view to, std::string_view rows, std::string_view gate);

/// Of delayed rows that have come to shared memory as they are: empties what came ahead of them.
void emit_drop(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan);

/// Lines that turn the chunk `value` into the rows' own type, scaled, and gated by the chunk `gate` where it is named.
void emit_stored_chunk(TextWriter& out, std::string_view gate, std::string_view scale = "scale");

/// The lambda that starts the copies of one pair.
[[nodiscard]] std::string tiled_load(const ConvConfig& config, const InBlockPlan& plan);

/// The copies that start before the loop.
[[nodiscard]] std::string tiled_first_load(const ConvConfig& config, const InBlockPlan& plan);

/// Of a split plan's rows: the statement that starts the copies of the next one into `buffer`.
[[nodiscard]] std::string load_behind(const InBlockPlan& plan, std::string_view buffer);

}  // namespace ffc
