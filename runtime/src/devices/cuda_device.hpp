// One GPU: its primary context, what it can do, and memory on it.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "checked_before.hpp"
#include "driver_api.hpp"
#include "log.hpp"

namespace ffc {

/// Work that may still use some memory when it is freed, beside that of default and blocking streams, which a free on
/// the legacy stream comes after by itself.
struct PendingWork {
  std::vector<CUevent> events;  ///< each recorded behind the last use on a stream; destroyed by the free
  bool untracked = false;       ///< any work of the context, such as that of graphs
};

/// The two default streams are handles of their own kind: they belong to whatever context is current.
[[nodiscard]] inline bool is_default_stream(CUstream stream) {
  return stream == nullptr || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
}

/// Retains the device's primary context for as long as it lives. Shared by the registry, kernels and spectra.
/// Thread-safe. CudaDevice memory is handed out and taken back here, so that the order of frees is decided in one
/// place.
class CudaDevice {
 public:
  /// `api` must outlive the object. Throws DriverError; `ordinal` must be in range.
  CudaDevice(const DriverApi& api, int ordinal, std::shared_ptr<const Log> log, Checks checks);
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
  /// Takes back memory once the work is done that default and blocking streams were given so far, and `work`. Waits for
  /// the device only if that is untracked. While a capture forbids it, the memory is kept and freed with the next.
  /// Reports errors to the log.
  void free_after(CUdeviceptr memory, PendingWork work) const noexcept;

  /// Copies to device memory and returns when it is there. Throws DriverError, in the name of `kernel`.
  void upload(CUdeviceptr memory, const void* from, std::size_t bytes, const std::string& kernel) const;
  /// What is current. Throws LaunchError, in the name of `kernel`, where that, or the stream, is of another context.
  [[nodiscard]] CUcontext check_context(CUstream stream, const std::string& kernel) const;
  /// Throws LaunchError, in the name of `kernel`, for a stream of another context than this device's.
  void check_stream(CUstream stream, const std::string& kernel) const;
  /// Throws LaunchError, in the name of `kernel`, where `address`, called `what`, is not memory that the device can
  /// reach.
  void check_memory(const char* what, const void* address, CUstream stream, const std::string& kernel) const;

 private:
  struct Deferred {
    CUdeviceptr memory;
    PendingWork work;
  };

  int attribute(CUdevice_attribute which) const;
  CUresult try_free(const Deferred& memory) const;
  CUresult free_behind_events(const Deferred& memory) const;
  void ask_memory(const char* what, const void* address, CUstream stream, const std::string& kernel) const;

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
  const Checks checks_;
  mutable KnownMemory known_memory_;
  mutable CUstream free_stream_ = nullptr;  ///< of its own, where frees wait for events; guarded by deferred_mutex_
  mutable std::mutex deferred_mutex_;
  mutable std::vector<Deferred> deferred_;
};

/// Makes a device's context current on this thread, and what was current before current again.
class ContextGuard {
 public:
  /// Throws DriverError.
  explicit ContextGuard(const CudaDevice& device);
  /// For a thread of which it is known what is current.
  ContextGuard(const CudaDevice& device, CUcontext current);
  ~ContextGuard();
  ContextGuard(const ContextGuard&) = delete;
  ContextGuard& operator=(const ContextGuard&) = delete;

 private:
  const CudaDevice& device_;
  bool pushed_ = false;
};

/// Lets this thread load and allocate although a stream, any thread's, is being captured into a graph: what it does is
/// no part of the graph.
class CaptureGuard {
 public:
  /// Throws DriverError.
  explicit CaptureGuard(const CudaDevice& device);
  ~CaptureGuard();
  CaptureGuard(const CaptureGuard&) = delete;
  CaptureGuard& operator=(const CaptureGuard&) = delete;

 private:
  const CudaDevice& device_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;  ///< the thread's other one
};

}  // namespace ffc
