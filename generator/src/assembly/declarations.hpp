// What an emitted text declares, line by line, and the names that stand in it.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "declared.hpp"

namespace ffc {

/// A name as it stands in a text.
struct Word {
  std::string_view text = {}, before = {};  ///< itself, and its line up to it
  std::size_t line = 0;
  bool reference = false;  ///< to a name of its scope: no member's and no declaration
};

/// Lines that stay or go together.
struct Declaration : Declared {
  std::string_view space = {};          ///< the namespace that it is in, if any
  bool inside = false;                  ///< of a function
  std::size_t line = 0, last_line = 0;  ///< from and to, without the comment above
  std::size_t scope_end = 0;            ///< the line behind those where its names mean it
  std::vector<Word> words = {};         ///< of its lines, less those of declarations in it
};

struct Declarations {
  std::vector<std::string_view> lines = {};
  std::vector<Declaration> list = {};  ///< the first has what stands in none: directives
};

/// Of `text`, which must outlive the result. A text whose brackets do not match is one declaration that stays.
[[nodiscard]] Declarations declarations_of(std::string_view text);

}  // namespace ffc
