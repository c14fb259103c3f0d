// What the build's generated file provides: the text of every device template.
#pragma once

#include <span>
#include <string_view>

namespace ffc {

struct EmbeddedTemplate {
  std::string_view name;
  std::string_view path;  // its folder and name
  std::string_view text;
};

/// Sorted by name.
std::span<const EmbeddedTemplate> embedded_templates();

}  // namespace ffc
