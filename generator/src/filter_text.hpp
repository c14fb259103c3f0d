// What the emitters of filter kernels share: checks of layouts, constants of the text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emit.hpp"
#include "spectrum_layout.hpp"

namespace ffc {

/// Largest prime factor of a transform length that a filter kernel takes.
inline constexpr int largest_filter_prime = 61;

/// Throws std::logic_error where a spectrum row cannot hold the layout, or an element has no frequency of `length`.
void check_filter_layout(const SpectrumLayout& layout, std::int64_t length);

/// Differs between layouts with different orders, so that kernels with equal texts make equal spectra.
[[nodiscard]] std::uint64_t order_fingerprint(const std::vector<std::int32_t>& order);

/// The block "constants" of templates/filter_row.cuh.
[[nodiscard]] std::string filter_constants(const SpectrumLayout& layout, std::int64_t length, int threads);

/// The blocks of templates/filter_row.cuh that drop what a mask drops; empty without one.
void put_mask(Blocks& blocks, const FrequencyMask& mask);

}  // namespace ffc
