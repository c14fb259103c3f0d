// Reads lists as they stand on the command line: "256,1024..8192", "16,16,16", "fp16,bf16".
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ffc::tools {

/// All of `text` as a whole number from 1 to the largest Integer; nothing where it is none.
template <class Integer>
[[nodiscard]] std::optional<Integer> positive_integer(std::string_view text) {
  Integer value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end || value < 1) return std::nullopt;
  return value;
}

/// The parts between commas. Throws std::invalid_argument when one is empty; `what` names the list in the message.
[[nodiscard]] std::vector<std::string> split_list(std::string_view what, std::string_view text);

/// Positive whole numbers and ranges `a..b` of all powers of two from a to b, in the order given, without repeats.
/// Throws std::invalid_argument.
[[nodiscard]] std::vector<std::int64_t> parse_lengths(std::string_view text);

/// Positive whole numbers; `what` names the list in the message. Throws std::invalid_argument.
[[nodiscard]] std::vector<std::int64_t> parse_counts(std::string_view what, std::string_view text);

/// Positive whole numbers. Throws std::invalid_argument.
[[nodiscard]] std::vector<int> parse_radices(std::string_view text);

}  // namespace ffc::tools
