// `ffc-gen cache list|verify|prune|clear`.
#pragma once

#include "command_line.hpp"

namespace ffc::tools {

/// Runs the command, prints what it did and returns the exit status: 1 where verify found a damaged entry, or
/// the disk refused something.
[[nodiscard]] int run_cache(const CacheCommand& command);

}  // namespace ffc::tools
