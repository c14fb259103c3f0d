// Passes over a unit's tile, one device function each: loops over its chunks.
#pragma once

#include "statement.hpp"
#include "unit_tile.hpp"

namespace ffc {

/// Products down the first digit, next to the samples, or all of the column's digits in one.
[[nodiscard]] Statement pass_of_samples(const UnitTile& tile, bool inverse);

/// What lies between them and the frequencies: a second digit's products, butterflies, and rows that are conjugates.
[[nodiscard]] Statement pass_of_frequencies(const UnitTile& tile, bool inverse);

}  // namespace ffc
