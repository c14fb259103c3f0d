// Memory that lives as long as the launches behind it.
#pragma once

#include <cstddef>
#include <utility>

#include "cuda_device.hpp"

namespace ffc {

/// Device memory that is given back on its stream unless somebody takes it over.
class StreamMemory {
 public:
  StreamMemory(const CudaDevice& device, std::size_t bytes, CUstream stream, const char* what)
      : device_(device), stream_(stream), memory_(device.allocate(bytes, stream, what)) {}
  ~StreamMemory() {
    if (memory_ != 0) device_.free_after(memory_, {.events = {}, .untracked = true});
  }
  StreamMemory(const StreamMemory&) = delete;
  StreamMemory& operator=(const StreamMemory&) = delete;

  [[nodiscard]] void* data() const { return reinterpret_cast<void*>(memory_); }
  void free_now() { device_.free_on(take(), stream_); }
  [[nodiscard]] CUdeviceptr take() { return std::exchange(memory_, 0); }

 private:
  const CudaDevice& device_;
  CUstream stream_;
  CUdeviceptr memory_;
};

}  // namespace ffc
