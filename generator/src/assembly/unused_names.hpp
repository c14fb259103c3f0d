// Constants that an emitted text declares and does not use.
#pragma once

#include <string>

namespace ffc {

/// `text` without the lines that declare one constant of an arithmetic type by its value, with no call of a function in
/// it, where nothing in the declaration's scope names it: templates declare what most kernels use. Keeps whatever it is
/// not sure of: a name counts as used where anything of that name is.
[[nodiscard]] std::string without_unused_names(std::string text);

}  // namespace ffc
