// The ends of delayed rows, which fill no line: their results are stored behind all whole chunks, a sample a lane
// (templates/memory/row_ends.cuh).
#pragma once

#include <functional>
#include <string_view>

#include "ffc/generator/plan.hpp"
#include "row_access.hpp"
#include "text.hpp"

namespace ffc {

/// Delayed rows whose samples are counted from the line that they begin behind, and not from a thread's first chunk.
[[nodiscard]] RowAccess from_line(RowAccess access);

/// Stores `value`, 16 bits, as `sample` of the rows of that name.
void emit_stored_sample(TextWriter& out, std::string_view name, std::string_view value);

/// Where a lane's sample of an end is wanted: in its rows in memory alone, or in its chunk in shared memory too.
enum class EndUse { memory, shared_too };

/// A block for the samples that fill no chunk of a row: 8 of either end, each a lane's, and of both rows of a pair at
/// once. `with(rows)` declares pointers to rows and does something with the one at `sample` in its row, if `at_end`
/// holds; its chunk in shared memory is at `rows_at + place`, where that is wanted.
void emit_at_ends(TextWriter& out, const InBlockPlan& plan, const RowAccess& access, EndUse use,
                  std::string_view comment, const std::function<void(const RowAccess& rows)>& with);

/// Stores what does not fill a chunk of a row: 8 samples of either end, each a lane's, and of both rows of a pair at
/// once. `store(rows)` declares pointers to the rows that it stores to, and stores one sample: that at `sample` in its
/// row, if `at_end` holds. Its chunk in shared memory is at `rows_at + place`.
void emit_row_ends(TextWriter& out, const InBlockPlan& plan, const RowAccess& access,
                   const std::function<void(const RowAccess& rows)>& store);

}  // namespace ffc
