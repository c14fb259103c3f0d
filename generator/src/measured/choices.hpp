// From which size on one way was measured to be faster than another.
#pragma once

#include <cstdint>

namespace ffc::measured {

/// Clusters that gain; others are taken where they are forced. MEASURED.md, "Columns and rows", "Rows of clusters".
inline constexpr std::int64_t least_cluster_row = 10240;
inline constexpr int least_cluster = 4;

/// Samples of rows so long that the places of two pairs take most of the cache, where a single row's is half as large;
/// and the longest transforms that gain. "The ring".
inline constexpr std::int64_t least_half_length = 2097152, longest_half_length = 8388608;

/// Rows at any address that gain from being delayed: at multiples of 4 bytes, which can be copied without, and at odd
/// ones; and the bytes of the widest lines that gain. MEASURED.md, "Rows at odd addresses".
inline constexpr std::int64_t least_delayed = 128, least_odd_delayed = 16;
/// At multiples of 8 bytes those of convolutions in one block, from so many samples on, by the same section.
inline constexpr std::int64_t least_delayed_by_8 = 3072;
inline constexpr int widest_line = 16;

/// Gradients in windows of their own: of the time of whole rows, which keep the forward kernel's spectrum. A margin,
/// with no section of the log.
inline constexpr double worth_windows = 0.9;

/// Sums of gradients, 4 bytes a point of a channel, that stay in the L2 cache from pair to pair. Rows that pass through
/// push those of longer transforms out, unless they are to stay. "Gradients past one block".
inline constexpr std::int64_t longest_cached_sums = 1 << 20;

/// Bytes of a channel's spectrum that stay in the L2 cache from row to row. "The ring".
inline constexpr std::int64_t largest_cached_spectrum = 10'000'000;

/// Couples of gradients' rows in a warp's text: many of them would not fit the instruction cache. At 32768 two, four or
/// eight at once differ by 3% without gates; with gates four take 1.5 times as long as two; the log has no
/// section of it.
inline constexpr int most_unrolled_couples = 4;

/// Rows of a channel of which plans are told, and the longest transforms whose dk keeps its accuracy where sums go back
/// with the rows. "Gradients of few rows", "Taps in the block".
inline constexpr int most_few_rows = 2;
inline constexpr std::int64_t longest_returned = 4194304;
/// The same of gradients in one block, up to so many samples, and of circular rows, of which an odd one may go alone.
/// "Small batches".
inline constexpr int most_few_rows_of_block = 8, most_few_odd_rows = 3;
inline constexpr std::int64_t longest_short_rows = 7 * 256;
/// Lengths of which `most_few_rows_of_block` rows have gradients of another plan than many: those whose convolutions go
/// through clusters of eight blocks, so that gradients have a spectrum of their own. "Sums of pairs past one block".
inline constexpr std::int64_t least_beside_clusters = 65537, longest_beside_clusters = 114688;
/// Blocks among which rows of frequencies are shared out, for how many sums each has room for: an H200's.
inline constexpr int usual_blocks = 132;

}  // namespace ffc::measured
