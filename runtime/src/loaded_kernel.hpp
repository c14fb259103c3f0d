// A kernel on one device: modules, tables and the launches.
#pragma once

#include <memory>
#include <string>

#include "cuda_device.hpp"
#include "ffc/generator/launch_grid.hpp"
#include "ffc/runtime/kernel.hpp"

namespace ffc {

struct BackwardChunk;

/// One entry of a loaded module. Unloads it with the object.
class LoadedEntry {
 public:
  /// Needs the device's context to be current, as every member does. Throws DriverError.
  LoadedEntry(std::shared_ptr<const CudaDevice> device, const GeneratedKernel& kernel, const std::string& cubin);
  ~LoadedEntry();
  LoadedEntry(const LoadedEntry&) = delete;
  LoadedEntry& operator=(const LoadedEntry&) = delete;

  [[nodiscard]] const void* tables() const { return reinterpret_cast<const void*>(tables_); }

  /// Launches with one argument, passed by value. Throws DriverError.
  template <class Arguments>
  void launch(const LaunchGrid& grid, Arguments arguments, CUstream stream) const {
    void* parameters[] = {&arguments};
    launch_raw(grid, parameters, stream);
  }
  /// The same of a kernel that waits by itself for the kernel launched before it on the stream, and may begin while
  /// that one ends (programmatic dependent launch).
  template <class Arguments>
  void launch_overlapping(const LaunchGrid& grid, Arguments arguments, CUstream stream) const {
    void* parameters[] = {&arguments};
    CUlaunchAttribute attribute = {};
    attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attribute.value.programmaticStreamSerializationAllowed = 1;
    launch_raw(grid, parameters, stream, attribute);
  }
  /// The same where all blocks wait for each other, so that none may be missing on the device.
  template <class Arguments>
  void launch_cooperative(const LaunchGrid& grid, Arguments arguments, CUstream stream) const {
    void* parameters[] = {&arguments};
    CUlaunchAttribute attribute = {};
    attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attribute.value.cooperative = 1;
    launch_raw(grid, parameters, stream, attribute);
  }

 private:
  void upload(const GeneratedKernel& kernel);
  void launch_raw(const LaunchGrid& grid, void** parameters, CUstream stream) const;
  void launch_raw(const LaunchGrid& grid, void** parameters, CUstream stream, CUlaunchAttribute& attribute) const;
  void release() noexcept;

  std::shared_ptr<const CudaDevice> device_;
  std::string name_;
  int threads_;
  int shared_bytes_;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
  CUdeviceptr tables_ = 0;
};

/// The compiled programs of one Generated.
struct KernelCubins {
  std::string conv, filter;
  std::string filter_gradient;  ///< empty where there is none
};

/// What `get_kernel` hands out.
class LoadedKernel final : public Kernel {
 public:
  /// Throws DriverError; a thread whose stream is being captured cannot load, and is told to pre-warm.
  LoadedKernel(std::shared_ptr<const CudaDevice> device, Generated generated, const KernelCubins& cubins);
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
  [[nodiscard]] int resident_blocks() const override;
  [[nodiscard]] std::size_t ring_bytes() const override;

 private:
  void load(const KernelCubins& cubins);
  void check_backward_memory(const BackwardArguments& arguments, CUstream stream) const;
  void launch_rows(const LaunchArguments& arguments, CUstream stream) const;
  void launch_split(const LaunchArguments& arguments, CUstream stream) const;
  void launch_backward_rows(const BackwardArguments& arguments, CUstream stream) const;
  void launch_filter_gradient(const BackwardChunk& chunk, CUstream stream) const;
  void launch_split_backward(const BackwardArguments& arguments, CUstream stream) const;
  /// What is current. Throws LaunchError where that, or the stream, is of another context.
  CUcontext check_context(CUstream stream) const;
  void launch_filter(const FilterArguments& arguments, CUstream stream) const;
  void check_memory(const char* what, const void* address, CUstream stream) const;
  void check_filter_memory(const FilterView& filter, const Workspace& workspace, CUstream stream) const;

  std::shared_ptr<const CudaDevice> device_;
  Generated generated_;
  std::unique_ptr<LoadedEntry> conv_, filter_, filter_gradient_;
};

}  // namespace ffc
