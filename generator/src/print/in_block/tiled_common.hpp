// What the kernels of the tiled family have in common: constants, shared memory, templates, the spectrum's layout.
#pragma once

#include <string>
#include <string_view>

#include "assemble.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "spectrum_layout.hpp"
#include "tiled_tables.hpp"

namespace ffc {

[[nodiscard]] std::string tiled_constants(const ConvConfig& config, const InBlockPlan& plan,
                                          const SpectrumLayout& spectrum);
[[nodiscard]] std::string tiled_shared_map(const ConvConfig& config, const InBlockPlan& plan);
[[nodiscard]] Substitutes tiled_substitutes(const ConvConfig& config, const InBlockPlan& plan);
/// Declares how many pairs of rows or windows a channel has: `pairs`.
[[nodiscard]] std::string pairs_block(const InBlockPlan& plan);
[[nodiscard]] SpectrumLayout tiled_spectrum_layout(const ConvConfig& config, const InBlockPlan& plan);

/// A kernel of the tiled family from its skeleton.
[[nodiscard]] GeneratedKernel block_kernel(const ConvConfig& config, const InBlockPlan& plan, std::string_view skeleton,
                                           const Blocks& blocks, const Substitutes& substitutes,
                                           const TiledTables& tables);

}  // namespace ffc
