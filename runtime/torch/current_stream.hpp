// The stream that PyTorch's current one is, as the driver knows it.
#pragma once

#include <cstdint>
#include <ffc/runtime/kernel.hpp>

namespace ffc::torch_ops {

/// Of that GPU. Throws DriverError where PyTorch was built without CUDA.
[[nodiscard]] CUstream current_stream(std::int32_t device_index);

}  // namespace ffc::torch_ops
