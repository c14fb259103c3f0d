// Names and headers of emitted kernels.
#pragma once

#include <string>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// "conv_fwd_n4096_16x16x16_f16_causal_l2048_gated_sm90a".
[[nodiscard]] std::string kernel_name(const ConvConfig& config, const Plan& plan);

/// The comment that opens every emitted file: config, plan, threads, memory, and how to compile it alone.
[[nodiscard]] std::string header_comment(const ConvConfig& config, const Plan& plan, const std::string& name);

/// Generated::spectrum_tag of what a filter kernel makes.
[[nodiscard]] std::string spectrum_tag(const GeneratedKernel& filter);

}  // namespace ffc
