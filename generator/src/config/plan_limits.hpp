// How long transforms may be.
#pragma once

#include <cstdint>

#include "choices.hpp"

namespace ffc {

/// Of one block, and of rows in columns and rows.
inline constexpr std::int64_t longest_tiled = 32768;
/// Of columns and rows: the longest transform there is.
inline constexpr std::int64_t longest_split = 16777216;

/// Whether gradients of rows so long ask whether a channel has up to `most_few_rows_of_block` of them.
[[nodiscard]] constexpr bool weighs_eight_rows(std::int64_t length) {
  return length <= measured::longest_short_rows ||
         (length >= measured::least_beside_clusters && length <= measured::longest_beside_clusters);
}

}  // namespace ffc
