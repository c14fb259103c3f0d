// A little writer for indented lines of emitted code.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "ffc/templates/half.hpp"

namespace ffc {

/// "constexpr int rows = 16;  // comment", `declared` being "int rows".
template <class Value>
[[nodiscard]] std::string constant_line(std::string_view declared, const Value& value, std::string_view comment) {
  return fmt::format("constexpr {} = {};{}{}\n", declared, value, comment.empty() ? "" : "  // ", comment);
}

/// A value twice, as the text of a pair of halves: "0x3c003c00u" of 1.
[[nodiscard]] inline std::string packed_twice(double value) {
  return fmt::format("{:#010x}u", pack_halves(value, value));
}

/// A float32, as a literal: "0.25f", "1.0f".
[[nodiscard]] inline std::string float_literal(double value) {
  std::string digits = fmt::format("{:.9g}", value);
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return digits + "f";
}

/// The beginning of a kernel's definition. `attributes`: "__launch_bounds__(threads, blocks_per_sm)"; `parameter`:
/// "ConvArguments arguments".
[[nodiscard]] inline std::string kernel_entry(std::string_view attributes, std::string_view name,
                                              std::string_view parameter) {
  return fmt::format("extern \"C\" __global__ void {}\n    {}(const {}) {{\n", attributes, name, parameter);
}

/// Collects lines; `open` and `close` keep the indentation, and so does `end` for what has no braces.
class TextWriter {
 public:
  explicit TextWriter(int depth) : depth_(depth) {}

  TextWriter& line(std::string_view text) {
    // Preprocessor lines stand at the margin, as in the templates.
    if (!text.empty() && text.front() != '#') text_.append(2 * static_cast<std::size_t>(depth_), ' ');
    text_.append(text).push_back('\n');
    return *this;
  }
  TextWriter& open(std::string_view text) {
    line(text);
    ++depth_;
    return *this;
  }
  TextWriter& close(std::string_view text = "}") {
    --depth_;
    return line(text);
  }
  TextWriter& end() {
    --depth_;
    return *this;
  }
  TextWriter& otherwise() {
    close("} else {");
    ++depth_;
    return *this;
  }
  TextWriter& unroll() { return line("#pragma unroll"); }
  /// Lines that another writer has made.
  TextWriter& lines(std::string_view text) {
    text_.append(text);
    return *this;
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  int depth_;
  std::string text_;
};

}  // namespace ffc
