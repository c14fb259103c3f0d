// Accesses to global memory.
#pragma once

#ifndef FFC_HOST  // the host has twins of these

// What no thread writes while the kernel runs.
template <class T>
__device__ __forceinline__ T load_constant(const T* from) {
  return __ldg(from);
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
