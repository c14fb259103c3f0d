// PyTorch's CUDA half is not linked: a PyTorch without it has no such library, and one with it has loaded it.
#include "current_stream.hpp"

#include <dlfcn.h>
#include <torch/csrc/stable/c/shim.h>
#include <torch/headeronly/util/shim_utils.h>

namespace ffc::torch_ops {
namespace {

using CurrentStream = AOTITorchError (*)(std::int32_t device_index, void** stream);

CurrentStream find_current_stream() {
  void* const library = dlopen("libtorch_cuda.so", RTLD_LAZY | RTLD_NOLOAD);
  void* const found = library != nullptr ? dlsym(library, "aoti_torch_get_current_cuda_stream") : nullptr;
  if (found == nullptr)
    throw DriverError("ffc_torch: tensors are on a GPU, and the PyTorch of this process has no libtorch_cuda.so");
  return reinterpret_cast<CurrentStream>(found);
}

}  // namespace

CUstream current_stream(std::int32_t device_index) {
  static const CurrentStream ask = find_current_stream();
  void* stream = nullptr;
  TORCH_ERROR_CODE_CHECK(ask(device_index, &stream));
  return static_cast<CUstream>(stream);
}

}  // namespace ffc::torch_ops
