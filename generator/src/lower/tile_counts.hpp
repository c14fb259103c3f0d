// How many tiles of a pair there are to take, over all warps.
#pragma once

#include "ffc/generator/plan.hpp"

namespace ffc {

/// Tiles of 16 columns across a row of 256.
inline constexpr int column_items = 16;

/// Of 16 x 16 complex numbers, both parts of two bytes.
inline constexpr double bytes_of_tile = 1024;

/// What the lanes of a warp read of a channel's scale, in tiles.
inline constexpr double scale_size = 32 * 4 / bytes_of_tile;

/// Of the values of the butterfly digit from 0 to `end`, as frequencies, those that are kept.
[[nodiscard]] double kept_butterflies(const InBlockPlan& plan, int end);
/// Rows of a couple, or one that stands alone.
[[nodiscard]] int sides(const InBlockPlan& plan);
/// Rows that the middle stage transforms, with those that warps without rows of their own compute and throw away.
[[nodiscard]] double transformed_rows(const InBlockPlan& plan);
/// Of those, what it fetches.
[[nodiscard]] double fetched_rows(const InBlockPlan& plan);
/// Rows that it stores.
[[nodiscard]] double stored_rows_of_couples(const InBlockPlan& plan);
/// Couples that the warps take factors for.
[[nodiscard]] double factored_couples(const InBlockPlan& plan);
/// What of a pair's rows comes in, and goes out: tiles of 1 KiB.
[[nodiscard]] double tiles_loaded(const InBlockPlan& plan);
[[nodiscard]] double tiles_stored(const InBlockPlan& plan);
/// What of it is read for its largest magnitude.
[[nodiscard]] double tiles_measured(const InBlockPlan& plan);
/// Warps that arrive at a barrier of the group; of one alone it is none.
[[nodiscard]] double arrivals_of_group(const InBlockPlan& plan);
/// Row rows / 2 goes with row 0 but takes factors of its own.
[[nodiscard]] bool has_lone_couple(const InBlockPlan& plan);

}  // namespace ffc
