// Gradients by name.
#include "ffc/generator/gradients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "ffc/generator/error.hpp"

namespace ffc {

std::string to_string(const Gradients& gradients, std::string_view separator) {
  std::string text;
  const auto add = [&](bool wanted, std::string_view name) {
    if (wanted) text.append(text.empty() ? "" : separator).append(name);
  };
  add(gradients.u, "du");
  add(gradients.w, "dw");
  add(gradients.v, "dv");
  add(gradients.k, "dk");
  add(gradients.d, "dd");
  return text;
}

Gradients parse_gradients(std::string_view text) {
  Gradients gradients{false, false, false, false, false};
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view name = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    bool* const wanted = name == "du"   ? &gradients.u
                         : name == "dw" ? &gradients.w
                         : name == "dv" ? &gradients.v
                         : name == "dk" ? &gradients.k
                         : name == "dd" ? &gradients.d
                                        : nullptr;
    if (wanted == nullptr)
      throw ConfigError(fmt::format("gradient is \"{}\"; it must be one of du, dw, dv, dk, dd", name));
    *wanted = true;
  }
  return gradients;
}

}  // namespace ffc
