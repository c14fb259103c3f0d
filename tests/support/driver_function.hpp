// Functions of the CUDA driver that only tests call.
#pragma once

#include <cuda.h>
#include <dlfcn.h>

namespace ffc::conv_tests {

template <class Function>
Function* driver_function(const char* name) {
  return reinterpret_cast<Function*>(dlsym(dlopen("libcuda.so.1", RTLD_NOW), name));
}

}  // namespace ffc::conv_tests
