// The public face: get a kernel for a config, prepare a filter once, launch any number of times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/runtime/errors.hpp"

// The driver API's stream handle, declared as cuda.h declares it so that users of this header need no CUDA header.
using CUstream = struct CUstream_st*;

namespace ffc {

/// One 3-dimensional tensor (B, H, L) in the device's memory, contiguous in L. Not owned. Strides are in elements.
struct TensorView {
  const void* data = nullptr;
  std::int64_t batch_stride = 0;
  std::int64_t channel_stride = 0;
};

/// The same for a tensor that is written.
struct MutableTensorView {
  void* data = nullptr;
  std::int64_t batch_stride = 0;
  std::int64_t channel_stride = 0;
};

/// Filters as the caller has them: k (channels, length) float32 in device memory, rows contiguous. Not owned.
struct FilterView {
  const float* k = nullptr;
  const float* skip = nullptr;  ///< d (channels) float32, `y += d . (u . w)`; null: no skip term
  std::int64_t length = 0;      ///< taps of a row of k; checked: it must be the filter_length of the kernel's config
  int channels = 0;
  std::int64_t channel_stride = 0;  ///< elements between rows of k; 0 means length
};

/// The inputs before the first of every row, for a kernel whose config has `history`: the segment of a stream before
/// this one ends with them. Rows of `length` elements, of any alignment, contiguous; with an in gate, those of both u
/// and w.
struct History {
  TensorView u;             ///< data null: zeros, as at the beginning of a stream
  TensorView w;             ///< only for a kernel with an in gate, and then null where u is
  std::int64_t length = 0;  ///< filter_length - 1, checked where u is not null
};

/// Memory that the caller lends instead of an allocation. `bytes` is checked.
struct Workspace {
  void* data = nullptr;
  std::size_t bytes = 0;
};

/// Where a kernel runs.
class Device {
 public:
  /// What the environment variable FFC_DEVICE names (`host`, or the ordinal of a GPU); where it names nothing, the GPU
  /// of the calling thread's current context, else GPU 0.
  constexpr Device() = default;
  /// A GPU by its ordinal, -1 for the default.
  constexpr Device(int ordinal) : ordinal_(ordinal) {}  // NOLINT: ordinals are devices to everybody else
  /// The CPU: runs the emitted text itself, compiled by the system's C++ compiler, strictly and slowly. Tensors,
  /// filters and workspaces are in ordinary memory, streams are null, and calls return when the work is done.
  [[nodiscard]] static constexpr Device host() { return Device(host_ordinal); }

  [[nodiscard]] constexpr bool is_host() const { return ordinal_ == host_ordinal; }
  [[nodiscard]] constexpr int ordinal() const { return ordinal_; }  ///< -1: the default; -2: the host
  friend constexpr bool operator==(Device, Device) = default;

 private:
  static constexpr int host_ordinal = -2;
  int ordinal_ = -1;
};

class Kernel;

/// A filter's spectrum in device memory, in the order and type of the kernel that prepared it. Owns its memory, which
/// is freed when the last copy of the handle goes, behind the launches that took it; the call that drops it waits for
/// nothing, unless a launch was captured into a graph. Usable for any number of launches once the work of the stream
/// that prepared it is visible to the launching stream.
class FilterSpectrum {
 public:
  FilterSpectrum() = default;
  [[nodiscard]] int channels() const;
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] const void* data() const;
  [[nodiscard]] int device() const;
  [[nodiscard]] const std::string& tag() const;  ///< Generated::spectrum_tag of the kernel that made it
  explicit operator bool() const { return state_ != nullptr; }

  struct State;  ///< internal, as the two members that follow
  void mark_used(CUstream stream) const;
  explicit FilterSpectrum(std::shared_ptr<const State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<const State> state_;
};

/// A spectrum that launches read. Made by Kernel::prepare_filter_into or Kernel::view_spectrum it owns nothing: the
/// memory and the kernel must live until the launches that take it are done. Made from a FilterSpectrum it is one more
/// handle of that.
class SpectrumView {
 public:
  SpectrumView() = default;
  SpectrumView(const FilterSpectrum& owner)  // NOLINT: wherever a view is taken, so is an owner
      : data_(owner.data()),
        bytes_(owner.bytes()),
        channels_(owner.channels()),
        device_(owner.device()),
        tag_(owner.tag()),
        owner_(owner) {}

  [[nodiscard]] int channels() const { return channels_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] const void* data() const { return data_; }
  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] std::string_view tag() const { return tag_; }
  [[nodiscard]] const FilterSpectrum& owner() const { return owner_; }  ///< empty where the caller owns the memory
  explicit operator bool() const { return data_ != nullptr; }

 private:
  friend class Kernel;
  SpectrumView(const void* data, std::size_t bytes, int channels, int device, std::string_view tag)
      : data_(data), bytes_(bytes), channels_(channels), device_(device), tag_(tag) {}

  const void* data_ = nullptr;
  std::size_t bytes_ = 0;
  int channels_ = 0;
  int device_ = -1;
  std::string_view tag_;
  FilterSpectrum owner_;
};

/// All arguments of one launch: y = v . irfft(rfft(u . w) * rfft(k)).
struct LaunchArguments {
  TensorView u;
  TensorView w;  ///< only for a kernel with an in gate
  TensorView v;  ///< only for a kernel with an out gate
  /// Shares no memory with the other arguments, or is exactly u, w or v, with the same strides, as far as
  /// `generated().in_place` says. Checked.
  MutableTensorView y;
  History history;
  SpectrumView spectrum;
  /// Of u . w: only for a kernel whose config says Scaling::given, or Scaling::found where another kernel finds them
  /// (Generated::magnitudes): those that are lent are not looked for.
  RowMagnitudes input_magnitudes;
  /// Kernel::magnitudes_count float32 in device memory, where another kernel finds them (Generated::magnitudes) and
  /// none are lent, and null else: there they are put, and gradients of the same rows, which take them as
  /// `input_magnitudes` (Kernel::magnitudes_in), need not look for them again. Shares no memory with the other
  /// arguments.
  float* found_magnitudes = nullptr;
  /// (channels) records in device memory, for a kernel whose config says Report::magnitudes, and null for others. The
  /// launch raises what they hold (`ChannelReport`). Shares no memory with the other arguments.
  ChannelReport* report = nullptr;
  int batch = 0;
  int channels = 0;
  /// Memory of its own for a kernel whose workspace_bytes() is not 0; without it a stream-ordered allocation is made
  /// and given back. Less than workspace_bytes() will do, down to least_workspace_bytes(), in more time. Two launches
  /// that may run at the same time need a workspace each.
  Workspace workspace;
};

/// All arguments of one launch of a kernel whose config says Pass::backward: gradients of the sum of y . dy. Outputs
/// that the config does not want must be null, and those that it wants share no memory with another tensor or the
/// spectrum, which is checked. Inputs that a wanted gradient does not need are not read.
struct BackwardArguments {
  TensorView u;
  TensorView w;          ///< only for a kernel with an in gate
  TensorView v;          ///< only for a kernel with an out gate
  TensorView dy;         ///< the gradient by y
  MutableTensorView du;  ///< (B, H, L), rows' own type, as dw and dv
  MutableTensorView dw;
  MutableTensorView dv;
  float* dk = nullptr;                 ///< (H, filter_length) float32, summed over the batch
  std::int64_t dk_channel_stride = 0;  ///< elements between rows of dk; 0 means filter_length
  float* dd = nullptr;                 ///< (H) float32, summed over the batch
  SpectrumView spectrum;               ///< as of a launch; not needed where dk and dd alone are wanted
  /// Of u . w and of dy . v: as of LaunchArguments.
  RowMagnitudes input_magnitudes, gradient_magnitudes;
  ChannelReport* report = nullptr;  ///< as of LaunchArguments; may be that of the launch forward
  int batch = 0;
  int channels = 0;
  /// Memory for a kernel whose backward_workspace_bytes is not 0; without it a stream-ordered allocation is made and
  /// given back. Less will do, down to that of one channel (past 32768 with one pair of rows under way), in more
  /// launches. Two launches that may run at the same time need a workspace each.
  Workspace workspace;
};

/// A compiled kernel loaded on one device. Immutable and thread-safe; shared by all who asked for the same config.
class Kernel {
 public:
  virtual ~Kernel() = default;

  [[nodiscard]] virtual const Generated& generated() const = 0;
  [[nodiscard]] const ConvConfig& config() const { return generated().config; }
  [[nodiscard]] const std::string& name() const { return generated().name; }
  /// The text of the kernel that a launch runs; of rows that are delayed, one of tensors that lie alike
  /// (Generated::apart).
  [[nodiscard]] std::string source() const;
  [[nodiscard]] virtual int device() const = 0;  ///< ordinal; that of Device::host() on the host

  /// Device bytes of the spectrum of that many channels. Throws LaunchError, as the sizes below, where there is none.
  [[nodiscard]] std::size_t spectrum_bytes(int channels) const;
  /// Device bytes that a launch needs beside its arguments: 0 for every kernel that one block can hold; else those of
  /// the pairs of rows that are under way at a time, or of the rows where they go one by one: as many as the L2 cache
  /// keeps, or as the device's blocks work at, whatever batch and channels are (generator/README.md, "Past one block").
  /// Where a launch measures its rows (Generated::magnitudes) 4 bytes for each of its magnitudes more, in whole 256.
  [[nodiscard]] std::size_t workspace_bytes(int channels = 1, int batch = 1) const;
  /// The least that a lent workspace may have: one pair of rows, or one row where they go one by one.
  [[nodiscard]] std::size_t least_workspace_bytes(int channels = 1, int batch = 1) const;
  /// How many magnitudes a launch of so many rows a channel finds of a tensor ahead of its kernel: one of each channel,
  /// or of each row (Generated::magnitudes_of_rows); 0 where it finds none.
  [[nodiscard]] std::int64_t magnitudes_count(int channels, int batch) const;
  /// Those that a launch left in `memory` (LaunchArguments::found_magnitudes), for gradients of the same rows.
  [[nodiscard]] RowMagnitudes magnitudes_in(const float* memory, int batch) const;
  /// Whether the kernel takes magnitudes that lie so: those of each row are not for a kernel that has one of a channel.
  [[nodiscard]] bool takes(const RowMagnitudes& magnitudes) const {
    return magnitudes.row_stride == 0 || generated().magnitudes_of_rows;
  }
  /// Device bytes that prepare_filter needs while it runs.
  [[nodiscard]] std::size_t filter_workspace_bytes(int channels) const;

  /// Computes the spectrum of k in float32 on the device, asynchronously on `stream`, once per filter.
  /// Throws LaunchError for bad arguments, DriverError for what the driver returns.
  [[nodiscard]] virtual FilterSpectrum prepare_filter(const FilterView& filter, CUstream stream = nullptr,
                                                      Workspace workspace = {}) const = 0;

  /// The same into memory of the caller's, at least spectrum_bytes(filter.channels) at an address that 16 divides, with
  /// a workspace of his: filter_workspace_bytes(filter.channels) of them, which may be 0. Allocates and frees nothing,
  /// never synchronises, legal in graph capture. Returns a view of `memory`.
  /// Throws LaunchError before anything is launched, DriverError for what the driver returns.
  virtual SpectrumView prepare_filter_into(const FilterView& filter, Workspace memory, Workspace workspace = {},
                                           CUstream stream = nullptr) const = 0;

  /// A view of a spectrum that prepare_filter_into of this kernel, or of one with the same spectrum_tag, wrote there.
  /// Throws LaunchError for memory that cannot hold it.
  [[nodiscard]] SpectrumView view_spectrum(Workspace memory, int channels) const;

  /// Runs the convolution asynchronously on `stream`: one kernel, and ahead of it, where there is a workspace, a memset
  /// of some bytes of it. Allocates nothing but a workspace where one is needed and not lent, never synchronises, legal
  /// in graph capture. The first launch of tensors that lie apart (Generated::apart) compiles and loads its program.
  /// Throws LaunchError, and CompileError there, before anything is launched, DriverError for what the driver returns.
  virtual void launch(const LaunchArguments& arguments, CUstream stream = nullptr) const = 0;

  /// Device bytes that launch_backward needs beside its arguments, at most 256 MB or one channel's: float32 sums of the
  /// channels that are under way, of about 4 N bytes for every 16 pairs of batch rows, at most 16 times, and where a
  /// block's shared memory does not hold it what the transform of those sums takes. 0 where neither dk nor dd is
  /// wanted. Past 32768 also the complex rows that are under way at a time: as many as the L2 cache keeps, and of some
  /// 16 N bytes together at least, or all that there are.
  [[nodiscard]] std::size_t backward_workspace_bytes(int batch, int channels) const;

  /// Computes the gradients that the config wants, asynchronously on `stream`: one kernel, and behind it, for dk and
  /// dd, mostly another (past 32768 a memset ahead of the first, and the other several times); both again for every 256
  /// MB of workspace. dk and dd are summed in an order that depends on the batch and the channels alone: the same
  /// inputs give the same bits. Allocates nothing but a workspace where one is needed and not lent, never synchronises,
  /// legal in graph capture. The spectrum may be that of the forward config's kernel where both have the same
  /// spectrum_tag. Compiles as launch does. Throws LaunchError, and CompileError there, before anything is launched,
  /// DriverError for what the driver returns.
  virtual void launch_backward(const BackwardArguments& arguments, CUstream stream = nullptr) const = 0;

 protected:
  friend class DelayedScaling;
  friend class KernelInParts;  // hands on what it is asked to one of its kernels
  /// Runs `generated().scaling` on what `memory` holds, asynchronously on `stream`.
  virtual void update_scaling(const Workspace& memory, const ScalingArguments& arguments, CUstream stream) const = 0;
  /// Sets memory to zeros, asynchronously on `stream`.
  virtual void clear(const Workspace& memory, CUstream stream) const = 0;
  /// Blocks of `generated().conv` that the device holds at a time.
  [[nodiscard]] virtual int resident_blocks() const = 0;
  /// Bytes of workspace that launches on this device are best given, of those that its L2 cache keeps.
  [[nodiscard]] virtual std::size_t ring_bytes() const = 0;
  /// Bytes that the ring of a launch is best given, 0 without one.
  [[nodiscard]] std::size_t ring_workspace_bytes() const;
  /// backward_workspace_bytes without what the magnitudes of rows take.
  [[nodiscard]] std::size_t gradient_workspace_bytes(int batch, int channels) const;
};

/// The kernel for a config on a device. Found in memory, else in the disk cache, else generated, compiled and stored.
/// One compile per key however many threads ask. Legal while a stream is being captured into a graph, of which it is no
/// part. On the host, an empty arch means sm_90a: the text that runs is that of some GPU. Throws ConfigError,
/// CompileError, DriverError.
[[nodiscard]] std::shared_ptr<const Kernel> get_kernel(const ConvConfig& config, Device device = {});

/// How a compiled program was obtained.
enum class Origin { memory, disk, compiled };

/// One compiled program, not loaded: what ffc-gen makes on machines without a GPU.
struct CompiledProgram {
  std::string name;
  std::string cubin;
  std::string log;  ///< the compiler's (registers, spills)
  Origin origin = Origin::compiled;
  double seconds = 0;      ///< time spent compiling or reading
  std::string cache_path;  ///< entry folder, empty when it is not on disk
};

/// Compiles one emitted program through the cache; needs NVRTC but neither driver nor GPU. Throws CompileError.
[[nodiscard]] CompiledProgram compile(const GeneratedKernel& kernel, std::string_view arch);

/// Receives one line for each noteworthy event (a damaged cache entry set aside, a cache that cannot be written).
/// Null turns it off. The library itself prints nothing.
using LogCallback = std::function<void(std::string_view line)>;
void set_log_callback(LogCallback callback);

}  // namespace ffc
