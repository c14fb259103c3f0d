// What the kernels of the tiled family have in common: constants, shared memory, templates, the spectrum's layout.
#pragma once

#include <string>

#include "emit.hpp"
#include "tiled_tables.hpp"

namespace ffc {

[[nodiscard]] std::string tiled_constants(const ConvConfig& config, const Plan& plan, const SpectrumLayout& spectrum);
[[nodiscard]] std::string tiled_shared_map(const ConvConfig& config, const Plan& plan);
[[nodiscard]] Substitutes tiled_substitutes(const ConvConfig& config, const Plan& plan);
/// Declares how many pairs of rows or windows a channel has: `pairs`.
[[nodiscard]] std::string pairs_block(const Plan& plan);
[[nodiscard]] SpectrumLayout tiled_spectrum_layout(const ConvConfig& config, const Plan& plan,
                                                   const TiledTables& tables);

}  // namespace ffc
