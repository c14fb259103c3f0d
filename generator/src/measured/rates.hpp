// What an H200 does in a nanosecond, and what of it a kernel of one block shows: MEASURED.md, "Geometry of one block".
#pragma once

#include "up_to.hpp"

namespace ffc::measured {

// Rates of the whole device.
inline constexpr double copy_bytes = 4200;        ///< read and written
inline constexpr double matrix_products = 138;    ///< m16n8k16, mma.sync
inline constexpr double issued = 132 * 4 * 1.75;  ///< warp instructions
inline constexpr double wavefronts = 132 * 1.75;  ///< of 128 bytes of shared memory
inline constexpr double cache_bytes = 7200;       ///< read and written, in L2: "Gradients past one block"

/// What a launch takes beside its work, and a copy, in nanoseconds; a copy takes no less than so much. "What delayed
/// rows cost".
inline constexpr double launch_time = 9000, copy_launch_time = 3000, least_copy_time = 7000;
/// Rows that ratios over a copy are of: the benchmark's.
inline constexpr int rows_of_ratio = 64, channels_of_ratio = 768;

// How much of the work beside the copies is left after overlap, fitted to N = 256 ... 32768.
inline constexpr double exposed_tiled = 0.62;
inline constexpr double exposed_general = 1.6;
inline constexpr double lone_pair = 1.2;  ///< one pair on an SM: its copies overlap with little

/// Of copies: chunks at odd addresses are read in two lines each. "Rows at odd addresses".
inline constexpr double odd_copies = 3;

/// General instructions of a step for every 256 complex points, in one block. "Geometry of one block".
struct StepInstructions {
  double memory = 16;        ///< load, store
  double twiddle = 16;       ///< in packed halves
  double exchange = 8;       ///< through shared memory
  double spectrum = 18;      ///< times it
  double sums = 72;          ///< in fp32, on unpacked halves
  double butterfly = 8;      ///< a level, twice where the radix is odd
  double product = 12;       ///< beside the matrix products
  double fused_factor = 28;  ///< in fp32 on unpacked halves: twice the instructions, and the conversions
};
inline constexpr StepInstructions step_instructions;

/// Of a digit that goes through shared memory word by word, for every 256 complex points. "Geometry of one block".
struct WordInstructions {
  double other = 24;    ///< of a step that is no product
  double product = 60;  ///< for each of the tiles that the radix fills
  double pass = 72;     ///< for each of them, of a pair however short: passes wait for each other. "Digit by digit"
  double other_wavefronts = 8, product_wavefronts = 16;
};
inline constexpr WordInstructions word_instructions;

// What windows and causal rows take over what the counts say, where whole rows and windows are weighed against each
// other: "Windows alone that keep a spectrum".
struct PartialSlowdown {
  double gated_middle = 1;              ///< gated, 9 to 32 rows of 256
  double gated_large = 1.5;             ///< to 64
  double gated_largest = 1.7;           ///< beyond
  double half_halo = 1.4;               ///< windows of up to 4 rows whose halo is half of them or more
  double alone = 1;                     ///< rows alone of 17 to 32: to 8192, as windows of 24 rows
  double alone_windows_to_24 = 1.08;    ///< windows alone of 17 to 24 rows
  double alone_windows_to_32 = 1.1;     ///< of 25 to 32
  double kept_spectrum_windows = 1.28;  ///< of 64, whose warps hold the spectrum
  double windows_to_64 = 1.37;          ///< of 60, whose warps have not the registers for it
  double largest_windows = 1.45;        ///< of 128
  double six_or_seven = 1.5;            ///< butterflies of 6 and 7 waste what they hold ...
  double uneven = 1.27;                 ///< ... of 5, and tiles of 16 for 9 to 12 rows, less
  double other = 1.14;
};
inline constexpr PartialSlowdown partial_slowdown;

// "Gradients of rows alone".

/// What rows without gates and with them take over another count, up to so many rows of 256.
struct GatedSlowdown {
  int rows;
  double plain, gated;
};
/// In one block, over what their steps come to: of whole rows, "What gradients are predicted to take", and of windows,
/// "Windows of rows at any address".
inline constexpr GatedSlowdown block_gradients[] = {
    {16, 1.4, 1.6}, {32, 1.4, 1.85}, {64, 1.7, 2.1}, {120, 1.5, 1.95}, {any_size, 1.9, 2.6}};
/// Of rows alone that a warp holds. "Rows that a warp holds alone".
inline constexpr GatedSlowdown lone_warp_gradients[] = {{2, 1.52, 1.65}, {4, 1.46, 1.6}, {5, 1.63, 2.1}, {6, 1.8, 2.1}};
inline constexpr GatedSlowdown window_gradients[] = {
    {1, 1.33, 2},   {2, 1.25, 1.5}, {3, 1.2, 1.43},  {4, 1.3, 1.65},  {5, 1.42, 1.72},      {6, 1.48, 1.8},
    {7, 2.2, 1.98}, {8, 1.3, 1.4},  {32, 1.5, 1.85}, {64, 1.7, 1.85}, {any_size, 1.55, 2.1}};
/// Of rows alone whose tensors take turns, that times: sums and what waits are more than L2 keeps.
inline constexpr double lone_gradients_in_turn = 1.25;
/// The same where a cluster's blocks have sums in common.
inline constexpr double lone_gradients_of_cluster = 0.95;

/// What whole rows of a convolution take over what the counts say, up to so many rows of 256: with all chunks on lines,
/// what delayed rows take over that, whose ends are stored by samples and whose chunks are asked whether they are one;
/// and what gated rows take. "What delayed rows cost" and "The next three plans".
struct WholeSlowdown {
  int rows;
  double on_lines, delayed, gated;
};
inline constexpr WholeSlowdown slowdown_of_pairs[] = {
    {4, 1.14, 1.24, 1.25},  {5, 1.35, 1.24, 1.45}, {7, 1.45, 1.16, 1.45},  {8, 1.14, 1.11, 1},
    {9, 1.05, 1.1, 1.15},   {10, 1.09, 1.1, 1.15}, {12, 1.09, 1.09, 1.14}, {14, 1.13, 1.2, 1.1},
    {16, 1.05, 1.08, 1.05}, {32, 1.15, 1.08, 1.1}, {64, 1.33, 1.08, 1.55}, {any_size, 1.36, 1.08, 2}};
inline constexpr WholeSlowdown slowdown_of_rows_alone[] = {
    {1, 1.2, 1.15, 1.13},   {2, 1.2, 1.15, 1.05},   {3, 1.1, 1.27, 1.04},   {4, 1.09, 1.15, 1.27},
    {5, 1.15, 1.1, 1.59},   {6, 1.45, 1, 1.59},     {9, 1.15, 1.1, 1.13},   {10, 1.1, 1.1, 1.13},
    {11, 1.14, 1.1, 1.13},  {12, 1.05, 1.1, 1.13},  {13, 1.14, 1.1, 1.13},  {15, 1.1, 1.1, 1.13},
    {16, 0.97, 1.1, 1.13},  {24, 0.95, 1.03, 1.25}, {30, 0.97, 1.04, 1.25}, {32, 0.96, 1.05, 1.25},
    {48, 1.27, 1.05, 1.55}, {60, 1.27, 1.07, 1.55}, {64, 1.22, 1, 1.55},    {any_size, 1.26, 1.02, 1.45}};
/// What whole rows take besides, that come and go 8 bytes at a time: "The next three plans".
inline constexpr double narrow_rows = 1.1;
/// By rows of samples. "Real rows".
inline constexpr WholeSlowdown slowdown_of_real_rows[] = {{14, 1.35, 1.08, 1.45},
                                                          {16, 1.25, 1.08, 1.3},
                                                          {32, 1.02, 1.08, 1},
                                                          {64, 1.16, 1.08, 1.5},
                                                          {any_size, 1.37, 1.08, 1.65}};
/// Of delayed rows in pairs and alone, over what the counts say, by rows of samples, and of rows that come and go 8
/// bytes at a time. "What gradients are predicted to take".
inline constexpr GatedSlowdown slowdown_of_delayed_gradients[] = {
    {8, 1.2, 1.5}, {16, 1.25, 1.3}, {32, 1.35, 1.3}, {80, 1.25, 1.3}, {any_size, 1.25, 2.4}};
inline constexpr GatedSlowdown slowdown_of_delayed_gradients_alone[] = {
    {8, 1.1, 1.45}, {16, 1.05, 1.15}, {any_size, 1, 1}};
inline constexpr GatedSlowdown narrow_gradients[] = {{any_size, 1.12, 1.2}};
inline constexpr GatedSlowdown narrow_gradients_alone[] = {{any_size, 1.02, 1.12}};
/// Of windows of delayed rows, over those of others. "Windows of rows at any address".
inline constexpr GatedSlowdown slowdown_of_delayed_windows[] = {
    {1, 1.4, 1.22},  {3, 1.2, 1.17},  {5, 1.24, 1.32}, {6, 1.38, 1.34}, {7, 1.8, 1.6},         {8, 1.13, 1.26},
    {15, 1.14, 1.2}, {16, 1.12, 1.4}, {24, 1.12, 1.2}, {32, 1.2, 1.16}, {any_size, 1.24, 1.16}};
inline constexpr GatedSlowdown slowdown_of_delayed_window_gradients[] = {
    {1, 1.38, 1.27}, {3, 1.28, 1.25},  {5, 1.32, 1.41},  {6, 1.39, 1.93},  {7, 1.34, 2.08},
    {8, 1.19, 1.26}, {15, 1.15, 1.15}, {24, 1.13, 1.22}, {32, 1.11, 1.19}, {any_size, 1.1, 1.17}};

}  // namespace ffc::measured
