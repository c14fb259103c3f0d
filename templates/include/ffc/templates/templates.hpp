// The device code that kernels are assembled from, by file name.
#pragma once

#include <string_view>
#include <vector>

namespace ffc {

/// The text of one file of templates/, by its name there ("arguments.cuh"). Lives as long as the program.
/// Throws std::out_of_range that lists the known names.
[[nodiscard]] std::string_view template_text(std::string_view name);

/// The folder and name of that file ("arguments/arguments.cuh"). Throws as template_text does.
[[nodiscard]] std::string_view template_path(std::string_view name);

/// The names of all templates, sorted.
[[nodiscard]] std::vector<std::string_view> template_names();

}  // namespace ffc
