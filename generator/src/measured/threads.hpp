// Threads and buffers of one block that ran best, by what it holds. Where its tables lie goes with them, and is said by
// schedule/.
#pragma once

namespace ffc::measured {

struct Threads {
  int warps = 1;    ///< of a group, which takes a pair
  int groups = 1;   ///< of a block
  int buffers = 1;  ///< pairs of rows of a group in shared memory
  int blocks = 1;   ///< an SM
};

// Pairs in one block, by rows of 256: MEASURED.md, "Geometry of one block".

/// A warp a pair, blocks by butterfly. More buffers and blocks than registers allow would spill. Where a block has one
/// group none waits for the pairs of others, of which few rows have none. "Small batches".
inline constexpr Threads warp_rows = {1, 1, 2};
inline constexpr int warp_blocks[9] = {0, 24, 16, 16, 12, 8, 8, 8, 8};
/// Eight rows.
inline constexpr Threads smallest_columns = {2, 1, 2, 8};
/// Up to 16; windows, gated, alone too.
inline constexpr Threads small_columns = {4, 1, 2, 4}, small_columns_gated = {4, 1, 1, 4},
                         small_windows_gated = {4, 2, 1, 2};
/// Nine to twelve: more pairs of fewer warps, for 4 would share out 5 or 6 couples unevenly. A warp has a pair whose
/// products down the columns are halved.
inline constexpr Threads few_columns = {2, 1, 2, 6}, few_half_columns = {1, 1, 1, 12}, few_columns_gated = {2, 1, 1, 6};
inline constexpr int most_few_columns = 12;
/// Up to 32, the next pair on its way. 12 couples are shared out better by 4 warps.
inline constexpr Threads middle_columns = {8, 1, 2, 2}, few_couples = {4, 1, 2, 3};
inline constexpr int most_few_couples = 12;
/// Up to 64: 128 KB of rows an SM, as two groups or as two blocks with the next pair on its way.
inline constexpr Threads large_columns = {8, 2, 1, 1}, large_half_columns = {8, 1, 1, 2},
                         large_columns_gated = {16, 1, 1, 1};
/// Beyond: one pair fills the SM.
inline constexpr Threads largest_columns = {8, 1, 1, 1};

// Rows and windows alone: "Rows and windows alone", "Windows alone that keep a spectrum".

/// A warp a row, blocks by rows; of delayed rows, which have an address more; with gates. Of more rows errors are too
/// large, or registers too few. "Rows that a warp holds alone".
inline constexpr Threads lone_warp_rows = {1, 1, 2}, lone_warp_rows_gated = {1, 1, 1};
inline constexpr int lone_warp_blocks[] = {0, 16, 16, 16, 16, 12, 12},
                     lone_warp_blocks_delayed[] = {0, 16, 16, 16, 12, 12, 12},
                     lone_warp_blocks_gated[] = {0, 28, 16, 16, 12, 12};
inline constexpr int most_lone_warp_rows = 6, most_lone_warp_rows_gated = 5;
/// Up to 16 rows. 2 warps share out 9, 10, 13 and 14 better than 4, of which two or three would be idle in the last
/// turn.
inline constexpr Threads few_alone = {2, 1, 1, 8}, small_alone = {4, 1, 2, 4}, small_alone_gated = {4, 1, 1, 4};
inline constexpr int fewest_idle_of_few_alone = 2;
/// From so many rows on whole rows have halved products, whose factors are in shared memory. "Rows and windows alone".
inline constexpr Threads small_halved = {4, 1, 1, 5};
/// Windows of 12 to 16 were not timed so.
inline constexpr int least_halved_rows = 12, least_halved_windows = 17;
/// 17 to 32: more warps hide more than the next row on its way does.
inline constexpr Threads middle_alone = {4, 5, 1, 1}, middle_alone_gated = {8, 1, 1, 2};
/// Fewer of them have registers for a channel's spectrum; of windows with more rows a warp, fewer still.
inline constexpr int kept_spectrum_groups = 4, kept_spectrum_groups_of_long_windows = 3;
inline constexpr int most_rows_of_four_groups = 5;
/// 33 to 64, two groups an SM. With half of the warps registers hold a channel's spectrum, and two rows at once.
inline constexpr Threads large_alone = {8, 2, 1, 1}, large_alone_gated = {16, 1, 1, 1}, large_fractional = {4, 2, 1, 1};
/// Beyond. Of 80 rows, without slots between, two blocks fit an SM, which hide more than the next row on its way does.
inline constexpr Threads largest_alone = {8, 1, 1, 1};
inline constexpr int most_rows_of_two_blocks = 80;
/// Rows of a warp whose spectrum has room in registers.
inline constexpr int most_rows_in_registers = 4;

// Real rows, half of whose frequencies are there, by rows of those: "Real rows".

/// Up to 8, up to 16, up to 32, and beyond, where two blocks with factors from the L2 cache gain more than tables in
/// shared memory do. Of up to 32 four blocks do, while few channels are at work.
inline constexpr Threads smallest_real = {2, 1, 1, 7}, smallest_real_gated = {2, 1, 1, 6}, small_real = {4, 1, 2, 3},
                         small_real_gated = {4, 1, 1, 4}, middle_real = {4, 4, 1, 1}, middle_real_gated = {8, 1, 1, 2},
                         middle_real_of_few = {4, 1, 1, 4}, large_real = {8, 1, 1, 2};

// Digit by digit: "Digit by digit".

/// A warp takes 16 columns of a product. More warps than the widest product has columns for would wait for the others.
inline constexpr int columns_of_word_warp = 16;
/// Of an SM; a few are enough to share its warps.
inline constexpr int most_word_blocks = 16, few_word_blocks = 4;
/// By the tiles of the largest radix: what its registers leave room for.
inline constexpr int word_warps_of_sm[] = {32, 20, 16, 12};
/// What digits that were asked for may take over the cheapest ones, by passes and products. "Digit by digit"
inline constexpr double worth_asked_digits = 1.5;
/// Pairs of a channel go together up to so many points; one alone has too few columns for a warp.
inline constexpr int most_word_pairs = 16, words_of_pairs = 1024;

// Rows of a split plan, 8 warps of a block beside those of the columns: "Columns and rows".

/// A warp a row: of few rows of 256 the next one is on its way.
inline constexpr Threads workspace_warp_rows = {1, 8, 1, 1};
inline constexpr int most_rows_of_two_buffers = 4;
/// With columns of their own: up to 8, 16, 32 rows of 256, and beyond.
inline constexpr Threads workspace_to_8 = {2, 4, 2, 1}, workspace_to_16 = {4, 2, 2, 1}, workspace_to_32 = {8, 1, 2, 1},
                         workspace_beyond = {8, 1, 1, 1};

/// From so many rows of 256 on, where a multiprocessor holds so few blocks, these walk over the pairs of all channels.
/// "Walks over channels".
inline constexpr int least_rows_of_walks = 17, most_blocks_of_walks = 2;

/// Of a cluster: two groups of rows and a place for the pair that comes or goes; more places gain nothing. "Columns and
/// rows".
inline constexpr int cluster_row_warps = 16, cluster_column_warps = 4, spare_places = 1, most_places = 6;

// Gradients in one block, timed when they were chosen; the log has no section of their threads.

/// The sums of all its rows are in a warp's registers. A block more an SM would take registers from both.
inline constexpr Threads gradient_warp_rows = {1, 4, 2};
inline constexpr int gradient_warp_blocks[9] = {0, 4, 3, 3, 2, 2, 2, 2, 2};
/// The same of rows alone; up to so many of 256 registers hold their spectrum too. "Rows that a warp holds alone".
inline constexpr int lone_gradient_warp_blocks[] = {0, 4, 3, 2, 2, 2, 2}, most_lone_gradient_spectra = 4;
/// Up to 9 and 16 rows: warps that hold up to two couples each, and their sums in registers. Rows in registers on the
/// way whose chunks the threads of 4 warps do not share out evenly go to 8, as windows do, of which 4 were not timed.
/// "Geometry of one block".
inline constexpr Threads gradients_to_9 = {4, 1, 2, 3}, gradients_to_16 = {4, 1, 1, 3},
                         gradients_of_eight_warps = {8, 1, 2, 2};
/// Up to 32 and 64 rows, and beyond, where a butterfly of 8 tiles takes more registers than 16 warps leave.
inline constexpr Threads gradients_to_32 = {8, 1, 1, 2}, gradients_to_64 = {16, 1, 1, 1},
                         gradients_beyond = {8, 1, 1, 1};

// Rows alone: "Gradients of rows alone".

/// Up to 16 and from 29 to 32 rows sums are in registers, of three or four rows a warp or of two.
inline constexpr Threads lone_gradients_to_12 = {4, 1, 1, 4}, lone_gradients_to_16 = {4, 1, 1, 3},
                         lone_gradients_to_28 = {8, 1, 1, 2}, lone_gradients_to_32 = {16, 1, 2, 1},
                         lone_gradients_to_64 = {16, 1, 1, 1}, lone_gradients_beyond_gated = {16, 1, 1, 1};
/// Real rows of up to 32 of frequencies, or gated of up to 16: "Real rows".
inline constexpr Threads real_gradients_to_32 = {8, 1, 1, 2};
/// Rows whose sums the blocks of a cluster add to in turns: of 96, shared memory holds more than half.
inline constexpr int rows_in_turns = 128;
/// Chunks of 16 bytes of rows and gates that a thread reads before it uses the first: of u and dy together, where
/// several warps have a pair or one; of one tensor; and of a batch, where that is more. "Rows through registers".
inline constexpr int most_chunks_of_pair = 16, most_chunks_of_warp = 8, most_chunks_of_tensor = 32,
                     most_chunks_of_batch = 8;

}  // namespace ffc::measured
