// Numbers of bytes as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace ffc::tools {

/// "512 B", "45.2 KiB", "1.0 GiB".
[[nodiscard]] std::string readable_bytes(std::uint64_t bytes);

}  // namespace ffc::tools
