// One pass over the words of a text finds who names what; lines that go may leave others without a use.
#include "unused_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ffc {
namespace {

struct Word {
  std::string_view text;
  std::size_t line = 0;
  bool reference = false;  // to a name of its scope, and no member's or a declaration
};

constexpr std::size_t unfinished = std::string_view::npos;

// Lines that declare one constant, or one function of a block.
struct Declaration {
  std::string_view name;
  std::string_view space;  // the namespace that it is in, if any
  std::size_t line = 0, scope_end = 0;
  std::size_t last_line = 0;  // `unfinished` until it is met
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

constexpr std::array<std::string_view, 8> types = {"int",       "bool",          "float",  "unsigned int",
                                                   "long long", "unsigned char", "Packed", "SharedAddress"};

// The name that a line declares; nothing where it is more than a constant by its value.
std::optional<std::string_view> declared_by(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
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
  if (!line.starts_with(" = ") || !std::all_of(name.begin(), name.end(), is_word) || end == std::string_view::npos)
    return {};
  const std::string_view behind = line.substr(end + 1), value = line.substr(0, end);
  if (!behind.empty() && !behind.starts_with("  // ")) return {};
  for (std::size_t i = 0; i < value.size(); ++i)  // a call, or another constant behind a comma
    if (value[i] == ',' || (value[i] == '(' && is_word(value[i - 1]))) return {};
  return name;
}

// The name of a function that a line begins: `const auto name = [&](...) {`, which ends with `};` at its margin.
std::optional<std::string_view> function_begun_by(std::string_view line) {
  constexpr std::string_view begin = "const auto ";
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  if (!line.starts_with(begin) || !line.ends_with(") {")) return {};
  line.remove_prefix(begin.size());
  const std::string_view name = line.substr(0, line.find(' '));
  if (!line.substr(name.size()).starts_with(" = [&](")) return {};
  return name;
}

class Text {
 public:
  explicit Text(std::string_view text) {
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      read(line);
    }
    for (Declaration& declaration : declarations_)
      if (declaration.scope_end == 0) declaration.scope_end = lines_.size();
  }

  [[nodiscard]] std::string without_unused() const {
    std::vector<bool> dropped(lines_.size(), false);
    for (const Declaration& declaration : declarations_)
      if (declaration.last_line != unfinished && !is_used(declaration))
        std::fill(dropped.begin() + static_cast<std::ptrdiff_t>(first_line(declaration)),
                  dropped.begin() + static_cast<std::ptrdiff_t>(declaration.last_line) + 1, true);
    std::string result;
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (!dropped[i]) result.append(lines_[i]).push_back('\n');
    return result;
  }

 private:
  void read(std::string_view line) {
    const std::size_t number = lines_.size();
    lines_.push_back(line);
    const std::optional<std::string_view> declared = declared_by(line);
    if (declared) {
      declare(*declared, number, number);
    } else if (const std::optional<std::string_view> function = function_begun_by(line)) {
      declare(*function, number, unfinished);
    } else if (line.ends_with("};")) {
      for (Declaration& open : declarations_)
        if (open.last_line == unfinished && margin_of(lines_[open.line]) == margin_of(line)) open.last_line = number;
    }
    if (line.starts_with("#")) {  // a macro may name anything
      add_words(line, number, true);
      return;
    }
    if (line.starts_with("namespace ")) {
      const std::string_view name = line.substr(10, line.find(" {") - 10);
      spaces_.push_back(name);
    }
    add_words(line, number, false);
  }

  static std::size_t margin_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

  void declare(std::string_view name, std::size_t line, std::size_t last_line) {
    declarations_.push_back({name, spaces_.empty() ? std::string_view() : spaces_.back(), line, 0, last_line});
    open_.emplace_back(declarations_.size() - 1, depth_);
  }

  // With the comment that stands above a function.
  [[nodiscard]] std::size_t first_line(const Declaration& declaration) const {
    std::size_t first = declaration.line;
    if (declaration.last_line == declaration.line) return first;
    while (first > 0 && lines_[first - 1].substr(margin_of(lines_[first - 1])).starts_with("// ")) --first;
    return first;
  }

  void add_words(std::string_view line, std::size_t number, bool all) {
    std::string_view before;  // the word right before, with nothing but blanks between
    for (std::size_t i = 0; i < line.size();) {
      const char c = line[i];
      if (line.substr(i).starts_with("//")) return;
      if (c == '"') {
        for (++i; i < line.size() && line[i] != '"'; ++i)
          if (line[i] == '\\') ++i;
        ++i, before = {};
      } else if (is_word(c)) {
        std::size_t end = i;
        while (end < line.size() && is_word(line[end])) ++end;
        const std::string_view word = line.substr(i, end - i);
        const bool member = i > 0 && (line[i - 1] == '.' || (i > 1 && line.substr(i - 2, 2) == "->"));
        const bool declares = !before.empty() && before != "return" && before != "else" && before != "case";
        words_[word].push_back({line.substr(0, i), number, all || (!member && !declares)});
        before = word, i = end;
      } else {
        if (c == '{') ++depth_;
        if (c == '}') close(number);
        if (c != ' ') before = {};
        ++i;
      }
    }
  }

  void close(std::size_t number) {
    if (depth_ > 0) --depth_;
    if (depth_ == 0 && !spaces_.empty()) {
      // What a namespace declares has names outside of it too.
      spaces_.pop_back();
    }
    while (!open_.empty() && open_.back().second > depth_) {
      Declaration& declaration = declarations_[open_.back().first];
      declaration.scope_end = number + 1;
      open_.pop_back();
    }
  }

  [[nodiscard]] bool is_used(const Declaration& declaration) const {
    const auto found = words_.find(declaration.name);
    if (found == words_.end()) return false;
    const std::string qualifier = std::string(declaration.space) + "::";
    return std::any_of(found->second.begin(), found->second.end(), [&](const Word& word) {
      if (word.line >= declaration.line && word.line <= declaration.last_line) return false;
      const bool qualified = word.text.ends_with("::");
      const bool in_scope = word.line > declaration.line && word.line < declaration.scope_end;
      if (in_scope) return word.reference && (!qualified || word.text.ends_with(qualifier));
      return word.line >= declaration.scope_end && !declaration.space.empty() && word.text.ends_with(qualifier);
    });
  }

  std::vector<std::string_view> lines_;
  std::vector<Declaration> declarations_;
  std::vector<std::pair<std::size_t, int>> open_;  // declarations whose scope has not ended, and their depth
  std::vector<std::string_view> spaces_;           // namespaces around
  std::unordered_map<std::string_view, std::vector<Word>> words_;
  int depth_ = 0;
};

}  // namespace

std::string without_unused_names(std::string text) {
  for (;;) {
    std::string less = Text(text).without_unused();
    if (less.size() == text.size()) return less;
    text = std::move(less);
  }
}

}  // namespace ffc
