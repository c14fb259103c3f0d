// Twins of the primitives that emitted programs guard with FFC_HOST. Each takes the line that it is called from.
#pragma once

#include <initializer_list>

#include "device_language.hpp"
#include "ffc/templates/half.hpp"

using Packed = unsigned int;
using SharedAddress = unsigned int;
struct Accumulator16;
struct Accumulator32;

namespace ffc::host {

__forceinline__ float low(Packed value) { return engine().halves[value & 0xffffu]; }
__forceinline__ float high(Packed value) { return engine().halves[value >> 16]; }

__forceinline__ void meet(Together operation, int line, std::initializer_list<unsigned int> in, void* out) {
  Part part{operation, line, {}, out};
  int i = 0;
  for (const unsigned int word : in) part.in[i++] = word;
  engine().meet(lane(), &part);
}

__forceinline__ void multiply(Together operation, int line, void* d, Packed a0, Packed a1, Packed a2, Packed a3,
                              Packed b0, Packed b1) {
  meet(operation, line, {a0, a1, a2, a3, b0, b1}, d);
}

}  // namespace ffc::host

__forceinline__ float larger_or_nan(float a, float b) { return a != a || a > b ? a : b; }

// Arithmetic on pairs. Sums and products of fp16 values are exact in fp64 or round there where it makes no difference.
__forceinline__ Packed add(Packed a, Packed b) {
  return ffc::pack_halves(ffc::host::low(a) + ffc::host::low(b), ffc::host::high(a) + ffc::host::high(b));
}
__forceinline__ Packed sub(Packed a, Packed b) {
  return ffc::pack_halves(ffc::host::low(a) - ffc::host::low(b), ffc::host::high(a) - ffc::host::high(b));
}
__forceinline__ Packed mul(Packed a, Packed b) {
  return ffc::pack_halves(ffc::host::low(a) * ffc::host::low(b), ffc::host::high(a) * ffc::host::high(b));
}
__forceinline__ Packed larger_halves(Packed a, Packed b) {
  const auto larger = [](unsigned int x, unsigned int y) { return x > y ? x : y; };
  return larger(a & 0xffffu, b & 0xffffu) | larger(a >> 16, b >> 16) << 16;
}
__forceinline__ Packed larger_magnitudes(Packed a, Packed b) { return larger_halves(a & 0x7fff7fffu, b & 0x7fff7fffu); }
__forceinline__ Packed neg(Packed a) { return a ^ 0x80008000u; }
__forceinline__ Packed fma(Packed a, Packed b, Packed c) {
  const auto one = [](double x, double y, double z) { return x * y + z; };
  return ffc::pack_halves(one(ffc::host::low(a), ffc::host::low(b), ffc::host::low(c)),
                          one(ffc::host::high(a), ffc::host::high(b), ffc::host::high(c)));
}

__forceinline__ Packed pack(float low, float high) { return ffc::pack_halves(low, high); }
__forceinline__ float low_half(Packed value) { return ffc::host::low(value); }
__forceinline__ float high_half(Packed value) { return ffc::host::high(value); }

__forceinline__ Packed pack_bf16(float low, float high) {
  const auto one = [](float value) {
    const auto bits = std::bit_cast<unsigned int>(value);
    if (__builtin_isnan(value)) return 0x7fffu;
    return (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
  };
  return one(low) | one(high) << 16;
}
__forceinline__ Packed multiply_bf16(Packed a, Packed b) {
  const auto low = [](Packed value) { return std::bit_cast<float>(value << 16); };
  const auto high = [](Packed value) { return std::bit_cast<float>(value & 0xffff0000u); };
  return pack_bf16(low(a) * low(b), high(a) * high(b));
}

// Matrix products; the accumulators are declared behind this text.
template <class Accumulator>
requires(sizeof(Accumulator) == 8) __forceinline__ void mma(Accumulator& d, Packed a0, Packed a1, Packed a2, Packed a3,
                                                            Packed b0, Packed b1, int line = __builtin_LINE()) {
  ffc::host::multiply(ffc::host::Together::multiply16, line, &d.value, a0, a1, a2, a3, b0, b1);
}
template <class Accumulator>
requires(sizeof(Accumulator) == 16) __forceinline__ void mma(Accumulator& d, Packed a0, Packed a1, Packed a2, Packed a3,
                                                             Packed b0, Packed b1, int line = __builtin_LINE()) {
  ffc::host::multiply(ffc::host::Together::multiply32, line, &d.value, a0, a1, a2, a3, b0, b1);
}

// Barriers.
template <class T>
__forceinline__ void read_anew(const T*& /*from*/) {}
__forceinline__ void warp_barrier(int line = __builtin_LINE()) {
  ffc::host::meet(ffc::host::Together::warp_barrier, line, {}, nullptr);
}
__forceinline__ void block_barrier(int line = __builtin_LINE()) {
  ffc::host::meet(ffc::host::Together::barrier, line, {0, ffc::host::lane()->threads}, nullptr);
}
template <int threads>
__forceinline__ void named_barrier(int barrier, int line = __builtin_LINE()) {
  ffc::host::meet(ffc::host::Together::barrier, line, {static_cast<unsigned int>(barrier), threads}, nullptr);
}

template <int>
__forceinline__ void give_registers_back() {}
template <int>
__forceinline__ void take_registers() {}

// Counts in global memory: one block does all of a launch on the host, its warps in turn.
__forceinline__ unsigned int read_count(const unsigned int* count) { return *count; }
__forceinline__ bool has_come(unsigned int count, unsigned int target) { return count >= target; }
__forceinline__ bool has_count(const unsigned int* count, unsigned int target) {
  return has_come(read_count(count), target);
}
__forceinline__ void wait_for_count(const unsigned int* count, unsigned int target, int line = __builtin_LINE()) {
  while (!has_count(count, target)) ffc::host::meet(ffc::host::Together::wait, line, {}, nullptr);
}
__forceinline__ void add_to_count(unsigned int* count, unsigned int more) { *count += more; }
__forceinline__ void add_reads_to_count(unsigned int* count, unsigned int more) { *count += more; }

// Launches on the host follow each other.
__forceinline__ void let_next_launch_begin() {}
__forceinline__ void wait_for_previous_launch() {}
