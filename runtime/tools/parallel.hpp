// Runs a loop on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace ffc::tools {

/// Calls body(0) to body(count - 1), each once, on at most `jobs` threads; returns when all have returned.
/// `body` must not throw.
void parallel_for(std::size_t count, int jobs, const std::function<void(std::size_t)>& body);

}  // namespace ffc::tools
