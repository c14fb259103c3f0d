// Blocks of a launch: how many waves of them come out full. MEASURED.md, "Columns and rows", of clusters; margins of
// other blocks have no section.
#pragma once

#include <cstdint>

namespace ffc::measured {

inline constexpr std::int64_t most_slices_weighed = 64, most_waves = 4;
inline constexpr double block_start = 1;      ///< pairs that a group could do while its block loads its tables
inline constexpr double fewer_slices = 0.98;  ///< of the time that more of them have to save

/// Rows that a block takes alone while a cluster whose blocks add to sums in turns takes four. "Gradients of rows
/// alone".
inline constexpr int rows_in_time_of_round = 3;

/// Of gradients in one block, pairs of batch rows of a group in a slice: so many that sums and tables cost little
/// beside rows, so few that some hundred channels of 64 rows come out in whole waves of the blocks that an H200 holds.
/// A warp's rows of up to 512 samples, its longer ones, rows with columns, and the longest.
inline constexpr int gradient_pairs_of_short_rows = 4, gradient_pairs_of_warp = 8, gradient_pairs_of_columns = 16,
                     gradient_pairs_of_longest = 32;
/// Other slices where waves come out fuller: what a block could do while it begins one and stores its sums, and the
/// filter's gradient reads these, in pairs; and what they have to save, for what is not known. "Slices of gradients".
inline constexpr double slice_start = 0.75, sums_of_slice = 0.2, spared_by_slices = 0.95;
/// Pairs in the time in which a block makes taps of its own sums, and in that in which the filter's gradient makes them
/// of a wave of channels, for kernels that do either. "Taps in the block".
inline constexpr double taps_of_block = 0.4, taps_of_sums = 1.8;
/// Of four blocks, one a multiprocessor, that an H200 holds.
inline constexpr int usual_clusters = 31;
/// Of blocks that share a channel's rows: "Gradients of rows alone".
inline constexpr int gradient_rows_of_cluster = 64;
/// Of their sums on the way back: two blocks a multiprocessor, of N = 32768.
inline constexpr std::int64_t most_inverse_workspace_of_block = 80 << 20;

inline constexpr std::int64_t most_cluster_waves = 16;
inline constexpr double cluster_start = 2;  ///< pairs that a cluster could do while it begins and ends
inline constexpr double spared = 0.97;      ///< of the time: for what is not known of the device

}  // namespace ffc::measured
