// Filter gradients of one block: their transform in shared memory, or where that is too small in global memory.
#pragma once

#include <string>
#include <vector>

#include "emit.hpp"
#include "ffc/generator/arch.hpp"

namespace ffc {

/// Whether a block of that arch holds the sums of a channel, and then its samples, beside the roots of the transform.
[[nodiscard]] bool fits_shared_memory(const Plan& plan, const Arch& arch);

/// Whether the filter gradient's launch may begin while the gradients' blocks end, and both texts say so: from sm_90
/// on, of transforms in shared memory.
[[nodiscard]] bool overlaps_gradients(const Plan& plan, const Arch& arch);

/// The kernel of a plan that fits_shared_memory. It takes no workspace.
[[nodiscard]] GeneratedKernel emit_shared_filter_gradient(const SpectrumLayout& layout, const ConvConfig& config,
                                                          const Plan& plan);

// Text that the kernels in shared and in global memory have in common.

/// "filter_grad_n4096_8x8x8x4_taps4096_sm90a".
[[nodiscard]] std::string filter_gradient_name(const std::vector<int>& radices, const SpectrumLayout& layout,
                                               const ConvConfig& config, const Plan& plan);
[[nodiscard]] std::string filter_gradient_header(const std::string& name, const ConvConfig& config);
/// What samples are multiplied by: the spectrum's gain makes up for the matrices' scales there and back; the sums are
/// twice what they stand for.
[[nodiscard]] std::string gain_text(const SpectrumLayout& layout, const ConvConfig& config);

}  // namespace ffc
