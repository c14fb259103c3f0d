// Sample n of the real row.
#pragma once

template <class Samples>
__device__ __forceinline__ float sample_at(const Samples& samples, int n) {
  const float2 pair = samples.load(n / 2);
  return (n % 2 == 0 ? pair.x : -pair.y) * static_cast<float>(gain);
}
