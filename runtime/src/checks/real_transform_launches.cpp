// What rows of a real transform must be, and the arguments and grids of its launches.
#include "real_transform_launches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "launch_check_parts.hpp"
#include "memory_overlap.hpp"

namespace ffc {
namespace {

constexpr std::int64_t complex_bytes = 8;

std::string_view name_of(const RealTransform& transform) { return transform.generated().kernel.name; }

// Rows as they are in memory.
struct Side {
  const char* name;
  const char* what;
  const void* data;
  std::int64_t stride;  // as the caller gave it
  std::int64_t row_bytes;
  std::int64_t element_bytes;  // of a tap or a complex number

  [[nodiscard]] std::int64_t stride_bytes() const { return stride == 0 ? row_bytes : stride * element_bytes; }
  [[nodiscard]] MemoryRows memory(int channels) const {
    return {reinterpret_cast<std::uintptr_t>(data), 1, 0, channels, stride_bytes(), row_bytes};
  }
};

Side side_of(bool is_spectrum, const char* name, const void* data, std::int64_t stride, std::int64_t floats) {
  return {name,
          is_spectrum ? "spectra" : "taps",
          data,
          stride,
          floats * float_bytes,
          is_spectrum ? complex_bytes : float_bytes};
}

Side from_side(const GeneratedRealTransform& generated, const RealTransformRows& rows) {
  return side_of(generated.config.pass == Pass::forward, "from", rows.from, rows.from_channel_stride,
                 generated.from_floats());
}

Side to_side(const GeneratedRealTransform& generated, const RealTransformRows& rows) {
  return side_of(generated.config.pass == Pass::backward, "to", rows.to, rows.to_channel_stride, generated.to_floats());
}

void check_side(const RealTransform& transform, const Side& side, int channels) {
  if (side.data == nullptr)
    refuse(name_of(transform), "{} is null; it must point to {} in device memory", side.name, side.what);
  if (reinterpret_cast<std::uintptr_t>(side.data) % static_cast<std::uintptr_t>(side.element_bytes) != 0)
    refuse(name_of(transform), "{} is {}; the address of {} must be a multiple of {} bytes", side.name, side.data,
           side.what, side.element_bytes);
  const std::int64_t elements = side.row_bytes / side.element_bytes;
  if (side.stride != 0 && (side.stride < elements || side.stride > most_span / side.element_bytes))
    refuse(name_of(transform),
           "{}_channel_stride is {}; it must be 0 (meaning {}) or at least the {} elements of a row", side.name,
           side.stride, elements, elements);
  if (!checked_span(side.memory(channels)))
    refuse(name_of(transform), "{} with channels {} and {}_channel_stride {} spans more than {} bytes", side.name,
           channels, side.name, side.stride, most_span);
}

void check_apart(const RealTransform& transform, const char* name, const void* data, const MemoryRows& rows,
                 const Side& other, int channels) {
  if (!share_memory(rows, other.memory(channels))) return;
  refuse(name_of(transform),
         "{} is {} and {} {}: they overlap, and what is written must share no memory with other arguments", name, data,
         other.name, other.data);
}

std::int64_t span(const Side& side, int channels) {
  return ((channels - 1) * side.stride_bytes() + side.row_bytes) / float_bytes;
}

}  // namespace

void check_real_transform(const RealTransform& transform, const RealTransformRows& rows, const Workspace& workspace) {
  const std::size_t needed = transform.workspace_bytes(rows.channels);
  const Side from = from_side(transform.generated(), rows), to = to_side(transform.generated(), rows);
  check_side(transform, from, rows.channels);
  check_side(transform, to, rows.channels);
  check_memory(name_of(transform), "workspace", workspace, needed);
  check_apart(transform, to.name, to.data, to.memory(rows.channels), from, rows.channels);
  if (workspace.data == nullptr || needed == 0) return;
  const MemoryRows lent = {
      reinterpret_cast<std::uintptr_t>(workspace.data), 1, 0, 1, 0, static_cast<std::int64_t>(needed)};
  for (const Side& side : {from, to})
    check_apart(transform, "workspace.data", workspace.data, lent, side, rows.channels);
}

std::int64_t from_span(const GeneratedRealTransform& generated, const RealTransformRows& rows) {
  return span(from_side(generated, rows), rows.channels);
}

std::int64_t to_span(const GeneratedRealTransform& generated, const RealTransformRows& rows) {
  return span(to_side(generated, rows), rows.channels);
}

RealTransformLaunch real_transform_launch(const GeneratedRealTransform& generated, const RealTransformRows& rows,
                                          void* workspace, int first, int step) {
  RealTransformLaunch launch;
  RealTransformArguments& arguments = launch.arguments;
  arguments.from_channel_stride = from_side(generated, rows).stride_bytes() / float_bytes;
  arguments.to_channel_stride = to_side(generated, rows).stride_bytes() / float_bytes;
  arguments.from = rows.from + first * arguments.from_channel_stride;
  arguments.to = rows.to + first * arguments.to_channel_stride;
  arguments.workspace = workspace;
  arguments.channels = std::min(rows.channels - first, generated.most_channels);
  arguments.step = step;
  const RealTransformStep& of_step = generated.steps[static_cast<std::size_t>(step)];
  const auto channels = static_cast<unsigned>(arguments.channels), shares = static_cast<unsigned>(of_step.shares);
  if (generated.steps.size() == 1)
    launch.grid = {channels, 1, 1};
  else
    launch.grid = {shares,
                   of_step.rows == StepRows::chirp                ? 1
                   : of_step.rows == StepRows::channels_and_chirp ? channels + 1
                                                                  : channels,
                   1};
  return launch;
}

std::size_t RealTransform::workspace_bytes(int channels) const {
  if (channels < 1) refuse(name_of(*this), "channels is {}; it must be 1 or more", channels);
  return static_cast<std::size_t>(generated().workspace_bytes(channels));
}

}  // namespace ffc
