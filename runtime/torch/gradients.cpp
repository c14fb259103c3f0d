// The operator `backward`.
#include <torch/csrc/stable/ops.h>

#include <memory>

#include "operators.hpp"

namespace ffc::torch_ops {
namespace {

MutableTensorView view_of(const OptionalTensor& tensor) {
  if (!tensor) return {};
  return {tensor->mutable_data_ptr(), tensor->stride(0), tensor->stride(1)};
}

// Does a kernel of these gradients read the filter?
bool reads_spectrum(const Gradients& wanted) { return wanted.u || wanted.w || wanted.v; }

// The kernel for so few rows, but where it takes a spectrum of its own and that for any batch does not.
std::shared_ptr<const Kernel> backward_kernel(const ConvConfig& config, std::int64_t batch, const Kernel& forward,
                                              const Device& device) {
  auto of_few = kernel_of_few(config, batch, device);
  if (of_few && share_spectrum(*of_few, forward)) return of_few;
  auto of_any = get_kernel(config, device);
  return !of_few || share_spectrum(*of_any, forward) ? of_any : of_few;
}

}  // namespace

GradientTensors backward(Tensor dy, OptionalTensor gradient_magnitude, OptionalTensor input_magnitude, Tensor u,
                         Tensor spectrum, Tensor k, OptionalTensor skip, OptionalTensor in_gate,
                         OptionalTensor out_gate, std::string padding, std::int64_t fft_length, bool scale_rows,
                         bool find, bool wants_u, bool wants_in_gate, bool wants_out_gate, bool wants_k,
                         bool wants_skip) {
  const Shape shape = shape_of("u", u);
  check_like("dy", dy, "u", u);
  if (in_gate) check_like("in_gate", *in_gate, "u", u);
  if (out_gate) check_like("out_gate", *out_gate, "u", u);
  check_taps(k, skip, shape.channels, u);
  const RowMagnitudes gradient_magnitudes = magnitudes_of("gradient_magnitude", gradient_magnitude, shape, u);
  // Where forward found none ahead of its kernel it gives a tensor of none.
  if (input_magnitude && input_magnitude->numel() == 0) input_magnitude.reset();
  const RowMagnitudes input_magnitudes = magnitudes_of("input_magnitude", input_magnitude, shape, u);

  const auto rows = [&](bool wanted) -> OptionalTensor {
    if (!wanted) return std::nullopt;
    return new_like(u);
  };
  const auto floats = [&](bool wanted, std::initializer_list<std::int64_t> sizes) -> OptionalTensor {
    if (!wanted) return std::nullopt;
    return new_floats(u, sizes);
  };
  OptionalTensor du = rows(wants_u), dw = rows(wants_in_gate && in_gate), dv = rows(wants_out_gate && out_gate);
  OptionalTensor dk = floats(wants_k, {shape.channels, k.size(1)}), dd = floats(wants_skip && skip, {shape.channels});
  const auto results = [&] {
    GradientTensors wanted;
    for (const OptionalTensor* const each : {&du, &dw, &dv, &dk, &dd})
      if (*each) wanted.push_back(**each);
    return wanted;
  };
  if (shape.batch == 0) {
    for (OptionalTensor* const sums : {&dk, &dd})
      if (*sums) torch::stable::zero_(**sums);
    return results();
  }

  ConvConfig config = make_config(padding, shape.length, k.size(1), fft_length, u.scalar_type(), in_gate.has_value(),
                                  out_gate.has_value());
  const Place place(u);
  const Device device = device_of(u);
  config.scaling = scale_rows ? Scaling::found : Scaling::fixed;  // as forward has it loaded
  const auto forward_kernel = get_kernel(config, device);
  config.pass = Pass::backward;
  config.scaling = find ? Scaling::found : input_magnitude || gradient_magnitude ? Scaling::given : Scaling::fixed;
  config.gradients = {du.has_value(), dw.has_value(), dv.has_value(), dk.has_value(), dd.has_value()};
  const Gradients wanted = config.gradients;
  if (!wanted.u && !wanted.w && !wanted.v && !wanted.k && !wanted.d) return results();
  const auto kernel = backward_kernel(config, shape.batch, *forward_kernel, device);

  BackwardArguments arguments;
  const int alignment = kernel->config().row_alignment;
  const Rows u_rows("u", u, alignment), dy_rows("dy", dy, alignment);
  std::optional<Rows> w_rows, v_rows;
  arguments.u = u_rows.view();
  arguments.dy = dy_rows.view();
  if (in_gate) arguments.w = w_rows.emplace("in_gate", *in_gate, alignment).view();
  if (out_gate) arguments.v = v_rows.emplace("out_gate", *out_gate, alignment).view();
  arguments.du = view_of(du);
  arguments.dw = view_of(dw);
  arguments.dv = view_of(dv);
  arguments.dk = dk ? static_cast<float*>(dk->mutable_data_ptr()) : nullptr;
  arguments.dd = dd ? static_cast<float*>(dd->mutable_data_ptr()) : nullptr;
  // A kernel that measures the rows in its block does so better than anyone ahead of it, and takes no magnitudes.
  if (config.scaling == Scaling::given || kernel->generated().magnitudes) {
    arguments.gradient_magnitudes = gradient_magnitudes;
    // Those of each row that forward found are of no use to a kernel with one of a channel: it finds that itself.
    if (!find || kernel->takes(input_magnitudes)) arguments.input_magnitudes = input_magnitudes;
  }
  arguments.batch = static_cast<int>(shape.batch);
  arguments.channels = static_cast<int>(shape.channels);
  OptionalTensor own_spectrum;
  if (reads_spectrum(wanted)) {
    const bool same = share_spectrum(*forward_kernel, *kernel);
    if (!same) own_spectrum = new_spectrum(*kernel, k, skip, place.stream());
    arguments.spectrum = kernel->view_spectrum(memory_of(own_spectrum ? *own_spectrum : spectrum), arguments.channels);
  }
  const OptionalTensor workspace =
      new_workspace(u, kernel->backward_workspace_bytes(arguments.batch, arguments.channels));
  arguments.workspace = memory_of(workspace);
  kernel->launch_backward(arguments, place.stream());
  return results();
}

}  // namespace ffc::torch_ops
