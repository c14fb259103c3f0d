// What columns and rows take on an H200, in times of the plain floor of a pair.
#pragma once

#include "up_to.hpp"

namespace ffc::measured {

// MEASURED.md, "Columns and rows".

/// Columns by their length. Tiles of the shortest are so small that units wait for their copies.
inline constexpr UpTo columns_time[] = {{16, 3.0},   {32, 1.75}, {64, 1.45},     {128, 1.5},
                                        {256, 1.68}, {512, 2.9}, {any_size, 4.6}};
/// The same of convolutions by pairs: butterflies of 3, 6 and 7 take more than those of 4, 5 and 8. "Tiles that are not
/// full".
inline constexpr UpTo convolution_columns_time[] = {{16, 3.0},   {32, 1.75}, {48, 1.55},     {64, 1.45},
                                                    {80, 1.55},  {96, 1.75}, {112, 1.75},    {128, 1.5},
                                                    {256, 1.68}, {512, 2.9}, {any_size, 4.6}};
/// What gates on both sides add, and to rows alone: "Tiles that are not full".
inline constexpr UpTo column_gates_time[] = {{64, 1.1}, {128, 1.0}, {any_size, 1.6}};
inline constexpr UpTo lone_column_gates_time[] = {{128, 0.94}, {any_size, 1.36}};
/// Rows beside them, by how many rows of 256 samples they are.
inline constexpr UpTo workspace_rows_time[] = {{1, 2.2},   {2, 1.2},  {8, 1.63},      {16, 1.55},
                                               {32, 2.36}, {64, 3.4}, {any_size, 7.7}};
/// The same of rows one by one, in places half as large.
inline constexpr UpTo half_length_rows_time[] = {{16, 1.4}, {32, 1.6}, {any_size, 2.3}};
/// Of columns, what does not exist need not come or go.
inline constexpr double samples_time = 0.6;
/// The last row of a channel without a partner, of a pair.
inline constexpr double lone_split_row = 0.6;

/// What rows of convolutions take over that by the digit of their tiles, of which there are 16 rows of products
/// whatever it is. Of rows alone twice, times that, by the rows. "Tiles that are not full".
inline constexpr UpTo uneven_tiles_time[] = {{4, 0},     {5, 0.3},   {6, 0.25},    {7, 0.7},   {8, 0},
                                             {9, 0.35},  {10, 0.27}, {11, 0.2},    {12, 0.12}, {13, 0.2},
                                             {14, 0.14}, {15, 0.09}, {any_size, 0}};
inline constexpr UpTo uneven_tiles_alone[] = {{32, 1}, {48, 0.55}, {any_size, 1.1}};

/// Rows alone at frequencies k + 1/4, of which each has a place of its own: long ones stay in the cache. Short ones
/// take a share of what pairs do, and no less than so much; the longest what pairs do.
inline constexpr UpTo right_angle_rows_time[] = {{16, 1.32}, {32, 1.55}, {any_size, 1.65}};
inline constexpr int least_right_angle_rows = 16, most_right_angle_rows = 64;
inline constexpr double short_right_angle_rows = 1.47, of_pairs = 0.95;
/// Of 5 to 7 rows of 256: a warp has each by itself, and butterflies of 6 and 7 waste what they hold.
inline constexpr double uneven_right_angle_rows = 3.1;
inline constexpr int least_uneven_rows = 5, most_uneven_rows = 7;
/// All of that for convolutions, without their tiles: "Tiles that are not full".
inline constexpr UpTo convolution_rows_time[] = {{4, 1.43},  {7, 2.4},   {8, 1.38},      {16, 1.32},
                                                 {32, 1.55}, {64, 1.65}, {any_size, 7.7}};
/// Their columns, of those of pairs: butterflies of 5 to 7 take more than those of 4 and 8. From a sweep of 340
/// lengths, "Circular rows of any length".
inline constexpr UpTo right_angle_columns[] = {{64, 1}, {80, 1.83}, {96, 1.43}, {112, 1.33}, {128, 1}, {any_size, 1.3}};
/// 32 to 512 of them, of convolutions, by the 256s of their rows, and beside rows whose twiddles are made of steps. Of
/// 256 a place is so large that few rows fit the cache; of the longest rows only two are under way. "What delayed rows
/// cost", "The ring", "Long rows beside long columns", "Tiles that are not full". 128 beside 3 and 48 beside 8 are so
/// far apart for the sake of their gradients.
inline constexpr UpTo beside_256_columns[] = {{32, 1}, {any_size, 1.5}},
                      beside_512_columns[] = {{32, 1}, {any_size, 1.13}};
inline constexpr UpTo steps_beside_256_columns[] = {{40, 1.03}, {63, 1.27}, {any_size, 1.12}};
inline constexpr double steps_beside_512_columns = 0.84;
inline constexpr UpTo beside_32_columns[] = {{32, 1}, {any_size, 1.1}};
inline constexpr UpTo beside_48_columns[] = {{7, 1.34}, {8, 1.17}, {16, 1.34}, {20, 1.6}, {32, 1.47}, {any_size, 1.4}};
inline constexpr UpTo beside_64_columns[] = {{16, 1}, {40, 1.04}, {any_size, 1.1}};
inline constexpr UpTo beside_128_columns[] = {{2, 0.95}, {3, 1.3}, {4, 1.05}, {any_size, 0.95}};
/// Columns of 80 and 96 beside rows alone of which no block is without, of those of pairs. "Blocks without rows".
inline constexpr double beside_shared_rows = 1.06;
/// Rows at odd addresses, of the ring and of clusters, which read them sample by sample: "Circular rows of any length".
inline constexpr double odd_columns = 0.4, odd_cluster = 1.0;

/// Clusters of four blocks and of eight, by the 256s of their rows, of pairs and of rows alone; what samples that do
/// not exist save, what gates on both sides add, twice where all samples exist, and what delayed rows do. "Rows of
/// clusters".
inline constexpr UpTo four_blocks_time[] = {{40, 2.75}, {48, 2.45}, {56, 2.54}, {any_size, 2.33}},
                      eight_blocks_time[] = {{40, 2.81}, {48, 2.6}, {56, 2.73}, {any_size, 2.48}};
inline constexpr UpTo lone_four_blocks_time[] = {{40, 2.37}, {48, 2.28}, {56, 2.33}, {any_size, 2.2}},
                      lone_eight_blocks_time[] = {{40, 2.5}, {48, 2.46}, {56, 2.51}, {any_size, 2.38}};
inline constexpr double cluster_samples = 0.3, cluster_gates = 1.1;
inline constexpr UpTo delayed_cluster[] = {{4, 0.12}, {any_size, 0.3}};

// "Masks".

/// Columns and rows where a mask leaves the rows so little that they have half of the warps, and the columns more
/// units.
inline constexpr UpTo light_columns_time[] = {{128, 2.0}, {any_size, 1.7}};
inline constexpr UpTo light_rows_time[] = {{32, 3.7}, {any_size, 1.75}};
/// Of the time of rows that a mask drops: columns do not get faster beside fewer.
inline constexpr double saved_rows = 0.57;
/// Of a row's time: what is not moving it, a guess.
inline constexpr double beside_copies = 0.5;
/// Of the work on a row, with half of the values of one of its products.
inline constexpr double halved_row = 0.75;

// "Gradients past one block".

/// Gates come through registers at any length of columns, by it, and so do delayed rows in pairs: of 48 columns threads
/// have fewer samples of a tile under way. "What gradients are predicted to take".
inline constexpr UpTo gradient_gates[] = {{32, 1.0}, {48, 1.2}, {64, 1.0}, {96, 1.7}, {any_size, 1.0}};
inline constexpr UpTo delayed_gradient_gates[] = {{32, 1.25}, {48, 1.75}, {64, 1.3}, {96, 1.7}, {any_size, 1.3}};
/// What rows take over those of a convolution, fitted to what was measured from 65536 to 4194304.
inline constexpr UpTo gradient_slowdown[] = {{2, 1},   {4, 1.5},   {5, 1.7},       {6, 2.0},
                                             {7, 2.3}, {32, 1.12}, {any_size, 1.2}};
/// Of pairs of 48 to 80 columns beside 8 to 16 rows of 256, times that: by the rows. "Rows of clusters".
inline constexpr UpTo gradient_rows[] = {{7, 1},     {8, 0.83},  {9, 1.06}, {10, 0.9},    {13, 0.92},
                                         {14, 0.87}, {15, 0.84}, {16, 0.8}, {any_size, 1}};
inline constexpr int least_gradient_columns = 48, most_gradient_columns = 80;
/// The same of rows alone whose tensors take turns, times that: by the rows, and, of more than
/// `most_rows_of_any_columns`, by the columns.
inline constexpr UpTo lone_gradient_slowdown[] = {{4, 0.87}, {10, 1.16}, {any_size, 1.05}};
inline constexpr UpTo lone_gradient_columns[] = {{64, 1.15}, {any_size, 1}};
inline constexpr int most_rows_of_any_columns = 4;
/// For each point of the sums, read and written for a row and its mirror.
inline constexpr double sums_bytes = 16;

// "Gradients of few rows".

/// Of rows alone whose tensors are in shared memory together, what a transform takes over one of a convolution: by the
/// rows, and by the columns. Fitted to launches of one row a channel and, from 9 to 11 rows, of four.
inline constexpr UpTo lone_rows_together[] = {{8, 0.96}, {9, 1.24}, {10, 1.16}, {11, 1.23}, {any_size, 1.1}},
                      columns_beside_them[] = {{16, 1.3}, {32, 1.12}, {48, 1.2}, {any_size, 1}};
/// Rows a channel where a config does not say.
inline constexpr int usual_rows = 8;
/// For each point of the sums of a channel, what writing them, reading them and the way back to taps move: of rows
/// alone, and of pairs, whose sums are untangled.
inline constexpr double lone_sums_to_taps_bytes = 36, sums_to_taps_bytes = 57;
/// Rows a channel among which that is shared out where a config does not say: fewer than the 64 of the tables, more
/// than a few. "Rows of clusters".
inline constexpr int usual_rows_of_sums = 32;

}  // namespace ffc::measured
