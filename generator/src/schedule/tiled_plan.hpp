// Plans of the tiled family: which lengths it has, and the threads and memory of each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ffc/generator/arch.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "outer_digits.hpp"

namespace ffc {

/// The plan with the geometry that measured best; nothing where it does not fit the arch. Of a causal config whose rows
/// do not fit the transform whole, a plan of windows (windows_of). `column_length` is R where
/// these are the rows of a split plan, whose filters are complex.
[[nodiscard]] std::optional<InBlockPlan> tiled_plan(const ConvConfig& config, OuterDigits outer, const Arch& arch,
                                                    int column_length = 0);

/// The same with a geometry of the caller's; nothing where it does not fit.
[[nodiscard]] std::optional<InBlockPlan> tiled_plan(const ConvConfig& config, OuterDigits outer, const Arch& arch,
                                                    const Geometry& geometry, int column_length = 0);

/// Rows of a cluster, in whose blocks groups take turns at a ring of `pairs` pairs: `geometry.buffers` is none of
/// theirs.
[[nodiscard]] std::optional<InBlockPlan> cluster_row_plan(const ConvConfig& config, OuterDigits outer, const Arch& arch,
                                                          const Geometry& geometry, int column_length, int pairs);

/// The same of rows or windows that are transformed alone, at frequencies k + 1/4: padded rows a sample a point,
/// windows two; nothing where the outer digits do not begin with a tile of more than 8, where rows have fewer samples
/// than half of the points, or more than there are, and windows would hold the row or be of halo for the most part.
[[nodiscard]] std::optional<InBlockPlan> tiled_right_angle_plan(const ConvConfig& config, OuterDigits outer,
                                                                const Arch& arch);
[[nodiscard]] std::optional<InBlockPlan> tiled_right_angle_plan(const ConvConfig& config, OuterDigits outer,
                                                                const Arch& arch, const Geometry& geometry);

/// The same of rows that fill more than half of their transform and are taken as they are, each alone
/// (Packing::real_row); nothing where the outer tile's radix is 8 or none, or the butterfly's odd. Its spectrum is that
/// of pairs in the same digits.
[[nodiscard]] std::optional<InBlockPlan> tiled_real_row_plan(const ConvConfig& config, OuterDigits outer,
                                                             const Arch& arch);

}  // namespace ffc
