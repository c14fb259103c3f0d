// A driver that exists only in memory: what the runtime's tests put in the place of the real one.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "driver_api.hpp"

namespace ffc::fakes {

struct FakeStream {
  CUcontext context = nullptr;
  unsigned flags = 0;
  bool capturing = false;
};

struct FakeMemory {
  unsigned type = CU_MEMORYTYPE_DEVICE;  ///< 0: an address that CUDA was never told of
  int ordinal = 0;
  bool managed = false;
};

struct Launched {
  CUfunction function;
  unsigned grid_x, grid_y, threads, shared_bytes;
  CUstream stream;
  CUcontext context;  ///< current at the launch
  std::vector<std::byte> argument;
  bool cooperative = false;  ///< all blocks on the device at the same time
  bool overlapping = false;  ///< it may begin while the launch before it ends
};

/// Memory that was filled on a stream, after how many launches.
struct Filled {
  CUdeviceptr memory;
  unsigned char value;
  std::size_t bytes;
  CUstream stream;
  CUcontext context;
  std::size_t launches;
};

/// Memory that was taken or given back on a stream, after how many launches.
struct StreamMemoryCall {
  CUdeviceptr memory;
  std::size_t bytes;
  CUstream stream;
  std::size_t launches;
};

/// State of the fake driver. Tests set the upper fields and read the lower ones. Contexts are made up of the ordinal.
struct FakeDriver {
  int version = 13000;
  int devices = 1;
  int major = 9, minor = 0;
  int l2_bytes = 50 << 20;
  int multiprocessors = 132;
  bool memory_pools = true;
  bool pageable_access = false;
  bool blocking_capture = false;  ///< a blocking stream of the context is being captured
  bool capture = false;           ///< a stream is: threads that allow nothing else may not load or allocate
  CUresult init_result = CUDA_SUCCESS;
  CUresult load_result = CUDA_SUCCESS;  ///< of cuModuleLoadData
  CUresult alloc_result = CUDA_SUCCESS;
  CUresult upload_result = CUDA_SUCCESS;
  CUresult fill_result = CUDA_SUCCESS;
  CUresult launch_result = CUDA_SUCCESS;
  int active_clusters = 31;  ///< that the device holds of any kernel in clusters
  std::map<CUstream, FakeStream> streams;
  std::map<std::uintptr_t, FakeMemory> memory;  ///< addresses not named here are memory of device 0
  std::size_t argument_bytes = 0;               ///< to copy from each launch

  std::vector<Launched> launches;
  std::vector<std::string> calls;  ///< frees, uploads and waits, in order
  std::vector<StreamMemoryCall> allocated, freed;
  std::vector<Filled> filled;
  std::map<CUdeviceptr, std::size_t> live;
  int modules = 0;    ///< loaded and not unloaded
  int retained = 0;   ///< primary contexts retained and not released
  int events = 0;     ///< created and not destroyed
  int questions = 0;  ///< whose memory it is
  std::uintptr_t next = 0x700000000000;
  std::mutex mutex;
};

inline FakeDriver*& current_fake() {
  static FakeDriver* driver = nullptr;
  return driver;
}
inline FakeDriver& fake() { return *current_fake(); }
inline CUstreamCaptureMode& thread_capture_mode() {
  thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  return mode;
}
/// What a call that no capture allows returns.
inline CUresult unless_captured(CUresult result) {
  const bool refused = fake().capture && thread_capture_mode() != CU_STREAM_CAPTURE_MODE_RELAXED;
  return refused ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : result;
}
inline std::vector<CUcontext>& context_stack() {
  thread_local std::vector<CUcontext> stack;
  return stack;
}
inline CUcontext primary_context(int ordinal) {
  return reinterpret_cast<CUcontext>(std::uintptr_t{0x1000} + static_cast<std::uintptr_t>(ordinal));
}
/// A context that is not the primary one of any device; it counts as one of device `ordinal`.
inline CUcontext foreign_context(int ordinal) {
  return reinterpret_cast<CUcontext>(std::uintptr_t{0x2000} + static_cast<std::uintptr_t>(ordinal));
}

inline void set_context_functions(DriverApi& api) {
  api.init = [](unsigned) { return fake().init_result; };
  api.driver_get_version = [](int* version) { return *version = fake().version, CUDA_SUCCESS; };
  api.get_error_name = [](CUresult, const char** name) { return *name = "CUDA_ERROR_FAKE", CUDA_SUCCESS; };
  api.get_error_string = [](CUresult, const char** text) { return *text = "fake error", CUDA_SUCCESS; };
  api.device_get_count = [](int* count) { return *count = fake().devices, CUDA_SUCCESS; };
  api.device_get = [](CUdevice* handle, int ordinal) { return *handle = ordinal, CUDA_SUCCESS; };
  api.device_get_attribute = [](int* value, CUdevice_attribute which, CUdevice) {
    *value = which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR   ? fake().major
             : which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? fake().minor
             : which == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE            ? fake().l2_bytes
             : which == CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED   ? fake().memory_pools
             : which == CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS   ? fake().pageable_access
                                                                     : fake().multiprocessors;
    return CUDA_SUCCESS;
  };
  api.primary_ctx_retain = [](CUcontext* context, CUdevice device) {
    ++fake().retained;
    return *context = primary_context(device), CUDA_SUCCESS;
  };
  api.primary_ctx_release = [](CUdevice) { return --fake().retained, CUDA_SUCCESS; };
  api.ctx_get_current = [](CUcontext* context) {
    *context = context_stack().empty() ? nullptr : context_stack().back();
    return CUDA_SUCCESS;
  };
  api.ctx_push_current = [](CUcontext context) { return context_stack().push_back(context), CUDA_SUCCESS; };
  api.ctx_pop_current = [](CUcontext* context) {
    if (context_stack().empty()) return CUDA_ERROR_INVALID_CONTEXT;
    *context = context_stack().back();
    return context_stack().pop_back(), CUDA_SUCCESS;
  };
  api.ctx_get_device = [](CUdevice* device) {
    if (context_stack().empty()) return CUDA_ERROR_INVALID_CONTEXT;
    *device = static_cast<int>(reinterpret_cast<std::uintptr_t>(context_stack().back()) & 0xFFF);
    return CUDA_SUCCESS;
  };
  api.ctx_synchronize = [] { return fake().calls.emplace_back("synchronize"), CUDA_SUCCESS; };
}

inline void set_memory_functions(DriverApi& api) {
  api.mem_alloc = [](CUdeviceptr* memory, std::size_t bytes) {
    const std::lock_guard lock(fake().mutex);
    if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult result = unless_captured(fake().alloc_result); result != CUDA_SUCCESS) return result;
    *memory = fake().next += 0x1000;
    return fake().live[*memory] = bytes, CUDA_SUCCESS;
  };
  api.mem_alloc_async = [](CUdeviceptr* memory, std::size_t bytes, CUstream stream) {
    const std::lock_guard lock(fake().mutex);
    if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    if (fake().alloc_result != CUDA_SUCCESS) return fake().alloc_result;
    *memory = fake().next += 0x1000;
    fake().allocated.push_back({*memory, bytes, stream, fake().launches.size()});
    return fake().live[*memory] = bytes, CUDA_SUCCESS;
  };
  api.mem_free = [](CUdeviceptr memory) {
    const std::lock_guard lock(fake().mutex);
    fake().calls.emplace_back("free");
    return fake().live.erase(memory) == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  };
  api.mem_free_async = [](CUdeviceptr memory, CUstream stream) {
    const std::lock_guard lock(fake().mutex);
    fake().calls.emplace_back(stream == CU_STREAM_LEGACY ? "free after the legacy stream" : "free on a stream");
    fake().freed.push_back({memory, fake().live[memory], stream, fake().launches.size()});
    return fake().live.erase(memory) == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  };
  api.memcpy_htod_async = [](CUdeviceptr, const void*, std::size_t, CUstream stream) {
    const std::lock_guard lock(fake().mutex);
    if (fake().upload_result != CUDA_SUCCESS) return fake().upload_result;
    const bool own = stream != nullptr && fake().streams.at(stream).flags == CU_STREAM_NON_BLOCKING;
    return fake().calls.emplace_back(own ? "upload on a stream of its own" : "upload"), CUDA_SUCCESS;
  };
  api.memset_d8_async = [](CUdeviceptr memory, unsigned char value, std::size_t bytes, CUstream stream) {
    const std::lock_guard lock(fake().mutex);
    if (fake().fill_result != CUDA_SUCCESS) return fake().fill_result;
    fake().filled.push_back({memory, value, bytes, stream, context_stack().back(), fake().launches.size()});
    return CUDA_SUCCESS;
  };
  api.pointer_get_attributes = [](unsigned count, CUpointer_attribute* which, void** values, CUdeviceptr address) {
    ++fake().questions;
    const auto found = fake().memory.find(static_cast<std::uintptr_t>(address));
    const FakeMemory memory = found != fake().memory.end() ? found->second : FakeMemory{};
    for (unsigned i = 0; i < count; ++i) {
      if (which[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE) *static_cast<unsigned*>(values[i]) = memory.type;
      if (which[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) *static_cast<int*>(values[i]) = memory.ordinal;
      if (which[i] == CU_POINTER_ATTRIBUTE_IS_MANAGED) *static_cast<unsigned*>(values[i]) = memory.managed;
    }
    return CUDA_SUCCESS;
  };
}

DriverApi fake_driver_api();

inline void set_launch_functions(DriverApi& api) {
  api.module_load_data = [](CUmodule* module, const void*) {
    const std::lock_guard lock(fake().mutex);
    if (const CUresult result = unless_captured(fake().load_result); result != CUDA_SUCCESS) return result;
    ++fake().modules;
    return *module = reinterpret_cast<CUmodule>(fake().next += 0x1000), CUDA_SUCCESS;
  };
  api.module_unload = [](CUmodule) { return --fake().modules, CUDA_SUCCESS; };
  api.module_get_function = [](CUfunction* function, CUmodule module, const char*) {
    return *function = reinterpret_cast<CUfunction>(module), CUDA_SUCCESS;
  };
  api.func_get_attribute = [](int* value, CUfunction_attribute, CUfunction) { return *value = 64, CUDA_SUCCESS; };
  api.max_active_clusters = [](int* clusters, CUfunction, const CUlaunchConfig* config) {
    const bool asks = config->numAttrs == 1 && config->attrs->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION &&
                      config->gridDimX % config->attrs->value.clusterDim.x == 0;
    return *clusters = fake().active_clusters, asks ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  };
  api.func_set_attribute = [](CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; };
  api.launch_kernel = [](CUfunction function, unsigned grid_x, unsigned grid_y, unsigned, unsigned threads, unsigned,
                         unsigned, unsigned shared_bytes, CUstream stream, void** parameters, void**) {
    const std::lock_guard lock(fake().mutex);
    if (fake().launch_result != CUDA_SUCCESS) return fake().launch_result;
    const auto* first = static_cast<const std::byte*>(parameters[0]);
    fake().launches.push_back({function, grid_x, grid_y, threads, shared_bytes, stream, context_stack().back(),
                               std::vector<std::byte>(first, first + fake().argument_bytes)});
    return CUDA_SUCCESS;
  };
  api.launch_kernel_ex = [](const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra) {
    const CUlaunchAttribute* const asked = config->attrs;
    if (config->numAttrs != 1 || config->blockDimY != 1 || config->blockDimZ != 1) return CUDA_ERROR_INVALID_VALUE;
    const bool cooperative = asked->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE && asked->value.cooperative == 1;
    const bool overlapping = asked->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION &&
                             asked->value.programmaticStreamSerializationAllowed == 1;
    if (!cooperative && !overlapping) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = fake_driver_api().launch_kernel(function, config->gridDimX, config->gridDimY,
                                                            config->gridDimZ, config->blockDimX, 1, 1,
                                                            config->sharedMemBytes, config->hStream, parameters, extra);
    if (result == CUDA_SUCCESS) {
      fake().launches.back().cooperative = cooperative;
      fake().launches.back().overlapping = overlapping;
    }
    return result;
  };
  api.stream_get_ctx = [](CUstream stream, CUcontext* context) {
    return *context = fake().streams.at(stream).context, CUDA_SUCCESS;
  };
  api.stream_create = [](CUstream* stream, unsigned flags) {
    *stream = reinterpret_cast<CUstream>(fake().next += 0x1000);
    fake().streams[*stream] = {.context = context_stack().back(), .flags = flags};
    return CUDA_SUCCESS;
  };
  api.stream_destroy = [](CUstream stream) {
    return fake().streams.erase(stream) == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  };
  api.event_create = [](CUevent* event, unsigned) {
    return *event = reinterpret_cast<CUevent>(fake().next += 0x1000), ++fake().events, CUDA_SUCCESS;
  };
  api.event_destroy = [](CUevent) { return --fake().events, CUDA_SUCCESS; };
  api.event_record = [](CUevent, CUstream stream) {
    const std::lock_guard lock(fake().mutex);
    fake().calls.emplace_back(stream == CU_STREAM_LEGACY ? "mark the legacy stream" : "mark a stream");
    return CUDA_SUCCESS;
  };
  api.stream_wait_event = [](CUstream, CUevent, unsigned) {
    const std::lock_guard lock(fake().mutex);
    return fake().calls.emplace_back("wait for a mark"), CUDA_SUCCESS;
  };
  api.stream_is_capturing = [](CUstream stream, CUstreamCaptureStatus* status) {
    if (fake().blocking_capture && (stream == nullptr || stream == CU_STREAM_LEGACY)) {
      return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
    const auto found = fake().streams.find(stream);
    const bool capturing = found != fake().streams.end() && found->second.capturing;
    *status = capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
  };
  api.stream_synchronize = [](CUstream) {
    const std::lock_guard lock(fake().mutex);
    if (const CUresult result = unless_captured(CUDA_SUCCESS); result != CUDA_SUCCESS) return result;
    return fake().calls.emplace_back("wait for a stream"), CUDA_SUCCESS;
  };
  api.exchange_capture_mode = [](CUstreamCaptureMode* mode) {
    return std::swap(*mode, thread_capture_mode()), CUDA_SUCCESS;
  };
}

/// The table of the fake driver, and the state behind it. Only one exists at a time.
inline DriverApi fake_driver_api() {
  DriverApi api;
  set_context_functions(api);
  set_memory_functions(api);
  set_launch_functions(api);
  return api;
}

}  // namespace ffc::fakes
