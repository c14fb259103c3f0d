// Templates to text: includes inlined once, marked blocks replaced, what is not used left out.
#include "assemble.hpp"

#include <fmt/format.h>

#include <set>
#include <stdexcept>
#include <vector>

#include "declared.hpp"
#include "ffc/templates/templates.hpp"
#include "unused_names.hpp"

namespace ffc {
namespace {

// Lines of one template that stand together: all of it, or what lies before, between or behind the templates that it
// includes.
struct Piece {
  std::string heading;
  std::size_t first_line = 0;
};

// Whether a line says nothing by itself: it ends what other lines began.
bool only_ends(std::string_view line) {
  return line.empty() || line.starts_with("}") || line.starts_with("#e");  // #endif, #else
}

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

class Assembler {
 public:
  Assembler(const Blocks& blocks, const Substitutes& substitutes) : blocks_(blocks), substitutes_(substitutes) {}

  void inline_template(std::string_view name) {
    const auto substitute = substitutes_.find(name);
    if (substitute != substitutes_.end()) name = substitute->second;
    // A template replaced by nothing is a feature that this kernel does not have.
    if (name.empty() || !seen_.insert(std::string(name)).second) return;
    std::string_view text = template_text(name);
    std::string heading = heading_of(name, text);
    bool in_block = false, begun = false;
    std::size_t mine = 0;  // the piece that lines go to
    const auto begin = [&] {
      if (begun && mine == pieces_.size()) return;
      pieces_.push_back({begun ? fmt::format("// ---- {}, continued\n", path_of(name)) : heading, lines_});
      begun = true, mine = pieces_.size();
    };
    while (!text.empty()) {
      const std::string_view line = take_line(text);
      if (line.starts_with("//]]")) {
        in_block = false;
      } else if (line.starts_with("//[[")) {
        begin();
        in_block = put_block(line.substr(4));
      } else if (in_block) {
        continue;
      } else if (const std::string_view included = included_by(line); !included.empty()) {
        inline_template(included);
      } else if (line != "#pragma once") {
        if (!line.empty()) begin();
        if (mine == pieces_.size()) put(line);
      }
    }
  }

  // The text, and whether each of its lines is `dropped`.
  [[nodiscard]] std::string finish(const std::vector<bool>& dropped) const {
    std::string result;
    std::string_view rest = text_;
    std::size_t line_number = 0;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const std::size_t end = i + 1 < pieces_.size() ? pieces_[i + 1].first_line : lines_;
      bool headed = false;
      for (; line_number < end; ++line_number) {
        const std::string_view line = take_line(rest);
        if (!dropped.empty() && dropped[line_number]) continue;
        if (!headed && !only_ends(line)) {
          headed = true;
          if (!pieces_[i].heading.empty() && !result.empty() && !result.ends_with("\n\n")) result.push_back('\n');
          result += pieces_[i].heading;
        }
        if (line.empty() && (result.empty() || result.ends_with("\n\n"))) continue;
        result.append(line).push_back('\n');
      }
    }
    while (result.ends_with("\n\n")) result.pop_back();
    return result;
  }

  [[nodiscard]] const std::string& text() const {
    for (const auto& [name, text] : blocks_)
      if (!used_.contains(name)) throw std::logic_error(fmt::format("no template has a block \"{}\"", name));
    return text_;
  }

 private:
  static std::string path_of(std::string_view name) { return fmt::format("templates/{}", template_path(name)); }

  // A template's path and the comment that it begins with, which it takes out of the text. A kernel begins with that of
  // its plan.
  static std::string heading_of(std::string_view name, std::string_view& text) {
    if (text.starts_with("//[[")) return {};
    std::string heading = fmt::format("// ---- {}\n", path_of(name));
    while (text.starts_with("//")) heading.append(take_line(text)).push_back('\n');
    heading.push_back('\n');
    return heading;
  }

  static std::string_view included_by(std::string_view line) {
    constexpr std::string_view include = "#include \"";
    if (!line.starts_with(include)) return {};
    return line.substr(include.size(), line.size() - include.size() - 1);
  }

  // Whether the template's own lines are left out for the block's.
  bool put_block(std::string_view name) {
    const auto block = blocks_.find(name);
    if (block == blocks_.end()) throw std::logic_error(fmt::format("block \"{}\" of a template is not given", name));
    used_.insert(std::string(name));
    if (!block->second) return false;
    for (std::string_view text = *block->second; !text.empty();) put(take_line(text));
    return true;
  }

  void put(std::string_view line) {
    text_.append(line).push_back('\n');
    ++lines_;
  }

  const Blocks& blocks_;
  const Substitutes& substitutes_;
  std::set<std::string, std::less<>> seen_, used_;
  std::string text_;
  std::size_t lines_ = 0;  // of it
  std::vector<Piece> pieces_;
};

}  // namespace

std::string assemble(std::string_view name, const Blocks& blocks, const Substitutes& substitutes) {
  Assembler assembler(blocks, substitutes);
  assembler.inline_template(name);
  return assembler.finish(unused_lines(assembler.text()));
}

std::string inlined(std::string_view name) {
  const Blocks blocks;
  const Substitutes substitutes;
  Assembler assembler(blocks, substitutes);
  assembler.inline_template(name);
  return assembler.finish({});
}

}  // namespace ffc
