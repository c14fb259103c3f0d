// Mixed-radix Fourier transforms of a block in shared memory: radices, how columns and rows share a long one, text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ffc {

/// Largest prime factor of a length that such transforms take.
inline constexpr int largest_transform_prime = 61;
/// Up to here a thread has the numbers of a whole butterfly in registers.
inline constexpr int largest_transform_radix = 16;

/// Radices of the passes for `size` points: as few powers of 2 as go up to 16, then odd ones: primes, or products of
/// them up to 15. Throws std::logic_error for a size below 1 or with a larger prime.
[[nodiscard]] std::vector<int> transform_radices(std::int64_t size);

/// Those of a filter: odd ones that registers hold come first, where no thread keeps several butterflies until all have
/// read.
[[nodiscard]] std::vector<int> radices_from_taps(std::int64_t size);
/// Points of a tile of a spectrum that tile_outputs.cuh makes.
inline constexpr int points_of_tile = 256;
/// The same with 16 as the last one, which tile_outputs.cuh takes; `size` must be a multiple of points_of_tile.
[[nodiscard]] std::vector<int> radices_to_tiles(std::int64_t size);

/// Bytes of shared memory of `numbers` complex numbers: whole sixteens, among which they are swizzled.
[[nodiscard]] constexpr int transform_bytes(std::int64_t numbers) {
  return static_cast<int>(8 * ((numbers + 15) / 16 * 16));
}

/// Bytes of shared memory of the roots that the butterflies of each line share, as line_roots.cuh has them.
[[nodiscard]] constexpr int line_roots_bytes(int radix, int lines) { return (8 * radix + 31) / 16 * 16 * lines; }

/// Threads for that many numbers: sixteen each, in whole warps.
[[nodiscard]] int transform_threads(std::int64_t numbers);

/// Blocks of so many threads that a multiprocessor has at least: more registers would not let others hide latency.
[[nodiscard]] int transform_blocks(int threads);

/// Whether one of them takes block_transform_primes.cuh.
[[nodiscard]] bool has_large_primes(const std::vector<int>& radices);

/// Where a transform's first pass reads and its last one writes, as expressions of the text.
struct TransformEnds {
  std::string_view lines;  ///< the type: "Row"
  std::string_view from, to;
  std::string_view origin, result;          ///< of the comments: "taps", "the rows"; empty `result`: the array
  std::string_view frequencies = {};        ///< that the outputs are at, an expression; empty: whole ones
  bool is_loaded = false;                   ///< `from` has the first pass loaded ahead
  std::string_view first_frequencies = {};  ///< those of a first pass that is loaded ahead
};

/// The passes of `radices`, at that depth; barriers between them, and one behind the last where it is the array's.
[[nodiscard]] std::string transform_text(const std::vector<int>& radices, const TransformEnds& ends, int depth);

/// For kernels that are launched once a step: each launch waits for the one before, which lets it begin while it ends.
[[nodiscard]] std::string_view wait_text(bool overlaps);

/// How a transform too long for a block is shared out: columns of points `rows` apart, several at once, then rows.
struct ColumnsAndRows {
  int columns = 1;  ///< points of a column, and rows
  int rows = 1;     ///< points of a row
  int at_once = 1;  ///< columns next to each other that a block takes
};

/// What a block may hold of them.
struct BlockRoom {
  std::int64_t most;                ///< numbers in shared memory
  std::int64_t most_of_row = most;  ///< points of a row
  bool holds_packed_tiles = false;  ///< rows of whole tiles, columns as packed_columns.cuh has them
};

/// For `points`, whose rows a block takes `lines` at a time: where it can, so that columns are a multiple of
/// `distance`, which keeps frequencies `distance` apart in a row. Nothing where the points have no such factors.
[[nodiscard]] std::optional<ColumnsAndRows> columns_and_rows(std::int64_t points, int lines, std::int64_t distance,
                                                             const BlockRoom& room);

/// Those of blocks of 4096 numbers, of which several share a multiprocessor, or of larger ones up to `most`, where that
/// leaves fewer than `narrow` columns at once. Throws std::logic_error where the points have no such factors.
[[nodiscard]] ColumnsAndRows wide_columns_and_rows(std::int64_t points, int lines, std::int64_t distance,
                                                   std::int64_t most, int narrow = 8);
/// The same for rows one by one that hold whole tiles and find their columns packed (packed_columns.cuh): rows no
/// longer than those of the usual block, as far as there are such. Nothing where there are none at all.
[[nodiscard]] std::optional<ColumnsAndRows> packed_columns_and_rows(std::int64_t points, std::int64_t distance,
                                                                    std::int64_t most, int narrow);

/// Short rows go several at once: as many, up to 8, as give all threads of a block of `numbers` work.
[[nodiscard]] int rows_at_once(const ColumnsAndRows& shape, int numbers);

}  // namespace ffc
