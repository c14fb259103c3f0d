// Spectra of real filters whose tiles lie so that blocks, or one, can store them from places that a formula gives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "spectrum_layout.hpp"

namespace ffc {

/// Rows of tiles of 256 frequencies: tile t of row j has j + distance * (t + tiles * inner), inner from 0 to 255 as
/// tile_order.cuh has it. There are rows 0 to distance / 2.
struct RowsOfTiles {
  int distance = 1;
  int tiles = 1;  ///< of a row
  [[nodiscard]] int rows() const { return distance / 2 + 1; }
};

/// How a real row of `length` samples has its spectrum as such: rows of the layout's order, column_length apart, or,
/// where that is 1, the tiles of a single row. Nothing where its order is another, or the row is packed otherwise.
[[nodiscard]] std::optional<RowsOfTiles> rows_of_tiles(const SpectrumLayout& row_layout, std::int64_t length,
                                                       int column_length);

/// The block "residue_constants" of residue_tiles.cuh, for that many blocks.
[[nodiscard]] std::string residue_constants(const RowsOfTiles& rows, int blocks);

}  // namespace ffc
