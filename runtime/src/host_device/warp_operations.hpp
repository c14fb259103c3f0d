// What a warp does together, once all of its lanes have come.
#pragma once

#include <array>
#include <string>

#include "counts.hpp"
#include "ffc/templates/host_abi.hpp"
#include "shared_memory.hpp"

namespace ffc::host {

/// What is wrong with a lane's part.
struct Refusal {
  int lane = 0;
  std::string what;  ///< empty: nothing
};

/// The value of each of the 65536 bit patterns of fp16.
[[nodiscard]] const float* half_values();

/// Does the operation of 32 parts, all of the same kind, other than a barrier, and counts it.
[[nodiscard]] Refusal perform(const std::array<Part*, 32>& parts, const Site& site, SharedMemory& shared,
                              Counter& counter);

}  // namespace ffc::host
