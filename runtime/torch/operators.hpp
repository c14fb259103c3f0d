// The operators of torch.ops.ffc_torch. Rows u, in_gate, out_gate, y and their gradients are (B, H, L) in float16 or
// bfloat16; k is (H, Lk) and skip (H), float32; a spectrum is (H, bytes of a channel) uint8. All on one device: a GPU,
// or the CPU, where ffc's host runs the kernels.
//
// With scale_rows a convolution's kernel scales u . in_gate by a power of two, and y back, from how large rows are,
// which it finds. Gradients may `find` that of u . in_gate and dy . out_gate too, what they are not told: a magnitude
// is float32, of shape (), (H) or (H, 1), or (H, B) where the kernel has one of each row, at most some 2^8 above the
// largest one or 2^3 below it; without one, and where it is zero or not finite, rows are taken as they are.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arguments.hpp"

namespace ffc::torch_ops {

/// Those of du, din_gate, dout_gate, dk, dskip that are wanted, in this order.
using GradientTensors = std::vector<Tensor>;

/// Gradients of the sum of y . dy. `spectrum` is that of the forward operator and serves where the kernel of the
/// gradients keeps it in the same order; else k and skip are prepared again.
[[nodiscard]] GradientTensors backward(Tensor dy, OptionalTensor gradient_magnitude, OptionalTensor input_magnitude,
                                       Tensor u, Tensor spectrum, Tensor k, OptionalTensor skip, OptionalTensor in_gate,
                                       OptionalTensor out_gate, std::string padding, std::int64_t fft_length,
                                       bool scale_rows, bool find, bool wants_u, bool wants_in_gate,
                                       bool wants_out_gate, bool wants_k, bool wants_skip);

/// The same of rows that are slices of one tensor (B, n H, L), whose gradient comes as one: of all n of u, in_gate and
/// out_gate that are there, the slice that `places` counts, in this order; then those of dk and dskip that are wanted.
[[nodiscard]] GradientTensors gradients_of_slices(Tensor dy, OptionalTensor gradient_magnitude,
                                                  OptionalTensor input_magnitude, Tensor u, Tensor spectrum, Tensor k,
                                                  OptionalTensor skip, OptionalTensor in_gate, OptionalTensor out_gate,
                                                  std::string padding, std::int64_t fft_length, bool scale_rows,
                                                  bool find, std::vector<std::int64_t> places, bool wants_k,
                                                  bool wants_skip);

/// Both keep filters in one order: a spectrum of one serves the other.
[[nodiscard]] bool share_spectrum(const Kernel& one, const Kernel& other);

/// The kernel of a config for so few rows; null where they go as many do.
[[nodiscard]] std::shared_ptr<const Kernel> kernel_of_few(const ConvConfig& config, std::int64_t batch,
                                                          const Device& device);

/// irfft(K, n = length)[0 : taps], (H, taps) float32, of a spectrum (H, length / 2 + 1, 2) float32: real and imaginary
/// parts. Throws ConfigError and LaunchError.
[[nodiscard]] Tensor taps_of_spectrum(Tensor spectrum, std::int64_t length, std::int64_t taps);
/// The gradient of that, (H, length / 2 + 1, 2) from dk (H, taps).
[[nodiscard]] Tensor spectrum_gradient(Tensor dk, std::int64_t length);

}  // namespace ffc::torch_ops
