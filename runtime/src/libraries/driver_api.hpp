// The functions of the CUDA driver that ffc calls, as a table that is filled at run time (or by a test).
#pragma once

#include <cuda.h>

#include <string>
#include <vector>

namespace ffc {

// Every function of the table: the name of the member, the exact versioned symbol of libcuda.
#define FFC_DRIVER_FUNCTIONS(FUNCTION)                               \
  FUNCTION(init, cuInit)                                             \
  FUNCTION(driver_get_version, cuDriverGetVersion)                   \
  FUNCTION(get_error_name, cuGetErrorName)                           \
  FUNCTION(get_error_string, cuGetErrorString)                       \
  FUNCTION(device_get_count, cuDeviceGetCount)                       \
  FUNCTION(device_get, cuDeviceGet)                                  \
  FUNCTION(device_get_attribute, cuDeviceGetAttribute)               \
  FUNCTION(primary_ctx_retain, cuDevicePrimaryCtxRetain)             \
  FUNCTION(primary_ctx_release, cuDevicePrimaryCtxRelease_v2)        \
  FUNCTION(ctx_get_current, cuCtxGetCurrent)                         \
  FUNCTION(ctx_push_current, cuCtxPushCurrent_v2)                    \
  FUNCTION(ctx_pop_current, cuCtxPopCurrent_v2)                      \
  FUNCTION(ctx_get_device, cuCtxGetDevice)                           \
  FUNCTION(ctx_synchronize, cuCtxSynchronize)                        \
  FUNCTION(module_load_data, cuModuleLoadData)                       \
  FUNCTION(module_unload, cuModuleUnload)                            \
  FUNCTION(module_get_function, cuModuleGetFunction)                 \
  FUNCTION(func_get_attribute, cuFuncGetAttribute)                   \
  FUNCTION(func_set_attribute, cuFuncSetAttribute)                   \
  FUNCTION(launch_kernel, cuLaunchKernel)                            \
  FUNCTION(launch_kernel_ex, cuLaunchKernelEx)                       \
  FUNCTION(max_active_clusters, cuOccupancyMaxActiveClusters)        \
  FUNCTION(mem_alloc, cuMemAlloc_v2)                                 \
  FUNCTION(mem_free, cuMemFree_v2)                                   \
  FUNCTION(mem_alloc_async, cuMemAllocAsync)                         \
  FUNCTION(mem_free_async, cuMemFreeAsync)                           \
  FUNCTION(memcpy_htod_async, cuMemcpyHtoDAsync_v2)                  \
  FUNCTION(memcpy_dtoh, cuMemcpyDtoH_v2)                             \
  FUNCTION(memset_d8_async, cuMemsetD8Async)                         \
  FUNCTION(stream_get_ctx, cuStreamGetCtx)                           \
  FUNCTION(stream_create, cuStreamCreate)                            \
  FUNCTION(stream_destroy, cuStreamDestroy_v2)                       \
  FUNCTION(stream_wait_event, cuStreamWaitEvent)                     \
  FUNCTION(stream_is_capturing, cuStreamIsCapturing)                 \
  FUNCTION(stream_synchronize, cuStreamSynchronize)                  \
  FUNCTION(exchange_capture_mode, cuThreadExchangeStreamCaptureMode) \
  FUNCTION(event_create, cuEventCreate)                              \
  FUNCTION(event_destroy, cuEventDestroy_v2)                         \
  FUNCTION(event_record, cuEventRecord)                              \
  FUNCTION(pointer_get_attributes, cuPointerGetAttributes)

struct DriverApi {
#define FFC_DRIVER_MEMBER(member, symbol) decltype(&::symbol) member = nullptr;  // NOLINT: a name
  FFC_DRIVER_FUNCTIONS(FFC_DRIVER_MEMBER)
#undef FFC_DRIVER_MEMBER
  int version = 0;  ///< newest CUDA that the driver supports, 1000 * major + 10 * minor; set by initialise
};

/// The driver's library. Throws DriverError where there is none, or where it lacks a function.
[[nodiscard]] DriverApi load_driver(const std::vector<std::string>& candidates = {"libcuda.so.1"});

/// Calls cuInit and asks for the version. Throws DriverError.
void initialise(DriverApi& api);

[[noreturn]] void throw_driver_error(const DriverApi& api, CUresult result, const char* what, const char* detail);

/// Throws DriverError with the driver's name and text for `result` unless it is success. `what` is the call, `detail`
/// what it was called for (a kernel's name).
inline void check(const DriverApi& api, CUresult result, const char* what, const char* detail = "") {
  if (result != CUDA_SUCCESS) [[unlikely]] {
    throw_driver_error(api, result, what, detail);
  }
}

/// The driver refused a call because some stream is being captured into a graph.
[[nodiscard]] constexpr bool is_capture_error(int code) {
  return code >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED && code <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
}

/// "13.0" for 13000.
[[nodiscard]] std::string cuda_version_text(int version);

}  // namespace ffc
