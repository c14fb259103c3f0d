// Blocks of a cluster: what they put into each other's shared memory, and barriers there that they arrive at.
#pragma once

#include "shared_words.cuh"

#ifndef FFC_HOST  // the host has twins of these

// The block's number in its cluster.
__device__ __forceinline__ int cluster_rank() {
  int rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// All threads of all blocks; what they wrote before it, the others see behind it.
__device__ __forceinline__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// The same in two halves, without what was written before: a block that has waited knows that all have come so far.
__device__ __forceinline__ void arrive_at_cluster() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
__device__ __forceinline__ void wait_for_cluster() { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }

// An address of this block's as the same one of block `rank`, for the functions below.
__device__ __forceinline__ SharedAddress at_rank(SharedAddress address, int rank) {
  SharedAddress there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  return there;
}

__device__ __forceinline__ uint2 load_cluster8(SharedAddress address) {
  uint2 d;
  asm volatile("ld.shared::cluster.v2.u32 {%0, %1}, [%2];" : "=r"(d.x), "=r"(d.y) : "r"(address) : "memory");
  return d;
}

__device__ __forceinline__ uint4 load_cluster(SharedAddress address) {
  uint4 d;
  asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(d.x), "=r"(d.y), "=r"(d.z), "=r"(d.w)
               : "r"(address)
               : "memory");
  return d;
}

__device__ __forceinline__ void store_cluster1(SharedAddress address, unsigned int s) {
  asm volatile("st.shared::cluster.u8 [%0], %1;" ::"r"(address), "r"(s) : "memory");
}

__device__ __forceinline__ void store_cluster4(SharedAddress address, unsigned int s) {
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(address), "r"(s) : "memory");
}

__device__ __forceinline__ void store_cluster8(SharedAddress address, const uint2& s) {
  asm volatile("st.shared::cluster.v2.u32 [%0], {%1, %2};" ::"r"(address), "r"(s.x), "r"(s.y) : "memory");
}

__device__ __forceinline__ void store_cluster(SharedAddress address, const uint4& s) {
  asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(s.x), "r"(s.y), "r"(s.z),
               "r"(s.w)
               : "memory");
}

// A barrier of 8 bytes in this block's memory, whose phase is over whenever `arrivals` have come.
__device__ __forceinline__ void init_barrier(SharedAddress barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

// Makes barriers known to the cluster: ahead of a cluster_barrier.
__device__ __forceinline__ void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// At a barrier of any block, whose waiters then see what this thread, and those it has met, wrote before.
__device__ __forceinline__ void arrive_at(SharedAddress barrier) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// The same at a barrier of this block, for its own threads: nobody waits until memory has what was written.
__device__ __forceinline__ void arrive_here(SharedAddress barrier) {
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// Waits until phase `phase` of this block's barrier is over; phases count from 0, and only the last two can be told.
__device__ __forceinline__ void wait_for_phase(SharedAddress barrier, unsigned int phase) {
  unsigned int over = 0;
  while (over == 0)
    asm volatile(
        "{\n"
        ".reg .pred over;\n"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 over, [%1], %2;\n"
        "selp.u32 %0, 1, 0, over;\n"
        "}"
        : "=r"(over)
        : "r"(barrier), "r"(phase & 1)
        : "memory");
}

#endif
