// Spectra of real filters in rows of tiles.
#include "rows_of_tiles.hpp"

#include <numeric>

#include "block_transform.hpp"
#include "filter_text.hpp"
#include "text.hpp"

namespace ffc {

std::optional<RowsOfTiles> rows_of_tiles(const SpectrumLayout& row_layout, std::int64_t length, int column_length) {
  if (!row_layout.rows.empty() || packing_of(row_layout, length) != FilterPacking::half_length) return std::nullopt;
  const int apart = order_of_tiles(row_layout);
  if (apart == 0 || std::int64_t{points_of_tile} * apart * column_length != length) return std::nullopt;
  const RowsOfTiles rows = column_length == 1 ? RowsOfTiles{apart, 1} : RowsOfTiles{column_length, apart};
  const int tiles = column_length == 1 ? rows.rows() : apart;
  if (static_cast<int>(row_layout.order.size()) != tiles * points_of_tile) return std::nullopt;
  return rows;
}

std::string residue_constants(const RowsOfTiles& rows, int blocks) {
  return constant_line("int parts", blocks, "blocks: each has frequencies of one residue, and of its mirror") +
         constant_line("int row_distance", rows.distance, "between the frequencies of a spectrum row") +
         constant_line("int rows", rows.rows(), "of a channel's spectrum") +
         constant_line("int row_tiles", rows.tiles, "of a row, next to each other in frequency") +
         constant_line("int period", blocks == 1 ? rows.distance : std::lcm(rows.distance, 2 * blocks),
                       "of frequencies, from one tile to the next with the same residues");
}

}  // namespace ffc
