// Kernels on the host: what running one there tells beside its results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ffc/runtime/kernel.hpp"

namespace ffc {

/// A program on the host did what a GPU would forgive or punish later: an access out of range or misaligned, lanes of a
/// warp that part before an operation of all, a barrier that nobody completes. Names the kernel, the block, the thread
/// and the line of the emitted text. Or the host has no memory for what a GPU would allocate.
class HostError : public Error {
 public:
  using Error::Error;
};

/// The shared-memory accesses of one instruction, over all warps.
struct HostSite {
  std::string kernel;         ///< whose text it is
  int line = 0;               ///< of the emitted text
  std::string text;           ///< that line
  std::int64_t accesses = 0;  ///< by whole warps
  std::int64_t wavefronts = 0;
  std::int64_t conflicts = 0;  ///< wavefronts beyond those that as many bytes need
};

/// What a profiler would count, summed over the blocks of a launch.
struct HostCounts {
  std::int64_t matrix_products = 0;  ///< m16n8k16, by whole warps
  std::int64_t bytes_read = 0;       ///< of global memory, by all threads
  std::int64_t bytes_written = 0;
  std::int64_t wavefronts = 0;  ///< of shared memory
  std::int64_t conflicts = 0;
  std::int64_t block_barriers = 0;  ///< arrivals of whole warps, at barriers of more than one warp
  std::int64_t warp_barriers = 0;
  std::vector<HostSite> sites;
};

/// How a kernel is run on the host.
struct HostOptions {
  std::uint64_t seed = 1;  ///< of the order in which warps run between barriers
  int workers = 0;         ///< threads that take blocks in turn; 0: as many as the machine has
  /// Blocks that share the batch of a channel, or all channels where blocks walk over them (Generated::walks_channels);
  /// 0: as on a GPU of as many SMs as there are cores.
  unsigned slices = 0;
};

/// Launches a kernel of Device::host() and counts. Throws LaunchError for another kernel and for bad arguments,
/// HostError for what the program does.
HostCounts profile(const Kernel& kernel, const LaunchArguments& arguments, const HostOptions& options = {});

/// The same of the gradients; the kernel that makes dk of its sums is run and not counted.
HostCounts profile(const Kernel& kernel, const BackwardArguments& arguments, const HostOptions& options = {});

}  // namespace ffc
