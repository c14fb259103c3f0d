// The choice between one block, columns and rows, and chirps.
#include "real_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "block_transform.hpp"
#include "ffc/generator/arch.hpp"
#include "filters.hpp"

namespace ffc {
namespace {

constexpr std::int64_t most_numbers = 16384;  // of a block: sixteen a thread
constexpr int wanted_neighbours = 8;          // columns, or rows: 64 bytes of memory
constexpr int most_neighbours = 16;

bool has_passes(std::int64_t points) {
  for (int factor = 2; factor <= largest_transform_prime; ++factor)
    while (points % factor == 0) points /= factor;
  return points == 1;
}

// The most of `count` neighbours that divide it.
std::int64_t neighbours_of(std::int64_t count, std::int64_t most) {
  std::int64_t neighbours = std::min({count, most, std::int64_t{most_neighbours}});
  while (count % neighbours != 0) --neighbours;
  return neighbours;
}

// What is lost where fewer lie next to each other than make up a whole access to memory, in powers of two.
double thin(std::int64_t neighbours) {
  return std::max(0.0, std::log2(static_cast<double>(wanted_neighbours) / static_cast<double>(neighbours)));
}

struct Split {
  std::int64_t columns = 1, rows = 1, columns_at_once = 1, rows_at_once = 1;
  double thin_by = HUGE_VAL;
};

// The columns and rows of which a block with `most` numbers takes most at once; of those the most even ones.
std::optional<Split> split_within(std::int64_t points, std::int64_t most) {
  std::optional<Split> best;
  double least = HUGE_VAL;
  for (std::int64_t columns = 2; columns <= std::min(most, points / 2); ++columns) {
    if (points % columns != 0) continue;
    const std::int64_t rows = points / columns;
    if (rows > most) continue;
    const std::int64_t columns_at_once = neighbours_of(rows, most / columns);
    const std::int64_t rows_at_once = neighbours_of(columns, most / rows);
    const double thin_by = thin(columns_at_once) + thin(rows_at_once);
    const double uneven = std::abs(std::log2(static_cast<double>(columns) / static_cast<double>(rows)));
    if (const double cost = thin_by + uneven / 8; cost < least) {
      least = cost;
      best = Split{columns, rows, columns_at_once, rows_at_once, thin_by};
    }
  }
  return best;
}

// In blocks of few numbers, of which several share a multiprocessor, unless larger ones take more at once.
std::optional<Split> split_of(std::int64_t points, std::int64_t most) {
  std::optional<Split> best;
  for (std::int64_t numbers = measured::usual_numbers; numbers <= most; numbers *= 2) {
    const std::optional<Split> split = split_within(points, numbers);
    if (split && (!best || split->thin_by < best->thin_by)) best = split;
    if (best && best->thin_by == 0) break;
  }
  return best;
}

RealShape shape_of(RealTransformKind kind, std::int64_t points, const Split& split) {
  RealShape shape;
  shape.kind = kind;
  shape.points = points;
  shape.columns = static_cast<int>(split.columns), shape.rows = static_cast<int>(split.rows);
  shape.columns_at_once = static_cast<int>(split.columns_at_once);
  shape.rows_at_once = static_cast<int>(split.rows_at_once);
  shape.column_radices = transform_radices(split.columns);
  shape.row_radices = transform_radices(split.rows);
  return shape;
}

// The least number of at least `least` that has no prime above 5, and of 3 and 5 one at most.
std::int64_t padded_points(std::int64_t least) {
  std::int64_t best = 0;
  for (const int odd : {1, 3, 5}) {
    std::int64_t points = 4 * odd;
    while (points < least) points *= 2;
    if (best == 0 || points < best) best = points;
  }
  return best;
}

}  // namespace

std::int64_t RealShape::numbers() const {
  if (kind == RealTransformKind::block) return points;
  return std::max<std::int64_t>(std::int64_t{columns} * columns_at_once, std::int64_t{rows} * rows_at_once);
}

RealShape real_shape(std::int64_t length, std::string_view arch) {
  const std::int64_t points = length % 2 == 0 ? length / 2 : length;
  const std::int64_t most = std::min<std::int64_t>(most_numbers, find_arch(arch).shared_per_block / 8 / 16 * 16);
  if (has_passes(points)) {
    if (points <= most) {
      RealShape shape;
      shape.points = points;
      shape.radices = transform_radices(points);
      return shape;
    }
    if (const auto split = split_of(points, most)) return shape_of(RealTransformKind::split, points, *split);
  }
  const std::int64_t padded = padded_points(2 * points - 1);
  if (const auto split = split_of(padded, most)) return shape_of(RealTransformKind::chirp, points, *split);
  throw std::logic_error(fmt::format("a transform of {} points has no columns and rows that a block holds", padded));
}

}  // namespace ffc
