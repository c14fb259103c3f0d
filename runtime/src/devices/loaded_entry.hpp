// One program on one device: its module, its tables and launches of it.
#pragma once

#include <memory>
#include <string>

#include "cuda_device.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/launch_grid.hpp"

namespace ffc {

/// One entry of a loaded module. Unloads it with the object.
class LoadedEntry {
 public:
  /// Needs the device's context to be current, as every member does. A stream may be being captured into a graph.
  /// Throws DriverError.
  LoadedEntry(std::shared_ptr<const CudaDevice> device, const GeneratedKernel& kernel, const std::string& cubin);
  ~LoadedEntry();
  LoadedEntry(const LoadedEntry&) = delete;
  LoadedEntry& operator=(const LoadedEntry&) = delete;

  [[nodiscard]] const void* tables() const { return reinterpret_cast<const void*>(tables_); }

  /// Of a kernel in clusters: how many of them the device holds at a time. A cluster stays within a part of the device
  /// (GPC), whose multiprocessors need not be a multiple of its blocks.
  [[nodiscard]] int resident_clusters() const { return resident_clusters_; }

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
  void count_clusters(int blocks);
  void launch_raw(const LaunchGrid& grid, void** parameters, CUstream stream) const;
  void launch_raw(const LaunchGrid& grid, void** parameters, CUstream stream, CUlaunchAttribute& attribute) const;
  void release() noexcept;

  std::shared_ptr<const CudaDevice> device_;
  std::string name_;
  int threads_;
  int shared_bytes_;
  int resident_clusters_ = 0;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
  CUdeviceptr tables_ = 0;
};

}  // namespace ffc
