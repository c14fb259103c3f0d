// From the entries on, what is named is marked; the rest goes, with comments and conditions that stand around nothing
// then.
#include "unused_names.hpp"

#include <algorithm>
#include <cstddef>
#include <unordered_map>

#include "declarations.hpp"

namespace ffc {
namespace {

// Marks what the declarations that stay need.
class Marks {
 public:
  explicit Marks(const Declarations& text) : text_(text), used_(text.list.size(), false) {
    for (std::size_t i = 0; i < text.list.size(); ++i)
      for (const std::string_view name : text.list[i].names) by_name_[name].push_back(i);
    for (std::size_t i = 0; i < text.list.size(); ++i)
      if (text.list[i].kind == Kind::always) use(i);
    mark();
    while (mark_assertions()) mark();
  }

  [[nodiscard]] bool is_used(std::size_t declaration) const { return used_[declaration]; }

 private:
  void use(std::size_t declaration) {
    if (used_[declaration]) return;
    used_[declaration] = true;
    open_.push_back(declaration);
  }

  void mark() {
    while (!open_.empty()) {
      const Declaration& user = text_.list[open_.back()];
      open_.pop_back();
      for (const Word& word : user.words) each_meaning(word, [&](std::size_t declaration) { use(declaration); });
    }
  }

  template <class Visit>
  void each_meaning(const Word& word, const Visit& visit) const {
    const auto found = by_name_.find(word.text);
    if (found == by_name_.end()) return;
    for (const std::size_t declaration : found->second)
      if (may_mean(word, text_.list[declaration])) visit(declaration);
  }

  static bool may_mean(const Word& word, const Declaration& declaration) {
    if (declaration.kind == Kind::type) return true;
    if (!word.reference) return false;
    std::string_view before = word.before;
    const bool qualified = before.ends_with("::");
    if (qualified) before.remove_suffix(2);
    if (qualified && !declaration.space.empty() && before.ends_with(declaration.space)) return true;
    if (qualified || word.line >= declaration.scope_end) return false;
    return declaration.kind == Kind::function || word.line > declaration.line;
  }

  // An assertion stays where some of what it names does, and all functions and types.
  bool mark_assertions() {
    bool any = false;
    for (std::size_t i = 0; i < text_.list.size(); ++i) {
      if (text_.list[i].kind != Kind::assertion || used_[i]) continue;
      bool names_used = false, names_unused = false, names_any = false;
      for (const Word& word : text_.list[i].words)
        each_meaning(word, [&](std::size_t declaration) {
          names_any = true;
          (used_[declaration] ? names_used : names_unused) |=
              used_[declaration] || text_.list[declaration].kind != Kind::constant;
        });
      if (names_unused || (names_any && !names_used)) continue;
      use(i);
      any = true;
    }
    return any;
  }

  const Declarations& text_;
  std::vector<bool> used_;
  std::vector<std::size_t> open_;  // used, their words not looked at
  std::unordered_map<std::string_view, std::vector<std::size_t>> by_name_;
};

// Takes lines out of a text.
class Sweep {
 public:
  explicit Sweep(const Declarations& text) : text_(text), dropped_(text.lines.size(), false), is_of_item_(dropped_) {}

  std::vector<bool> take_out(const Marks& marks) {
    for (std::size_t i = 1; i < text_.list.size(); ++i) {
      const Declaration& declaration = text_.list[i];
      std::size_t first = declaration.line;
      const auto end = static_cast<std::ptrdiff_t>(declaration.last_line + 1);
      if (!declaration.inside)
        std::fill(is_of_item_.begin() + static_cast<std::ptrdiff_t>(first), is_of_item_.begin() + end, true);
      if (marks.is_used(i)) continue;
      while (declaration.kind != Kind::constant && first > 0 && is_comment(first - 1)) --first;
      std::fill(dropped_.begin() + static_cast<std::ptrdiff_t>(first), dropped_.begin() + end, true);
    }
    drop_comments();
    drop_conditions();
    return std::move(dropped_);
  }

 private:
  [[nodiscard]] std::string_view line(std::size_t number) const { return without_margin(text_.lines[number]); }
  [[nodiscard]] bool is_comment(std::size_t number) const { return line(number).starts_with("//"); }

  // Comments of declarations that have gone, or of nothing. What opens the text stays.
  void drop_comments() {
    const std::size_t count = text_.lines.size();
    for (std::size_t first = 0, end = 0; first < count; first = end + 1) {
      for (end = first; end < count && is_comment(end) && !is_of_item_[end];) ++end;
      if (first == end || first == 0) continue;
      std::size_t next = end;
      while (next < count && dropped_[next]) ++next;
      const bool stands_alone = next == count || line(next).empty() || is_comment(next) ||
                                (next > end && (line(next).starts_with("#") || line(next).starts_with("}")));
      if (!stands_alone) continue;
      std::fill(dropped_.begin() + static_cast<std::ptrdiff_t>(first),
                dropped_.begin() + static_cast<std::ptrdiff_t>(end), true);
    }
  }

  // Conditions of the preprocessor around nothing.
  void drop_conditions() {
    std::vector<std::vector<std::size_t>> open;  // directives of conditions, less those that have something in them
    for (std::size_t i = 0; i < text_.lines.size(); ++i) {
      const std::string_view text = line(i);
      const bool opens = text.starts_with("#if"), closes = text.starts_with("#endif");
      if (is_of_item_[i] || (!text.starts_with("#") && (text.empty() || dropped_[i]))) {
        if (is_of_item_[i] && !dropped_[i]) open.clear();
        continue;
      }
      if (!text.starts_with("#")) {
        open.clear();
      } else if (opens) {
        open.push_back({i});
      } else if (!open.empty()) {
        open.back().push_back(i);
        if (!closes) continue;
        for (const std::size_t directive : open.back()) dropped_[directive] = true;
        open.pop_back();
      }
    }
  }

  const Declarations& text_;
  std::vector<bool> dropped_, is_of_item_;  // lines
};

}  // namespace

std::vector<bool> unused_lines(std::string_view text) {
  const Declarations declarations = declarations_of(text);
  return Sweep(declarations).take_out(Marks(declarations));
}

std::string without_unused_names(std::string_view text) {
  const std::vector<bool> unused = unused_lines(text);
  std::string result;
  for (std::size_t i = 0; i < unused.size(); ++i) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!unused[i]) result.append(line).push_back('\n');
  }
  return result;
}

}  // namespace ffc
