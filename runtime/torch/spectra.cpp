// The operators `taps_of_spectrum` and `spectrum_gradient`.
#include <torch/csrc/stable/ops.h>

#include <ffc/runtime/real_transform.hpp>

#include "operators.hpp"

namespace ffc::torch_ops {
namespace {

// One transform of all rows of `from` into new rows `to`.
void transform(const RealTransformConfig& config, const Tensor& from, const Tensor& to) {
  if (from.size(0) == 0) return;
  const Place place(from);
  const auto kernel = get_real_transform(config, device_of(from));
  const Tensor rows = without_gaps(from);
  RealTransformRows arguments;
  arguments.from = static_cast<const float*>(rows.const_data_ptr());
  arguments.to = static_cast<float*>(to.mutable_data_ptr());
  arguments.channels = static_cast<int>(from.size(0));
  const OptionalTensor workspace = new_workspace(from, kernel->workspace_bytes(arguments.channels));
  kernel->run(arguments, memory_of(workspace), place.stream());
}

}  // namespace

Tensor taps_of_spectrum(Tensor spectrum, std::int64_t length, std::int64_t taps) {
  const RealTransformConfig config = normalised(RealTransformConfig{.length = length, .taps = taps});
  check_floats("spectrum", spectrum, {spectrum.size(0), length / 2 + 1, 2}, spectrum);
  Tensor k = new_floats(spectrum, {spectrum.size(0), config.taps});
  transform(config, spectrum, k);
  return k;
}

Tensor spectrum_gradient(Tensor dk, std::int64_t length) {
  const RealTransformConfig config =
      normalised(RealTransformConfig{.length = length, .taps = dk.size(1), .pass = Pass::backward});
  check_floats("dk", dk, {dk.size(0), config.taps}, dk);
  Tensor gradient = new_floats(dk, {dk.size(0), length / 2 + 1, 2});
  transform(config, dk, gradient);
  return gradient;
}

}  // namespace ffc::torch_ops
