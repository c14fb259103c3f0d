// Numbers of bytes and times as people read them.
#include "sizes.hpp"

#include <fmt/format.h>

namespace ffc::tools {

std::string readable_bytes(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto value = static_cast<double>(bytes) / 1024;
  const char* unit = "KiB";
  for (const char* larger : {"MiB", "GiB", "TiB"}) {
    if (value < 1023.95) break;  // what would be printed as 1024.0
    value /= 1024;
    unit = larger;
  }
  return fmt::format("{:.1f} {}", value, unit);
}

std::string readable_time(double microseconds) {
  double value = 1000 * microseconds;
  const char* unit = "ns";
  for (const char* larger : {"us", "ms"}) {
    if (value < 999.995) break;  // what would be printed as 1000.00
    value /= 1000;
    unit = larger;
  }
  return fmt::format("{:.2f} {}", value, unit);
}

}  // namespace ffc::tools
