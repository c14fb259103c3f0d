// Checks, views and memory.
#include "arguments.hpp"

#include <torch/csrc/stable/accelerator.h>
#include <torch/csrc/stable/ops.h>
#include <torch/headeronly/util/shim_utils.h>

#include <limits>
#include <sstream>

#include "current_stream.hpp"

namespace ffc::torch_ops {
namespace {

using torch::headeronly::ScalarType;

std::string text_of(torch::headeronly::IntHeaderOnlyArrayRef sizes) {
  std::ostringstream text;
  text << '(';
  for (std::size_t i = 0; i < sizes.size(); ++i) text << (i > 0 ? ", " : "") << sizes[i];
  text << ')';
  return text.str();
}

template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  std::ostringstream text;
  text << "ffc_torch: ";
  (text << ... << parts);
  throw LaunchError(text.str());
}

bool fits(const Tensor& tensor, int alignment) {
  constexpr std::int64_t element_bytes = 2;
  if (tensor.size(2) > 1 && tensor.stride(2) != 1) return false;
  if (reinterpret_cast<std::uintptr_t>(tensor.const_data_ptr()) % static_cast<std::uintptr_t>(alignment) != 0)
    return false;
  for (const std::int64_t axis : {0, 1})
    if (tensor.size(axis) > 1 && tensor.stride(axis) * element_bytes % alignment != 0) return false;
  return true;
}

Tensor copied(const Tensor& tensor) {
  Tensor copy = torch::stable::new_empty(tensor, tensor.sizes());
  return torch::stable::copy_(copy, tensor);
}

}  // namespace

ConvConfig make_config(const std::string& padding, std::int64_t length, std::int64_t filter_length,
                       std::int64_t fft_length, ScalarType dtype, bool in_gate, bool out_gate) {
  ConvConfig config;
  if (padding == "causal")
    config.padding = Padding::causal;
  else if (padding == "padded")
    config.padding = Padding::padded;
  else if (padding == "circular")
    config.padding = Padding::circular;
  else
    throw ConfigError("padding is \"" + padding + "\"; it must be \"causal\", \"circular\" or \"padded\"");
  if (dtype != ScalarType::Half && dtype != ScalarType::BFloat16)
    refuse("rows are ", toString(dtype), "; kernels take torch.float16 and torch.bfloat16");
  config.length = length;
  config.filter_length = filter_length;
  config.fft_length = fft_length == 0 && config.padding == Padding::circular ? length : fft_length;
  config.dtype = dtype == ScalarType::Half ? DataType::fp16 : DataType::bf16;
  config.gating = in_gate ? (out_gate ? Gating::both : Gating::in) : out_gate ? Gating::out : Gating::none;
  return config;
}

Device device_of(const Tensor& tensor) {
  return tensor.is_cpu() ? Device::host() : Device(static_cast<int>(tensor.get_device_index()));
}

Place::Place(const Tensor& tensor) {
  if (tensor.is_cpu()) return;
  const auto index = tensor.get_device_index();
  DeviceGuardHandle guard = nullptr;
  TORCH_ERROR_CODE_CHECK(aoti_torch_create_device_guard(index, &guard));
  guard_ = guard;
  stream_ = current_stream(index);
}

Place::~Place() {
  // It fails only where there is no device to go back to.
  if (guard_ != nullptr) (void)aoti_torch_delete_device_guard(static_cast<DeviceGuardHandle>(guard_));
}

Rows::Rows(const char* name, const Tensor& tensor, int alignment)
    : kept_(fits(tensor, alignment) ? tensor : copied(tensor)) {
  if (!fits(kept_, alignment)) refuse(name, " cannot be copied to rows aligned to ", alignment, " bytes");
  view_ = {kept_.const_data_ptr(), kept_.stride(0), kept_.stride(1)};
}

Shape shape_of(const char* name, const Tensor& tensor) {
  if (tensor.dim() != 3) refuse(name, " has shape ", text_of(tensor.sizes()), "; it must be (batch, channels, length)");
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const Shape shape{tensor.size(0), tensor.size(1), tensor.size(2)};
  if (shape.batch > most || shape.channels < 1 || shape.channels > most || shape.length < 1)
    refuse(name, " has shape ", text_of(tensor.sizes()), "; channels and length must be 1 or more, batch and ",
           "channels at most ", most);
  return shape;
}

void check_like(const char* name, const Tensor& tensor, const char* like_name, const Tensor& like) {
  const auto same_sizes = [&] {
    if (tensor.dim() != like.dim()) return false;
    for (std::int64_t axis = 0; axis < like.dim(); ++axis)
      if (tensor.size(axis) != like.size(axis)) return false;
    return true;
  };
  if (!same_sizes())
    refuse(name, " has shape ", text_of(tensor.sizes()), "; it must be that of ", like_name, ", ",
           text_of(like.sizes()));
  if (tensor.scalar_type() != like.scalar_type())
    refuse(name, " is ", toString(tensor.scalar_type()), "; it must be ", toString(like.scalar_type()), ", as ",
           like_name, " is");
  if (tensor.device() != like.device())
    refuse(name, " is on another device than ", like_name, "; they must be on the same");
}

void check_floats(const char* name, const Tensor& tensor, const std::vector<std::int64_t>& shape, const Tensor& like) {
  bool same = tensor.dim() == static_cast<std::int64_t>(shape.size());
  for (std::size_t axis = 0; same && axis < shape.size(); ++axis)
    same = tensor.size(static_cast<std::int64_t>(axis)) == shape[axis];
  if (!same) refuse(name, " has shape ", text_of(tensor.sizes()), "; it must be ", text_of(shape));
  if (tensor.scalar_type() != ScalarType::Float)
    refuse(name, " is ", toString(tensor.scalar_type()), "; it must be Float");
  if (tensor.device() != like.device()) refuse(name, " is on another device than the rows");
}

Tensor new_bytes(const Tensor& like, std::int64_t rows, std::size_t bytes_per_row) {
  return torch::stable::new_empty(like, {rows, static_cast<std::int64_t>(bytes_per_row)}, ScalarType::Byte);
}

Tensor new_floats(const Tensor& like, const std::vector<std::int64_t>& shape) {
  return torch::stable::new_empty(like, {shape.data(), shape.size()}, ScalarType::Float);
}

Workspace memory_of(const Tensor& bytes) { return {bytes.mutable_data_ptr(), static_cast<std::size_t>(bytes.numel())}; }

OptionalTensor new_workspace(const Tensor& like, std::size_t bytes) {
  if (bytes == 0) return std::nullopt;
  return new_bytes(like, 1, bytes);
}

Workspace memory_of(const OptionalTensor& bytes) { return bytes ? memory_of(*bytes) : Workspace{}; }

Tensor new_spectrum(const Kernel& kernel, const Tensor& k, const OptionalTensor& skip, CUstream stream) {
  const auto contiguous = [](const Tensor& tensor) { return torch::stable::contiguous(tensor); };
  const int channels = static_cast<int>(k.size(0));
  const bool rows_are = k.size(1) == 1 || (k.stride(1) == 1 && (channels == 1 || k.stride(0) >= k.size(1)));
  const Tensor taps = rows_are ? k : contiguous(k);
  FilterView filter;
  filter.k = static_cast<const float*>(taps.const_data_ptr());
  std::vector<Tensor> skips;  // one where there is one
  if (skip) skips.push_back(contiguous(*skip));
  filter.skip = skip ? static_cast<const float*>(skips[0].const_data_ptr()) : nullptr;
  filter.channel_stride = channels > 1 ? taps.stride(0) : taps.size(1);
  filter.channels = channels;
  filter.length = taps.size(1);
  const Tensor spectrum = new_bytes(k, channels, kernel.spectrum_bytes(1));
  const OptionalTensor workspace = new_workspace(k, kernel.filter_workspace_bytes(channels));
  kernel.prepare_filter_into(filter, memory_of(spectrum), memory_of(workspace), stream);
  return spectrum;
}

}  // namespace ffc::torch_ops
