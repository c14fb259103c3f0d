// The list of shapes that are run, as it is checked in: a config for each. What shape it has is seen when it is read,
// so that the list outlives changes of the texts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "shape.hpp"

namespace ffc::shapes {

/// The shapes of those of a list's configs whose text is wanted, in its order; none that is not is emitted. Throws
/// std::runtime_error naming the file, and the line that cannot be read or has no kernel.
[[nodiscard]] std::vector<Shape> read_manifest(
    const std::string& path, int jobs,
    const std::function<bool(std::string_view)>& is_wanted = [](std::string_view) { return true; });

/// The shapes of `count` configs drawn at random, from a seed each: `first_seed` and those behind it.
[[nodiscard]] std::vector<Shape> draw_shapes(std::size_t count, std::uint64_t first_seed, int jobs);

/// All shapes of the config space, or of every so-manieth of its configs, by size, each with the cheapest config.
/// `report` hears a line for each part.
[[nodiscard]] std::vector<Shape> find_shapes(int jobs, std::size_t every,
                                             const std::function<void(std::string_view)>& report);

/// A manifest's text: of `shapes` those that cover all, under a comment that says how many there are.
[[nodiscard]] std::string manifest_text(const std::vector<Shape>& shapes);

}  // namespace ffc::shapes
