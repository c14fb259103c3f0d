// What ffc-gen was asked to do.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/real_transform.hpp"

namespace ffc::tools {

/// `ffc-gen --lengths ...`: plan, emit and compile kernels.
struct BuildCommand {
  std::vector<ConvConfig> configs;              ///< every one with its arch named
  std::vector<RealTransformConfig> transforms;  ///< the same of spectra
  std::string emit_folder;                      ///< empty: the sources are not written
  int jobs = 1;
  bool plan_only = false;
  bool advise = false;        ///< show what the lengths cost, and good ones beside them
  bool profile_host = false;  ///< run them on the host and count instead
  bool json = false;
};

enum class CacheAction { list, verify, prune, clear };

/// `ffc-gen cache ...`
struct CacheCommand {
  CacheAction action = CacheAction::list;
  std::uint64_t max_bytes = 0;  ///< for prune; 0 takes the cache's own bound
  bool json = false;
};

/// What to do, or the exit status where there is nothing to do: 0 after --help, 2 for bad usage, which is explained on
/// stderr. Puts --cache-dir into the environment, where the library looks for it: call it before any thread runs.
[[nodiscard]] std::variant<BuildCommand, CacheCommand, int> parse_command_line(int argc, const char* const* argv);

}  // namespace ffc::tools
