// Lists of values in words.
#pragma once

#include <string>
#include <vector>

namespace ffc {

/// "0-7, 16, 25-31" of values in order; long lists end with "...".
[[nodiscard]] std::string ranges_text(const std::vector<int>& values);

}  // namespace ffc
