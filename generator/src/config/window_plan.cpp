// Halos, steps and counts of windows.
#include "window_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/windows.hpp"
#include "outer_digits.hpp"

namespace ffc {
namespace {

constexpr std::int64_t halo_multiple = 64;  // samples, 128 bytes: a line of memory
constexpr std::int64_t window_multiple = 256;

// A masked filter reaches over all of N: no window of a longer row holds what it needs.
bool takes_windows(const ConvConfig& config) { return config.padding == Padding::causal && config.mask.empty(); }

bool needs_gap(const ConvConfig& config) { return config.pass == Pass::backward && backward_work(config).needs_gap(); }

// One, or two and a gap between them.
std::int64_t halos_of(const ConvConfig& config) { return needs_gap(config) ? 3 : 1; }

}  // namespace

std::int64_t reached_taps(const ConvConfig& config) {
  if (config.history || !config.mask.empty()) return config.filter_length;
  return std::min(config.filter_length, config.length);
}

std::int64_t halo_of(std::int64_t taps) { return (taps - 1 + halo_multiple - 1) / halo_multiple * halo_multiple; }

bool fits_whole(const ConvConfig& config, std::int64_t transform_length) {
  return !config.history && config.length + reached_taps(config) - 1 <= transform_length;
}

std::int64_t most_window_taps(const ConvConfig& config, std::int64_t window) {
  if (window > longest_window) return window / 2 + 1;
  // A gap goes with at least as many new samples: with fewer, rounding of the halos' products would outweigh dk.
  const std::int64_t longest_halo = needs_gap(config) ? window / (halos_of(config) + 1) : window - halo_multiple;
  return longest_halo / halo_multiple * halo_multiple + 1;
}

std::int64_t most_lone_taps(std::int64_t points) { return points / halo_multiple * halo_multiple + 1; }

std::optional<std::string> windows_refusal(const ConvConfig& config) {
  if (config.padding != Padding::causal)
    return fmt::format("padding is {}, and windows go with causal", to_string(config.padding));
  if (!config.mask.empty())
    return fmt::format("mask is {}, and a masked filter reaches over all of fft_length", to_string(config.mask));
  if (config.column_length != 0)
    return fmt::format("column_length is {}, and with windows it must be 0", config.column_length);
  if (!config.radices.empty())
    if (const std::string refusal = radices_refusal(config.radices); !refusal.empty()) return "radices are " + refusal;
  const std::int64_t longest = config.pass == Pass::forward ? 2 * longest_window : longest_window;
  if (config.fft_length > longest)
    return fmt::format("fft_length is {}, and of windows{} it must lie in [{}, {}]", config.fft_length,
                       config.pass == Pass::forward ? "" : " of gradients", window_multiple, longest);
  const std::int64_t multiple = config.fft_length > longest_window ? 2 * window_multiple : window_multiple;
  if (config.fft_length % multiple != 0)
    return fmt::format("fft_length is {}, and of windows {}it must be a multiple of {}", config.fft_length,
                       config.fft_length > longest_window ? fmt::format("past {} ", longest_window) : "", multiple);
  const std::int64_t window = config.fft_length != 0 ? config.fft_length : longest_window;
  const std::int64_t most = most_window_taps(config, window);
  if (config.filter_length < 1 || config.filter_length > window || reached_taps(config) > most)
    return fmt::format("filter_length is {}, and windows of {} samples have room for [1, {}]", config.filter_length,
                       window, most);
  return std::nullopt;
}

namespace {

// Of so many samples each: one where it holds the whole row.
Windows windows_of_length(const ConvConfig& config, std::int64_t transform_length) {
  const std::int64_t taps = reached_taps(config);
  Windows windows;
  windows.length = transform_length;
  windows.step = transform_length - halos_of(config) * halo_of(taps);
  if (needs_gap(config)) windows.gap = halo_of(taps);
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
  if (config.pass == Pass::backward || !takes_windows(config) || halo_of(reached_taps(config)) > points)
    return std::nullopt;
  // Rows of up to `points` samples need no halo: they are alone as they are.
  if (fits_whole(config, 2 * points) && config.length <= points) return std::nullopt;
  Windows windows = windows_of_length(config, 2 * points);
  windows.packing = Packing::right_angle;
  return windows;
}

}  // namespace ffc
