// The list of shapes that are run, one config for each, as it is checked in.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "shape.hpp"

namespace ffc::shapes {

/// A shape and the cheapest config that has it.
struct ListedShape {
  std::string name;
  ConvConfig config;
};

/// Reads a list. Throws std::runtime_error naming the file, and the line that cannot be read.
[[nodiscard]] std::vector<ListedShape> read_manifest(const std::string& path);

/// All shapes of the config space, by size, each with the cheapest of its configs. `report` hears a line for each part.
[[nodiscard]] std::vector<Shape> find_shapes(int jobs, const std::function<void(std::string_view)>& report);

/// A manifest's text: of `shapes` those that cover all, under a comment that says how many there are.
[[nodiscard]] std::string manifest_text(const std::vector<Shape>& shapes);

}  // namespace ffc::shapes
