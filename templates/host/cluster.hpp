// Twins of the primitives of clusters. The blocks of a cluster run together, their warps in turn.
#pragma once

#include "memory.hpp"

__forceinline__ int cluster_rank() { return static_cast<int>(ffc::host::lane()->rank); }
__forceinline__ void cluster_barrier(int line = __builtin_LINE()) {
  ffc::host::meet(ffc::host::Together::cluster_barrier, line, {}, nullptr);
}
__forceinline__ void arrive_at_cluster() {}
__forceinline__ void wait_for_cluster(int line = __builtin_LINE()) { cluster_barrier(line); }
__forceinline__ SharedAddress at_rank(SharedAddress address, int rank) {
  return ffc::host::address_at_rank(address, static_cast<unsigned int>(rank));
}

__forceinline__ uint2 load_cluster8(SharedAddress address, int line = __builtin_LINE()) {
  return ffc::host::read_shared<uint2>(address, line);
}
__forceinline__ uint4 load_cluster(SharedAddress address, int line = __builtin_LINE()) {
  return ffc::host::read_shared<uint4>(address, line);
}
__forceinline__ void store_cluster1(SharedAddress address, unsigned int s, int line = __builtin_LINE()) {
  ffc::host::write_shared(address, static_cast<unsigned char>(s), line);
}
__forceinline__ void store_cluster4(SharedAddress address, unsigned int s, int line = __builtin_LINE()) {
  ffc::host::write_shared(address, s, line);
}
__forceinline__ void store_cluster8(SharedAddress address, const uint2& s, int line = __builtin_LINE()) {
  ffc::host::write_shared(address, s, line);
}
__forceinline__ void store_cluster(SharedAddress address, const uint4& s, int line = __builtin_LINE()) {
  ffc::host::write_shared(address, s, line);
}

namespace ffc::host {

// A barrier: phases that are over, arrivals that a phase needs, and those that this one lacks.
struct Barrier {
  std::uint32_t phase;
  std::uint16_t arrivals, missing;
} __attribute__((aligned(8)));

__forceinline__ Barrier& barrier_at(SharedAddress barrier, int line) {
  return *reinterpret_cast<Barrier*>(engine().shared(lane(), barrier, sizeof(Barrier), Access::barrier, line));
}

}  // namespace ffc::host

__forceinline__ void init_barrier(SharedAddress barrier, int arrivals, int line = __builtin_LINE()) {
  const auto wanted = static_cast<std::uint16_t>(arrivals);
  ffc::host::barrier_at(barrier, line) = {0, wanted, wanted};
}
__forceinline__ void publish_barriers() {}
__forceinline__ void arrive_at(SharedAddress barrier, int line = __builtin_LINE()) {
  ffc::host::Barrier& state = ffc::host::barrier_at(barrier, line);
  if (--state.missing == 0) ++state.phase, state.missing = state.arrivals;
}
__forceinline__ void arrive_here(SharedAddress barrier, int line = __builtin_LINE()) { arrive_at(barrier, line); }
__forceinline__ void wait_for_phase(SharedAddress barrier, unsigned int phase, int line = __builtin_LINE()) {
  // As the hardware's: of the phases only the last bit is known.
  while (((ffc::host::barrier_at(barrier, line).phase ^ phase) & 1) == 0)
    ffc::host::meet(ffc::host::Together::wait, line, {}, nullptr);
}
