// Sample n of the real row.
#pragma once
__device__ __forceinline__ float sample_at(const float2* samples, int n) {
  const float2 pair = load_global(samples + n / 2);
  return (n % 2 == 0 ? pair.x : -pair.y) * static_cast<float>(gain);
}
