// Emitted texts as programs for the CPU.
#pragma once

#include <string>

#include "ffc/generator/generated_kernel.hpp"

namespace ffc {

/// A complete C++20 program: the host twins of the device primitives, then the kernel's text as it is, its lines
/// counted from 1 again, then `extern "C" void ffc_host_run(const void* arguments)`, which runs one thread of the
/// kernel. Compile it with -DFFC_HOST and -D__CUDA_ARCH__ of the kernel's arch.
[[nodiscard]] std::string host_program(const GeneratedKernel& kernel);

}  // namespace ffc
