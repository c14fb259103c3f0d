// What one declaration declares, from how it begins. The texts are our own: what they do not write is not read here.
#include "declared.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

namespace ffc {

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view without_margin(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return line;
}

namespace {

constexpr std::array<std::string_view, 8> types = {"int",       "bool",          "float",  "unsigned int",
                                                   "long long", "unsigned char", "Packed", "SharedAddress"};

std::string_view first_name(std::string_view text) {
  return text.substr(0,
                     static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_of_name) - text.begin()));
}

// The name that `text` ends with; empty where it ends with something else.
std::string_view last_name(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  std::size_t begin = text.size();
  while (begin > 0 && is_of_name(text[begin - 1])) --begin;
  return text.substr(begin);
}

// Behind `template <...>`.
std::string_view behind_parameters(std::string_view head) {
  int open = 0;
  for (std::size_t i = head.find('<'); i < head.size(); ++i) {
    if (head[i] == '<') ++open;
    if (head[i] == '>' && --open == 0) {
      head.remove_prefix(i + 1);
      head.remove_prefix(std::min(head.find_first_not_of(" \n"), head.size()));
      break;
    }
  }
  return head;
}

// The names of `constexpr int a = f(1, 2), b[] = {...`.
std::vector<std::string_view> constants_of(std::string_view head) {
  std::vector<std::string_view> names;
  int open = 0;
  bool named = false;  // this declarator is
  for (std::size_t i = 0; i < head.size(); ++i) {
    const char c = head[i];
    if (!named && open == 0 && (c == '=' || c == '[' || c == '{')) {
      names.push_back(last_name(head.substr(0, i)));
      named = true;
    }
    if (c == '(' || c == '[' || c == '{') ++open;
    if (c == ')' || c == ']' || c == '}') --open;
    if (c == ',' && open == 0) named = false;
  }
  return names;
}

std::optional<std::string_view> constant_of_line(std::string_view line) {
  if (line.starts_with("constexpr "))
    line.remove_prefix(10);
  else if (line.starts_with("const "))
    line.remove_prefix(6);
  else
    return {};
  const auto type = std::find_if(types.begin(), types.end(), [&](std::string_view known) {
    return line.starts_with(known) && line.substr(known.size()).starts_with(' ');
  });
  if (type == types.end()) return {};
  line.remove_prefix(type->size() + 1);
  const std::string_view name = line.substr(0, line.find(' '));
  line.remove_prefix(name.size());
  const std::size_t end = line.find(';');
  if (!line.starts_with(" = ") || !std::all_of(name.begin(), name.end(), is_of_name) || end == std::string_view::npos)
    return {};
  const std::string_view behind = line.substr(end + 1), value = line.substr(0, end);
  if (!behind.empty() && !behind.starts_with("  // ")) return {};
  for (std::size_t i = 0; i < value.size(); ++i)  // a call, or another constant behind a comma
    if (value[i] == ',' || (value[i] == '(' && is_of_name(value[i - 1]))) return {};
  return name;
}

}  // namespace

Declared declared_outside(std::string_view head) {
  const auto has = [&](std::string_view word) { return head.find(word) != std::string_view::npos; };
  if (head.starts_with("static_assert(")) return {Kind::assertion};
  if (has("__global__")) return {};
  const bool is_template = head.starts_with("template <");
  if (is_template) head = behind_parameters(head);
  if (head.starts_with("struct ")) return {Kind::type, {first_name(head.substr(7))}};
  if (head.starts_with("using ") && !head.starts_with("using namespace"))
    return {Kind::type, {first_name(head.substr(6))}};
  const std::size_t at = head.find_first_of("(=[{;");
  if (at < head.size() && head[at] == '(') {
    const std::string_view name = last_name(head.substr(0, at));
    if (name.empty() || (!is_template && !has("__device__") && !has("constexpr"))) return {};
    return {Kind::function, {name}};
  }
  if (head.starts_with("constexpr ")) return {Kind::constant, constants_of(head)};
  if (const auto name = constant_of_line(head)) return {Kind::constant, {*name}};
  return {};
}

std::optional<Declared> declared_inside(std::string_view line) {
  line = without_margin(line);
  if (const auto name = constant_of_line(line)) return Declared{Kind::constant, {*name}};
  constexpr std::string_view begin = "const auto ";
  if (!line.starts_with(begin) || !line.ends_with(") {")) return {};
  line.remove_prefix(begin.size());
  const std::string_view name = first_name(line);
  if (!line.substr(name.size()).starts_with(" = [&](")) return {};
  return Declared{Kind::closure, {name}};
}

}  // namespace ffc
