// Memory of spectra, and what prepare_filter_into takes.
#include "filter_checks.hpp"

#include "launch_check_parts.hpp"

namespace ffc {

void check_spectrum_memory(const Generated& generated, const Workspace& memory, int channels, std::size_t bytes) {
  if (channels < 1) refuse(generated, "a spectrum of {} channels; there must be 1 or more", channels);
  if (memory.data == nullptr)
    refuse(generated, "memory.data is null; it must point to the {} bytes of the spectrum of {} channels", bytes,
           channels);
  check_memory(generated.name, "memory", memory, bytes);
}

void check_filter_into(const Generated& generated, const FilterView& filter, const Workspace& memory,
                       std::size_t spectrum_bytes, const Workspace& workspace, std::size_t workspace_bytes) {
  check_filter(generated, filter, workspace, workspace_bytes);
  check_spectrum_memory(generated, memory, filter.channels, spectrum_bytes);
  if (workspace.data == nullptr && workspace_bytes > 0)
    refuse(generated, "workspace.data is null; prepare_filter_into allocates nothing, and takes {} bytes of workspace",
           workspace_bytes);
  const NamedMemory spectrum = bytes_of("memory.data", memory.data, spectrum_bytes);
  check_apart_from_filter(generated, spectrum, filter);
  check_apart(generated, spectrum, bytes_of("workspace.data", workspace.data, workspace_bytes));
}

FilterArguments filter_arguments(const Generated& generated, const FilterView& filter, void* spectrum, void* workspace,
                                 const void* tables) {
  FilterArguments arguments;
  arguments.k = filter.k;
  arguments.skip = filter.skip;
  arguments.spectrum = spectrum;
  arguments.workspace = workspace;
  arguments.tables = tables;
  arguments.k_channel_stride = filter.channel_stride != 0 ? filter.channel_stride : generated.config.filter_length;
  arguments.channels = filter.channels;
  arguments.filter_length = static_cast<std::int32_t>(generated.config.filter_length);
  return arguments;
}

}  // namespace ffc
