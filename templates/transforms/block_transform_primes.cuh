// Passes whose radix is too large a prime for a thread's registers: output by output.
#pragma once

#include "block_transform.cuh"

// As transform_pass.
template <class Of, int radix, int done, class From, class To, class Frequencies = WholeFrequencies>
__device__ __forceinline__ void prime_pass(const From& from, const To& to, const Frequencies& frequencies = {}) {
  static_assert(Of::size % (radix * done) == 0, "radices must divide the length");
  constexpr int step = Of::numbers / radix, joined = done * Of::lines;
  constexpr int turns = (Of::numbers + threads - 1) / threads, whole_turn = Frequencies::parts * radix * done;
  float2 sums[turns];
#pragma unroll
  for (int turn = 0; turn < turns; ++turn) {
    const int number = threadIdx.x + turn * threads;
    if (number >= Of::numbers) break;
    const int output = number % (radix * joined), j = number / (radix * joined) * joined + number % joined;
    sums[turn] = load_number<1, false>(from, j, 0);
    int exponent = 0;
#pragma unroll 1
    for (int p = 1; p < radix; ++p) {
      exponent += Frequencies::parts * (output / Of::lines) + frequencies.shift(output % Of::lines);
      if (exponent >= whole_turn) exponent -= whole_turn;
      sums[turn] =
          multiply_add(load_number<1, false>(from, j + p * step, 0), unit_root<whole_turn>(exponent), sums[turn]);
    }
  }
  if (From::is_shared && To::is_shared) block_barrier();
#pragma unroll
  for (int turn = 0; turn < turns; ++turn) {
    const int number = threadIdx.x + turn * threads;
    if (number >= Of::numbers) break;
    float2 one[1] = {sums[turn]};
    if constexpr (!To::is_shared) to.template weigh<0>(one, number);
    store_number<1, false>(to, number, 0, one[0]);
  }
}
