// From PyTorch's tensors to the arguments of ffc: configs, kernels, views of rows, memory of torch's allocator.
#pragma once

#include <torch/csrc/stable/tensor.h>

#include <cstdint>
#include <ffc/runtime/kernel.hpp>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ffc::torch_ops {

using Tensor = torch::stable::Tensor;
using OptionalTensor = std::optional<Tensor>;

/// The config of a convolution. `fft_length` 0 leaves the choice to ffc; of circular rows it is `length`.
/// Throws ConfigError for a padding that is none of circular, padded, causal.
[[nodiscard]] ConvConfig make_config(const std::string& padding, std::int64_t length, std::int64_t filter_length,
                                     std::int64_t fft_length, torch::headeronly::ScalarType dtype, bool in_gate,
                                     bool out_gate);

/// Where kernels for that tensor run: its GPU, or ffc's host for tensors of the CPU.
[[nodiscard]] Device device_of(const Tensor& tensor);

/// Makes the tensor's device PyTorch's current one while it lives, and knows that device's current stream.
class Place {
 public:
  explicit Place(const Tensor& tensor);
  ~Place();
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  [[nodiscard]] CUstream stream() const { return stream_; }

 private:
  void* guard_ = nullptr;
  CUstream stream_ = nullptr;
};

/// A tensor (B, H, L) as a kernel takes it. Copied once where its rows are not contiguous or not aligned.
class Rows {
 public:
  /// `name` is that of the argument in messages. Throws LaunchError for another shape or type than `like`'s.
  Rows(const char* name, const Tensor& tensor, int alignment);

  [[nodiscard]] TensorView view() const { return view_; }

 private:
  Tensor kept_;
  TensorView view_;
};

/// B, H and L of rows, with B and H within the range of a launch.
struct Shape {
  std::int64_t batch = 0, channels = 0, length = 0;
};
/// Throws LaunchError where it is not three-dimensional.
[[nodiscard]] Shape shape_of(const char* name, const Tensor& tensor);
/// Throws LaunchError unless `tensor` has the shape, type and device of `like`.
void check_like(const char* name, const Tensor& tensor, const char* like_name, const Tensor& like);
/// Throws LaunchError unless `tensor` is float32 of that shape on the device of `like`.
void check_floats(const char* name, const Tensor& tensor, std::initializer_list<std::int64_t> shape,
                  const Tensor& like);

/// How large rows are, as kernels read it: `magnitudes` float32, one for all, or (channels), (channels, 1) or
/// (channels, batch), of any stride. None where there are none. Throws LaunchError for another shape or type, and names
/// it `name`.
[[nodiscard]] RowMagnitudes magnitudes_of(const char* name, const OptionalTensor& magnitudes, const Shape& shape,
                                          const Tensor& like);

/// Throws LaunchError unless k is (channels, taps) and skip, where given, (channels), both as check_floats.
void check_taps(const Tensor& k, const OptionalTensor& skip, std::int64_t channels, const Tensor& like);

/// Contiguous memory of torch's allocator, on the current stream of `like`'s device; as a workspace, given back to it.
/// Uninitialised. new_like has the shape and type of `rows`. Throws LaunchError, "out of memory", where there is none.
[[nodiscard]] Tensor new_like(const Tensor& rows);
/// new_like of (B, channels, L) where rows are (B, H, L).
[[nodiscard]] Tensor new_rows(const Tensor& rows, std::int64_t channels);
[[nodiscard]] Tensor new_bytes(const Tensor& like, std::int64_t rows, std::size_t bytes_per_row);
[[nodiscard]] Tensor new_floats(const Tensor& like, std::initializer_list<std::int64_t> shape);
/// The tensor itself where it has no gaps, else a copy.
[[nodiscard]] Tensor without_gaps(const Tensor& tensor);
[[nodiscard]] Workspace memory_of(const Tensor& bytes);
/// A workspace of so many bytes, none where that is 0. Keep the tensor until the launch has been made.
[[nodiscard]] OptionalTensor new_workspace(const Tensor& like, std::size_t bytes);
[[nodiscard]] Workspace memory_of(const OptionalTensor& bytes);

/// The spectrum (H, bytes of a channel) of k (H, Lk) float32 and skip (H) float32 for that kernel, on `stream`.
[[nodiscard]] Tensor new_spectrum(const Kernel& kernel, const Tensor& k, const OptionalTensor& skip, CUstream stream);

}  // namespace ffc::torch_ops
