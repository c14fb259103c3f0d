// Which gradients a backward kernel computes.
#pragma once

#include <string>
#include <string_view>

namespace ffc {

/// Which gradients a backward kernel writes. Those of gates that the config does not have are dropped.
struct Gradients {
  bool u = true;
  bool w = true;
  bool v = true;
  bool k = true;   ///< of the filter: (H, Lk) float32
  bool d = false;  ///< of the skip term: (H) float32

  friend bool operator==(const Gradients&, const Gradients&) = default;
};

/// "du,dw,dk": those that are wanted, with `separator` between them.
[[nodiscard]] std::string to_string(const Gradients& gradients, std::string_view separator = ",");

/// The same back from text with commas: exactly those that are named. Throws ConfigError for anything else.
[[nodiscard]] Gradients parse_gradients(std::string_view text);

}  // namespace ffc
