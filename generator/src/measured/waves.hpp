// Blocks of a launch: how many waves of them come out full. MEASURED.md, "Columns and rows", of clusters; margins of
// other blocks have no section.
#pragma once

#include <cstdint>

namespace ffc::measured {

inline constexpr std::int64_t most_slices_weighed = 64, most_waves = 4;
inline constexpr double block_start = 1;      ///< pairs that a group could do while its block loads its tables
inline constexpr double fewer_slices = 0.98;  ///< of the time that more of them have to save

inline constexpr std::int64_t most_cluster_waves = 16;
inline constexpr double cluster_start = 2;  ///< pairs that a cluster could do while it begins and ends
inline constexpr double spared = 0.97;      ///< of the time: for what is not known of the device

}  // namespace ffc::measured
