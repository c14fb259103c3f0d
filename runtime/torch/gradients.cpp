// The operators `backward`, `gradients` and `gradients_of_slices`.
#include <torch/csrc/stable/ops.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

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

// Where gradients go, those that are wanted.
struct Wanted {
  OptionalTensor du, dw, dv, dk, dd;

  [[nodiscard]] GradientTensors sums() const {
    GradientTensors all;
    for (const OptionalTensor* const each : {&dk, &dd})
      if (*each) all.push_back(**each);
    return all;
  }
};

// What the operators of gradients take.
struct GradientCall {
  Tensor dy;
  OptionalTensor gradient_magnitude, input_magnitude;
  Tensor u, spectrum, k;
  OptionalTensor skip, in_gate, out_gate;
  std::string padding;
  std::int64_t fft_length;
  bool scale_rows, find;

  [[nodiscard]] Shape checked_shape() const {
    const Shape shape = shape_of("u", u);
    check_like("dy", dy, "u", u);
    if (in_gate) check_like("in_gate", *in_gate, "u", u);
    if (out_gate) check_like("out_gate", *out_gate, "u", u);
    check_taps(k, skip, shape.channels, u);
    return shape;
  }
  [[nodiscard]] OptionalTensor sums_of_taps(bool wanted) const {
    if (!wanted) return std::nullopt;
    return new_floats(u, {k.size(0), k.size(1)});
  }
  [[nodiscard]] OptionalTensor sums_of_skip(bool wanted) const {
    if (!wanted || !skip) return std::nullopt;
    return new_floats(u, {k.size(0)});
  }
};

void launch(const GradientCall& call, const Shape& shape, Wanted& to) {
  const Tensor &u = call.u, &dy = call.dy;
  auto& [du, dw, dv, dk, dd] = to;
  const RowMagnitudes gradient_magnitudes = magnitudes_of("gradient_magnitude", call.gradient_magnitude, shape, u);
  // Where forward found none ahead of its kernel it gives a tensor of none.
  const bool none = !call.input_magnitude || call.input_magnitude->numel() == 0;
  const RowMagnitudes input_magnitudes =
      magnitudes_of("input_magnitude", none ? OptionalTensor() : call.input_magnitude, shape, u);
  if (shape.batch == 0) {
    for (OptionalTensor* const sums : {&dk, &dd})
      if (*sums) torch::stable::zero_(**sums);
    return;
  }

  ConvConfig config = make_config(call.padding, shape.length, call.k.size(1), call.fft_length, u.scalar_type(),
                                  call.in_gate.has_value(), call.out_gate.has_value());
  const Place place(u);
  const Device device = device_of(u);
  config.scaling = call.scale_rows ? Scaling::found : Scaling::fixed;  // as forward has it loaded
  const auto forward_kernel = get_kernel(config, device);
  config.pass = Pass::backward;
  config.scaling = call.find ? Scaling::found : !none || call.gradient_magnitude ? Scaling::given : Scaling::fixed;
  config.gradients = {du.has_value(), dw.has_value(), dv.has_value(), dk.has_value(), dd.has_value()};
  const Gradients wanted = config.gradients;
  if (!wanted.u && !wanted.w && !wanted.v && !wanted.k && !wanted.d) return;
  const auto kernel = backward_kernel(config, shape.batch, *forward_kernel, device);

  BackwardArguments arguments;
  const int alignment = kernel->config().row_alignment;
  const Rows u_rows("u", u, alignment), dy_rows("dy", dy, alignment);
  std::optional<Rows> w_rows, v_rows;
  arguments.u = u_rows.view();
  arguments.dy = dy_rows.view();
  if (call.in_gate) arguments.w = w_rows.emplace("in_gate", *call.in_gate, alignment).view();
  if (call.out_gate) arguments.v = v_rows.emplace("out_gate", *call.out_gate, alignment).view();
  arguments.du = view_of(du);
  arguments.dw = view_of(dw);
  arguments.dv = view_of(dv);
  arguments.dk = dk ? static_cast<float*>(dk->mutable_data_ptr()) : nullptr;
  arguments.dd = dd ? static_cast<float*>(dd->mutable_data_ptr()) : nullptr;
  // A kernel that measures the rows in its block does so better than anyone ahead of it, and takes no magnitudes.
  if (config.scaling == Scaling::given || kernel->generated().magnitudes) {
    arguments.gradient_magnitudes = gradient_magnitudes;
    // Those of each row that forward found are of no use to a kernel with one of a channel: it finds that itself.
    if (!call.find || kernel->takes(input_magnitudes)) arguments.input_magnitudes = input_magnitudes;
  }
  arguments.batch = static_cast<int>(shape.batch);
  arguments.channels = static_cast<int>(shape.channels);
  OptionalTensor own_spectrum;
  if (reads_spectrum(wanted)) {
    const bool same = share_spectrum(*forward_kernel, *kernel);
    if (!same) own_spectrum = new_spectrum(*kernel, call.k, call.skip, place.stream());
    arguments.spectrum =
        kernel->view_spectrum(memory_of(own_spectrum ? *own_spectrum : call.spectrum), arguments.channels);
  }
  const OptionalTensor workspace =
      new_workspace(u, kernel->backward_workspace_bytes(arguments.batch, arguments.channels));
  arguments.workspace = memory_of(workspace);
  kernel->launch_backward(arguments, place.stream());
}

}  // namespace

GradientTensors backward(Tensor dy, OptionalTensor gradient_magnitude, OptionalTensor input_magnitude, Tensor u,
                         Tensor spectrum, Tensor k, OptionalTensor skip, OptionalTensor in_gate,
                         OptionalTensor out_gate, std::string padding, std::int64_t fft_length, bool scale_rows,
                         bool find, bool wants_u, bool wants_in_gate, bool wants_out_gate, bool wants_k,
                         bool wants_skip) {
  const GradientCall call{dy,      gradient_magnitude, input_magnitude, u,          spectrum,   k,   skip,
                          in_gate, out_gate,           padding,         fft_length, scale_rows, find};
  const Shape shape = call.checked_shape();
  const auto rows = [&](bool wanted) -> OptionalTensor {
    if (!wanted) return std::nullopt;
    return new_like(u);
  };
  Wanted to{rows(wants_u), rows(wants_in_gate && in_gate), rows(wants_out_gate && out_gate), call.sums_of_taps(wants_k),
            call.sums_of_skip(wants_skip)};
  launch(call, shape, to);
  GradientTensors results;
  for (const OptionalTensor* const each : {&to.du, &to.dw, &to.dv})
    if (*each) results.push_back(**each);
  for (const Tensor& each : to.sums()) results.push_back(each);
  return results;
}

GradientTensors gradients_of_slices(Tensor dy, OptionalTensor gradient_magnitude, OptionalTensor input_magnitude,
                                    Tensor u, Tensor spectrum, Tensor k, OptionalTensor skip, OptionalTensor in_gate,
                                    OptionalTensor out_gate, std::string padding, std::int64_t fft_length,
                                    bool scale_rows, bool find, std::vector<std::int64_t> places, bool wants_k,
                                    bool wants_skip) {
  const GradientCall call{dy,      gradient_magnitude, input_magnitude, u,          spectrum,   k,   skip,
                          in_gate, out_gate,           padding,         fft_length, scale_rows, find};
  const Shape shape = call.checked_shape();
  const std::array<bool, 3> given = {true, in_gate.has_value(), out_gate.has_value()};
  const auto slices = std::count(given.begin(), given.end(), true);
  if (places.size() != given.size()) throw LaunchError("places must be three, of u, in_gate and out_gate");
  const Tensor all = new_rows(u, slices * shape.channels);
  const auto slice = [&](std::size_t tensor) -> OptionalTensor {
    if (!given[tensor]) return std::nullopt;
    if (places[tensor] < 0 || places[tensor] >= slices)
      throw LaunchError("places has " + std::to_string(places[tensor]) + "; they must be 0 to " +
                        std::to_string(slices - 1));
    Tensor whole = all;
    return torch::stable::narrow(whole, 1, places[tensor] * shape.channels, shape.channels);
  };
  Wanted to{slice(0), slice(1), slice(2), call.sums_of_taps(wants_k), call.sums_of_skip(wants_skip)};
  launch(call, shape, to);
  GradientTensors results = to.sums();
  results.insert(results.begin(), all);
  return results;
}

}  // namespace ffc::torch_ops
