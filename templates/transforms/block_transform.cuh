// Passes of mixed-radix Fourier transforms in float32 by a block (Stockham's order), in one array of shared memory.
//
// `lines` transforms of `size` points lie interleaved: point n of line i is number n * lines + i. With `done` the
// product of the radices before, a pass joins transforms of length `done` to transforms of length radix * done. What
// the first pass reads and what the last one makes may lie elsewhere: load(first, offset) and store(first, offset,
// value) are of number first + offset, where the offset is known at compile time, and the last one's outputs go through
// weigh<step>(x, first) before, which knows all of a butterfly's. Outputs are at `frequencies`.
#pragma once

#include "barriers.cuh"
#include "shifted_frequencies.cuh"
#include "swizzled_places.cuh"

template <int size_, int lines_>
struct Lines {
  static constexpr int size = size_, lines = lines_, numbers = size_ * lines_;
};

// The array.
struct SharedArray {
  static constexpr bool is_shared = true;
  SharedAddress address;

  __device__ __forceinline__ float2 load(int number) const {
    return load_complex(address + 8 * swizzled_place(number));
  }
  __device__ __forceinline__ void store(int number, float2 value) const {
    store_complex(address + 8 * swizzled_place(number), value);
  }
};

template <int step, bool apart, class From>
__device__ __forceinline__ float2 load_number(const From& from, int first, int i) {
  if constexpr (From::is_shared)
    return load_complex(Places<step, apart>(from.address, first)[i]);
  else
    return from.load(first, i * step);
}

template <int step, bool apart, class To>
__device__ __forceinline__ void store_number(const To& to, int first, int i, float2 value) {
  if constexpr (To::is_shared)
    store_complex(Places<step, apart>(to.address, first)[i], value);
  else
    to.store(first, i * step, value);
}

// The thread's number, known to be below `threads` where these are a power of two: divisions of it are shifts.
__device__ __forceinline__ int thread_number() {
  return static_cast<int>(is_power_of_two(threads) ? threadIdx.x % threads : threadIdx.x);
}

// The butterflies of a pass that one thread has, `threads` apart: their inputs and then their outputs.
template <class Of, int radix>
struct LineButterflies {
  static constexpr int count = Of::numbers / radix;
  static constexpr int turns = (count + threads - 1) / threads;
  float2 x[turns][radix];

  // `body(x, j)` for those that exist.
  template <class Body>
  __device__ __forceinline__ void each(Body body) {
#pragma unroll
    for (int turn = 0; turn < turns; ++turn) {
      const int j = thread_number() + turn * threads;
      if (count % threads == 0 || j < count) body(x[turn], j);
    }
  }

  template <class From>
  __device__ __forceinline__ void load(const From& from) {
    constexpr int step = Of::numbers / radix;
    each([&](float2(&x)[radix], int j) {
#pragma unroll
      for (int p = 0; p < radix; ++p) x[p] = load_number<step, is_power_of_two(step)>(from, j, p);
    });
  }
  template <int done, class Frequencies>
  __device__ __forceinline__ void join(const Frequencies& frequencies) {
    constexpr int joined = done * Of::lines;
    each([&](float2(&x)[radix], int j) {
      frequencies.template join<radix, done>(x, j % joined / Of::lines, j % Of::lines);
    });
  }
  template <int done, class To>
  __device__ __forceinline__ void store(const To& to) {
    constexpr int joined = done * Of::lines;
    each([&](float2(&x)[radix], int j) {
      const int k = j % joined, first = (j - k) * radix + k;
      if constexpr (!To::is_shared) to.template weigh<joined>(x, first);
#pragma unroll
      for (int q = 0; q < radix; ++q) store_number<joined, is_power_of_two(radix * joined)>(to, first, q, x[q]);
    });
  }
};

// A pass. Where it stays in the array, all threads have read before one of them writes.
template <class Of, int radix, int done, class From, class To, class Frequencies = WholeFrequencies>
__device__ __forceinline__ void transform_pass(const From& from, const To& to, const Frequencies& frequencies = {}) {
  static_assert(Of::size % (radix * done) == 0, "radices must divide the length");
  LineButterflies<Of, radix> butterflies;
  butterflies.load(from);
  butterflies.template join<done>(frequencies);
  if (From::is_shared && To::is_shared) block_barrier();
  butterflies.template store<done>(to);
}

// The first pass of lines that were loaded ahead.
template <class Of, int radix, class To, class Frequencies = WholeFrequencies>
__device__ __forceinline__ void transform_loaded(LineButterflies<Of, radix>& loaded, const To& to,
                                                 const Frequencies& frequencies = {}) {
  loaded.template join<1>(frequencies);
  loaded.template store<1>(to);
}
