// What emitters hand on: a kernel and the spectrum that it takes; half of a kernel.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "assemble.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "spectrum_layout.hpp"

namespace ffc {

/// A convolution kernel and what the filter kernel must know of it.
struct EmittedConv {
  GeneratedKernel kernel;
  SpectrumLayout spectrum;
};

/// A half of a split plan's kernel: blocks of split_conv.cu.in and the templates in place of others.
struct EmittedHalf {
  Blocks blocks;
  Substitutes substitutes;
  std::vector<std::uint32_t> tables;
  double gain = 1;  ///< what the spectrum must carry to make up for the matrices' scales
};

/// Puts the kernel for tensors that lie apart, which reads the tables of the other one.
inline void put_apart(Generated& generated, GeneratedKernel kernel) {
  kernel.tables.clear();
  generated.apart = std::move(kernel);
}

}  // namespace ffc
