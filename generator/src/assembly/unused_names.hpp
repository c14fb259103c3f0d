// What an emitted text declares and does not use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ffc {

/// Of each line of `text`, whether it is of a function of the device, a type, a constant or a closure that no entry
/// needs, of the comment above one, or of a static_assert about such: templates declare what most kernels use. Keeps
/// whatever it is not sure of: overloads stay together, and a name counts as used where anything of that name is.
[[nodiscard]] std::vector<bool> unused_lines(std::string_view text);

/// `text` without those lines.
[[nodiscard]] std::string without_unused_names(std::string_view text);

}  // namespace ffc
