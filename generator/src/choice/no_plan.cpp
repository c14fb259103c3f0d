// Tells the conditions of plans apart that failed, the first one that did.
#include "no_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backward_plan.hpp"
#include "cluster_plan.hpp"
#include "ffc/generator/arch.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/error.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "forced_radices.hpp"
#include "general_plan.hpp"
#include "outer_digits.hpp"
#include "plan_limits.hpp"
#include "split_plan.hpp"
#include "window_plan.hpp"

namespace ffc {
namespace {

constexpr std::int64_t row = 256;
constexpr std::int64_t point_bytes = 4;
constexpr std::int64_t cluster_row = 2048;

constexpr const char* tiled_lengths = "256 x n samples, n being 1 to 16 or a product of 8 to 16 and 2, 3, 4 or 8";
constexpr const char* lone_lengths = "512 x n samples, n being 9 to 16 or a product of 9 to 16 and 2, 3, 4 or 8";
constexpr const char* split_lengths =
    "R x M, R being 16 times 1 to 8, 16, 32 or 64 and M 256 times 1 to 16 or times a product of 8 to 16 and 2, 3, 4 or "
    "8";

int shared_of(const ConvConfig& config) { return find_arch(config.arch).shared_per_block; }

std::string memory_of(const ConvConfig& config) {
  return fmt::format("the {} bytes of shared memory that a block of {} has", shared_of(config), config.arch);
}

// "4352 = 256 x 17"
std::string spelled(std::int64_t length) {
  if (length % row != 0) return fmt::to_string(length);
  return fmt::format("{} = {} x {}", length, row, length / row);
}

std::string columns_refusal(const ConvConfig& config) {
  const std::int64_t rows = config.fft_length / config.column_length;
  if (rows > longest_tiled || outer_digits(rows).empty())
    return fmt::format("rows of fft_length / column_length have {} samples; they must have {}", spelled(rows),
                       tiled_lengths);
  return fmt::format("columns and rows of {} samples do not fit {}", rows, memory_of(config));
}

std::string cluster_refusal(const ConvConfig& config) {
  const std::int64_t rows = config.fft_length / config.column_length;
  if (!find_arch(config.arch).has_clusters()) return "clusters need sm_90a or later";
  if (!config.mask.empty()) return fmt::format("mask is {}; clusters take none", to_string(config.mask));
  const std::int64_t units = rows % cluster_row == 0 ? rows / cluster_row : 0;
  if (units < 2 || units > 8)
    return fmt::format(
        "rows of fft_length / column_length have {} samples; they must have {} times 2 to 8, or twice as many where "
        "rows go alone",
        rows, cluster_row);
  return fmt::format("three rows of {} samples do not fit {}", rows, memory_of(config));
}

std::string no_columns(const ConvConfig& config) {
  const auto cluster = cluster_shape(config.column_length);
  return fmt::format("no plan for fft_length {} with column_length {}{} on {}: {}", config.fft_length,
                     config.column_length, cluster ? ", a cluster," : "", config.arch,
                     cluster ? cluster_refusal(config) : columns_refusal(config));
}

// Radices of half of fft_length.
std::string lone_radices_refusal(const ConvConfig& config) {
  const std::int64_t points = config.fft_length / 2;
  if (!config.mask.empty())
    return fmt::format("those of half of fft_length are for rows alone, which a mask, {}, does not go with",
                       to_string(config.mask));
  const bool windows = lone_windows_of(config, points).has_value();
  if (!windows && config.padding == Padding::causal && !fits_whole(config, config.fft_length))
    return fmt::format(
        "those of half of fft_length are for windows alone, which have room for a filter_length in [1, {}], "
        "and it is {}",
        most_lone_taps(points), config.filter_length);
  if (!windows && (config.length > points || 2 * config.length <= points))
    return fmt::format("those of half of fft_length are for rows of {} to {} samples, and length is {}", points / 2 + 1,
                       points, config.length);
  if (points > longest_tiled && column_shapes(points).empty())
    return fmt::format("past {} points those of half of fft_length are columns and rows, {}", longest_tiled,
                       split_lengths);
  return fmt::format("they do not fit {}", memory_of(config));
}

std::string whole_radices_refusal(const ConvConfig& config) {
  return fmt::format("windows of {} samples in pairs do not fit {}", config.fft_length, memory_of(config));
}

std::string no_radices(const ConvConfig& config) {
  return fmt::format("no plan for fft_length {} with radices {} on {}: {}", config.fft_length,
                     fmt::join(config.radices, "x"), config.arch,
                     spells_right_angle(config) ? lone_radices_refusal(config) : whole_radices_refusal(config));
}

std::string pairs_refusal(const ConvConfig& config) {
  if (config.fft_length > longest_window) return fmt::format("in pairs they have up to {} samples", longest_window);
  if (outer_digits(config.fft_length).empty()) return fmt::format("in pairs they have {}", tiled_lengths);
  return fmt::format("in pairs they do not fit {}", memory_of(config));
}

std::string alone_refusal(const ConvConfig& config) {
  const std::int64_t points = config.fft_length / 2;
  if (!begins_with_tile(outer_digits(points))) return fmt::format("alone they have {}", lone_lengths);
  if (!lone_windows_of(config, points))
    return fmt::format("alone they have room for a filter_length in [1, {}]", most_lone_taps(points));
  return fmt::format("alone they do not fit {}", memory_of(config));
}

std::string no_windows(const ConvConfig& config) {
  const std::string wanted =
      fmt::format("length {} and filter_length {} on {}", config.length, config.filter_length, config.arch);
  if (config.fft_length != 0)
    return fmt::format("no windows of fft_length {} for {}: {}; {}", spelled(config.fft_length), wanted,
                       pairs_refusal(config), alone_refusal(config));
  return fmt::format(
      "no windows of any length for {}: those longer than {} samples, which the filter reaches back, do not "
      "fit {}",
      wanted, halo_of(reached_taps(config)), memory_of(config));
}

// Of a config that leaves the factorisation open.
bool wants_windows(const ConvConfig& config) {
  if (windows_refusal(config)) return false;
  return config.history || config.length > longest_split ||
         (config.fft_length != 0 && !fits_whole(config, config.fft_length));
}

// The transform's frequencies are the mask's: none is folded.
std::string masked_refusal(const ConvConfig& config) {
  const std::int64_t n = config.fft_length;
  if (n > longest_tiled && column_shapes(n).empty())
    return fmt::format("with a mask fft_length past {} must be {}", longest_tiled, split_lengths);
  if (n <= longest_tiled && general_radices(n).empty())
    return fmt::format("with a mask fft_length up to {} must be a product of primes up to 61", longest_tiled);
  return fmt::format("with a mask nothing is folded, and {} points do not fit {}", n, memory_of(config));
}

std::string long_refusal(const ConvConfig& config) {
  const bool itself = config.fft_length != 0 && !column_shapes(config.fft_length).empty();
  const std::int64_t folded = 2 * config.length - 1;
  if (!itself && config.padding != Padding::causal && folded > longest_split)
    return fmt::format(
        "past {} it must be {}, or 2 x length - 1 = {} within {}, for a transform that it is folded into",
        longest_tiled, split_lengths, folded, longest_split);
  const std::int64_t least = itself                              ? config.fft_length
                             : config.padding == Padding::causal ? config.length + reached_taps(config) - 1
                                                                 : folded;
  return fmt::format("columns and rows of {} points{} do not fit {}", least, itself ? "" : " or more",
                     memory_of(config));
}

std::string no_forward_plan(const ConvConfig& config) {
  if (config.column_length != 0) return no_columns(config);
  if (!config.radices.empty()) return no_radices(config);
  if (wants_windows(config)) return no_windows(config);
  return fmt::format("no plan for fft_length {} and length {} on {}: {}", config.fft_length, config.length, config.arch,
                     config.mask.empty() ? long_refusal(config) : masked_refusal(config));
}

std::string gradients_refusal(const ConvConfig& config) {
  if (cluster_shape(config.column_length))
    return fmt::format(
        "column_length is {}, a cluster, which gradients do not take; it must be 0 or 16 times 1 to 8, "
        "16, 32 or 64",
        config.column_length);
  if (!config.mask.empty() && config.fft_length <= longest_tiled && outer_digits(config.fft_length).empty())
    return fmt::format("with a mask fft_length up to {} must be {}", longest_tiled, tiled_lengths);
  return fmt::format("rows of gradients do not fit {}", memory_of(config));
}

std::string no_backward_plan(const ConvConfig& config) {
  // What the convolution lacks, its gradients do.
  const std::optional<ConvConfig> followed = followed_config(config);
  if (followed && find_plans(*followed).empty()) return no_forward_plan(*followed);
  return fmt::format("pass is backward with fft_length {} and length {} on {}: {}", config.fft_length, config.length,
                     config.arch, gradients_refusal(config));
}

}  // namespace

void throw_no_plan(const ConvConfig& config) {
  const std::string why = config.pass == Pass::forward ? no_forward_plan(config) : no_backward_plan(config);
  throw ConfigError(why);
}

}  // namespace ffc
