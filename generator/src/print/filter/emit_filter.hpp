// Filters whose transform one block holds.
#pragma once

#include <cstdint>
#include <string_view>

#include "ffc/generator/generated_kernel.hpp"
#include "spectrum_layout.hpp"

namespace ffc {

/// That a block transforms: sixteen a thread.
inline constexpr std::int64_t most_points_of_filter = 16384;

/// Whether a block of that arch holds the transform of a row of `length` samples: then emit_filter makes the kernel,
/// which takes no workspace, else put_long_filter.
[[nodiscard]] bool fits_filter_block(const SpectrumLayout& layout, std::int64_t length, std::string_view arch);

/// The filter kernel for a spectrum layout: float32 throughout, natural order until the last gather.
[[nodiscard]] GeneratedKernel emit_filter(const SpectrumLayout& layout, std::int64_t length, std::string_view arch);

}  // namespace ffc
