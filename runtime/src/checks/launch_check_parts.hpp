// Checks of one tensor, spectrum or workspace, or of two of them, which launches of either pass are made of. Each
// throws LaunchError.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "launch_checks.hpp"
#include "memory_overlap.hpp"

namespace ffc {

inline constexpr std::int64_t float_bytes = 4;

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

/// A tensor, spectrum or workspace in memory, and what its argument is called.
struct NamedMemory {
  std::string_view name;
  const void* data;  ///< null: there is none
  MemoryRows rows;
};

/// Rows of `length` elements of 16 bits whose span has been checked.
template <class View>
[[nodiscard]] NamedMemory rows_of(std::string_view name, const View& view, const LaunchShape& shape,
                                  std::int64_t length) {
  constexpr std::int64_t element_bytes = 2;
  // The stride of an axis of one element is never used, whatever it says.
  return {name,
          view.data,
          {reinterpret_cast<std::uintptr_t>(view.data), shape.batch,
           shape.batch > 1 ? element_bytes * view.batch_stride : 0, shape.channels,
           shape.channels > 1 ? element_bytes * view.channel_stride : 0, element_bytes * length}};
}

[[nodiscard]] inline NamedMemory bytes_of(std::string_view name, const void* data, std::size_t bytes) {
  bytes = std::min(bytes, static_cast<std::size_t>(most_span));
  return {name, data, {reinterpret_cast<std::uintptr_t>(data), 1, 0, 1, 0, static_cast<std::int64_t>(bytes)}};
}

/// Of the kernel of that name.
template <typename... Values>
[[noreturn]] void refuse(std::string_view kernel, fmt::format_string<Values...> text, Values&&... values) {
  throw LaunchError(fmt::format("{}: {}", kernel, fmt::format(text, std::forward<Values>(values)...)));
}

template <typename... Values>
[[noreturn]] void refuse(const Generated& generated, fmt::format_string<Values...> text, Values&&... values) {
  refuse(std::string_view(generated.name), text, std::forward<Values>(values)...);
}

void check_shape(const Generated& generated, const LaunchShape& shape);
/// Pairs of windows of a channel are counted in 32 bits.
void check_pairs(const Generated& generated, const LaunchShape& shape);
/// Strides are 0 or more elements, and the rows, of `length` elements, end within 64 bits.
void check_span(const Generated& generated, const Rows& rows, const LaunchShape& shape, std::int64_t length,
                std::int64_t element_bytes);
void check_rows(const Generated& generated, const Rows& rows, const LaunchShape& shape);
/// The rows share no element.
void check_output_rows(const Generated& generated, const Rows& rows, const LaunchShape& shape);
/// A gate is there where it is `wanted`, and nowhere else.
void check_gate(const Generated& generated, const char* name, const TensorView& gate, bool wanted,
                const LaunchShape& shape);
void check_spectrum(const Generated& generated, int device, const SpectrumView& spectrum, const LaunchShape& shape);
/// Magnitudes are there only where a kernel asks for them.
void check_magnitudes(const Generated& generated, const char* name, const RowMagnitudes& magnitudes,
                      const LaunchShape& shape);
/// The memory of magnitudes whose span has been checked.
[[nodiscard]] inline NamedMemory magnitudes_of(std::string_view name, const RowMagnitudes& magnitudes,
                                               const LaunchShape& shape) {
  return {name,
          magnitudes.data,
          {reinterpret_cast<std::uintptr_t>(magnitudes.data), magnitudes.row_stride == 0 ? 1 : shape.batch,
           float_bytes * magnitudes.row_stride, shape.channels, float_bytes * magnitudes.channel_stride, float_bytes}};
}
/// Memory of a report is there where the kernel makes one, and nowhere else.
void check_report(const Generated& generated, const ChannelReport* report, const LaunchShape& shape);
/// The memory of a report.
[[nodiscard]] inline NamedMemory report_memory(const ChannelReport* report, const LaunchShape& shape) {
  return bytes_of("report", report, sizeof(ChannelReport) * static_cast<std::size_t>(shape.channels));
}
/// What is written shares no memory with what else the call has.
void check_apart(const Generated& generated, const NamedMemory& written, const NamedMemory& other);
/// The same of a filter's taps and skip terms, whose spans have been checked.
void check_apart_from_filter(const Generated& generated, const NamedMemory& written, const FilterView& filter);
/// y is one of the inputs, exactly, or shares no memory with them; nor does the workspace. Every other argument has
/// been checked.
void check_aliases(const Generated& generated, const LaunchArguments& arguments, const LaunchShape& shape);
/// Memory lent to the kernel of that name as `name` has at least `least` bytes.
void check_memory(std::string_view kernel, const char* name, const Workspace& memory, std::size_t least);
/// The same of a workspace.
void check_workspace(const Generated& generated, const Workspace& workspace, std::size_t least);

}  // namespace ffc
