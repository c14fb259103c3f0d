// Numbers of steps as comments.
#include "step_text.hpp"

#include <fmt/format.h>

#include "step_numbers.hpp"

namespace ffc {

std::string step_comment(const std::vector<std::size_t>& steps, std::string_view comment) {
  const std::string numbers = step_numbers(steps);
  if (numbers.empty() && comment.empty()) return {};
  return fmt::format("// {}{}{}", numbers, numbers.empty() || comment.empty() ? "" : ": ", comment);
}

std::string with_steps(std::string_view line, const Statement& statement, std::string_view comment) {
  const std::string text = step_comment(statement.steps, comment);
  return fmt::format("{}{}{}", line, text.empty() ? "" : "  ", text);
}

std::vector<std::size_t> steps_within(const std::vector<Statement>& statements) {
  std::vector<std::size_t> steps;
  each_statement(statements, [&](const Statement& statement) {
    steps.insert(steps.end(), statement.steps.begin(), statement.steps.end());
  });
  return steps;
}

}  // namespace ffc
