// The public face over the registry and the spectrum's state.
#include "ffc/runtime/kernel.hpp"

#include <algorithm>

#include "launch_checks.hpp"
#include "registry.hpp"
#include "spectrum_state.hpp"

namespace ffc {

int FilterSpectrum::channels() const { return state_ ? state_->channels : 0; }
std::size_t FilterSpectrum::bytes() const { return state_ ? state_->bytes : 0; }
const void* FilterSpectrum::data() const { return state_ ? state_->data : nullptr; }
int FilterSpectrum::device() const { return state_ ? state_->device : -1; }

const std::string& FilterSpectrum::tag() const {
  static const std::string none;
  return state_ ? state_->tag : none;
}

void FilterSpectrum::mark_used_by_non_blocking_stream() const {
  if (state_) state_->used_by_non_blocking_stream = true;
}

std::string Kernel::source() const {
  if (!generated().columns) return generated().conv.source;
  std::string text;
  for (const ProgramView& program : programs(generated()))
    if (program.kernel != &generated().filter)
      text += "// ---- " + program.kernel->name + ".cu ----\n" + program.kernel->source;
  return text;
}

std::size_t Kernel::spectrum_bytes(int channels) const {
  return static_cast<std::size_t>(generated().spectrum_row_bytes) * static_cast<std::size_t>(std::max(channels, 0));
}

std::size_t Kernel::least_workspace_bytes() const {
  return generated().columns ? static_cast<std::size_t>(generated().columns->pair_bytes()) : 0;
}

std::size_t Kernel::workspace_bytes() const {
  const std::size_t pair = least_workspace_bytes();
  return std::max<std::size_t>(pair == 0 ? 0 : chunk_bytes() / pair, 1) * pair *
         static_cast<std::size_t>(chunks_at_once());
}

int Kernel::kernels_per_launch(int batch, int channels) const {
  const std::size_t pair = least_workspace_bytes();
  if (pair == 0) return 1;
  const ChunkShare share = share_workspace(generated(), {}, workspace_bytes(), chunks_at_once());
  const auto chunks = static_cast<int>(make_chunks(batch, channels, share.pairs).size());
  return 2 * chunks + std::min(share.lanes, chunks);
}

std::size_t Kernel::filter_workspace_bytes(int channels) const {
  return static_cast<std::size_t>(generated().filter_workspace_bytes_per_block) *
         static_cast<std::size_t>(std::clamp(channels, 0, generated().filter_blocks));
}

std::shared_ptr<const Kernel> get_kernel(const ConvConfig& config, Device device) {
  return Registry::instance().get_kernel(config, device);
}

CompiledProgram compile(const GeneratedKernel& kernel, std::string_view arch) {
  return Registry::instance().compile(kernel, arch);
}

void set_log_callback(LogCallback callback) { Registry::instance().set_log_callback(std::move(callback)); }

}  // namespace ffc
