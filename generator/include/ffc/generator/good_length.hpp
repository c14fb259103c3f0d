// Which length near a wanted one is cheapest.
#pragma once

#include <cstdint>

#include "ffc/generator/conv_config.hpp"

namespace ffc {

/// What a length costs, and the cheapest one that is not shorter. Times are predictions for a whole H200.
struct LengthAdvice {
  std::int64_t length = 0;       ///< that was asked for
  std::int64_t good_length = 0;  ///< the cheapest at or above it, up to a quarter longer or the next power of two
  double us_per_pair = 0;        ///< microseconds per pair of rows
  double good_us_per_pair = 0;   ///< of good_length
};

/// For convolutions like `like`, of another length: N where rows are circular or padded (the part of it that rows have
/// stays about the same), L where they are causal. The arch must be named, mask, radices and column length left open.
/// Throws ConfigError for a length that has no plan, or for a config that names them.
[[nodiscard]] LengthAdvice advise_length(std::int64_t length, const ConvConfig& like);

/// The good length of advise_length: of plain circular fp16 rows on sm_90a, unless `like` says otherwise.
[[nodiscard]] std::int64_t good_length(std::int64_t length, const ConvConfig& like = {});

}  // namespace ffc
