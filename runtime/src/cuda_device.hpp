// One GPU: its primary context, what it can do, and memory on it.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "driver_api.hpp"
#include "log.hpp"

namespace ffc {

/// Retains the device's primary context for as long as it lives. Shared by the registry, kernels and spectra.
/// Thread-safe. CudaDevice memory is handed out and taken back here, so that the order of frees is decided in one
/// place.
class CudaDevice {
 public:
  /// `api` must outlive the object. Throws DriverError; `ordinal` must be in range.
  CudaDevice(const DriverApi& api, int ordinal, std::shared_ptr<const Log> log);
  ~CudaDevice();
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  [[nodiscard]] const DriverApi& api() const { return api_; }
  [[nodiscard]] int ordinal() const { return ordinal_; }
  [[nodiscard]] CUcontext context() const { return context_; }
  [[nodiscard]] int major() const { return major_; }
  [[nodiscard]] int minor() const { return minor_; }
  [[nodiscard]] int multiprocessors() const { return multiprocessors_; }
  [[nodiscard]] int shared_bytes_per_multiprocessor() const { return shared_bytes_per_multiprocessor_; }
  [[nodiscard]] std::size_t l2_bytes() const { return l2_bytes_; }
  /// The GPU reads host memory that CUDA was never told of.
  [[nodiscard]] bool reads_pageable_memory() const { return reads_pageable_memory_; }

  /// Writes a failure that nobody can be told of (in destructors) to the log.
  void report(CUresult result, const char* what) const noexcept;

  // The functions below need the device's context to be current (ContextGuard).

  /// Memory whose first use may be on `stream`. Throws DriverError.
  [[nodiscard]] CUdeviceptr allocate(std::size_t bytes, CUstream stream, const char* what) const;
  /// Takes back memory that only `stream` has used. Throws DriverError.
  void free_on(CUdeviceptr memory, CUstream stream) const;
  /// Takes back memory that any work launched so far may still use, on any stream of the context. Waits for the device
  /// only if `used_by_non_blocking_streams`, because nothing else orders those. While a capture forbids it, the memory
  /// is kept and freed with the next. Reports errors to the log.
  void free_after_all_work(CUdeviceptr memory, bool used_by_non_blocking_streams) const noexcept;

  /// Is a stream of this context, other than a non-blocking one, being captured? Disturbs no capture. Throws.
  [[nodiscard]] bool capture_is_visible() const;

 private:
  struct Deferred {
    CUdeviceptr memory;
    bool used_by_non_blocking_streams;
  };

  int attribute(CUdevice_attribute which) const;
  CUresult try_free_after_all_work(const Deferred& memory) const;

  const DriverApi& api_;
  const int ordinal_;
  std::shared_ptr<const Log> log_;
  CUdevice handle_ = 0;
  CUcontext context_ = nullptr;
  int major_ = 0;
  int minor_ = 0;
  int multiprocessors_ = 0;
  int shared_bytes_per_multiprocessor_ = 0;
  std::size_t l2_bytes_ = 0;
  bool has_memory_pools_ = false;
  bool reads_pageable_memory_ = false;
  mutable std::mutex deferred_mutex_;
  mutable std::vector<Deferred> deferred_;
};

/// Makes a device's context current on this thread, and what was current before current again.
class ContextGuard {
 public:
  /// Throws DriverError.
  explicit ContextGuard(const CudaDevice& device);
  ~ContextGuard();
  ContextGuard(const ContextGuard&) = delete;
  ContextGuard& operator=(const ContextGuard&) = delete;

 private:
  const CudaDevice& device_;
  bool pushed_ = false;
};

}  // namespace ffc
