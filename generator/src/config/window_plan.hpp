// When a config is convolved in windows, and in which.
#pragma once

#include <optional>
#include <string>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/windows.hpp"

namespace ffc {

constexpr std::int64_t longest_window =
    32768;  ///< what one block holds, in pairs; of windows alone it holds twice that
/// So that windows are counted in 32 bits, in pairs, however short their steps are: 2^30 of 64 samples.
constexpr std::int64_t longest_windowed_row = std::int64_t{1} << 36;

/// Taps that a row's samples meet: those beyond the row are never reached, unless there is a history.
[[nodiscard]] std::int64_t reached_taps(const ConvConfig& config);

/// The samples that windows read again, for that many taps: a multiple of 64.
[[nodiscard]] std::int64_t halo_of(std::int64_t taps);

/// The whole row fits a transform of that length, without windows. Of configs that have a length already.
[[nodiscard]] bool fits_whole(const ConvConfig& config, std::int64_t transform_length);

/// The most taps that leave windows of so many samples new ones: at least 64, of those longer than longest_window half.
[[nodiscard]] std::int64_t most_window_taps(const ConvConfig& config, std::int64_t window);

/// The most taps of windows that are transformed alone, of two samples a point: what wraps around is half of a window.
[[nodiscard]] std::int64_t most_lone_taps(std::int64_t points);

/// Why a config cannot take its rows in windows, of some length or of the one that is forced: the field, its value and
/// what is right. Nothing where it can.
[[nodiscard]] std::optional<std::string> windows_refusal(const ConvConfig& config);

/// The windows that a transform of that length stands for: nothing where it holds the whole row. The config's taps are
/// no more than most_window_taps() of it.
[[nodiscard]] std::optional<Windows> windows_of(const ConvConfig& config, std::int64_t transform_length);

/// The windows of twice as many samples that are transformed alone, `points` complex points each; one where it holds
/// the whole row. Nothing where rows are alone without a halo, or where less than half of a window would be new.
[[nodiscard]] std::optional<Windows> lone_windows_of(const ConvConfig& config, std::int64_t points);

}  // namespace ffc
