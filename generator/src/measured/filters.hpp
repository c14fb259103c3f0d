// What filter kernels and those of their gradients hold at once, as ran best on an H200: MEASURED.md, "Filters".
#pragma once

#include <cstdint>

namespace ffc::measured {

/// Points that a block holds, where that leaves several blocks to a multiprocessor.
inline constexpr std::int64_t usual_numbers = 4096;
/// Columns at once: 64 bytes of taps, and of what is packed between columns and rows.
inline constexpr int wanted_columns = 16;
/// The least of them: of four, points are a sector of memory, of eight where they are packed.
inline constexpr int narrow_of_packed = 8;
inline constexpr int narrow_of_lone_rows = 4, narrow_of_pairs = 8, narrow_of_gradients = 8;
/// Bytes of the channels under way between launches; more where a chunk has two and not three.
inline constexpr std::int64_t most_filter_workspace = 128 << 20, most_workspace_of_tiles = 256 << 20;
inline constexpr std::int64_t most_inverse_workspace = 48 << 20;
inline constexpr int most_inverse_channels = 1024;
/// Points of a real row's transform that one block does sooner than eight: it leaves room for another one beside it.
inline constexpr std::int64_t most_points_of_lone_block = 8192;
/// Points of rows alone whose sums one block takes back to taps: "Gradients of rows alone".
inline constexpr std::int64_t most_points_of_gradients = 16384;

}  // namespace ffc::measured
