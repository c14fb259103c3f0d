// What the emitters of filter kernels share: checks of layouts, constants of the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assemble.hpp"
#include "ffc/generator/frequency_mask.hpp"
#include "spectrum_layout.hpp"

namespace ffc {

/// Largest prime factor of a transform length that a filter kernel takes.
inline constexpr int largest_filter_prime = 61;

/// Throws std::logic_error where a spectrum row cannot hold the layout, or an element has no frequency of `length`.
void check_filter_layout(const SpectrumLayout& layout, std::int64_t length);

/// Differs between layouts with different orders, so that kernels with equal texts make equal spectra.
[[nodiscard]] std::uint64_t order_fingerprint(const std::vector<std::int32_t>& order);

/// Radices of the passes: as many of 8 as fit, what is left of 2, odd primes. Large ones first: while the transforms
/// are short their roots are few and stay in the L1 cache. Throws std::logic_error for a larger prime.
[[nodiscard]] std::vector<int> filter_radices(std::int64_t length);

/// The block "passes" for a transform whose length has that name: from `ping`, between it and `pong`, to `result`.
[[nodiscard]] std::string filter_passes(const std::vector<int>& radices, std::string_view length,
                                        std::string_view result);

/// The roots of unity that passes of a block read: real and imaginary parts in float32.
[[nodiscard]] std::vector<std::uint32_t> root_words(std::int64_t length);

/// How the row of taps becomes the complex points that a filter kernel transforms.
enum class FilterPacking {
  half_length,  ///< two real samples a point: the templates filter_half_length.cuh and *_pairs.cuh
  right_angle,  ///< a fourth of the points, at frequencies 4 k + 1: filter_right_angle.cuh
  complex,      ///< a point for each sample, of odd lengths: filter_complex.cuh
};
[[nodiscard]] FilterPacking packing_of(const SpectrumLayout& layout, std::int64_t length);
/// Points of the transform of a row of `length` samples.
[[nodiscard]] std::int64_t points_of(FilterPacking packing, std::int64_t length);
/// "half", "angle" or "complex", as names of kernels have it.
[[nodiscard]] std::string_view short_name(FilterPacking packing);

/// What a text calls the frequencies that its points are transformed to; empty: whole ones.
[[nodiscard]] std::string_view point_frequencies(FilterPacking packing);
/// The templates that a packing takes in place of those of half the length.
[[nodiscard]] Substitutes packing_templates(FilterPacking packing);

/// How the 256 frequencies of a tile lie: as fragments hold them (tile_order.cuh), or four neighbours of a lane's two
/// rows together.
enum class TileOrder { fragments, fours };

/// Where element i of a row has number i / 256 + apart * inner, inner being that of a tile's element i % 256 in that
/// order: `apart`, and the order needs no table. Else 0.
[[nodiscard]] int order_of_tiles(const SpectrumLayout& layout, TileOrder order = TileOrder::fragments);

/// The block "outputs" of tile_outputs.cuh.
[[nodiscard]] std::optional<std::string> tile_outputs(TileOrder order);

/// Puts that in place of the table where it is so.
void put_order(Blocks& blocks, Substitutes& substitutes, const SpectrumLayout& layout);

/// The block "header" of a kernel that makes spectra of taps; `lines` say how they lie and how it is launched.
[[nodiscard]] std::string filter_header(const std::string& name, std::string_view lines, std::string_view arch);

/// The block "constants" of filter_row.cuh; `blocks` of a multiprocessor, at least.
[[nodiscard]] std::string filter_constants(const SpectrumLayout& layout, std::int64_t length, int threads, int blocks);

/// The blocks that drop what a mask drops; empty without one.
void put_mask(Blocks& blocks, const FrequencyMask& mask, FilterPacking packing);

}  // namespace ffc
