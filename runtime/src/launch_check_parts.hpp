// Checks of one tensor, spectrum or workspace, which launches of either pass are made of. Each throws LaunchError.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "launch_checks.hpp"

namespace ffc {

/// A tensor of a launch, and what its argument is called.
struct Rows {
  const char* name;
  const void* data;
  std::int64_t batch_stride;
  std::int64_t channel_stride;
};

/// B and H of a launch.
struct LaunchShape {
  int batch = 0;
  int channels = 0;
};

template <typename... Values>
[[noreturn]] void refuse(const Generated& generated, fmt::format_string<Values...> text, Values&&... values) {
  throw LaunchError(fmt::format("{}: {}", generated.name, fmt::format(text, std::forward<Values>(values)...)));
}

void check_shape(const Generated& generated, const LaunchShape& shape);
/// Pairs of windows of a channel are counted in 32 bits.
void check_pairs(const Generated& generated, const LaunchShape& shape);
void check_rows(const Generated& generated, const Rows& rows, const LaunchShape& shape);
/// The rows share no element.
void check_output_rows(const Generated& generated, const Rows& rows, const LaunchShape& shape);
/// A gate is there where it is `wanted`, and nowhere else.
void check_gate(const Generated& generated, const char* name, const TensorView& gate, bool wanted,
                const LaunchShape& shape);
void check_spectrum(const Generated& generated, int device, const SpectrumView& spectrum, const LaunchShape& shape);
/// Memory lent as `name` has at least `least` bytes.
void check_memory(const Generated& generated, const char* name, const Workspace& memory, std::size_t least);
/// The same of a workspace.
void check_workspace(const Generated& generated, const Workspace& workspace, std::size_t least);

}  // namespace ffc
