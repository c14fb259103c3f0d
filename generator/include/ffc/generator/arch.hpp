// The GPU architectures that kernels are generated for, and the limits that a plan must respect on each.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ffc {

/// Limits of one architecture, from the CUDA programming guide's table of compute capabilities.
struct Arch {
  std::string_view name;  ///< as NVRTC takes it: "sm_90a"
  int major;              ///< compute capability
  int minor;
  int shared_per_block;  ///< bytes of shared memory that one block may have (dynamic, opted in)
  int shared_per_sm;     ///< bytes of shared memory of a multiprocessor
  int threads_per_sm;
  int blocks_per_sm;
  bool has_stmatrix;  ///< sm_90 and later

  /// Bytes of shared memory that the system takes of each resident block.
  static constexpr int reserved_per_block = 1024;

  /// Whether a multiprocessor has the shared memory for so many blocks of so many bytes.
  [[nodiscard]] bool holds(int blocks, int bytes) const {
    return blocks * (bytes + reserved_per_block) <= shared_per_sm;
  }

  /// Blocks of a cluster reach into each other's shared memory.
  [[nodiscard]] bool has_clusters() const { return major >= 9; }
};

/// All supported architectures: sm_80, sm_86, sm_89, sm_90a, sm_100, sm_120.
[[nodiscard]] std::span<const Arch> architectures();

/// The architecture of that name. Throws ConfigError that lists the known names.
[[nodiscard]] const Arch& find_arch(std::string_view name);

/// The architecture whose cubins run on a device of that compute capability. Throws ConfigError where there is none.
[[nodiscard]] const Arch& arch_for_capability(int major, int minor);

}  // namespace ffc
