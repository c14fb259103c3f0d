// CUDA's words for the host's compiler: types, built-in variables and functions that emitted programs use.
#pragma once

#include <bit>
#include <cstring>

#include "ffc/templates/host_abi.hpp"

#define __device__
#define __global__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __cluster_dims__(...)

// By hand: <cmath> takes as long to read as the rest of a program.
extern "C" {
float exp2f(float) noexcept;
float fmaf(float, float, float) noexcept;
float fabsf(float) noexcept;
float fmaxf(float, float) noexcept;
float fminf(float, float) noexcept;
float hypotf(float, float) noexcept;
float sqrtf(float) noexcept;
float ldexpf(float, int) noexcept;
}

struct uint2 {
  unsigned int x, y;
} __attribute__((aligned(8)));
struct uint4 {
  unsigned int x, y, z, w;
} __attribute__((aligned(16)));
struct float2 {
  float x, y;
} __attribute__((aligned(8)));
struct float4 {
  float x, y, z, w;
} __attribute__((aligned(16)));

inline uint2 make_uint2(unsigned int x, unsigned int y) { return {x, y}; }
inline uint4 make_uint4(unsigned int x, unsigned int y, unsigned int z, unsigned int w) { return {x, y, z, w}; }
inline float2 make_float2(float x, float y) { return {x, y}; }

namespace ffc::host {

// The lane that runs on this thread, kept by the engine.
inline thread_local Lane* const* running = nullptr;
inline Lane* lane() { return *running; }
inline const Engine& engine() { return *lane()->engine; }

template <std::uint32_t Lane::*member>
struct Register {
  operator unsigned int() const { return lane()->*member; }
};

}  // namespace ffc::host

constexpr struct { ffc::host::Register<&ffc::host::Lane::thread> x; } threadIdx{};
constexpr struct { ffc::host::Register<&ffc::host::Lane::threads> x; } blockDim{};
constexpr struct {
  ffc::host::Register<&ffc::host::Lane::block_x> x;
  ffc::host::Register<&ffc::host::Lane::block_y> y;
} blockIdx{};
constexpr struct {
  ffc::host::Register<&ffc::host::Lane::grid_x> x;
  ffc::host::Register<&ffc::host::Lane::grid_y> y;
} gridDim{};

inline int min(int a, int b) { return a < b ? a : b; }
// As in CUDA: the low word of both, shifted right; a shift counts up to 31.
inline unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31));
}
inline int max(int a, int b) { return a > b ? a : b; }
inline float frexp(float value, int* exponent) { return __builtin_frexpf(value, exponent); }
inline float __uint_as_float(unsigned int bits) { return std::bit_cast<float>(bits); }
inline unsigned int __float_as_uint(float value) { return std::bit_cast<unsigned int>(value); }

extern "C" void ffc_host_enter(ffc::host::Lane* const* running) { ffc::host::running = running; }
