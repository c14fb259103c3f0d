// A check of CLI11's that refuses what is no number, too: its own range lets "nan" pass.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>

namespace ffc::examples {

/// A finite number from `low` to `high`.
[[nodiscard]] inline CLI::Validator between(double low, double high) {
  return {[=](const std::string& text) {
            char* end = nullptr;
            const double value = std::strtod(text.c_str(), &end);
            const bool good = !text.empty() && *end == '\0' && low <= value && value <= high;
            return good ? std::string() : fmt::format("{} is not a number from {} to {}", text, low, high);
          },
          fmt::format("{} to {}", low, high)};
}

}  // namespace ffc::examples
