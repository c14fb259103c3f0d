// Comments that say which of a plan's steps a statement carries out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "statement.hpp"

namespace ffc {

/// "// step 4: `comment`", of what `steps` are; "// step 4" without a comment, "// `comment`" without steps, and
/// nothing without both.
[[nodiscard]] std::string step_comment(const std::vector<std::size_t>& steps, std::string_view comment = {});

/// `line` with such a comment behind it, of a statement.
[[nodiscard]] std::string with_steps(std::string_view line, const Statement& statement, std::string_view comment = {});

/// The steps of statements and of their bodies.
[[nodiscard]] std::vector<std::size_t> steps_within(const std::vector<Statement>& statements);

}  // namespace ffc
