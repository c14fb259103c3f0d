// Numbers of bytes and times as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace ffc::tools {

/// "512 B", "45.2 KiB", "1.0 GiB".
[[nodiscard]] std::string readable_bytes(std::uint64_t bytes);

/// "0.48 ns", "12.30 us", "1.05 ms".
[[nodiscard]] std::string readable_time(double microseconds);

}  // namespace ffc::tools
