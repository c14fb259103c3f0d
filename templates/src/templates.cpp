// Look-up in the embedded templates.
#include "ffc/templates/templates.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "embedded.hpp"

namespace ffc {
namespace {

const EmbeddedTemplate& template_of(std::string_view name) {
  const auto all = embedded_templates();
  const auto found = std::ranges::find(all, name, &EmbeddedTemplate::name);
  if (found != all.end()) return *found;

  std::string message = "no template is named '" + std::string(name) + "'; there are";
  for (const auto& entry : all) message.append(" ").append(entry.name);
  throw std::out_of_range(message);
}

}  // namespace

std::string_view template_text(std::string_view name) { return template_of(name).text; }

std::string_view template_path(std::string_view name) { return template_of(name).path; }

std::vector<std::string_view> template_names() {
  std::vector<std::string_view> names;
  for (const auto& entry : embedded_templates()) names.push_back(entry.name);
  return names;
}

}  // namespace ffc
