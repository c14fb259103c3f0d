// The public face over the registry and the spectrum's state.
#include "ffc/runtime/kernel.hpp"

#include <algorithm>

#include "backward_launches.hpp"
#include "filter_checks.hpp"
#include "launch_check_parts.hpp"
#include "launch_checks.hpp"
#include "magnitude_launches.hpp"
#include "registry.hpp"
#include "spectrum_state.hpp"
#include "split_backward_launches.hpp"

namespace ffc {

int FilterSpectrum::channels() const { return state_ ? state_->channels : 0; }
std::size_t FilterSpectrum::bytes() const { return state_ ? state_->bytes : 0; }
const void* FilterSpectrum::data() const { return state_ ? state_->memory->data() : nullptr; }
int FilterSpectrum::device() const { return state_ ? state_->device : -1; }

const std::string& FilterSpectrum::tag() const {
  static const std::string none;
  return state_ ? state_->tag : none;
}

void FilterSpectrum::mark_used(CUstream stream) const {
  if (state_) state_->memory->mark_used(stream);
}

std::string Kernel::source() const { return generated().conv.source; }

std::size_t Kernel::spectrum_bytes(int channels) const {
  check_shape(generated(), {1, channels});
  return static_cast<std::size_t>(generated().spectrum_row_bytes) * static_cast<std::size_t>(channels);
}

SpectrumView Kernel::view_spectrum(Workspace memory, int channels) const {
  check_spectrum_memory(generated(), memory, channels, spectrum_bytes(channels));
  return {memory.data, spectrum_bytes(channels), channels, device(), generated().spectrum_tag};
}

std::size_t Kernel::least_workspace_bytes(int channels, int batch) const {
  check_shape(generated(), {batch, channels});
  return generated().backward ? 0 : least_launch_bytes(generated(), batch, channels);
}

std::size_t Kernel::workspace_bytes(int channels, int batch) const {
  check_shape(generated(), {batch, channels});
  return generated().backward ? 0 : ring_workspace_bytes() + magnitude_bytes(generated(), batch, channels);
}

std::int64_t Kernel::magnitudes_count(int channels, int batch) const {
  check_shape(generated(), {batch, channels});
  return magnitude_count(generated(), batch, channels);
}

RowMagnitudes Kernel::magnitudes_in(const float* memory, int batch) const {
  return found_magnitudes(generated(), memory, batch);
}

std::size_t Kernel::ring_workspace_bytes() const {
  if (!generated().split) return 0;
  const SplitLaunch& split = *generated().split;
  // Measured best on an H200 (generator/src/MEASURED.md, "The ring"): a sixth less than gradients take.
  const std::int64_t cached = static_cast<std::int64_t>(ring_bytes()) * 5 / 6;
  return static_cast<std::size_t>(split.workspace_bytes(split.wanted_ring(resident_blocks(), cached)));
}

std::size_t Kernel::filter_workspace_bytes(int channels) const {
  check_shape(generated(), {1, channels});
  return static_cast<std::size_t>(generated().filter_workspace_bytes_per_block) *
         static_cast<std::size_t>(std::min(channels, generated().filter_blocks));
}

std::size_t Kernel::backward_workspace_bytes(int batch, int channels) const {
  check_shape(generated(), {batch, channels});
  if (!generated().backward) return 0;
  return gradient_workspace_bytes(batch, channels) + magnitude_bytes(generated(), batch, channels);
}

std::size_t Kernel::gradient_workspace_bytes(int batch, int channels) const {
  if (generated().split) return split_backward_bytes(generated(), batch, channels, ring_bytes());
  const int resident = resident_blocks();
  return BackwardSizes(generated(), batch, channels, resident).bytes(chunk_of(generated(), batch, channels, resident));
}

std::shared_ptr<const Kernel> get_kernel(const ConvConfig& config, Device device) {
  return Registry::instance().get_kernel(config, device);
}

CompiledProgram compile(const GeneratedKernel& kernel, std::string_view arch) {
  return Registry::instance().compile(kernel, arch);
}

void set_log_callback(LogCallback callback) { Registry::instance().set_log_callback(std::move(callback)); }

}  // namespace ffc
