// Delayed scaling on a GPU.
#include "loaded_kernel.hpp"

namespace ffc {

void LoadedKernel::update_scaling(const Workspace& memory, const ScalingArguments& arguments, CUstream stream) const {
  const ContextGuard guard(*device_, check_context(stream));
  check_memory("memory.data", memory.data, stream);
  scaling_->launch({1, 1, 1}, arguments, stream);
}

void LoadedKernel::clear(const Workspace& memory, CUstream stream) const {
  const ContextGuard guard(*device_, check_context(stream));
  check_memory("memory.data", memory.data, stream);
  const DriverApi& api = device_->api();
  check(api, api.memset_d8_async(reinterpret_cast<CUdeviceptr>(memory.data), 0, memory.bytes, stream),
        "cuMemsetD8Async", generated_.name.c_str());
}

}  // namespace ffc
