// Radices and text of transforms in shared memory.
#include "block_transform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "filters.hpp"
#include "text.hpp"

namespace ffc {
namespace {

constexpr int least_threads = 32, most_threads = 1024;

// As many columns next to each other as a block holds. Packed ones: neighbours of a last butterfly are lanes of one
// warp, and each input of rows' first butterflies is from the columns of another block.
std::optional<std::int64_t> columns_at_once(std::int64_t columns, std::int64_t rows, const BlockRoom& room) {
  std::int64_t at_once = std::min({room.most / columns, rows, std::int64_t{2 * measured::wanted_columns}});
  if (!room.holds_packed_tiles) {
    while (rows % at_once != 0) --at_once;
    return at_once;
  }
  const std::int64_t last = radices_from_taps(columns).back(), inputs = rows / radices_to_tiles(rows).front();
  at_once = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(at_once)));
  while (inputs % at_once != 0) at_once /= 2;
  if (last > largest_transform_radix || columns / last * at_once % 32 != 0) return std::nullopt;
  return at_once;
}

// Of blocks of 4096 numbers or, where these have too few columns at once, of larger ones.
template <class Shape>
std::optional<ColumnsAndRows> wide_shape(std::int64_t most, int narrow, const Shape& shape_of) {
  std::optional<ColumnsAndRows> shape;
  for (std::int64_t numbers = measured::usual_numbers; numbers <= most; numbers *= 2) {
    if (const auto wider = shape_of(numbers)) shape = wider;
    if (shape && shape->at_once >= narrow) break;
  }
  return shape;
}

}  // namespace

std::vector<int> transform_radices(std::int64_t size) {
  std::vector<int> radices;
  if (size < 1) throw std::logic_error(fmt::format("a transform has {} points; it must have 1 or more", size));
  int twos = std::countr_zero(static_cast<std::uint64_t>(size));
  std::int64_t rest = size >> twos;
  for (int passes = (twos + 3) / 4; passes > 0; --passes) {
    const int of_pass = (twos + passes - 1) / passes;
    radices.push_back(1 << of_pass);
    twos -= of_pass;
  }
  for (int odd = 3; odd <= largest_transform_prime; odd += 2)
    for (; rest % odd == 0; rest /= odd) {
      // 3 x 3 and 3 x 5 are one pass.
      const bool joins = !radices.empty() && radices.back() % 2 != 0 && radices.back() * odd <= largest_transform_radix;
      if (joins)
        radices.back() *= odd;
      else
        radices.push_back(odd);
    }
  if (rest != 1)
    throw std::logic_error(
        fmt::format("a transform has {} points; it takes products of primes up to {}", size, largest_transform_prime));
  if (radices.empty()) radices.push_back(1);
  return radices;
}

std::vector<int> radices_from_taps(std::int64_t size) {
  std::vector<int> radices = transform_radices(size);
  std::stable_partition(radices.begin(), radices.end(),
                        [](int radix) { return radix % 2 != 0 && radix <= largest_transform_radix; });
  return radices;
}

std::vector<int> radices_to_tiles(std::int64_t size) {
  constexpr int last = 16;
  std::vector<int> radices = radices_from_taps(size / last);
  radices.push_back(last);
  return radices;
}

int transform_threads(std::int64_t numbers) {
  const std::int64_t warps = (numbers + 16 * 32 - 1) / (16 * 32);
  return static_cast<int>(std::clamp<std::int64_t>(32 * warps, least_threads, most_threads));
}

int transform_blocks(int threads) { return std::max(1, 1024 / threads); }

bool has_large_primes(const std::vector<int>& radices) {
  return std::any_of(radices.begin(), radices.end(), [](int radix) { return radix > largest_transform_radix; });
}

std::string transform_text(const std::vector<int>& radices, const TransformEnds& ends, int depth) {
  TextWriter out(depth);
  std::int64_t done = 1;
  for (std::size_t i = 0; i < radices.size(); ++i) {
    const int radix = radices[i];
    const bool first = i == 0, last = i + 1 == radices.size();
    const std::string from = first ? fmt::format("from {}", ends.origin) : fmt::format("transforms of length {}", done);
    const std::string to = last && !ends.result.empty() ? fmt::format("to {}", ends.result)
                           : first                      ? fmt::format("to transforms of length {}", radix)
                                                        : fmt::format("become transforms of length {}", done * radix);
    out.line(fmt::format("// Radix {}: {} {}.", radix, from, to));
    const bool loaded = first && ends.is_loaded;
    const std::string_view frequencies = loaded ? ends.first_frequencies : ends.frequencies;
    const std::string pass =
        loaded ? "transform_loaded"
               : fmt::format("{}<{}, {}, {}>", radix > largest_transform_radix ? "prime_pass" : "transform_pass",
                             ends.lines, radix, done);
    out.line(fmt::format("{}({}, {}{}{});", pass, first ? ends.from : "array", last ? ends.to : "array",
                         frequencies.empty() ? "" : ", ", frequencies));
    if (!last || ends.result.empty()) out.line("block_barrier();");
    done *= radix;
  }
  return out.take();
}

std::string_view wait_text(bool overlaps) {
  return overlaps ? "  // Blocks of the next launch take what room is left while this one ends, as these did.\n"
                    "  let_next_launch_begin();\n"
                    "  wait_for_previous_launch();\n"
                  : "";
}

std::optional<ColumnsAndRows> columns_and_rows(std::int64_t points, int lines, std::int64_t distance,
                                               const BlockRoom& room) {
  std::optional<ColumnsAndRows> best;
  double least = HUGE_VAL;
  for (std::int64_t columns = 2; columns <= std::min(room.most, points); ++columns) {
    if (points % columns != 0) continue;
    const std::int64_t rows = points / columns;
    if (lines * rows > room.most || rows > room.most_of_row) continue;
    if (room.holds_packed_tiles && rows % points_of_tile != 0) continue;
    const std::optional<std::int64_t> at_once = columns_at_once(columns, rows, room);
    if (!at_once) continue;
    // Short lines of memory cost most, then frequencies that lie apart, then what a block holds at once.
    const double thin =
        std::max(0.0, std::log2(static_cast<double>(measured::wanted_columns) / static_cast<double>(*at_once)));
    const double apart = columns % distance == 0 ? 0 : 1;
    const double large =
        static_cast<double>(std::max(columns * *at_once, lines * rows)) / static_cast<double>(room.most);
    if (const double cost = 2 * thin + apart + large; cost < least) {
      least = cost;
      best = ColumnsAndRows{static_cast<int>(columns), static_cast<int>(rows), static_cast<int>(*at_once)};
    }
  }
  return best;
}

ColumnsAndRows wide_columns_and_rows(std::int64_t points, int lines, std::int64_t distance, std::int64_t most,
                                     int narrow) {
  const auto shape = wide_shape(
      most, narrow, [&](std::int64_t numbers) { return columns_and_rows(points, lines, distance, {.most = numbers}); });
  if (!shape)
    throw std::logic_error(fmt::format("a transform of {} points has no columns and rows that a block holds", points));
  return *shape;
}

std::optional<ColumnsAndRows> packed_columns_and_rows(std::int64_t points, std::int64_t distance, std::int64_t most,
                                                      int narrow) {
  for (const std::int64_t most_of_row : {measured::usual_numbers, most})
    if (const auto shape = wide_shape(most, narrow, [&](std::int64_t numbers) {
          return columns_and_rows(
              points, 1, distance,
              {.most = numbers, .most_of_row = std::min(most_of_row, numbers), .holds_packed_tiles = true});
        }))
      return shape;
  return std::nullopt;
}

int rows_at_once(const ColumnsAndRows& shape, int numbers) {
  int lines = 1;
  while (lines < 8 && shape.columns % (2 * lines) == 0 && 2 * lines * shape.rows <= numbers) lines *= 2;
  return lines;
}

}  // namespace ffc
