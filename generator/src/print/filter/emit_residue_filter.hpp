// Filters whose frequencies the blocks of a cluster share by their residue.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ffc/generator/generated_kernel.hpp"
#include "spectrum_layout.hpp"

namespace ffc {

/// How many blocks of a cluster on that arch take a filter of `length` positions, each with the frequencies of one
/// residue: eight, four or two. Its spectrum is rows of tiles, column_length apart (rows_of_tiles.hpp). Nothing where
/// there are no such blocks, or one block does it sooner.
[[nodiscard]] std::optional<int> residue_blocks(const SpectrumLayout& row_layout, std::int64_t length,
                                                int column_length, std::string_view arch);

/// Puts that kernel in place, as put_long_filter does the one that takes all lengths, in one launch without a
/// workspace: the `blocks` share the first butterflies, and then each transforms what becomes frequencies of its own.
void put_residue_filter(Generated& generated, const SpectrumLayout& row_layout, std::int64_t length, int column_length,
                        int blocks, std::string_view arch);

}  // namespace ffc
