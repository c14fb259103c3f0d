// Contexts and memory of one GPU.
#include "cuda_device.hpp"

#include <fmt/format.h>

#include <utility>

namespace ffc {

CudaDevice::CudaDevice(const DriverApi& api, int ordinal, std::shared_ptr<const Log> log)
    : api_(api), ordinal_(ordinal), log_(std::move(log)) {
  check(api_, api_.device_get(&handle_, ordinal), "cuDeviceGet");
  major_ = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  minor_ = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  multiprocessors_ = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  shared_bytes_per_multiprocessor_ = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  l2_bytes_ = static_cast<std::size_t>(attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  has_memory_pools_ = attribute(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED) != 0;
  reads_pageable_memory_ = attribute(CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS) != 0;
  // Last, so that nothing above can leave it retained.
  check(api_, api_.primary_ctx_retain(&context_, handle_), "cuDevicePrimaryCtxRetain");
}

CudaDevice::~CudaDevice() {
  for (const Deferred& memory : std::exchange(deferred_, {})) {
    free_after_all_work(memory.memory, memory.used_by_non_blocking_streams);
  }
  report(api_.primary_ctx_release(handle_), "cuDevicePrimaryCtxRelease");
}

int CudaDevice::attribute(CUdevice_attribute which) const {
  int value = 0;
  check(api_, api_.device_get_attribute(&value, which, handle_), "cuDeviceGetAttribute");
  return value;
}

CUdeviceptr CudaDevice::allocate(std::size_t bytes, CUstream stream, const char* what) const {
  CUdeviceptr memory = 0;
  const CUresult result =
      has_memory_pools_ ? api_.mem_alloc_async(&memory, bytes, stream) : api_.mem_alloc(&memory, bytes);
  if (result != CUDA_SUCCESS) {
    const std::string detail = fmt::format("{} bytes of {} on device {}", bytes, what, ordinal_);
    throw_driver_error(api_, result, has_memory_pools_ ? "cuMemAllocAsync" : "cuMemAlloc", detail.c_str());
  }
  return memory;
}

void CudaDevice::free_on(CUdeviceptr memory, CUstream stream) const {
  if (has_memory_pools_) {
    check(api_, api_.mem_free_async(memory, stream), "cuMemFreeAsync");
  } else {
    check(api_, api_.mem_free(memory), "cuMemFree");  // waits for the device by itself
  }
}

CUresult CudaDevice::try_free_after_all_work(const Deferred& memory) const {
  // Freeing inside somebody's capture would break it; this asks without harm.
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (const CUresult result = api_.stream_is_capturing(CU_STREAM_LEGACY, &status); result != CUDA_SUCCESS) {
    return result;
  }
  if (!has_memory_pools_) return api_.mem_free(memory.memory);
  if (memory.used_by_non_blocking_streams) {
    if (const CUresult result = api_.ctx_synchronize(); result != CUDA_SUCCESS) return result;
  }
  // The legacy stream comes after everything launched so far on every blocking stream.
  return api_.mem_free_async(memory.memory, CU_STREAM_LEGACY);
}

void CudaDevice::free_after_all_work(CUdeviceptr memory, bool used_by_non_blocking_streams) const noexcept {
  try {
    const ContextGuard guard(*this);
    std::vector<Deferred> waiting;
    {
      const std::lock_guard lock(deferred_mutex_);
      waiting.swap(deferred_);
    }
    waiting.push_back({memory, used_by_non_blocking_streams});
    for (const Deferred& each : waiting) {
      const CUresult result = try_free_after_all_work(each);
      if (is_capture_error(static_cast<int>(result))) {
        const std::lock_guard lock(deferred_mutex_);
        deferred_.push_back(each);
      } else {
        report(result, "freeing a filter spectrum");
      }
    }
  } catch (const DriverError& error) {
    if (error.code() != CUDA_ERROR_DEINITIALIZED) log_->line(error.what());
  } catch (const std::exception& error) {
    log_->line(error.what());
  }
}

bool CudaDevice::capture_is_visible() const {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult result = api_.stream_is_capturing(CU_STREAM_LEGACY, &status);
  if (is_capture_error(static_cast<int>(result))) return true;
  check(api_, result, "cuStreamIsCapturing");
  return status != CU_STREAM_CAPTURE_STATUS_NONE;
}

void CudaDevice::report(CUresult result, const char* what) const noexcept {
  // A process that is ending has no driver any more, and nothing left to give back to it.
  if (result == CUDA_SUCCESS || result == CUDA_ERROR_DEINITIALIZED) return;
  try {
    check(api_, result, what);
  } catch (const std::exception& error) {
    log_->line(error.what());
  }
}

ContextGuard::ContextGuard(const CudaDevice& device) : device_(device) {
  const DriverApi& api = device_.api();
  CUcontext current = nullptr;
  check(api, api.ctx_get_current(&current), "cuCtxGetCurrent");
  if (current == device_.context()) return;
  check(api, api.ctx_push_current(device_.context()), "cuCtxPushCurrent");
  pushed_ = true;
}

ContextGuard::~ContextGuard() {
  CUcontext popped = nullptr;
  // It can only fail when the driver is gone, and then there is no current context to restore.
  if (pushed_) (void)device_.api().ctx_pop_current(&popped);
}

}  // namespace ffc
