// Host kernels of what the generator made, or a test changed in it.
#pragma once

#include <memory>

#include "ffc/generator/generate.hpp"
#include "ffc/runtime/kernel.hpp"
#include "host_kernel.hpp"

namespace ffc::conv_tests {

inline host::HostKernel kernel_of(const Generated& generated) {
  static host::HostCompiler compiler(cache::options_from_environment({}));
  const auto compile = [arch = generated.config.arch](const GeneratedKernel& kernel) {
    return compiler.compile(kernel, arch);
  };
  host::Programs programs;
  programs.conv = compile(generated.conv);
  programs.filter = compile(generated.filter);
  if (generated.backward && generated.backward->filter_gradient)
    programs.filter_gradient = compile(*generated.backward->filter_gradient);
  return {generated, programs, compile};
}

inline std::shared_ptr<const host::HostKernel> shared_kernel_of(const Generated& generated) {
  return std::shared_ptr<const host::HostKernel>(new host::HostKernel(kernel_of(generated)));
}

/// Gradients of which few rows of a channel are one slice, however many would fill a device.
inline std::shared_ptr<const Kernel> kernel_of_one_slice(const ConvConfig& config) {
  Generated generated = generate(config);
  generated.backward->resident_slices = 0;
  return shared_kernel_of(generated);
}

}  // namespace ffc::conv_tests
