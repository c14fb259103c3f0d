// Checks of memory that the caller lends for a spectrum, and the argument of a filter entry.
#pragma once

#include "ffc/runtime/kernel.hpp"

namespace ffc {

/// Throws LaunchError for memory that does not hold a spectrum of so many channels, which takes `bytes`.
void check_spectrum_memory(const Generated& generated, const Workspace& memory, int channels, std::size_t bytes);

/// The same as check_filter for prepare_filter_into, which needs both of the memories that it is lent.
void check_filter_into(const Generated& generated, const FilterView& filter, const Workspace& memory,
                       std::size_t spectrum_bytes, const Workspace& workspace, std::size_t workspace_bytes);

/// The argument of a filter entry, for a filter that has been checked.
[[nodiscard]] FilterArguments filter_arguments(const Generated& generated, const FilterView& filter, void* spectrum,
                                               void* workspace, const void* tables);

}  // namespace ffc
