// The shape of what a config emits: its programs' texts with the numbers taken out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"

namespace ffc::shapes {

/// A program's text without comments, its own name, and the values of its numbers; digits inside identifiers stay.
[[nodiscard]] std::string text_without_numbers(const GeneratedKernel& kernel);

/// What a config emits, the numbers aside.
struct Shape {
  std::string name;                  ///< 16 hexadecimal digits, of all texts and of the parts of the launch
  std::vector<std::uint64_t> lines;  ///< hashes of the texts' lines and of the parts of the launch, sorted, each once
  std::int64_t size = 0;             ///< of the config: samples of a row, or points of the transform if they are more
  ConvConfig config;                 ///< normalised
  std::string text;                  ///< of the config, which parse_config reads
};

/// FNV-1a.
[[nodiscard]] std::uint64_t hash_of(std::string_view text, std::uint64_t hash = 0xcbf29ce484222325u);

[[nodiscard]] Shape shape_of(const Generated& generated);

}  // namespace ffc::shapes
