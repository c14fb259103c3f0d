// How long transforms may be.
#pragma once

#include <cstdint>

namespace ffc {

/// Of one block, and of rows in columns and rows.
inline constexpr std::int64_t longest_tiled = 32768;
/// Of columns and rows: the longest transform there is.
inline constexpr std::int64_t longest_split = 16777216;

}  // namespace ffc
