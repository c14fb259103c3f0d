// One pass over the characters of a text. Comments and strings are skipped, brackets are counted.
#include "declarations.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace ffc {
namespace {

class Reader {
 public:
  Declarations read(std::string_view text) {
    found_.list.emplace_back();
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      read_line(line);
    }
    end_scopes();
    end_space(0);
    if (braces_ != 0 || parentheses_ != 0 || item_ != 0) {
      found_.list.assign(2, {});
      found_.list.back().last_line = found_.lines.size() - 1;
    }
    return std::move(found_);
  }

 private:
  void read_line(std::string_view line) {
    number_ = found_.lines.size();
    found_.lines.push_back(line);
    const std::string_view text = without_margin(line);
    if (text.starts_with("#")) return add_words(line, true);
    if (text.empty() || text.starts_with("//")) return;
    if (item_ == 0 && is_space(text)) return;
    std::size_t inner = 0;
    if (item_ == 0)
      begin_item(line);
    else if (is_in_function())
      inner = begin_inner(line);
    owner_ = inner != 0 ? inner : closures_.empty() ? item_ : closures_.back();
    add_words(line, false);
    if (!closures_.empty() && closures_.back() != inner && line.ends_with("};") &&
        margin_of(line) == margin_of(found_.lines[found_.list[closures_.back()].line])) {
      found_.list[closures_.back()].last_line = number_;
      closures_.pop_back();
    }
  }

  static std::size_t margin_of(std::string_view line) { return line.size() - without_margin(line).size(); }

  // Whether a line opens or closes a namespace.
  bool is_space(std::string_view line) {
    if (line.starts_with("namespace ")) {
      const std::string_view name = line.substr(10, line.find(" {") - 10);
      spaces_.emplace_back(name, found_.list.size());
      ++braces_;
      return true;
    }
    if (!line.starts_with("}")) return false;
    --braces_;
    if (spaces_.empty()) return true;
    end_space(spaces_.back().second);
    spaces_.pop_back();
    return true;
  }

  void end_space(std::size_t first) {
    for (std::size_t i = first; i < found_.list.size(); ++i)
      if (found_.list[i].scope_end == 0) found_.list[i].scope_end = found_.lines.size();
  }

  std::size_t declare(Declared declared, bool inside) {
    Declaration declaration{std::move(declared)};
    declaration.space = spaces_.empty() || inside ? std::string_view() : spaces_.back().first;
    declaration.inside = inside;
    declaration.line = declaration.last_line = number_;
    found_.list.push_back(std::move(declaration));
    return found_.list.size() - 1;
  }

  void begin_item(std::string_view line) {
    item_ = declare({}, false);
    begin_ = line.data();
    is_known_ = false;
  }

  // What the item is, as soon as its head has been read, which ends before `end`.
  void know_item(const char* end) {
    if (std::exchange(is_known_, true)) return;
    Declared& item = found_.list[item_];
    item = declared_outside(std::string_view(begin_, static_cast<std::size_t>(end - begin_)));
  }

  // A body ends an item, unless `rest` of the line does: of a struct or a list of values. A name there stays.
  void end_body(std::string_view rest) {
    const std::string_view behind = without_margin(rest);
    if (behind.empty() || behind.starts_with("//")) return end_item(rest);
    if (!behind.starts_with(";")) found_.list[item_].kind = Kind::always;
  }

  // `rest` of the line stands behind the item. Should it be another one, both stay.
  void end_item(std::string_view rest) {
    know_item(rest.data());
    Declaration& item = found_.list[item_];
    rest = without_margin(rest);
    if (!rest.empty() && !rest.starts_with("//")) item.kind = Kind::always;
    item.last_line = number_;
    item_ = 0;
    for (const std::size_t open : closures_) found_.list[open].kind = Kind::always;  // its end was not understood
    closures_.clear();
  }

  [[nodiscard]] bool is_outside() const { return braces_ == static_cast<int>(spaces_.size()) && parentheses_ == 0; }
  [[nodiscard]] bool is_in_function() const {
    const Kind kind = found_.list[item_].kind;
    return !is_outside() && is_known_ && (kind == Kind::function || kind == Kind::always);
  }

  // The declaration that a line of a body is or begins, if any.
  std::size_t begin_inner(std::string_view line) {
    std::optional<Declared> declared = declared_inside(line);
    if (!declared) return 0;
    const bool closure = declared->kind == Kind::closure;
    const std::size_t inner = declare(std::move(*declared), true);
    scopes_.emplace_back(inner, braces_);
    if (closure) closures_.push_back(inner);
    return inner;
  }

  void add_words(std::string_view line, bool all) {
    std::string_view before;  // the word right before, with nothing but blanks between
    if (all) owner_ = closures_.empty() ? item_ : closures_.back();
    for (std::size_t i = 0; i < line.size();) {
      const char c = line[i];
      if (line.substr(i).starts_with("//")) return;
      if (c == '"') {
        for (++i; i < line.size() && line[i] != '"'; ++i)
          if (line[i] == '\\') ++i;
        ++i, before = {};
      } else if (is_of_name(c)) {
        std::size_t end = i;
        while (end < line.size() && is_of_name(line[end])) ++end;
        const std::string_view word = line.substr(i, end - i);
        if (std::isdigit(static_cast<unsigned char>(c)) == 0) add_word(line, i, word, before, all);
        before = word, i = end;
      } else {
        if (!all) add_bracket(c, line.substr(i + 1));
        if (c != ' ') before = {};
        ++i;
      }
    }
  }

  void add_word(std::string_view line, std::size_t at, std::string_view word, std::string_view before, bool all) {
    const bool member = at > 0 && (line[at - 1] == '.' || (at > 1 && line.substr(at - 2, 2) == "->"));
    const bool declares = !before.empty() && before != "return" && before != "else" && before != "case";
    found_.list[owner_].words.push_back({word, line.substr(0, at), number_, all || (!member && !declares)});
  }

  void add_bracket(char c, std::string_view rest) {
    if (c == '(' || c == '[') ++parentheses_;
    if (c == ')' || c == ']') --parentheses_;
    if (c == '{') {
      if (is_outside()) know_item(rest.data() - 1);
      ++braces_;
    }
    if (c == '}') {
      --braces_;
      end_scopes();
      if (is_outside()) end_body(rest);
    }
    if (c == ';' && is_outside()) end_item(rest);
  }

  // Of declarations in braces that are closed.
  void end_scopes() {
    while (!scopes_.empty() && scopes_.back().second > braces_) {
      found_.list[scopes_.back().first].scope_end = number_ + 1;
      scopes_.pop_back();
    }
  }

  Declarations found_;
  std::size_t number_ = 0;  // of the line
  int braces_ = 0, parentheses_ = 0;
  std::vector<std::pair<std::string_view, std::size_t>> spaces_;  // around, and where their declarations begin
  std::size_t item_ = 0, owner_ = 0;                              // outside of functions; what words belong to
  const char* begin_ = nullptr;                                   // of the item
  bool is_known_ = false;                                         // what it is
  std::vector<std::size_t> closures_;                             // that are open
  std::vector<std::pair<std::size_t, int>> scopes_;               // of declarations inside, and their depth
};

}  // namespace

Declarations declarations_of(std::string_view text) { return Reader().read(text); }

}  // namespace ffc
