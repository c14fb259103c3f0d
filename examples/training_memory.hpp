// Memory of a step of training beside its inputs and outputs: of these kernels, and of PyTorch's autograd, counted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ffc/ffc.hpp>

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

/// What these kernels take in a step, beside the same tensors: nothing is kept from forward to backward but spectra.
struct StepMemory {
  std::size_t spectra = 0;    ///< of the filter: one where both passes share it
  std::size_t workspace = 0;  ///< the largest of the step's launches: preparing the filter, forward, backward
  [[nodiscard]] std::size_t total() const { return spectra + workspace; }
};

/// Of a backward kernel and the forward kernel of the same config; `backward_workspace` is what its launch takes.
[[nodiscard]] inline StepMemory step_memory(const Kernel& backward, int channels, std::size_t backward_workspace) {
  ConvConfig config = backward.config();
  config.pass = Pass::forward;
  config.gradients = {};
  config.gradient_exponent = 0;
  const Generated forward = generate(config);
  const auto rows = static_cast<std::size_t>(channels);
  StepMemory memory;
  memory.spectra = backward.spectrum_bytes(channels);
  if (forward.spectrum_tag != backward.generated().spectrum_tag)
    memory.spectra += static_cast<std::size_t>(forward.spectrum_row_bytes) * rows;
  memory.workspace = std::max(backward_workspace, backward.filter_workspace_bytes(channels));
  if (forward.split)
    memory.workspace = std::max(memory.workspace, get_kernel(config, Device(backward.device()))->workspace_bytes());
  return memory;
}

}  // namespace ffc::examples
