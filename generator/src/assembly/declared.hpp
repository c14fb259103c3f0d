// What one declaration of an emitted text declares, from how it begins.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace ffc {

/// What lines of a text are.
enum class Kind {
  always,     ///< an entry, or what is no declaration, or was not understood: stays
  assertion,  ///< a static_assert outside of functions
  type,       ///< a struct or another name of a type
  function,   ///< of the device
  constant,   ///< outside of functions or in one
  closure     ///< a function in another one
};

struct Declared {
  Kind kind = Kind::always;
  std::vector<std::string_view> names = {};
};

/// What `head` declares outside of functions: a declaration up to its body, or the whole of one that has none.
[[nodiscard]] Declared declared_outside(std::string_view head);

/// What one line of a function's body declares: a constant of an arithmetic type by its value, with no call in it, or
/// the beginning of a closure, `const auto name = [&](...) {`. Nothing where it is more than that.
[[nodiscard]] std::optional<Declared> declared_inside(std::string_view line);

/// Whether `c` may be part of a name.
[[nodiscard]] bool is_of_name(char c);

/// Without the blanks before it.
[[nodiscard]] std::string_view without_margin(std::string_view line);

}  // namespace ffc
