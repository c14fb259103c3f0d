// Memory of a step of training with these kernels, beside its inputs and outputs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ffc/ffc.hpp>

#include "torch_memory.hpp"

namespace ffc::examples {

/// What these kernels take in a step, beside the same tensors: nothing is kept from forward to backward but spectra.
struct StepMemory {
  std::size_t spectra = 0;    ///< of the filter: one where both passes share it
  std::size_t workspace = 0;  ///< the largest of the step's launches: preparing the filter, forward, backward
  [[nodiscard]] std::size_t total() const { return spectra + workspace; }
};

/// Of a backward kernel and the forward kernel of the same config; `backward_workspace` is what its launch takes.
[[nodiscard]] inline StepMemory step_memory(const Kernel& backward, int channels, std::size_t backward_workspace) {
  ConvConfig config = backward.config();
  config.pass = Pass::forward;
  config.gradients = {};
  config.gradient_exponent = 0;
  const Generated forward = generate(config);
  const auto rows = static_cast<std::size_t>(channels);
  StepMemory memory;
  memory.spectra = backward.spectrum_bytes(channels);
  if (forward.spectrum_tag != backward.generated().spectrum_tag)
    memory.spectra += static_cast<std::size_t>(forward.spectrum_row_bytes) * rows;
  memory.workspace = std::max(backward_workspace, backward.filter_workspace_bytes(channels));
  if (forward.split)
    memory.workspace = std::max(memory.workspace, get_kernel(config, Device(backward.device()))->workspace_bytes());
  return memory;
}

}  // namespace ffc::examples
