// Twins of the primitives that touch shared and global memory.
#pragma once

#include "primitives.hpp"

// Global memory.
namespace ffc::host {

template <class T>
__forceinline__ T read(const T* from, int line) {
  engine().global(lane(), from, sizeof(T), Access::read, line);
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}
template <class T>
__forceinline__ void write(T* to, const T& value, int line) {
  engine().global(lane(), to, sizeof(T), Access::write, line);
  std::memcpy(to, &value, sizeof(T));
}

}  // namespace ffc::host

template <class T>
__forceinline__ T load_constant(const T* from, int line = __builtin_LINE()) {
  return ffc::host::read(from, line);
}
__forceinline__ float load_constant_if(bool exists, const float* from, int line = __builtin_LINE()) {
  return exists ? load_constant(from, line) : 0.0f;
}
template <class T>
__forceinline__ T load_here(const T* from, int line = __builtin_LINE()) {
  return ffc::host::read(from, line);
}
template <class T>
__forceinline__ T load_streamed(const T* from, int line = __builtin_LINE()) {
  return ffc::host::read(from, line);
}
template <class T>
__forceinline__ T load_kept(const T* from, int line = __builtin_LINE()) {
  return ffc::host::read(from, line);
}
template <class T>
__forceinline__ T load_global(const T* from, int line = __builtin_LINE()) {
  return ffc::host::read(from, line);
}
// What is not asked for becomes NaN.
__forceinline__ uint4 load_part(const unsigned short* samples, int first, int count, int line = __builtin_LINE()) {
  unsigned short part[8];
  for (int i = 0; i < 8; ++i)
    part[i] =
        i >= first && i < first + count ? ffc::host::read(samples + i, line) : static_cast<unsigned short>(0xffff);
  uint4 value;
  std::memcpy(&value, part, sizeof value);
  return value;
}
template <class Load>
__forceinline__ uint4 read_words(const unsigned short* samples, int first, int end, const Load&,
                                 int line = __builtin_LINE()) {
  return load_part(samples, first, max(end - first, 0), line);
}
template <class T>
__forceinline__ void store_streamed(T* to, const T& value, int line = __builtin_LINE()) {
  ffc::host::write(to, value, line);
}
template <class T>
__forceinline__ void store_global(T* to, const T& value, int line = __builtin_LINE()) {
  ffc::host::write(to, value, line);
}

// Blocks of a launch run on several threads at once.
__forceinline__ void atomic_max_global(unsigned int* to, unsigned int value, int line = __builtin_LINE()) {
  ffc::host::engine().global(ffc::host::lane(), to, sizeof value, ffc::host::Access::atomic, line);
  unsigned int before = __atomic_load_n(to, __ATOMIC_RELAXED);
  while (before < value && !__atomic_compare_exchange_n(to, &before, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

__forceinline__ unsigned int load_relaxed(const unsigned int* from, int line = __builtin_LINE()) {
  ffc::host::engine().global(ffc::host::lane(), from, sizeof *from, ffc::host::Access::atomic, line);
  return __atomic_load_n(from, __ATOMIC_RELAXED);
}

// Words that order what blocks write and read.
__forceinline__ unsigned int load_in_order(const unsigned int* from, int line = __builtin_LINE()) {
  ffc::host::engine().global(ffc::host::lane(), from, sizeof *from, ffc::host::Access::read, line);
  return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}
__forceinline__ void store_in_order(unsigned int* to, unsigned int value, int line = __builtin_LINE()) {
  ffc::host::engine().global(ffc::host::lane(), to, sizeof value, ffc::host::Access::write, line);
  __atomic_store_n(to, value, __ATOMIC_RELEASE);
}
__forceinline__ unsigned int add_in_order(unsigned int* to, unsigned int more, int line = __builtin_LINE()) {
  ffc::host::engine().global(ffc::host::lane(), to, sizeof more, ffc::host::Access::atomic, line);
  return __atomic_fetch_add(to, more, __ATOMIC_ACQ_REL);
}

// Words of shared memory.
__forceinline__ SharedAddress dynamic_shared() { return ffc::host::shared_base; }

namespace ffc::host {

template <class T>
__forceinline__ T read_shared(SharedAddress address, int line) {
  T value;
  std::memcpy(&value, engine().shared(lane(), address, sizeof(T), Access::read, line), sizeof(T));
  return value;
}
template <class T>
__forceinline__ void write_shared(SharedAddress address, const T& value, int line) {
  std::memcpy(engine().shared(lane(), address, sizeof(T), Access::write, line), &value, sizeof(T));
}

}  // namespace ffc::host

__forceinline__ uint4 load_shared(SharedAddress address, int line = __builtin_LINE()) {
  return ffc::host::read_shared<uint4>(address, line);
}
__forceinline__ uint2 load_shared8(SharedAddress address, int line = __builtin_LINE()) {
  return ffc::host::read_shared<uint2>(address, line);
}
__forceinline__ unsigned int load_shared4(SharedAddress address, int line = __builtin_LINE()) {
  return ffc::host::read_shared<unsigned int>(address, line);
}
__forceinline__ unsigned short load_shared2(SharedAddress address, int line = __builtin_LINE()) {
  return ffc::host::read_shared<unsigned short>(address, line);
}
__forceinline__ void store_shared8(SharedAddress address, const uint2& s, int line = __builtin_LINE()) {
  ffc::host::write_shared(address, s, line);
}
__forceinline__ void store_shared(SharedAddress address, const uint4& s, int line = __builtin_LINE()) {
  ffc::host::write_shared(address, s, line);
}
__forceinline__ void store_shared4(SharedAddress address, unsigned int s, int line = __builtin_LINE()) {
  ffc::host::write_shared(address, s, line);
}
__forceinline__ void atomic_max_shared(SharedAddress address, unsigned int value, int line = __builtin_LINE()) {
  unsigned char* const at =
      ffc::host::engine().shared(ffc::host::lane(), address, sizeof value, ffc::host::Access::atomic, line);
  unsigned int before;
  std::memcpy(&before, at, sizeof before);
  if (value > before) std::memcpy(at, &value, sizeof value);
}

// Blocks of shared memory, a warp at a time.
__forceinline__ void load_blocks(SharedAddress address, Packed& b0, Packed& b1, Packed& b2, Packed& b3,
                                 int line = __builtin_LINE()) {
  Packed out[4];
  ffc::host::meet(ffc::host::Together::load_blocks, line, {address}, out);
  b0 = out[0], b1 = out[1], b2 = out[2], b3 = out[3];
}
__forceinline__ void load_blocks_transposed(SharedAddress address, Packed& b0, Packed& b1, Packed& b2, Packed& b3,
                                            int line = __builtin_LINE()) {
  Packed out[4];
  ffc::host::meet(ffc::host::Together::load_blocks_transposed, line, {address}, out);
  b0 = out[0], b1 = out[1], b2 = out[2], b3 = out[3];
}
#if __CUDA_ARCH__ >= 900
__forceinline__ void store_blocks(SharedAddress address, Packed b0, Packed b1, Packed b2, Packed b3,
                                  int line = __builtin_LINE()) {
  ffc::host::meet(ffc::host::Together::store_blocks, line, {address, b0, b1, b2, b3}, nullptr);
}
__forceinline__ void store_blocks_transposed(SharedAddress address, Packed b0, Packed b1, Packed b2, Packed b3,
                                             int line = __builtin_LINE()) {
  ffc::host::meet(ffc::host::Together::store_blocks_transposed, line, {address, b0, b1, b2, b3}, nullptr);
}
#endif
__forceinline__ unsigned int shuffle(unsigned int value, int from, int line = __builtin_LINE()) {
  unsigned int out = 0;
  ffc::host::meet(ffc::host::Together::shuffle, line, {value, static_cast<unsigned int>(from)}, &out);
  return out;
}
__forceinline__ unsigned int exchanged(unsigned int value, int step, int line = __builtin_LINE()) {
  return shuffle(value, static_cast<int>(threadIdx.x % 32) ^ step, line);
}
__forceinline__ unsigned int largest_of_warp(unsigned int value, int line = __builtin_LINE()) {
  for (int step = 16; step > 0; step /= 2) {
    const unsigned int other = exchanged(value, step, line);
    value = other > value ? other : value;
  }
  return value;
}
__forceinline__ Packed transpose_block(Packed b, int line = __builtin_LINE()) {
  Packed out = 0;
  ffc::host::meet(ffc::host::Together::transpose_block, line, {b}, &out);
  return out;
}

// Asynchronous copies.
template <int bytes>
__forceinline__ void copy_async(SharedAddress to, const void* from, int valid, int line = __builtin_LINE()) {
  ffc::host::engine().copy(ffc::host::lane(), to, from, bytes, valid, line);
}
__forceinline__ void copy_async_once(SharedAddress to, const void* from, int valid, int line = __builtin_LINE()) {
  ffc::host::engine().copy(ffc::host::lane(), to, from, 16, valid, line);
}
// What is ahead of `first` becomes NaN.
template <int line_bytes, bool read_once>
__forceinline__ void copy_lines(SharedAddress to, const unsigned short* samples, int first, int end,
                                int text_line = __builtin_LINE()) {
  if (first <= 0) {
    for (int piece = 0; piece < 16; piece += line_bytes) {
      const int valid = min(max(2 * end - piece, 0), line_bytes);
      ffc::host::engine().copy(ffc::host::lane(), to + piece, valid > 0 ? samples + piece / 2 : samples, line_bytes,
                               valid, text_line);
    }
    return;
  }
  unsigned short part[8];
  for (int i = 0; i < 8; ++i) part[i] = i >= end ? 0 : i < first ? 0xffff : ffc::host::read(samples + i, text_line);
  uint4 value;
  std::memcpy(&value, part, sizeof value);
  ffc::host::write_shared(to, value, text_line);
}
__forceinline__ void commit_copies() { ffc::host::engine().commit_copies(ffc::host::lane()); }
template <int pending>
__forceinline__ void wait_copies() {
  ffc::host::engine().wait_copies(ffc::host::lane(), pending);
}
