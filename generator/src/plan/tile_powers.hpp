// Powers of two that columns find of what they take at a time: block floating point between them and their rows.
#pragma once

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// Units find the power of two of each tile of bf16 samples: rows alone that come as they are stored, whose first stage
/// multiplies columns by factors of theirs anyway. Elsewhere each row has one, which another kernel finds first.
[[nodiscard]] bool finds_tile_powers(const ConvConfig& config, const FourStepPlan& plan);

/// The same of a cluster's columns: each warp finds the power of two of what it takes of every row of samples at a
/// time.
[[nodiscard]] bool finds_piece_powers(const ConvConfig& config, const ClusterPlan& plan);

/// Columns that a warp of a cluster takes of every row of samples at a time.
[[nodiscard]] inline int piece_samples(const ClusterPlan& plan) { return 64 * plan.columns.chunk_words(); }

/// Bytes that powers of two take of a block's shared memory for each place in the ring, behind the barriers: the
/// exponents of its item's pieces, the largest, and the item's shifts.
[[nodiscard]] int piece_words_bytes(const ClusterPlan& plan);

/// Bytes of the exponents that a warp of rows copies, of the tiles that its columns come from, in pieces of 16; and of
/// all of a place.
[[nodiscard]] int exponents_bytes(const InBlockPlan& rows);
[[nodiscard]] int exponents_of_place(const FourStepPlan& plan);

/// Bytes of what columns find of their tiles and rows want of that: the tiles' powers of two, and the squares that
/// sums of products are scaled by.
struct TileWords {
  int of_unit = 0, of_rows = 0;  ///< in shared memory, of each unit of columns and of all warps of rows
  int shared = 0;                ///< of a block
  int place = 0;                 ///< of a place of the ring, behind its counts
};
/// Of a kernel that finds powers of two or does not: nothing where it has no use for either.
[[nodiscard]] TileWords tile_words(const FourStepPlan& plan, bool finds_powers);

}  // namespace ffc
