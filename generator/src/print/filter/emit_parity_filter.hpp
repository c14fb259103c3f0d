// Filters whose frequencies two blocks share.
#pragma once

#include <cstdint>
#include <string_view>

#include "ffc/generator/generated_kernel.hpp"
#include "spectrum_layout.hpp"

namespace ffc {

/// Whether two blocks of a cluster on that arch hold a filter of `length` positions, whose spectrum is kept as rows of
/// frequencies column_length apart: real ones, of which a row has even frequencies alone, or odd ones.
[[nodiscard]] bool fits_parity_filter(const SpectrumLayout& row_layout, std::int64_t length, int column_length,
                                      std::string_view arch);

/// Puts that kernel in place, as put_long_filter does the one that takes all lengths, in one launch without a
/// workspace: one block folds the taps to the even frequencies, the other one to the odd ones.
void put_parity_filter(Generated& generated, const SpectrumLayout& row_layout, std::int64_t length, int column_length,
                       std::string_view arch);

}  // namespace ffc
