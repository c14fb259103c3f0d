// Samples of a tile of the ring's columns: how products take them, and what is met of them.
#pragma once

#include <string>
#include <string_view>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// The channel of a row: of the two of a pair, whose parts are real and imaginary ones, each its own.
[[nodiscard]] std::string channel_of(const FourStepPlan& plan, std::string_view part);

/// Which magnitude is that row's, in arguments of `scale_in`.
[[nodiscard]] std::string magnitude_of(const FourStepPlan& plan, std::string_view part);

/// Where samples lie, and their gates, of which the first plane of a tile would have a `place`.
[[nodiscard]] std::string samples_place(const ConvConfig& config, const FourStepPlan& plan, std::string_view place);
[[nodiscard]] std::string gate_place(const ConvConfig& config, const FourStepPlan& plan, std::string_view samples);

/// Products ask which row a tile's samples are of: for its power of two or that of its tensor, or to report of it.
[[nodiscard]] bool products_know_row(const ConvConfig& config, const FourStepPlan& plan);

/// Lines that make a chunk `x` of samples packed fp16, and meet them for a report; nothing where they come so.
[[nodiscard]] std::string to_packed_block(const ConvConfig& config, const FourStepPlan& plan);

/// Declares what products meet of the samples of a tile: of either part, where these may have two channels.
[[nodiscard]] std::string met_samples_block(const ConvConfig& config, const FourStepPlan& plan);
/// What they have met goes to its channels' records.
[[nodiscard]] std::string report_samples_block(const ConvConfig& config, const FourStepPlan& plan);

}  // namespace ffc
