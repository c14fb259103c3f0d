// What a profiler would count: matrix products, bytes, wavefronts, barriers.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "ffc/generator/generated_kernel.hpp"
#include "ffc/runtime/host.hpp"
#include "ffc/templates/host_abi.hpp"

namespace ffc::host {

/// An instruction of the program: the line of the emitted text, and which of its inlined copies.
struct Site {
  int line = 0;
  const void* code = nullptr;
  friend auto operator<=>(const Site&, const Site&) = default;  // NOLINT: no pointer is meant
};

/// The shared-memory accesses of one instruction by a warp: wavefronts they take, and how many the hardware takes for
/// as many bytes without bank conflicts.
struct Wavefronts {
  int taken = 0, least = 0;
};

constexpr std::uint32_t no_address = 0xffffffffu;

/// Of 32 lanes that access `bytes` (4, 8, 16) each at their addresses, no_address where a lane takes no part.
[[nodiscard]] Wavefronts wavefronts_of(const std::array<std::uint32_t, 32>& addresses, int bytes);
/// Of four 8 x 8 blocks whose rows of 16 bytes lie at 32 addresses.
[[nodiscard]] Wavefronts wavefronts_of_blocks(const std::array<std::uint32_t, 32>& addresses);

/// Counts of one block, or of several.
class Counter {
 public:
  HostCounts totals;  ///< without sites

  void add_shared(const Site& site, const Wavefronts& wavefronts);
  void add(const Counter& other);
  /// The totals, with a site for every line that touched shared memory.
  [[nodiscard]] HostCounts finish(const GeneratedKernel& kernel) const;

 private:
  std::map<Site, HostSite> sites_;
};

/// Gathers the accesses that the lanes of a warp make one by one into those of whole warps: the n-th at an instruction
/// since the warp last met is the same access of all lanes.
class Gatherer {
 public:
  void add(const Site& site, int lane, std::uint32_t address, int bytes);
  /// The warp meets: counts what was gathered.
  void flush(Counter& counter);

 private:
  struct Group {
    int bytes = 0;
    std::array<std::uint32_t, 32> addresses;
  };
  struct Gathered {
    std::vector<Group> groups;
    std::array<std::uint32_t, 32> seen{};
  };
  std::map<Site, Gathered> gathered_;
  std::vector<std::pair<const Site, Gathered>*> touched_;  // since the warp last met
};

}  // namespace ffc::host
