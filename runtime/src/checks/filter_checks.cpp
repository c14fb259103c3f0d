// Filters, memory of spectra, and what prepare_filter_into takes.
#include "filter_checks.hpp"

#include <cstdint>

#include "launch_arguments.hpp"
#include "launch_check_parts.hpp"

namespace ffc {

void check_filter(const Generated& generated, const FilterView& filter, const Workspace& workspace,
                  std::size_t workspace_bytes) {
  const std::int64_t taps = generated.config.filter_length;
  if (filter.channels < 1) refuse(generated, "filter.channels is {}; it must be 1 or more", filter.channels);
  if (filter.k == nullptr) refuse(generated, "filter.k is null; it must point to device memory");
  if (reinterpret_cast<std::uintptr_t>(filter.k) % float_bytes != 0) {
    refuse(generated, "filter.k is {}; its address must be a multiple of {} bytes", static_cast<const void*>(filter.k),
           float_bytes);
  }
  if (reinterpret_cast<std::uintptr_t>(filter.skip) % float_bytes != 0) {
    refuse(generated, "filter.skip is {}; its address must be a multiple of {} bytes",
           static_cast<const void*>(filter.skip), float_bytes);
  }
  if (filter.length != taps) {
    refuse(generated, "filter.length is {}; it must be {}, the filter_length of the kernel's config", filter.length,
           taps);
  }
  if (filter.channel_stride != 0 && filter.channel_stride < taps) {
    refuse(generated, "filter.channel_stride is {}; it must be 0 (meaning {}) or at least the filter length {}",
           filter.channel_stride, taps, taps);
  }
  check_span(generated, {"filter.k", filter.k, 0, tap_stride(generated, filter)}, {1, filter.channels}, taps,
             float_bytes);
  check_workspace(generated, workspace, workspace_bytes);
  check_apart_from_filter(generated, bytes_of("workspace.data", workspace.data, workspace_bytes), filter);
}

void check_apart_from_filter(const Generated& generated, const NamedMemory& written, const FilterView& filter) {
  const std::int64_t taps = generated.config.filter_length;
  NamedMemory k = bytes_of("filter.k", filter.k, float_bytes * static_cast<std::size_t>(taps));
  k.rows.outer_count = filter.channels;
  k.rows.outer_stride = float_bytes * tap_stride(generated, filter);
  check_apart(generated, written, k);
  check_apart(generated, written,
              bytes_of("filter.skip", filter.skip, float_bytes * static_cast<std::size_t>(filter.channels)));
}

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

}  // namespace ffc
