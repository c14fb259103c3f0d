// What units of columns find of their tiles and tell rows, as text: powers of two, and sums of squares.
#pragma once

#include <string_view>

#include "emitted.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// In a unit's turn: the exponent of the tile that comes, and the largest of the row that leaves.
inline constexpr std::string_view exponent_of_in = "exponent_of_tile(words)";
inline constexpr std::string_view exponent_of_out = "copied_largest(words + leaving_at, turn.place.round - 1)";

/// Fills in what columns do for it, where they do; behind the blocks of columns that do not.
void put_tile_words(EmittedHalf& columns, const ConvConfig& config, const FourStepPlan& plan);

}  // namespace ffc
