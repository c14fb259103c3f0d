// Squared relative errors of stages in units of 1e-8, fp16 accumulation, nothing fused: means over random rows against
// float64, made with `bench --radices` and `--accumulation`. MEASURED.md, at its head.
#pragma once

namespace ffc::measured {

inline constexpr int most_fused = 4;

// Wanted, of 1.0e-3 that are promised: what is left covers what other data adds, which grows with the length.
inline constexpr double wanted_error = 9.75e-4;
inline constexpr double wanted_error_of_longest = 9.4e-4;
inline constexpr double wanted_error_of_fractional = 9.9e-4;  ///< their errors are known to 1%

// By butterfly.
inline constexpr double warp_error[9] = {0, 52, 73, 88, 85, 100, 115, 107, 107};  ///< no column stage
/// Of rows alone that a warp holds; and where their products are halved.
inline constexpr double lone_warp_error[] = {0, 69, 84, 92, 95, 105, 107};
inline constexpr double halved_warp_error[] = {0, 66, 83, 87, 96, 97, 104};
inline constexpr double column_error[9] = {0, 81.5, 95, 110, 106, 116, 122, 122, 122};  ///< with one
/// A column stage of radix 8: its products round once instead of twice ...
inline constexpr double radix8_saves = 5;
/// ... but its twiddles are separate.
inline constexpr double radix8_twiddle[9] = {0, 0, 13, 7, 12, 12, 12, 12, 12};
/// fp32 from product to butterfly.
inline constexpr double wide_saves[9] = {0, 0, 6, 9, 12, 13, 14, 16, 19};
/// Of rows that are real there: their products sum half as many terms.
inline constexpr double real_rows_save[9] = {0, 0, 4, 0, 8, 0, 0, 0, 11};
/// Of rows alone without a butterfly, by tile.
inline constexpr double right_angle_adds[17] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 2, 1, 7, 0, 3};
/// Products at frequencies between: two factors of five, but products' halves round too, unless they are summed in
/// accumulators or in fp32. "Windows alone that keep a spectrum".
inline constexpr double fractional_saves[9] = {0, 0, 2, -2, -2, 4, 4, 4, 4};
inline constexpr double halves_added_save = 6, accumulated_saves = 11, wide_rows_save = 15;

/// By how many factors are fused.
inline constexpr double fused_saves[most_fused + 1] = {0, 10, 20, 28, 34};
inline constexpr double gate_adds = 4, gate_adds_at_right_angle = 5, gate_adds_to_lone_warp = 7;

}  // namespace ffc::measured
