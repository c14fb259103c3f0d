// A kernel on one device: its programs and the launches.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cuda_device.hpp"
#include "ffc/runtime/kernel.hpp"
#include "late.hpp"
#include "loaded_entry.hpp"

namespace ffc {

struct BackwardChunk;
struct MagnitudeLaunch;

/// The compiled programs of one Generated that every kernel needs.
struct KernelCubins {
  std::string conv, filter;
  std::string filter_gradient, magnitudes, scaling;  ///< empty where there is none
};

/// What `get_kernel` hands out.
class LoadedKernel final : public Kernel {
 public:
  /// A program's cubin. Throws CompileError.
  using Compile = std::function<std::string(const GeneratedKernel& kernel)>;

  /// compile(kernel) is called where the first launch of tensors that lie apart comes. Throws DriverError.
  LoadedKernel(std::shared_ptr<const CudaDevice> device, Generated generated, const KernelCubins& cubins,
               Compile compile);
  ~LoadedKernel() override;

  [[nodiscard]] const Generated& generated() const override { return generated_; }
  [[nodiscard]] int device() const override { return device_->ordinal(); }
  [[nodiscard]] FilterSpectrum prepare_filter(const FilterView& filter, CUstream stream,
                                              Workspace workspace) const override;
  SpectrumView prepare_filter_into(const FilterView& filter, Workspace memory, Workspace workspace,
                                   CUstream stream) const override;
  void launch(const LaunchArguments& arguments, CUstream stream) const override;
  void launch_backward(const BackwardArguments& arguments, CUstream stream) const override;

 protected:
  void update_scaling(const Workspace& memory, const ScalingArguments& arguments, CUstream stream) const override;
  void clear(const Workspace& memory, CUstream stream) const override;
  [[nodiscard]] int resident_blocks() const override;
  [[nodiscard]] std::size_t ring_bytes() const override;

 private:
  /// The convolution's entry for such tensors, or that of gradients. Its tables are those of `conv_`. The first call
  /// for tensors that lie apart compiles and loads it: CompileError, DriverError.
  template <class Arguments>
  [[nodiscard]] const LoadedEntry& conv_for(const Arguments& arguments) const;
  void check_backward_memory(const BackwardArguments& arguments, CUstream stream) const;
  /// By `conv`, of arguments that have been checked, with magnitudes.
  void launch_measured(const LoadedEntry& conv, const LaunchArguments& arguments, CUstream stream) const;
  void launch_backward_measured(const LoadedEntry& conv, const BackwardArguments& arguments, CUstream stream) const;
  /// Calls launch(arguments with the magnitudes of their rows), which it launches the search for.
  template <class Arguments, class Launch>
  void measure(const Arguments& arguments, CUstream stream, const Launch& launch) const;
  void launch_rows(const LoadedEntry& conv, const LaunchArguments& arguments, CUstream stream) const;
  void launch_split(const LoadedEntry& conv, const LaunchArguments& arguments, CUstream stream) const;
  void launch_backward_rows(const LoadedEntry& conv, const BackwardArguments& arguments, CUstream stream) const;
  /// A launch that `overlaps` the one before it, where the driver's graphs can say so.
  template <class Arguments>
  void launch_step(const LoadedEntry& entry, bool overlaps, const LaunchGrid& grid, const Arguments& arguments,
                   CUstream stream) const;
  void launch_filter_gradient(const BackwardChunk& chunk, CUstream stream) const;
  void launch_split_backward(const LoadedEntry& conv, const BackwardArguments& arguments, CUstream stream) const;
  /// What is current. Throws LaunchError where that, or the stream, is of another context.
  CUcontext check_context(CUstream stream) const;
  void launch_filter(const FilterArguments& arguments, CUstream stream) const;
  void check_memory(const char* what, const void* address, CUstream stream) const;
  void check_filter_memory(const FilterView& filter, const Workspace& workspace, CUstream stream) const;

  std::shared_ptr<const CudaDevice> device_;
  Generated generated_;
  std::unique_ptr<LoadedEntry> conv_, filter_, filter_gradient_, magnitudes_, scaling_;
  std::optional<Late<std::unique_ptr<LoadedEntry>>> apart_;
};

}  // namespace ffc
