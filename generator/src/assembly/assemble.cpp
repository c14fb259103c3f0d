// Templates to text: includes inlined once, marked blocks replaced.
#include "assemble.hpp"

#include <fmt/format.h>

#include <set>
#include <stdexcept>

#include "ffc/templates/templates.hpp"
#include "unused_names.hpp"

namespace ffc {
namespace {

class Assembler {
 public:
  Assembler(const Blocks& blocks, const Substitutes& substitutes) : blocks_(blocks), substitutes_(substitutes) {}

  void inline_template(std::string_view name) {
    const auto substitute = substitutes_.find(name);
    if (substitute != substitutes_.end()) name = substitute->second;
    // A template replaced by nothing is a feature that this kernel does not have.
    if (name.empty() || !seen_.insert(std::string(name)).second) return;
    std::string_view text = template_text(name);
    bool in_block = false;
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      if (line.starts_with("//]]")) {
        in_block = false;
      } else if (line.starts_with("//[[")) {
        in_block = put_block(line.substr(4));
      } else if (!in_block) {
        put_line(line);
      }
    }
  }

  [[nodiscard]] std::string finish() {
    for (const auto& [name, text] : blocks_)
      if (!used_.contains(name)) throw std::logic_error(fmt::format("no template has a block \"{}\"", name));
    return std::move(result_);
  }

 private:
  // Whether the template's own lines are left out for the block's.
  bool put_block(std::string_view name) {
    const auto block = blocks_.find(name);
    if (block == blocks_.end()) throw std::logic_error(fmt::format("block \"{}\" of a template is not given", name));
    used_.insert(std::string(name));
    result_ += block->second.value_or("");
    return block->second.has_value();
  }

  void put_line(std::string_view line) {
    constexpr std::string_view include = "#include \"";
    if (line.starts_with(include)) {
      inline_template(line.substr(include.size(), line.size() - include.size() - 1));
      return;
    }
    if (line == "#pragma once") return;
    if (line.empty() && (result_.empty() || result_.ends_with("\n\n"))) return;
    result_.append(line).push_back('\n');
  }

  const Blocks& blocks_;
  const Substitutes& substitutes_;
  std::set<std::string, std::less<>> seen_, used_;
  std::string result_;
};

}  // namespace

std::string assemble(std::string_view name, const Blocks& blocks, const Substitutes& substitutes) {
  Assembler assembler(blocks, substitutes);
  assembler.inline_template(name);
  return without_unused_names(assembler.finish());
}

std::string inlined(std::string_view name) {
  const Blocks blocks;
  const Substitutes substitutes;
  Assembler assembler(blocks, substitutes);
  assembler.inline_template(name);
  return assembler.finish();
}

}  // namespace ffc
