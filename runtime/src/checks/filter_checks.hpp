// Checks of filters, and of memory that the caller lends for a spectrum.
#pragma once

#include "ffc/runtime/kernel.hpp"

namespace ffc {

/// Throws LaunchError for a filter or a lent workspace that prepare_filter cannot run with. `workspace_bytes` is what
/// it needs.
void check_filter(const Generated& generated, const FilterView& filter, const Workspace& workspace,
                  std::size_t workspace_bytes);

/// Throws LaunchError for memory that does not hold a spectrum of so many channels, which takes `bytes`.
void check_spectrum_memory(const Generated& generated, const Workspace& memory, int channels, std::size_t bytes);

/// The same as check_filter for prepare_filter_into, which needs both of the memories that it is lent.
void check_filter_into(const Generated& generated, const FilterView& filter, const Workspace& memory,
                       std::size_t spectrum_bytes, const Workspace& workspace, std::size_t workspace_bytes);

}  // namespace ffc
