// Longer filters, as columns and rows.
#pragma once

#include <cstdint>
#include <string_view>

#include "ffc/generator/generated_kernel.hpp"
#include "spectrum_layout.hpp"

namespace ffc {

/// Bytes of a channel's spectrum where it is kept as `rows` of `elements` frequencies, then 16 that begin with the
/// scale, and behind it the power of two that the spectrum lacks, as two halves.
[[nodiscard]] constexpr std::int64_t split_spectrum_bytes(int rows, std::int64_t elements) {
  return std::int64_t{4} * rows * elements + 16;
}

/// Puts the filter kernel of a long transform, and all that its launches need, in place: filter, filter_steps,
/// spectrum_row_bytes, filter_workspace_bytes_per_block, filter_blocks. The transform N = column_length x
/// M is stored as column_length / 2 + 1 rows of M (or as row_layout.rows names); element k' of row j has frequency j +
/// column_length k'. `row_layout` is that of one row: its order holds values k' in [0, M), its taps are those of all N
/// positions.
void put_long_filter(Generated& generated, const SpectrumLayout& row_layout, std::int64_t transform_length,
                     int column_length, std::string_view arch);

/// Whether put_long_filter's kernel stores the spectrum before its largest magnitude is known, under a scale that
/// leaves room: what reads it multiplies by the power behind it.
[[nodiscard]] bool spectrum_lacks_power(const SpectrumLayout& row_layout, std::int64_t transform_length,
                                        int column_length, std::string_view arch);

/// The kernel alone.
[[nodiscard]] GeneratedKernel emit_long_filter(const SpectrumLayout& row_layout, std::int64_t transform_length,
                                               int column_length, std::string_view arch);

}  // namespace ffc
