// Memory that PyTorch takes for a convolution, counted tensor by tensor.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ffc::examples {

/// Rows (batch, channels, length) of 16 bits, convolved by transforms of `fft_length`.
struct TrainingShape {
  std::int64_t batch = 0, channels = 0, length = 0, fft_length = 0;
  bool gated = false;  ///< v . ((u . w) * k)
};

/// Bytes of the tensors that PyTorch has at its peak in forward and backward of
///
///     y = (v32 * irfft(rfft(u32 * w32, n) * rfft(k, n), n)[..., :L]).to(u.dtype)
///
/// (without gates irfft(rfft(u32, n) * ...)), x32 being x.float(), beside u, w, v, dy, k and the gradients and y
/// themselves. The peak is where rfft's backward makes the gradient of what it was given: it fills the one-sided
/// gradient up with zeros to n complex numbers, and transforms that to as many. Alive are also the padded rows that
/// rfft was given and keeps, the gradient of their spectrum, and with gates u32, w32 and the gradient by v32.
///
/// Counted, not measured on a GPU: without what an allocator rounds up, and without cuFFT's own workspace. torch's
/// profiler on a CPU has 64 to 128 bytes more (torch 2.15, tests/training_memory_test.cpp).
[[nodiscard]] inline std::size_t torch_step_bytes(const TrainingShape& shape) {
  constexpr std::int64_t real = 4, complex = 8;
  const std::int64_t rows = shape.batch * shape.channels;
  const std::int64_t kept_rows = real * rows * shape.fft_length;
  const std::int64_t spectrum_gradient = complex * rows * (shape.fft_length / 2 + 1);
  const std::int64_t filled_up_and_transformed = 2 * complex * rows * shape.fft_length;
  const std::int64_t of_gates = shape.gated ? 3 * real * rows * shape.length : 0;
  return static_cast<std::size_t>(kept_rows + spectrum_gradient + filled_up_and_transformed + of_gates);
}

/// Bytes at the peak of the forward pass alone of what the paper compares with, which autograd may differentiate:
///
///     y = (v32 * ifft(fft(u32 * w32, n) * fft(k, n), n).real[..., :L]).to(u.dtype)
///
/// y among them; beside u, w, v and k. The peak is where y is made: there are the two factors' product and what ifft
/// makes of it, the factors, what fft was given and keeps, and with gates u32, w32, v32, their product with the result,
/// and the gated rows where they were padded. Counted as above, and exact in torch's profiler on a CPU.
[[nodiscard]] inline std::size_t torch_forward_bytes(const TrainingShape& shape) {
  constexpr std::int64_t half = 2, real = 4, complex = 8;
  const std::int64_t rows = shape.batch * shape.channels;
  const bool padded = shape.fft_length != shape.length;
  const std::int64_t of_rows = (3 * complex + real) * rows * shape.fft_length + half * rows * shape.length;
  const std::int64_t of_filters = (complex + (padded ? real : 0)) * shape.channels * shape.fft_length;
  const std::int64_t of_gates = shape.gated ? (padded ? 5 : 4) * real * rows * shape.length : 0;
  return static_cast<std::size_t>(of_rows + of_filters + of_gates);
}

}  // namespace ffc::examples
