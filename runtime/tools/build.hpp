// Emits and compiles the kernels of `ffc-gen --lengths ...`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "ffc/generator/generated_kernel.hpp"

namespace ffc::tools {

enum class Status { compiled, cached, generated, failed };

/// What became of one kernel.
struct KernelResult {
  std::string arch;
  std::string config;  ///< as one line
  std::string kind;    ///< ProgramView::kind, "taps of spectra" or "gradients of spectra"; empty where it was refused
  std::string name;    ///< empty where the config was refused
  Status status = Status::generated;
  double seconds = 0;  ///< compiling, or reading from the cache
  std::size_t cubin_bytes = 0;
  int threads = 0;
  int shared_bytes = 0;
  std::string cache_path;   ///< empty when it is not on disk
  std::string source_path;  ///< empty when it was not written
  std::string error;        ///< empty unless it failed
};

/// Runs the command, prints what it did and returns the exit status.
[[nodiscard]] int run_build(const BuildCommand& command);

}  // namespace ffc::tools
