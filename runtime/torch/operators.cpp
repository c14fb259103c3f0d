// Operators and their registration.
#include "operators.hpp"

#include <torch/csrc/stable/library.h>

#include <ffc/generator/arch.hpp>
#include <ffc/generator/few_rows.hpp>
#include <ffc/generator/generate.hpp>
#include <ffc/generator/generated_kernel.hpp>
#include <memory>
#include <tuple>

namespace ffc::torch_ops {
namespace {

using torch::headeronly::ScalarType;

constexpr const char* host_arch = "sm_90a";  // as get_kernel takes it for Device::host()

// Text, because a model that AOTInductor of PyTorch 2.10 has compiled gives an operator a ScalarType by another number.
ScalarType type_named(const std::string& name) {
  if (name == "float16") return ScalarType::Half;
  if (name == "bfloat16") return ScalarType::BFloat16;
  throw ConfigError("dtype is \"" + name + "\"; it must be \"float16\" or \"bfloat16\"");
}

// The spectrum of filters for rows of `length` samples.
Tensor prepare(Tensor k, OptionalTensor skip, std::string padding, std::int64_t length, std::int64_t fft_length,
               std::string dtype, bool in_gate, bool out_gate, bool history) {
  check_taps(k, skip, k.size(0), k);
  ConvConfig config = make_config(padding, length, k.size(1), fft_length, type_named(dtype), in_gate, out_gate);
  config.history = history;
  const Place place(k);
  return new_spectrum(*get_kernel(config, device_of(k)), k, skip, place.stream());
}

// On a GPU of that compute capability (10 major + minor; 0: on the host).
std::string arch_of(std::int64_t capability) {
  if (capability == 0) return host_arch;
  return std::string(arch_for_capability(static_cast<int>(capability / 10), static_cast<int>(capability % 10)).name);
}

// What prepare makes of a channel, in bytes. A plan is made and nothing compiled.
std::int64_t spectrum_bytes(std::string padding, std::int64_t length, std::int64_t filter_length,
                            std::int64_t fft_length, std::string dtype, bool in_gate, bool out_gate, bool history,
                            std::int64_t capability) {
  ConvConfig config = make_config(padding, length, filter_length, fft_length, type_named(dtype), in_gate, out_gate);
  config.history = history;
  config.arch = arch_of(capability);
  return generate(normalised(config)).spectrum_row_bytes;
}

// Whether magnitudes of scaled rows are found ahead of the kernel, so that forward and conv return them, and whether
// they are of each row. Of a plan too.
std::tuple<bool, bool> finds_ahead(std::string padding, std::int64_t length, std::int64_t filter_length,
                                   std::int64_t fft_length, std::string dtype, bool in_gate, bool out_gate,
                                   std::int64_t capability) {
  ConvConfig config = make_config(padding, length, filter_length, fft_length, type_named(dtype), in_gate, out_gate);
  config.scaling = Scaling::found;
  config.arch = arch_of(capability);
  const Generated generated = generate(normalised(config));
  return {generated.magnitudes.has_value(), generated.magnitudes_of_rows};
}

ConvConfig config_of(const Tensor& u, const OptionalTensor& in_gate, const OptionalTensor& out_gate,
                     const std::string& padding, std::int64_t filter_length, std::int64_t fft_length, bool scale_rows) {
  ConvConfig config = make_config(padding, u.size(u.dim() - 1), filter_length, fft_length, u.scalar_type(),
                                  in_gate.has_value(), out_gate.has_value());
  config.scaling = scale_rows ? Scaling::found : Scaling::fixed;
  return config;
}

// The kernel for so few rows where it takes the spectrum of that for any batch, else this one.
std::shared_ptr<const Kernel> for_few_rows(std::shared_ptr<const Kernel> any, std::int64_t batch,
                                           const Device& device) {
  auto of_few = kernel_of_few(any->config(), batch, device);
  return of_few && share_spectrum(*of_few, *any) ? of_few : any;
}

struct Past {
  const Tensor& u;
  const OptionalTensor& in_gate;
};

// How many magnitudes of a channel the kernel's launch finds ahead of it.
std::int64_t magnitudes_of_channel(const Kernel& kernel, std::int64_t batch) {
  if (!kernel.generated().magnitudes) return 0;
  return kernel.generated().magnitudes_of_rows ? batch : 1;
}

// That of u, which the gates have too.
Shape checked_shape(const Tensor& u, const OptionalTensor& in_gate, const OptionalTensor& out_gate) {
  const Shape shape = shape_of("u", u);
  if (in_gate) check_like("in_gate", *in_gate, "u", u);
  if (out_gate) check_like("out_gate", *out_gate, "u", u);
  return shape;
}

// `found`, where it is given, becomes magnitudes of u . in_gate: (H, B) of each row, (H, 1) of each channel, or (H, 0)
// where none are found ahead of the kernel. Always two axes: graphs of any length know which it is when they run.
Tensor run(const Kernel& kernel, const Place& place, const Tensor& u, const Tensor& spectrum,
           const OptionalTensor& in_gate, const OptionalTensor& out_gate, const Past* past, Tensor* found) {
  const Shape shape = checked_shape(u, in_gate, out_gate);
  Tensor y = new_like(u);
  if (found != nullptr) *found = new_floats(u, {shape.channels, magnitudes_of_channel(kernel, shape.batch)});
  if (shape.batch == 0) return y;
  const int alignment = kernel.config().row_alignment;
  LaunchArguments arguments;
  const Rows u_rows("u", u, alignment);
  std::optional<Rows> w_rows, v_rows, past_u, past_w;
  arguments.u = u_rows.view();
  if (in_gate) arguments.w = w_rows.emplace("in_gate", *in_gate, alignment).view();
  if (out_gate) arguments.v = v_rows.emplace("out_gate", *out_gate, alignment).view();
  if (past != nullptr) {
    constexpr int any_alignment = 2;
    arguments.history.u = past_u.emplace("past", past->u, any_alignment).view();
    if (in_gate && past->in_gate)
      arguments.history.w = past_w.emplace("past_gate", *past->in_gate, any_alignment).view();
    arguments.history.length = past->u.size(2);
  }
  arguments.y = {y.mutable_data_ptr(), y.stride(0), y.stride(1)};
  arguments.batch = static_cast<int>(shape.batch);
  arguments.channels = static_cast<int>(shape.channels);
  arguments.spectrum = kernel.view_spectrum(memory_of(spectrum), static_cast<int>(spectrum.size(0)));
  const OptionalTensor workspace = new_workspace(u, kernel.workspace_bytes(arguments.channels, arguments.batch));
  arguments.workspace = memory_of(workspace);
  if (found != nullptr && found->numel() > 0)
    arguments.found_magnitudes = static_cast<float*>(found->mutable_data_ptr());
  kernel.launch(arguments, place.stream());
  return y;
}

// The same with the kernel of a config, which nobody asks for where there is nothing to do.
Tensor run(const ConvConfig& config, const Tensor& u, const Tensor& spectrum, const OptionalTensor& in_gate,
           const OptionalTensor& out_gate, const Past* past, Tensor* found = nullptr) {
  const Shape shape = checked_shape(u, in_gate, out_gate);
  if (shape.batch == 0 && found == nullptr) return new_like(u);
  const Place place(u);
  const Device device = device_of(u);
  const auto kernel = for_few_rows(get_kernel(config, device), shape.batch, device);
  return run(*kernel, place, u, spectrum, in_gate, out_gate, past, found);
}

Tensor infer(Tensor u, Tensor spectrum, OptionalTensor in_gate, OptionalTensor out_gate, std::string padding,
             std::int64_t filter_length, std::int64_t fft_length, bool scale_rows) {
  const ConvConfig config = config_of(u, in_gate, out_gate, padding, filter_length, fft_length, scale_rows);
  return run(config, u, spectrum, in_gate, out_gate, nullptr);
}

// infer whose gradients PyTorch knows: y, and the magnitudes that were found ahead of the kernel, which gradients take
// as input_magnitude. k and skip are those of the spectrum; they are not read, and gradients go to them.
// scale_gradients is theirs alone too.
std::tuple<Tensor, Tensor> forward(Tensor u, Tensor spectrum, OptionalTensor /*k*/, OptionalTensor /*skip*/,
                                   OptionalTensor in_gate, OptionalTensor out_gate, std::string padding,
                                   std::int64_t filter_length, std::int64_t fft_length, bool scale_rows,
                                   bool /*scale_gradients*/) {
  const ConvConfig config = config_of(u, in_gate, out_gate, padding, filter_length, fft_length, scale_rows);
  Tensor found;
  return {run(config, u, spectrum, in_gate, out_gate, nullptr, &found), found};
}

// prepare and forward in one call: y, the spectrum, and the magnitudes.
std::tuple<Tensor, Tensor, Tensor> conv(Tensor u, Tensor k, OptionalTensor skip, OptionalTensor in_gate,
                                        OptionalTensor out_gate, std::string padding, std::int64_t fft_length,
                                        bool scale_rows) {
  const Shape shape = shape_of("u", u);
  check_taps(k, skip, shape.channels, u);
  const ConvConfig config = config_of(u, in_gate, out_gate, padding, k.size(1), fft_length, scale_rows);
  const Place place(u);
  const Device device = device_of(u);
  const auto any = get_kernel(config, device);
  const Tensor spectrum = new_spectrum(*any, k, skip, place.stream());
  const auto kernel = for_few_rows(any, shape.batch, device);
  Tensor found;
  return {run(*kernel, place, u, spectrum, in_gate, out_gate, nullptr, &found), spectrum, found};
}

// infer without its kernel: what a call through PyTorch costs by itself.
Tensor nothing(Tensor u, Tensor /*spectrum*/, OptionalTensor /*in_gate*/, OptionalTensor /*out_gate*/,
               std::string /*padding*/, std::int64_t /*filter_length*/, std::int64_t /*fft_length*/,
               bool /*scale_rows*/) {
  return new_like(u);
}

// A segment of a stream: past (B, H, Lk - 1) is what was before u, past_gate what was before in_gate.
Tensor segment(Tensor u, Tensor spectrum, OptionalTensor in_gate, OptionalTensor out_gate, OptionalTensor past,
               OptionalTensor past_gate, std::int64_t filter_length, std::int64_t fft_length, bool scale_rows) {
  ConvConfig config = config_of(u, in_gate, out_gate, "causal", filter_length, fft_length, scale_rows);
  config.history = true;
  if (!past) return run(config, u, spectrum, in_gate, out_gate, nullptr);
  const Past before{*past, past_gate};
  return run(config, u, spectrum, in_gate, out_gate, &before);
}

}  // namespace

bool share_spectrum(const Kernel& one, const Kernel& other) {
  return one.generated().spectrum_tag == other.generated().spectrum_tag;
}

std::shared_ptr<const Kernel> kernel_of_few(const ConvConfig& config, std::int64_t batch, const Device& device) {
  const int hint = few_rows_hint(config, batch);
  if (hint == 0) return nullptr;
  ConvConfig few = config;
  few.batch = hint;
  return get_kernel(few, device);
}

// Lengths are SymInt, so that graphs of lengths that change can call them.
STABLE_TORCH_LIBRARY(ffc_torch, m) {
  m.def(
      "prepare(Tensor k, Tensor? skip, str padding, SymInt length, SymInt fft_length, str dtype, bool in_gate, bool "
      "out_gate, bool history) -> Tensor");
  m.def(
      "spectrum_bytes(str padding, int length, int filter_length, int fft_length, str dtype, bool in_gate, bool "
      "out_gate, bool history, int capability) -> int");
  m.def(
      "finds_ahead(str padding, int length, int filter_length, int fft_length, str dtype, bool in_gate, bool out_gate, "
      "int capability) -> (bool, bool)");
  m.def(
      "forward(Tensor u, Tensor spectrum, Tensor? k, Tensor? skip, Tensor? in_gate, Tensor? out_gate, str padding, "
      "SymInt filter_length, SymInt fft_length, bool scale_rows, bool scale_gradients) -> (Tensor, Tensor)");
  m.def(
      "infer(Tensor u, Tensor spectrum, Tensor? in_gate, Tensor? out_gate, str padding, SymInt filter_length, SymInt "
      "fft_length, bool scale_rows) -> Tensor");
  m.def(
      "conv(Tensor u, Tensor k, Tensor? skip, Tensor? in_gate, Tensor? out_gate, str padding, SymInt fft_length, bool "
      "scale_rows) -> (Tensor, Tensor, Tensor)");
  m.def(
      "nothing(Tensor u, Tensor spectrum, Tensor? in_gate, Tensor? out_gate, str padding, SymInt filter_length, SymInt "
      "fft_length, bool scale_rows) -> Tensor");
  // Twice, as forward and infer: a name whose gradients PyTorch looks for costs more to call.
  m.def(
      "backward(Tensor dy, Tensor? gradient_magnitude, Tensor? input_magnitude, Tensor u, Tensor spectrum, Tensor k, "
      "Tensor? skip, Tensor? in_gate, Tensor? out_gate, str padding, SymInt fft_length, bool scale_rows, bool find, "
      "bool wants_u, bool wants_in_gate, bool wants_out_gate, bool wants_k, bool wants_skip) -> Tensor[]");
  m.def(
      "gradients(Tensor dy, Tensor? gradient_magnitude, Tensor? input_magnitude, Tensor u, Tensor spectrum, Tensor k, "
      "Tensor? skip, Tensor? in_gate, Tensor? out_gate, str padding, SymInt fft_length, bool scale_rows, bool find, "
      "bool wants_u, bool wants_in_gate, bool wants_out_gate, bool wants_k, bool wants_skip) -> Tensor[]");
  m.def(
      "gradients_of_slices(Tensor dy, Tensor? gradient_magnitude, Tensor? input_magnitude, Tensor u, Tensor spectrum, "
      "Tensor k, Tensor? skip, Tensor? in_gate, Tensor? out_gate, str padding, SymInt fft_length, bool scale_rows, "
      "bool "
      "find, int[] places, bool wants_k, bool wants_skip) -> Tensor[]");
  m.def(
      "segment(Tensor u, Tensor spectrum, Tensor? in_gate, Tensor? out_gate, Tensor? past, Tensor? past_gate, int "
      "filter_length, int fft_length, bool scale_rows) -> Tensor");
  m.def("taps_of_spectrum(Tensor spectrum, SymInt length, SymInt taps) -> Tensor");
  m.def("spectrum_gradient(Tensor dk, SymInt length) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(ffc_torch, CompositeExplicitAutograd, m) {
  m.impl("spectrum_bytes", TORCH_BOX(&spectrum_bytes));
  m.impl("finds_ahead", TORCH_BOX(&finds_ahead));
}

STABLE_TORCH_LIBRARY_IMPL(ffc_torch, CPU, m) {
  m.impl("prepare", TORCH_BOX(&prepare));
  m.impl("forward", TORCH_BOX(&forward));
  m.impl("infer", TORCH_BOX(&infer));
  m.impl("conv", TORCH_BOX(&conv));
  m.impl("nothing", TORCH_BOX(&nothing));
  m.impl("backward", TORCH_BOX(&backward));
  m.impl("gradients", TORCH_BOX(&backward));
  m.impl("gradients_of_slices", TORCH_BOX(&gradients_of_slices));
  m.impl("segment", TORCH_BOX(&segment));
  m.impl("taps_of_spectrum", TORCH_BOX(&taps_of_spectrum));
  m.impl("spectrum_gradient", TORCH_BOX(&spectrum_gradient));
}

STABLE_TORCH_LIBRARY_IMPL(ffc_torch, CUDA, m) {
  m.impl("prepare", TORCH_BOX(&prepare));
  m.impl("forward", TORCH_BOX(&forward));
  m.impl("infer", TORCH_BOX(&infer));
  m.impl("conv", TORCH_BOX(&conv));
  m.impl("nothing", TORCH_BOX(&nothing));
  m.impl("backward", TORCH_BOX(&backward));
  m.impl("gradients", TORCH_BOX(&backward));
  m.impl("gradients_of_slices", TORCH_BOX(&gradients_of_slices));
  m.impl("segment", TORCH_BOX(&segment));
  m.impl("taps_of_spectrum", TORCH_BOX(&taps_of_spectrum));
  m.impl("spectrum_gradient", TORCH_BOX(&spectrum_gradient));
}

}  // namespace ffc::torch_ops
