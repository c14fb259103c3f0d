// Which rows of frequencies a split plan's workspace holds, as text: all of R, or those that a mask keeps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assemble.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// Sets the blocks that write, find and read rows of frequencies in the workspace.
void put_workspace(Blocks& blocks, const FourStepPlan& plan, std::int64_t spectrum_row_elements);

/// Where a mask drops rows: constants and functions that find the others in the table at `first_word`; else nothing.
[[nodiscard]] std::string workspace_constants(const FourStepPlan& plan, std::int64_t first_word,
                                              std::int64_t spectrum_row_elements);

/// That table: the kept rows in order, then for each of R its place among them or -1; in whole 16 bytes.
[[nodiscard]] std::vector<std::uint32_t> workspace_table(const FourStepPlan& plan);

}  // namespace ffc
