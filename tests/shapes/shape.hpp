// The shape of what a config emits: its programs' texts with the numbers taken out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ffc/generator/generated_kernel.hpp"

namespace ffc::shapes {

/// A program's text without comments, its own name, and the values of its numbers; digits inside identifiers stay.
[[nodiscard]] std::string text_without_numbers(const GeneratedKernel& kernel);

/// What a config emits, the numbers aside.
struct Shape {
  std::string name;                  ///< 16 hexadecimal digits, of all texts and of the parts of the launch
  std::vector<std::uint64_t> lines;  ///< hashes of the texts' lines and of the parts of the launch, sorted, each once
  std::int64_t size = 0;             ///< of the config: samples of a row, or points of the transform if they are more
  std::string config;                ///< short_text
};

[[nodiscard]] Shape shape_of(const Generated& generated);

}  // namespace ffc::shapes
