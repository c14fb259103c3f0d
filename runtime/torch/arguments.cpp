// Checks, views and memory.
#include "arguments.hpp"

#include <torch/csrc/stable/accelerator.h>
#include <torch/csrc/stable/ops.h>
#include <torch/headeronly/util/shim_utils.h>

#include <algorithm>
#include <array>
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
  const auto sizes = tensor.sizes(), strides = tensor.strides();
  if (sizes[2] > 1 && strides[2] != 1) return false;
  if (reinterpret_cast<std::uintptr_t>(tensor.const_data_ptr()) % static_cast<std::uintptr_t>(alignment) != 0)
    return false;
  for (const std::size_t axis : {0, 1})
    if (sizes[axis] > 1 && strides[axis] * element_bytes % alignment != 0) return false;
  return true;
}

Tensor copied(const Tensor& tensor) {
  Tensor copy = new_like(tensor);
  return torch::stable::copy_(copy, tensor);
}

// Straight from the allocator: through the dispatcher, as new_empty, it takes three times as long.
Tensor new_tensor(const Tensor& like, const std::int64_t* sizes, std::int64_t dim, std::int32_t dtype) {
  constexpr std::int64_t most_axes = 3;
  if (dim > most_axes) refuse("a tensor of ", dim, " axes; there may be ", most_axes);
  std::array<std::int64_t, most_axes> strides = {};
  std::int64_t elements = 1;
  for (std::int64_t axis = dim - 1; axis >= 0; --axis) {
    strides[static_cast<std::size_t>(axis)] = elements;
    elements *= std::max<std::int64_t>(sizes[axis], 1);
  }
  std::int32_t device_type = 0;
  TORCH_ERROR_CODE_CHECK(aoti_torch_get_device_type(like.get(), &device_type));
  const std::int32_t index = like.get_device_index();
  AtenTensorHandle made = nullptr;
  // The allocator's own words go to PyTorch's log; here is a code alone.
  if (aoti_torch_empty_strided(dim, sizes, strides.data(), dtype, device_type, index, &made) != TORCH_SUCCESS)
    refuse("out of memory: ", static_cast<std::size_t>(elements) * aoti_torch_dtype_element_size(dtype),
           " bytes for a tensor of shape ", text_of({sizes, static_cast<std::size_t>(dim)}), " on ",
           like.is_cpu() ? "cpu" : "cuda:" + std::to_string(index));
  return Tensor(made);
}

// That of an axis of one element may be anything, so it is not passed on.
std::int32_t magnitude_stride(const char* name, const Tensor& magnitudes, std::int64_t axis) {
  if (magnitudes.size(axis) == 1) return 0;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const std::int64_t stride = magnitudes.stride(axis);
  if (stride > most) refuse(name, " has stride ", stride, "; it must be at most ", most);
  return static_cast<std::int32_t>(stride);
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
  std::int32_t current = -1;
  TORCH_ERROR_CODE_CHECK(aoti_torch_get_current_device_index(&current));
  if (current != index) {
    DeviceGuardHandle guard = nullptr;
    TORCH_ERROR_CODE_CHECK(aoti_torch_create_device_guard(index, &guard));
    guard_ = guard;
  }
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
  const auto sizes = tensor.sizes();
  if (sizes.size() != 3) refuse(name, " has shape ", text_of(sizes), "; it must be (batch, channels, length)");
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const Shape shape{sizes[0], sizes[1], sizes[2]};
  if (shape.batch > most || shape.channels < 1 || shape.channels > most || shape.length < 1)
    refuse(name, " has shape ", text_of(sizes), "; channels and length must be 1 or more, batch and ",
           "channels at most ", most);
  return shape;
}

void check_like(const char* name, const Tensor& tensor, const char* like_name, const Tensor& like) {
  const auto sizes = tensor.sizes(), right = like.sizes();
  if (!std::equal(sizes.begin(), sizes.end(), right.begin(), right.end()))
    refuse(name, " has shape ", text_of(sizes), "; it must be that of ", like_name, ", ", text_of(right));
  if (tensor.scalar_type() != like.scalar_type())
    refuse(name, " is ", toString(tensor.scalar_type()), "; it must be ", toString(like.scalar_type()), ", as ",
           like_name, " is");
  if (tensor.device() != like.device())
    refuse(name, " is on another device than ", like_name, "; they must be on the same");
}

void check_floats(const char* name, const Tensor& tensor, std::initializer_list<std::int64_t> shape,
                  const Tensor& like) {
  const auto sizes = tensor.sizes();
  if (!std::equal(sizes.begin(), sizes.end(), shape.begin(), shape.end()))
    refuse(name, " has shape ", text_of(sizes), "; it must be ", text_of({shape.begin(), shape.size()}));
  if (tensor.scalar_type() != ScalarType::Float)
    refuse(name, " is ", toString(tensor.scalar_type()), "; it must be Float");
  if (tensor.device() != like.device()) refuse(name, " is on another device than the rows");
}

void check_taps(const Tensor& k, const OptionalTensor& skip, std::int64_t channels, const Tensor& like) {
  const auto sizes = k.sizes();
  if (sizes.size() != 2 || sizes[1] < 1) refuse("k has shape ", text_of(sizes), "; it must be (", channels, ", taps)");
  check_floats("k", k, {channels, sizes[1]}, like);
  if (skip) check_floats("skip", *skip, {channels}, like);
}

RowMagnitudes magnitudes_of(const char* name, const OptionalTensor& magnitudes, const Shape& shape,
                            const Tensor& like) {
  if (!magnitudes) return {};
  const std::int64_t axes = magnitudes->dim();
  if (axes == 0)
    check_floats(name, *magnitudes, {}, like);
  else if (axes == 2)
    check_floats(name, *magnitudes, {shape.channels, magnitudes->size(1) == 1 ? 1 : shape.batch}, like);
  else
    check_floats(name, *magnitudes, {shape.channels}, like);
  return {static_cast<const float*>(magnitudes->const_data_ptr()),
          axes > 0 ? magnitude_stride(name, *magnitudes, 0) : 0, axes > 1 ? magnitude_stride(name, *magnitudes, 1) : 0};
}

Tensor new_like(const Tensor& rows) {
  std::int32_t dtype = 0;
  TORCH_ERROR_CODE_CHECK(aoti_torch_get_dtype(rows.get(), &dtype));
  return new_tensor(rows, rows.sizes().data(), rows.dim(), dtype);
}

Tensor new_rows(const Tensor& rows, std::int64_t channels) {
  std::int32_t dtype = 0;
  TORCH_ERROR_CODE_CHECK(aoti_torch_get_dtype(rows.get(), &dtype));
  const std::int64_t sizes[] = {rows.size(0), channels, rows.size(2)};
  return new_tensor(rows, sizes, 3, dtype);
}

Tensor new_bytes(const Tensor& like, std::int64_t rows, std::size_t bytes_per_row) {
  const std::int64_t sizes[] = {rows, static_cast<std::int64_t>(bytes_per_row)};
  return new_tensor(like, sizes, 2, aoti_torch_dtype_uint8());
}

Tensor new_floats(const Tensor& like, std::initializer_list<std::int64_t> shape) {
  return new_tensor(like, shape.begin(), static_cast<std::int64_t>(shape.size()), aoti_torch_dtype_float32());
}

Tensor without_gaps(const Tensor& tensor) { return tensor.is_contiguous() ? tensor : copied(tensor); }

Workspace memory_of(const Tensor& bytes) { return {bytes.mutable_data_ptr(), static_cast<std::size_t>(bytes.numel())}; }

OptionalTensor new_workspace(const Tensor& like, std::size_t bytes) {
  if (bytes == 0) return std::nullopt;
  return new_bytes(like, 1, bytes);
}

Workspace memory_of(const OptionalTensor& bytes) { return bytes ? memory_of(*bytes) : Workspace{}; }

Tensor new_spectrum(const Kernel& kernel, const Tensor& k, const OptionalTensor& skip, CUstream stream) {
  const int channels = static_cast<int>(k.size(0));
  const bool rows_are = k.size(1) == 1 || (k.stride(1) == 1 && (channels == 1 || k.stride(0) >= k.size(1)));
  const Tensor taps = rows_are ? k : copied(k);
  FilterView filter;
  filter.k = static_cast<const float*>(taps.const_data_ptr());
  std::vector<Tensor> skips;  // one where there is one
  if (skip) skips.push_back(without_gaps(*skip));
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
