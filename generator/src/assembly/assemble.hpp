// Templates to text: skeletons with marked blocks.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ffc {

/// Text to put in place of the marked blocks of a template, by name.
using Blocks = std::map<std::string, std::optional<std::string>, std::less<>>;
/// A block that keeps the template's own lines.
inline constexpr std::nullopt_t as_it_stands = std::nullopt;
/// Templates to inline instead of the ones that a template includes, by name.
using Substitutes = std::map<std::string, std::string, std::less<>>;

/// The template `name` with every include inlined once and every block between "//[[name" and "//]]" lines replaced
/// by blocks.at(name), less what no entry needs then (`unused_lines`). Each template's text stands behind those that it
/// includes, under its path and the comment that it begins with; of templates of which nothing is left, neither stands.
/// Throws std::logic_error where a block is not in the template or the template's is not given.
[[nodiscard]] std::string assemble(std::string_view name, const Blocks& blocks, const Substitutes& substitutes = {});
/// The template `name` with every include inlined once, and all that it declares.
[[nodiscard]] std::string inlined(std::string_view name);

}  // namespace ffc
