// Accesses to global memory.
#pragma once

#ifndef FFC_HOST  // the host has twins of these

// What no thread writes while the kernel runs.
template <class T>
__device__ __forceinline__ T load_constant(const T* from) {
  return __ldg(from);
}

// The same where it exists, else zero. A plain condition would have each load make its address anew.
__device__ __forceinline__ float load_constant_if(bool exists, const float* from) {
  float d;
  asm("{.reg .pred p; setp.ne.s32 p, %1, 0; mov.f32 %0, 0f00000000; @p ld.global.nc.f32 %0, [%2];}"
      : "=f"(d)
      : "r"(static_cast<int>(exists)), "l"(from));
  return d;
}

// What is read once.
template <class T>
__device__ __forceinline__ T load_streamed(const T* from) {
  return __ldcs(from);
}

// What nobody reads soon.
template <class T>
__device__ __forceinline__ void store_streamed(T* to, const T& value) {
  __stcs(to, value);
}

template <class T>
__device__ __forceinline__ T load_global(const T* from) {
  return *from;
}

template <class T>
__device__ __forceinline__ void store_global(T* to, const T& value) {
  *to = value;
}
// Never in pieces.
__device__ __forceinline__ void store_global(uint4* to, const uint4& value) { __stcg(to, value); }

#endif
