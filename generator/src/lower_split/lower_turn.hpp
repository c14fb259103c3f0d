// What a unit of columns does in a turn, as statements: with the tile that leaves the workspace and the one that comes.
#pragma once

#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "statement.hpp"

namespace ffc {

/// A turn, in the order in which its statements are carried out. Forward ones are of the tile that comes, inverse ones
/// of the tile that leaves. A pass over a tile, one device function, is a loop over its chunks.
struct ColumnTurn {
  std::vector<Statement> opening;  ///< what the turn before it does for it, behind its own
  std::vector<Statement> body;
};

/// Of a turn, what is done with the tile that comes, or with the one that leaves: a stage of a pair's way.
[[nodiscard]] Statement way_of(const ColumnTurn& turn, Tensor tensor, bool inverse);

/// The turns of a tensor's columns. What others wait for is stored first, and what can be on its way while the rest is
/// stored is asked for before it. Counts are those of a complex row: a pair, one at a right angle, or two half-length
/// ones.
[[nodiscard]] ColumnTurn lower_turn(const ConvConfig& config, const FourStepPlan& plan, Tensor tensor = Tensor::input);

}  // namespace ffc
