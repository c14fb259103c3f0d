// Host kernels of what the generator made, or a test changed in it.
#pragma once

#include <memory>

#include "ffc/generator/generate.hpp"
#include "ffc/runtime/kernel.hpp"
#include "host/host_kernel.hpp"

namespace ffc::conv_tests {

inline host::HostKernel kernel_of(const Generated& generated) {
  static host::HostCompiler compiler(cache::options_from_environment({}));
  host::Programs programs;
  programs.conv = compiler.compile(generated.conv, generated.config.arch);
  programs.filter = compiler.compile(generated.filter, generated.config.arch);
  if (generated.apart)
    programs.apart = std::make_shared<const host::LateProgram>(
        *generated.apart,
        [arch = generated.config.arch](const GeneratedKernel& kernel) { return compiler.compile(kernel, arch); });
  if (generated.backward && generated.backward->filter_gradient)
    programs.filter_gradient = compiler.compile(*generated.backward->filter_gradient, generated.config.arch);
  return {generated, programs};
}

/// Gradients of which few rows of a channel are one slice, however many would fill a device.
inline std::shared_ptr<const Kernel> kernel_of_one_slice(const ConvConfig& config) {
  Generated generated = generate(config);
  generated.backward->resident_slices = 0;
  return std::make_shared<const host::HostKernel>(kernel_of(generated));
}

}  // namespace ffc::conv_tests
