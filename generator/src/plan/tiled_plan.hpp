// Plans of the tiled family: which lengths it has, and the threads and memory of each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ffc/generator/plan.hpp"

namespace ffc {

/// The outer digits of a tiled plan: a butterfly in the register index and a product down the columns; 1 where absent.
struct OuterDigits {
  int butterfly = 1;
  int tile = 1;
};

/// All ways to write M / 256 as outer digits; empty where M is no length of this family.
[[nodiscard]] std::vector<OuterDigits> outer_digits(std::int64_t transform_length);

/// The outer digits that a forced list of radices spells, if it spells a tiled plan.
[[nodiscard]] std::vector<OuterDigits> outer_digits(const std::vector<int>& radices);

/// Whether one of them is of rows or windows that can go alone: those begin with a product of more than 8 down the
/// columns.
[[nodiscard]] bool begins_with_tile(const std::vector<OuterDigits>& outer);

/// What is wrong with forced radices that spell no tiled plan, and which do: "13x7, where 7 at place 2 is wrong; ...".
/// Empty where they spell one.
[[nodiscard]] std::string radices_refusal(const std::vector<int>& radices);

/// Of radices from 2 on; past longest_split no further.
[[nodiscard]] std::int64_t product_of(const std::vector<int>& radices);

/// Forced radices have a product of half of fft_length: those of a transform of one row or window at frequencies k +
/// 1/4.
[[nodiscard]] bool spells_quarters(const ConvConfig& config);

/// The plan with the geometry that measured best; nothing where it does not fit the arch. Of a causal config whose rows
/// do not fit the transform whole, a plan of windows (windows_of). `column_length` is R where
/// these are the rows of a split plan, whose filters are complex.
[[nodiscard]] std::optional<Plan> tiled_plan(const ConvConfig& config, OuterDigits outer, const Arch& arch,
                                             int column_length = 0);

/// The same with a geometry of the caller's; nothing where it does not fit.
[[nodiscard]] std::optional<Plan> tiled_plan(const ConvConfig& config, OuterDigits outer, const Arch& arch,
                                             const Geometry& geometry, int column_length = 0);

/// The same of rows or windows that are transformed alone, at frequencies k + 1/4: padded rows a sample a point,
/// windows two; nothing where the outer digits do not begin with a tile of more than 8, where rows have fewer samples
/// than half of the points, or more than there are, and windows would hold the row or be of halo for the most part.
[[nodiscard]] std::optional<Plan> tiled_quarter_plan(const ConvConfig& config, OuterDigits outer, const Arch& arch);
[[nodiscard]] std::optional<Plan> tiled_quarter_plan(const ConvConfig& config, OuterDigits outer, const Arch& arch,
                                                     const Geometry& geometry);

/// Lays the shared memory out anew, for a plan that keeps fewer rows than it was made with.
void map_shared(Plan& plan, const ConvConfig& config);

}  // namespace ffc
