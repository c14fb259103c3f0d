// Memory of reports: where there must be some, and where none.
#include <cstdint>

#include "launch_check_parts.hpp"

namespace ffc {

void check_report(const Generated& generated, const ChannelReport* report, const LaunchShape& shape) {
  constexpr std::uintptr_t alignment = alignof(ChannelReport);
  const bool wanted = generated.config.report != Report::none;
  if (!wanted && report != nullptr)
    refuse(generated, "report is {} but the kernel makes none (report {}); it must be null",
           static_cast<const void*>(report), to_string(generated.config.report));
  if (wanted && report == nullptr)
    refuse(
        generated,
        "report is null but the kernel makes one (report {}); it must point to device memory, {} bytes for each of {} "
        "channels",
        to_string(generated.config.report), sizeof(ChannelReport), shape.channels);
  if (reinterpret_cast<std::uintptr_t>(report) % alignment != 0)
    refuse(generated, "report is {}; its address must be a multiple of {} bytes", static_cast<const void*>(report),
           alignment);
}

}  // namespace ffc
