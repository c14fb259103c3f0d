// The calls of a driver that examples make: those of libcuda.so.1, or what stands for them on the host.
#pragma once

#include <dlfcn.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "ffc/runtime/kernel.hpp"

// The driver API's handles, declared as cuda.h declares them.
using CUevent = struct CUevent_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphExec = struct CUgraphExec_st*;

namespace ffc::examples {

using DeviceAddress = unsigned long long;

/// Entry points of libcuda.so.1, under the driver API's names without the prefix and the version suffix.
struct DriverApi {
  int (*init)(unsigned) = nullptr;
  int (*driver_get_version)(int*) = nullptr;
  int (*get_error_string)(int, const char**) = nullptr;
  int (*device_get_count)(int*) = nullptr;
  int (*device_get)(int*, int) = nullptr;
  int (*device_get_name)(char*, int, int) = nullptr;
  int (*device_get_attribute)(int*, int, int) = nullptr;
  int (*device_primary_ctx_retain)(void**, int) = nullptr;
  int (*device_primary_ctx_release)(int) = nullptr;
  int (*ctx_set_current)(void*) = nullptr;
  int (*ctx_synchronize)() = nullptr;
  int (*mem_alloc)(DeviceAddress*, std::size_t) = nullptr;
  int (*mem_free)(DeviceAddress) = nullptr;
  int (*mem_get_info)(std::size_t*, std::size_t*) = nullptr;
  int (*memcpy_htod)(DeviceAddress, const void*, std::size_t) = nullptr;
  int (*memcpy_dtoh)(void*, DeviceAddress, std::size_t) = nullptr;
  int (*memcpy_dtod_async)(DeviceAddress, DeviceAddress, std::size_t, CUstream) = nullptr;
  int (*memset_d8)(DeviceAddress, unsigned char, std::size_t) = nullptr;
  int (*stream_create)(CUstream*, unsigned) = nullptr;
  int (*stream_destroy)(CUstream) = nullptr;
  int (*stream_synchronize)(CUstream) = nullptr;
  int (*stream_begin_capture)(CUstream, int mode) = nullptr;
  int (*stream_end_capture)(CUstream, CUgraph*) = nullptr;
  int (*graph_instantiate)(CUgraphExec*, CUgraph, unsigned long long flags) = nullptr;
  int (*graph_launch)(CUgraphExec, CUstream) = nullptr;
  int (*graph_exec_destroy)(CUgraphExec) = nullptr;
  int (*graph_destroy)(CUgraph) = nullptr;
  int (*event_create)(CUevent*, unsigned) = nullptr;
  int (*event_destroy)(CUevent) = nullptr;
  int (*event_record)(CUevent, CUstream) = nullptr;
  int (*event_elapsed_time)(float*, CUevent, CUevent) = nullptr;
  int (*module_load_data)(void** module, const void* cubin) = nullptr;
  int (*module_unload)(void* module) = nullptr;
  int (*module_get_function)(void** function, void* module, const char* name) = nullptr;
  int (*launch_kernel)(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                       unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream, void** parameters,
                       void** extra) = nullptr;

  /// Throws std::runtime_error naming the call and what the driver says.
  void check(int code, const char* call) const {
    if (code == 0) return;
    const char* text = nullptr;
    if (get_error_string == nullptr || get_error_string(code, &text) != 0 || text == nullptr) text = "unknown error";
    throw std::runtime_error(std::string(call) + " returned " + std::to_string(code) + ": " + text);
  }
};

/// The entry points of a libcuda.so.1 that dlopen has opened; throws std::runtime_error naming the first it lacks.
[[nodiscard]] inline DriverApi load_driver_api(void* library) {
  DriverApi api;
  const auto load = [library](auto*& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr) throw std::runtime_error(std::string("libcuda.so.1 has no ") + name);
  };
  load(api.init, "cuInit");
  load(api.driver_get_version, "cuDriverGetVersion");
  load(api.get_error_string, "cuGetErrorString");
  load(api.device_get_count, "cuDeviceGetCount");
  load(api.device_get, "cuDeviceGet");
  load(api.device_get_name, "cuDeviceGetName");
  load(api.device_get_attribute, "cuDeviceGetAttribute");
  load(api.device_primary_ctx_retain, "cuDevicePrimaryCtxRetain");
  load(api.device_primary_ctx_release, "cuDevicePrimaryCtxRelease_v2");
  load(api.ctx_set_current, "cuCtxSetCurrent");
  load(api.ctx_synchronize, "cuCtxSynchronize");
  load(api.mem_alloc, "cuMemAlloc_v2");
  load(api.mem_free, "cuMemFree_v2");
  load(api.mem_get_info, "cuMemGetInfo_v2");
  load(api.memcpy_htod, "cuMemcpyHtoD_v2");
  load(api.memcpy_dtoh, "cuMemcpyDtoH_v2");
  load(api.memcpy_dtod_async, "cuMemcpyDtoDAsync_v2");
  load(api.memset_d8, "cuMemsetD8_v2");
  load(api.stream_create, "cuStreamCreate");
  load(api.stream_destroy, "cuStreamDestroy_v2");
  load(api.stream_synchronize, "cuStreamSynchronize");
  load(api.stream_begin_capture, "cuStreamBeginCapture_v2");
  load(api.stream_end_capture, "cuStreamEndCapture");
  load(api.graph_instantiate, "cuGraphInstantiateWithFlags");
  load(api.graph_launch, "cuGraphLaunch");
  load(api.graph_exec_destroy, "cuGraphExecDestroy");
  load(api.graph_destroy, "cuGraphDestroy");
  load(api.event_create, "cuEventCreate");
  load(api.event_destroy, "cuEventDestroy_v2");
  load(api.event_record, "cuEventRecord");
  load(api.event_elapsed_time, "cuEventElapsedTime");
  load(api.module_load_data, "cuModuleLoadData");
  load(api.module_unload, "cuModuleUnload");
  load(api.module_get_function, "cuModuleGetFunction");
  load(api.launch_kernel, "cuLaunchKernel");
  return api;
}

/// An address of host_driver_api as what it stands for.
inline void* to_pointer(DeviceAddress address) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)); }

/// Sets the calls of events, which are points in time: what was asked for before them is done.
inline void use_host_clock(DriverApi& api) {
  using Clock = std::chrono::steady_clock;
  api.event_create = [](CUevent* event, unsigned) {
    *event = reinterpret_cast<CUevent>(new Clock::time_point);
    return 0;
  };
  api.event_destroy = [](CUevent event) {
    delete reinterpret_cast<Clock::time_point*>(event);
    return 0;
  };
  api.event_record = [](CUevent event, CUstream) {
    *reinterpret_cast<Clock::time_point*>(event) = Clock::now();
    return 0;
  };
  api.event_elapsed_time = [](float* milliseconds, CUevent begin, CUevent end) {
    const auto time = [](CUevent event) { return *reinterpret_cast<Clock::time_point*>(event); };
    *milliseconds = std::chrono::duration<float, std::milli>(time(end) - time(begin)).count();
    return 0;
  };
}

/// The host behind the same entry points, those that a Machine needs: memory is ordinary memory, and all work is done
/// when a call returns.
[[nodiscard]] inline DriverApi host_driver_api() {
  DriverApi api;
  api.mem_alloc = [](DeviceAddress* address, std::size_t bytes) {
    *address = reinterpret_cast<DeviceAddress>(::operator new (bytes, std::align_val_t{256}));
    return 0;
  };
  api.mem_free = [](DeviceAddress address) {
    ::operator delete (to_pointer(address), std::align_val_t{256});
    return 0;
  };
  api.memcpy_htod = [](DeviceAddress to, const void* from, std::size_t bytes) {
    std::memcpy(to_pointer(to), from, bytes);
    return 0;
  };
  api.memcpy_dtoh = [](void* to, DeviceAddress from, std::size_t bytes) {
    std::memcpy(to, to_pointer(from), bytes);
    return 0;
  };
  api.memset_d8 = [](DeviceAddress to, unsigned char value, std::size_t bytes) {
    std::memset(to_pointer(to), value, bytes);
    return 0;
  };
  api.ctx_synchronize = [] { return 0; };
  api.stream_synchronize = [](CUstream) { return 0; };
  api.memcpy_dtod_async = [](DeviceAddress to, DeviceAddress from, std::size_t bytes, CUstream) {
    std::memcpy(to_pointer(to), to_pointer(from), bytes);
    return 0;
  };
  use_host_clock(api);
  return api;
}

}  // namespace ffc::examples
