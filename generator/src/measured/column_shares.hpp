// How columns and rows share a block on an H200, best first, and how columns are copied then.
#pragma once

#include <cstdint>

#include "up_to.hpp"

namespace ffc::measured {

/// What a block's columns and the buffers of its rows may be given.
struct Share {
  int units, warps, tiles, registers, row_buffers, chunks;
  bool light_rows = false;  ///< these have half of their warps
};

/// Three units with fewer registers where the butterfly is small enough for them, both pairs' tiles at once, a second
/// buffer for the rows. MEASURED.md, "Columns and rows", "A turn of columns".
inline constexpr Share shares[] = {
    {3, 4, 2, 72, 2, 8}, {3, 4, 2, 72, 1, 8}, {2, 4, 2, 0, 2, 8}, {2, 4, 2, 0, 1, 8}, {2, 4, 1, 0, 2, 8},
    {2, 4, 1, 0, 1, 8},  {1, 8, 1, 0, 2, 8},  {1, 8, 1, 0, 1, 8}, {1, 8, 1, 0, 1, 4}, {1, 8, 1, 0, 1, 2},
};
inline constexpr int most_butterfly_of_few_registers = 8;
/// Of gradients of rows alone, which read matrices and factors through what this leaves of the L1 cache. "Gradients of
/// few rows".
inline constexpr Share share_of_lone_gradients = {2, 4, 1, 0, 2, 8};
/// More of them find the columns' matrices in the L1 cache, which shared memory takes its room from. "A turn of
/// columns".
inline constexpr int most_units_with_matrices = 2;

/// Where blocks keep the factors of two frequencies, so that none is without rows: these are what is waited for, and
/// two units of columns leave them more of a multiprocessor. Blocks may be without, so many of all; shorter columns
/// gain nothing. "Blocks without rows".
inline constexpr Share shares_of_two_frequencies[] = {{2, 4, 1, 0, 2, 8}, {2, 4, 1, 0, 1, 8}};
inline constexpr double most_blocks_left = 0.25;
inline constexpr int least_butterfly_of_two_frequencies = 5;

/// The same where a mask leaves the rows little to do: other units of columns take what they do not need. "Masks".
inline constexpr Share share_of_light_rows = {3, 4, 1, 0, 1, 8, true},
                       share_of_lighter_rows = {4, 4, 1, 88, 1, 8, true},
                       share_of_lightest_rows = {5, 4, 1, 72, 1, 8, true};
/// Where one product makes what is left of the rows of frequencies: both tiles at once are worth more than units.
inline constexpr Share share_of_few_rows = {2, 4, 2, 0, 1, 8, true};
/// Of the work on rows, what is left.
inline constexpr double light_rows = 0.55, lighter_rows = 0.2, lightest_rows = 0.13;
inline constexpr std::int64_t longest_light_row = 16384;

/// Shares with which rows keep the spectrum of a channel in registers while its batch rows come one after the other: an
/// eighth less goes through L2, which is 2 to 7% faster. Columns give up the registers that it takes. "A turn of
/// columns".
struct KeptShare {
  Share share;
  int least_butterfly, most_butterfly;  ///< of the columns
  int rows;                             ///< of 256 samples
  bool right_angle = false;             ///< for these only: pairs lose by it, or were not measured
  int items = 1;                        ///< column tiles of a row that a warp has in flight
};
inline constexpr KeptShare kept_shares[] = {
    {{3, 4, 2, 72, 2, 8}, 3, 4, 16, true, 2}, {{2, 4, 2, 96, 2, 8}, 5, 8, 16},   {{2, 4, 2, 96, 2, 8}, 5, 8, 32},
    {{2, 4, 1, 104, 2, 8}, 9, 16, 16},        {{2, 4, 1, 104, 1, 8}, 9, 16, 32}, {{2, 4, 1, 80, 1, 8}, 5, 8, 64, true},
};

/// Rows whose twiddles are made of steps, by the columns: those of 256 have room for a second unit then. Those of
/// gradients, measured at 8192 and 16384, lose by it. "Columns and rows", "Long rows beside long columns".
inline constexpr UpTo least_step_row[] = {{128, 16384}, {any_size, 10240}};

/// How many chunks a thread copies at once. Many make columns faster and rows slower, whose loads and stores wait
/// meanwhile: 1 to 4% faster than others, and 7 to 17% with rows that a mask leaves little to do, of the work so much.
/// "A turn of columns".
struct CopyPace {
  int loads, stores;
};
inline constexpr double rows_light_for_copies = 0.3;
inline constexpr CopyPace pace_beside_light_rows = {8, 8}, pace_of_few_registers = {8, 4}, pace_of_gradients = {2, 1},
                          pace_of_pairs = {4, 4}, pace_of_rows = {2, 1}, pace_of_real_rows = {4, 2},
                          pace_of_many_units = {1, 1};

/// Turns compute their addresses anew in pairs' columns of 128 with 72 registers, and of one product under a mask.
/// "Masks".
inline constexpr int few_registers = 72, few_values = 4;

}  // namespace ffc::measured
