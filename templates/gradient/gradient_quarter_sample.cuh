// Sample n of the real row, of which a point holds one in each quarter: a tap's share of a frequency 4 k + 1 turns by a
// right angle from quarter to quarter.
#pragma once

template <class Samples>
__device__ __forceinline__ float sample_at(const Samples& samples, int n) {
  const int quarter = n / points;
  const float2 point = turned(samples.load(n % points), n % points);
  const float part = quarter % 2 == 0 ? point.x : point.y;
  return (quarter < 2 ? part : -part) * static_cast<float>(gain);
}
