// Reads lists as they stand on the command line.
#include "lengths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

namespace ffc::tools {
namespace {

template <typename Integer>
Integer parse_positive(std::string_view what, std::string_view text) {
  const std::optional<Integer> value = positive_integer<Integer>(text);
  if (!value) {
    throw std::invalid_argument(fmt::format("{} holds '{}', which is not a whole number from 1 to {}", what, text,
                                            std::numeric_limits<Integer>::max()));
  }
  return *value;
}

void append_range(std::vector<std::int64_t>& lengths, std::string_view first_text, std::string_view last_text) {
  const auto first = parse_positive<std::int64_t>("--lengths", first_text);
  const auto last = parse_positive<std::int64_t>("--lengths", last_text);
  // 2^62 is the largest power that an int64 holds.
  const auto largest = std::min(static_cast<std::uint64_t>(last), std::uint64_t{1} << 62);
  const auto size_before = lengths.size();
  for (auto power = std::bit_ceil(static_cast<std::uint64_t>(first)); power <= largest; power *= 2) {
    lengths.push_back(static_cast<std::int64_t>(power));
  }
  if (lengths.size() == size_before) {
    throw std::invalid_argument(fmt::format("--lengths holds {}..{}, a range without a power of two", first, last));
  }
}

}  // namespace

std::vector<std::string> split_list(std::string_view what, std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    if (end == begin) throw std::invalid_argument(fmt::format("{} is '{}': a part of the list is empty", what, text));
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<std::int64_t> parse_lengths(std::string_view text) {
  std::vector<std::int64_t> lengths;
  for (const std::string_view part : split_list("--lengths", text)) {
    if (const auto dots = part.find(".."); dots != std::string_view::npos) {
      append_range(lengths, part.substr(0, dots), part.substr(dots + 2));
    } else {
      lengths.push_back(parse_positive<std::int64_t>("--lengths", part));
    }
  }
  std::vector<std::int64_t> distinct;
  for (const auto length : lengths) {
    if (std::ranges::find(distinct, length) == distinct.end()) distinct.push_back(length);
  }
  return distinct;
}

std::vector<std::int64_t> parse_counts(std::string_view what, std::string_view text) {
  std::vector<std::int64_t> counts;
  for (const std::string_view part : split_list(what, text)) counts.push_back(parse_positive<std::int64_t>(what, part));
  return counts;
}

std::vector<int> parse_radices(std::string_view text) {
  std::vector<int> radices;
  for (const std::string_view part : split_list("--radices", text)) {
    radices.push_back(parse_positive<int>("--radices", part));
  }
  return radices;
}

}  // namespace ffc::tools
