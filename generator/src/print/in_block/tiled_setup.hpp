// What a tiled kernel reads or makes once, for the whole batch.
#pragma once

#include <string>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "text.hpp"
#include "tiled_tables.hpp"

namespace ffc {

/// Constants that every thread or block keeps for the whole batch. Where blocks share channels, without those of one.
[[nodiscard]] std::string tiled_setup(const ConvConfig& config, const InBlockPlan& plan, const TiledTables& tables);

/// Declares the power of two that a channel's spectrum lacks, behind its row of it.
void emit_spectrum_power(TextWriter& out);

/// What of them is of the block's channel.
void emit_channel_setup(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan);

}  // namespace ffc
