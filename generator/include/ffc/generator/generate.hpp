// From a config, or one of its plans, to everything that the runtime needs.
#pragma once

#include <string_view>
#include <vector>

#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// Emits the kernels for a config whose arch is named. Throws ConfigError.
[[nodiscard]] Generated generate(const ConvConfig& config);

/// Emits the kernels of one plan; `config` is normalised and names its arch. `generate(config)` takes the first plan.
[[nodiscard]] Generated generate(const ConvConfig& config, const Plan& plan);

/// One program of a config, and what it is for.
struct ProgramView {
  /// "convolution", "gradients", "filter", "tensors apart", "filter gradient", "magnitudes" or "scaling"
  std::string_view kind;
  const GeneratedKernel* kernel = nullptr;
};

/// The programs of a config. They point into `generated`.
[[nodiscard]] std::vector<ProgramView> programs(const Generated& generated);
[[nodiscard]] std::vector<ProgramView> programs(Generated&&) = delete;

}  // namespace ffc
