// Contexts and memory of one GPU.
#include "cuda_device.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "ffc/runtime/errors.hpp"

namespace ffc {

CudaDevice::CudaDevice(const DriverApi& api, int ordinal, std::shared_ptr<const Log> log, Checks checks)
    : api_(api), ordinal_(ordinal), log_(std::move(log)), checks_(checks) {
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
  for (Deferred& memory : std::exchange(deferred_, {})) free_after(memory.memory, std::move(memory.work));
  if (free_stream_ != nullptr) report(api_.stream_destroy(free_stream_), "cuStreamDestroy");
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

CUresult CudaDevice::try_free(const Deferred& memory) const {
  // Freeing inside somebody's capture would break it; this asks without harm.
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (const CUresult result = api_.stream_is_capturing(CU_STREAM_LEGACY, &status); result != CUDA_SUCCESS) {
    return result;
  }
  if (!has_memory_pools_) return api_.mem_free(memory.memory);  // waits for the device by itself
  if (memory.work.untracked) {
    if (const CUresult result = api_.ctx_synchronize(); result != CUDA_SUCCESS) return result;
  }
  if (!memory.work.events.empty()) return free_behind_events(memory);
  // The legacy stream comes after everything launched so far on every blocking stream.
  return api_.mem_free_async(memory.memory, CU_STREAM_LEGACY);
}

CUresult CudaDevice::free_behind_events(const Deferred& memory) const {
  const std::lock_guard lock(deferred_mutex_);
  if (free_stream_ == nullptr) {
    if (const CUresult result = api_.stream_create(&free_stream_, CU_STREAM_NON_BLOCKING); result != CUDA_SUCCESS)
      return result;
  }
  // Blocking streams must not wait for the others: only the free does, on a stream of its own.
  CUevent blocking = memory.work.events.front();
  for (const CUevent event : memory.work.events)
    if (const CUresult result = api_.stream_wait_event(free_stream_, event, 0); result != CUDA_SUCCESS) return result;
  if (const CUresult result = api_.event_record(blocking, CU_STREAM_LEGACY); result != CUDA_SUCCESS) return result;
  if (const CUresult result = api_.stream_wait_event(free_stream_, blocking, 0); result != CUDA_SUCCESS) return result;
  return api_.mem_free_async(memory.memory, free_stream_);
}

void CudaDevice::free_after(CUdeviceptr memory, PendingWork work) const noexcept {
  try {
    const ContextGuard guard(*this);
    std::vector<Deferred> waiting;
    {
      const std::lock_guard lock(deferred_mutex_);
      waiting.swap(deferred_);
    }
    waiting.push_back({memory, std::move(work)});
    for (Deferred& each : waiting) {
      const CUresult result = try_free(each);
      if (is_capture_error(static_cast<int>(result))) {
        const std::lock_guard lock(deferred_mutex_);
        deferred_.push_back(std::move(each));
        continue;
      }
      report(result, "freeing a filter spectrum");
      for (const CUevent event : each.work.events) report(api_.event_destroy(event), "cuEventDestroy");
    }
  } catch (const DriverError& error) {
    if (error.code() != CUDA_ERROR_DEINITIALIZED) log_->line(error.what());
  } catch (const std::exception& error) {
    log_->line(error.what());
  }
}

void CudaDevice::upload(CUdeviceptr memory, const void* from, std::size_t bytes, const std::string& kernel) const {
  // A stream of its own: a capture may keep the legacy one from waiting.
  CUstream stream = nullptr;
  check(api_, api_.stream_create(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate", kernel.c_str());
  CUresult result = api_.memcpy_htod_async(memory, from, bytes, stream);
  if (result == CUDA_SUCCESS) result = api_.stream_synchronize(stream);
  report(api_.stream_destroy(stream), "cuStreamDestroy");
  check(api_, result, "cuMemcpyHtoDAsync", kernel.c_str());
}

CUcontext CudaDevice::check_context(CUstream stream, const std::string& kernel) const {
  CUcontext current = nullptr;
  check(api_, api_.ctx_get_current(&current), "cuCtxGetCurrent");
  if (current != nullptr && current != context_) {
    CUdevice device = 0;
    check(api_, api_.ctx_get_device(&device), "cuCtxGetDevice");
    throw LaunchError(
        fmt::format("{}: a context of device {} is current; the kernel is loaded in the primary context of device {}",
                    kernel, device, ordinal_));
  }
  if (!is_default_stream(stream)) check_stream(stream, kernel);
  return current;
}

void CudaDevice::check_stream(CUstream stream, const std::string& kernel) const {
  CUcontext owner = nullptr;
  check(api_, api_.stream_get_ctx(stream, &owner), "cuStreamGetCtx", kernel.c_str());
  if (owner != context_)
    throw LaunchError(
        fmt::format("{}: the stream belongs to another context than the primary one of device {}", kernel, ordinal_));
}

void CudaDevice::check_memory(const char* what, const void* address, CUstream stream, const std::string& kernel) const {
  if (checks_ == Checks::once && known_memory_.contains(address)) return;
  ask_memory(what, address, stream, kernel);
}

void CudaDevice::ask_memory(const char* what, const void* address, CUstream stream, const std::string& kernel) const {
  CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                  CU_POINTER_ATTRIBUTE_IS_MANAGED};
  unsigned type = 0, managed = 0;
  int ordinal = -1;
  void* values[] = {&type, &ordinal, &managed};
  check(api_,
        api_.pointer_get_attributes(static_cast<unsigned>(std::size(wanted)), wanted, values,
                                    reinterpret_cast<CUdeviceptr>(address)),
        "cuPointerGetAttributes", what);
  if (type == CU_MEMORYTYPE_DEVICE) {
    if (managed != 0) return;
    if (ordinal == ordinal_) return known_memory_.add(address);
    throw LaunchError(fmt::format("{}: {} ({}) is memory of device {}; the kernel is loaded on device {}", kernel, what,
                                  address, ordinal, ordinal_));
  }
  if (type != 0 || reads_pageable_memory_) return;  // host memory that the GPU reaches
  // Memory that a graph under construction will allocate may not be known yet.
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult asked = api_.stream_is_capturing(stream, &status);
  if (is_capture_error(static_cast<int>(asked)) || status != CU_STREAM_CAPTURE_STATUS_NONE) return;
  check(api_, asked, "cuStreamIsCapturing");
  throw LaunchError(fmt::format("{}: {} ({}) is not memory that device {} can reach", kernel, what, address, ordinal_));
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

namespace {

CUcontext current_context(const DriverApi& api) {
  CUcontext current = nullptr;
  check(api, api.ctx_get_current(&current), "cuCtxGetCurrent");
  return current;
}

}  // namespace

ContextGuard::ContextGuard(const CudaDevice& device) : ContextGuard(device, current_context(device.api())) {}

ContextGuard::ContextGuard(const CudaDevice& device, CUcontext current) : device_(device) {
  if (current == device_.context()) return;
  check(device_.api(), device_.api().ctx_push_current(device_.context()), "cuCtxPushCurrent");
  pushed_ = true;
}

ContextGuard::~ContextGuard() {
  CUcontext popped = nullptr;
  // It can only fail when the driver is gone, and then there is no current context to restore.
  if (pushed_) (void)device_.api().ctx_pop_current(&popped);
}

CaptureGuard::CaptureGuard(const CudaDevice& device) : device_(device) {
  check(device_.api(), device_.api().exchange_capture_mode(&mode_), "cuThreadExchangeStreamCaptureMode");
}

CaptureGuard::~CaptureGuard() {
  device_.report(device_.api().exchange_capture_mode(&mode_), "cuThreadExchangeStreamCaptureMode");
}

}  // namespace ffc
