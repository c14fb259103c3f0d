// Numbers are taken out token by token.
#include "shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "config_text.hpp"
#include "ffc/generator/generate.hpp"

namespace ffc::shapes {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The end of the number that begins at `at`: with its point, suffix, and the sign of its exponent.
std::size_t end_of_number(std::string_view text, std::size_t at) {
  const bool hexadecimal = text.substr(at).starts_with("0x");
  std::size_t end = at;
  while (end < text.size()) {
    const bool sign = (text[end] == '-' || text[end] == '+') && !hexadecimal && end > at && text[end - 1] == 'e';
    if (!is_word(text[end]) && text[end] != '.' && !sign) break;
    ++end;
  }
  return end;
}

std::size_t end_of_word(std::string_view text, std::size_t at) {
  while (at < text.size() && is_word(text[at])) ++at;
  return at;
}

// Lists that differ in their length alone are the same but for a number: each piece between separators that equals the
// one before it is left out.
std::string without_repeats(std::string_view line) {
  constexpr std::string_view separators[] = {", ", " + ", " || ", " : "};
  std::string result, last;
  while (!line.empty()) {
    std::size_t end = line.size(), next = line.size();
    for (const std::string_view separator : separators)
      if (const std::size_t at = line.find(separator); at < end) end = at, next = at + separator.size();
    const std::string_view piece = line.substr(0, end);
    if (piece != last) result.append(line.substr(0, next));
    last = piece;
    line.remove_prefix(next);
  }
  return result;
}

// Of the launch, what is no number: a word for each of its parts that there is.
std::vector<std::string_view> parts_of(const Generated& generated) {
  std::vector<std::string_view> parts;
  const auto add = [&](bool there, std::string_view part) {
    if (there) parts.push_back(part);
  };
  add(generated.split.has_value(), "split");
  add(generated.split && are_alone(generated.split->packing), "single rows");
  add(generated.conv.cluster > 1, "cluster");
  add(generated.filter_steps > 1, "filter in steps");
  add(generated.packing == Packing::right_angle && !generated.windows && !generated.split &&
          generated.conv.cluster == 1,
      "rows alone");
  add(generated.walks_channels, "walks channels");
  add(generated.groups_per_block > 1, "groups");
  if (const auto& windows = generated.windows) {
    parts.emplace_back("windows");
    add(windows->history, "history");
    add(windows->packing == Packing::right_angle, "windows alone");
    add(windows->gap > 0, "gap");
  }
  if (const auto& backward = generated.backward) {
    parts.emplace_back("backward");
    add(backward->windows.has_value(), "backward windows");
    add(backward->windows && backward->windows->gap > 0, "backward gap");
    add(backward->sums_bytes > 0, "sums");
    add(backward->parked_bytes > 0, "parked");
    add(generated.conv.cluster > 1, "sums in turns");
    add(backward->inverse_bytes > 0, "inverse in memory");
    add(backward->inverse_steps > 1, "inverse in steps");
    add(backward->overlaps, "overlaps");
  }
  return parts;
}

}  // namespace

std::uint64_t hash_of(std::string_view text, std::uint64_t hash) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

std::string text_without_numbers(const GeneratedKernel& kernel) {
  const std::string_view text = kernel.source;
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (is_digit(text[at])) {
      result += '#';
      at = end_of_number(text, at);
    } else if (is_word(text[at])) {
      const std::size_t end = end_of_word(text, at);
      const std::string_view word = text.substr(at, end - at);
      result += word == kernel.name ? std::string_view("entry") : word;
      at = end;
    } else {
      result += text[at++];
    }
  }
  return result;
}

Shape shape_of(const Generated& generated) {
  Shape shape;
  std::uint64_t name = hash_of("");
  const auto add = [&](std::string_view line) {
    name = hash_of("\n", hash_of(line, name));
    shape.lines.push_back(hash_of(line));
  };
  for (const ProgramView& program : programs(generated)) {
    add(program.kind);
    const std::string text = text_without_numbers(*program.kernel);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t first = text.find_first_not_of(" \n", at), end = std::min(text.find('\n', first), text.size());
      if (first == text.npos) break;
      const std::size_t last = text.find_last_not_of(' ', end - 1);
      add(without_repeats(std::string_view(text).substr(first, last + 1 - first)));
      at = end;
    }
  }
  for (const std::string_view part : parts_of(generated)) add(part);
  std::sort(shape.lines.begin(), shape.lines.end());
  shape.lines.erase(std::unique(shape.lines.begin(), shape.lines.end()), shape.lines.end());
  shape.name = fmt::format("{:016x}", name);
  shape.size = std::max(generated.config.length, generated.transform_length);
  shape.config = generated.config;
  shape.text = short_text(generated.config);
  return shape;
}

}  // namespace ffc::shapes
