// Halos, steps and counts of windows.
#include "window_plan.hpp"

#include <algorithm>

namespace ffc {
namespace {

constexpr std::int64_t halo_multiple = 64;  // samples, 128 bytes: a line of memory
constexpr std::int64_t window_multiple = 256;

// A masked filter reaches over all of N: no window of a longer row holds what it needs.
bool takes_windows(const ConvConfig& config) {
  return config.pass == Pass::forward && config.padding == Padding::causal && config.mask.empty();
}

}  // namespace

std::int64_t reached_taps(const ConvConfig& config) {
  if (config.history || !config.mask.empty()) return config.filter_length;
  return std::min(config.filter_length, config.length);
}

std::int64_t halo_of(std::int64_t taps) { return (taps - 1 + halo_multiple - 1) / halo_multiple * halo_multiple; }

bool fits_whole(const ConvConfig& config, std::int64_t transform_length) {
  return !config.history && config.length + reached_taps(config) - 1 <= transform_length;
}

bool allows_windows(const ConvConfig& config) {
  if (!takes_windows(config) || config.column_length != 0) return false;
  if (config.filter_length < 1 || config.fft_length % window_multiple != 0) return false;
  const std::int64_t halo = halo_of(reached_taps(config));
  if (config.fft_length > longest_window)
    return config.fft_length <= 2 * longest_window && config.fft_length % (2 * window_multiple) == 0 &&
           2 * halo <= config.fft_length;
  const std::int64_t longest = config.fft_length != 0 ? config.fft_length : longest_window;
  return config.filter_length <= longest && halo < longest;
}

namespace {

// Of so many samples each: one where it holds the whole row.
Windows windows_of_length(const ConvConfig& config, std::int64_t transform_length) {
  const std::int64_t taps = reached_taps(config);
  Windows windows;
  windows.length = transform_length;
  windows.step = transform_length - halo_of(taps);
  windows.reach = taps - 1;
  windows.count = (config.length + windows.step - 1) / windows.step;
  windows.history = config.history;
  return windows;
}

}  // namespace

std::optional<Windows> windows_of(const ConvConfig& config, std::int64_t transform_length) {
  if (!takes_windows(config) || fits_whole(config, transform_length)) return std::nullopt;
  return windows_of_length(config, transform_length);
}

std::optional<Windows> lone_windows_of(const ConvConfig& config, std::int64_t points) {
  if (!takes_windows(config) || halo_of(reached_taps(config)) > points) return std::nullopt;
  // Rows of up to `points` samples need no halo: they are alone as they are.
  if (fits_whole(config, 2 * points) && config.length <= points) return std::nullopt;
  Windows windows = windows_of_length(config, 2 * points);
  windows.alone = true;
  return windows;
}

}  // namespace ffc
