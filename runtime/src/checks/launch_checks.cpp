// Pure checks of launch arguments: pointers, strides, overlap, overflow, gates, spectrum.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "launch_check_parts.hpp"
#include "magnitude_launches.hpp"

namespace ffc {
namespace {

constexpr std::int64_t element_bytes = 2;
constexpr std::uintptr_t lent_alignment = 16;

// The strides that are used: that of an axis of one element never is, whatever it says.
struct Strides {
  std::int64_t batch, channel;
};

Strides strides_of(const Rows& rows, const LaunchShape& shape) {
  return {shape.batch > 1 ? rows.batch_stride : 0, shape.channels > 1 ? rows.channel_stride : 0};
}

void check_not_negative(const Generated& generated, const char* tensor, const char* axis, std::int64_t stride) {
  if (stride < 0) refuse(generated, "{}.{}_stride is {}; it must be 0 or more elements", tensor, axis, stride);
}

void check_stride_alignment(const Generated& generated, const char* tensor, const char* axis, std::int64_t stride) {
  const std::int64_t alignment = generated.config.row_alignment;
  // In elements, because stride * 2 may overflow.
  if (alignment > element_bytes && stride % (alignment / element_bytes) != 0) {
    refuse(generated, "{}.{}_stride is {} elements; it must be a multiple of {} (rows aligned to {} bytes)", tensor,
           axis, stride, alignment / element_bytes, alignment);
  }
}

}  // namespace

void check_span(const Generated& generated, const Rows& rows, const LaunchShape& shape, std::int64_t length,
                std::int64_t element_bytes) {
  const auto [batch_stride, channel_stride] = strides_of(rows, shape);
  check_not_negative(generated, rows.name, "batch", batch_stride);
  check_not_negative(generated, rows.name, "channel", channel_stride);
  if (!checked_span({0, shape.batch, batch_stride, shape.channels, channel_stride, length}, most_span / element_bytes))
    refuse(generated, "{} with batch {}, channels {}, batch_stride {} and channel_stride {} spans more than {} bytes",
           rows.name, shape.batch, shape.channels, rows.batch_stride, rows.channel_stride, most_span);
}

void check_rows(const Generated& generated, const Rows& rows, const LaunchShape& shape) {
  if (rows.data == nullptr) refuse(generated, "{}.data is null; it must point to device memory", rows.name);
  const auto address = reinterpret_cast<std::uintptr_t>(rows.data);
  const auto alignment = static_cast<std::uintptr_t>(generated.config.row_alignment);
  if (alignment > 1 && address % alignment != 0) {
    refuse(generated, "{}.data is {}; its address must be a multiple of {} bytes", rows.name, rows.data, alignment);
  }
  check_span(generated, rows, shape, generated.config.length, element_bytes);
  const auto [batch_stride, channel_stride] = strides_of(rows, shape);
  check_stride_alignment(generated, rows.name, "batch", batch_stride);
  check_stride_alignment(generated, rows.name, "channel", channel_stride);
}

namespace {

/// Do two of the rows at `i * stride_a + j * stride_b`, i < count_a, j < count_b, share an element?
/// The spans are known not to overflow, the strides not to be negative.
bool rows_overlap(std::int64_t stride_a, std::int64_t count_a, std::int64_t stride_b, std::int64_t count_b,
                  std::int64_t length) {
  if (count_a > 1 && stride_a < length) return true;
  if (count_b > 1 && stride_b < length) return true;
  if (count_a == 1 || count_b == 1) return false;
  // Rows of one axis all fit between two rows of the other: every ordinary layout.
  if ((count_b - 1) * stride_b + length <= stride_a || (count_a - 1) * stride_a + length <= stride_b) return false;
  // Interleaved: look for steps i along a and j along b that end up less than a row apart.
  if (count_a > count_b) {
    std::swap(count_a, count_b);
    std::swap(stride_a, stride_b);
  }
  for (std::int64_t i = 1; i < count_a; ++i) {
    const std::int64_t offset = i * stride_a;
    const std::int64_t below = std::min(offset / stride_b, count_b - 1);
    if (offset - below * stride_b < length) return true;
    if (below + 1 < count_b && (below + 1) * stride_b - offset < length) return true;
  }
  return false;
}

}  // namespace

void check_output_rows(const Generated& generated, const Rows& rows, const LaunchShape& shape) {
  if (rows_overlap(rows.batch_stride, shape.batch, rows.channel_stride, shape.channels, generated.config.length)) {
    refuse(generated,
           "rows of {} overlap: batch {} at batch_stride {}, channels {} at channel_stride {}; every row must have {} "
           "elements of its own",
           rows.name, shape.batch, rows.batch_stride, shape.channels, rows.channel_stride, generated.config.length);
  }
}

void check_gate(const Generated& generated, const char* name, const TensorView& gate, bool wanted,
                const LaunchShape& shape) {
  if (!wanted) {
    if (gate.data == nullptr) return;
    refuse(generated, "{}.data is {} but the kernel has no such gate (gating {}); it must be null", name, gate.data,
           to_string(generated.config.gating));
  }
  if (gate.data == nullptr) {
    refuse(generated, "{}.data is null but the kernel has that gate (gating {})", name,
           to_string(generated.config.gating));
  }
  check_rows(generated, {name, gate.data, gate.batch_stride, gate.channel_stride}, shape);
}

bool is_given(const TensorView& view) { return view.data != nullptr; }

// Rows of any alignment, which may overlap.
void check_history_rows(const Generated& generated, const char* name, const TensorView& rows,
                        const LaunchShape& shape) {
  if (reinterpret_cast<std::uintptr_t>(rows.data) % element_bytes != 0)
    refuse(generated, "{}.data is {}; its address must be a multiple of {} bytes", name, rows.data, element_bytes);
  check_span(generated, {name, rows.data, rows.batch_stride, rows.channel_stride}, shape,
             generated.config.filter_length - 1, element_bytes);
}

void check_history(const Generated& generated, const LaunchArguments& arguments, const LaunchShape& shape) {
  const History& history = arguments.history;
  if (!generated.config.history) {
    if (is_given(history.u) || is_given(history.w) || history.length != 0)
      refuse(generated,
             "a history of {} samples is given but the kernel takes none; set `history` in its config, or give none",
             history.length);
    return;
  }
  const std::int64_t wanted = generated.config.filter_length - 1;
  if (history.length != wanted && (is_given(history.u) || is_given(history.w) || history.length != 0))
    refuse(generated, "history.length is {}; it must be {}, one less than the filter's {} taps", history.length, wanted,
           generated.config.filter_length);
  const bool gated = has_in_gate(generated.config.gating);
  if (is_given(history.w) && !gated)
    refuse(generated, "history.w.data is {} but the kernel has no such gate (gating {}); it must be null",
           history.w.data, to_string(generated.config.gating));
  if (gated && is_given(history.u) != is_given(history.w))
    refuse(generated, "history.{}.data is null but history.{}.data is not; both are given or neither is",
           is_given(history.u) ? "w" : "u", is_given(history.u) ? "u" : "w");
  if (is_given(history.u)) check_history_rows(generated, "history.u", history.u, shape);
  if (is_given(history.w)) check_history_rows(generated, "history.w", history.w, shape);
}

void check_spectrum(const Generated& generated, int device, const SpectrumView& spectrum, const LaunchShape& shape) {
  if (!spectrum) refuse(generated, "the spectrum is empty; prepare_filter makes one");
  if (spectrum.tag() != generated.spectrum_tag) {
    refuse(generated, "the spectrum was prepared by another kernel ({}); it must be of {}", spectrum.tag(),
           generated.spectrum_tag);
  }
  if (spectrum.channels() != shape.channels) {
    refuse(generated, "the spectrum has {} channels; the launch has {}", spectrum.channels(), shape.channels);
  }
  if (spectrum.device() != device) {
    refuse(generated, "the spectrum is on device {}; the kernel is loaded on device {}", spectrum.device(), device);
  }
}

void check_memory(std::string_view kernel, const char* name, const Workspace& memory, std::size_t least) {
  if (memory.data == nullptr && memory.bytes != 0) {
    refuse(kernel, "{}.data is null but {}.bytes is {}", name, name, memory.bytes);
  }
  if (memory.data == nullptr) return;
  if (memory.bytes < least) {
    refuse(kernel, "{}.bytes is {}; it must be at least {}", name, memory.bytes, least);
  }
  if (reinterpret_cast<std::uintptr_t>(memory.data) % lent_alignment != 0) {
    refuse(kernel, "{}.data is {}; its address must be a multiple of {} bytes", name, memory.data, lent_alignment);
  }
}

void check_workspace(const Generated& generated, const Workspace& workspace, std::size_t least) {
  check_memory(generated.name, "workspace", workspace, least);
}

void check_shape(const Generated& generated, const LaunchShape& shape) {
  if (shape.batch < 1) refuse(generated, "batch is {}; it must be 1 or more", shape.batch);
  if (shape.channels < 1) refuse(generated, "channels is {}; it must be 1 or more", shape.channels);
}

void check_magnitudes(const Generated& generated, const char* name, const RowMagnitudes& magnitudes,
                      const LaunchShape& shape) {
  if (magnitudes.data == nullptr) return;
  if (generated.config.scaling != Scaling::given && !generated.magnitudes)
    refuse(generated, "{}.data is {} but the kernel does not ask for it (scaling {}); it must be null", name,
           static_cast<const void*>(magnitudes.data), to_string(generated.config.scaling));
  if (reinterpret_cast<std::uintptr_t>(magnitudes.data) % float_bytes != 0)
    refuse(generated, "{}.data is {}; its address must be a multiple of {} bytes", name,
           static_cast<const void*>(magnitudes.data), float_bytes);
  if (magnitudes.row_stride != 0 && !generated.magnitudes_of_rows)
    refuse(generated, "{}.row_stride is {} but the kernel takes one magnitude of a channel's rows; it must be 0", name,
           magnitudes.row_stride);
  check_span(generated, {name, magnitudes.data, magnitudes.row_stride, magnitudes.channel_stride}, shape, 1,
             float_bytes);
}

static void check_found_magnitudes(const Generated& generated, const LaunchArguments& arguments) {
  const auto* const found = static_cast<const void*>(arguments.found_magnitudes);
  if (found == nullptr) return;
  if (!generated.magnitudes)
    refuse(generated, "found_magnitudes is {} but no kernel ahead of this one finds any (scaling {}); it must be null",
           found, to_string(generated.config.scaling));
  if (arguments.input_magnitudes.data != nullptr)
    refuse(generated, "found_magnitudes is {} but input_magnitudes are lent, so that none are found; it must be null",
           found);
  if (reinterpret_cast<std::uintptr_t>(found) % float_bytes != 0)
    refuse(generated, "found_magnitudes is {}; its address must be a multiple of {} bytes", found, float_bytes);
}

void check_pairs(const Generated& generated, const LaunchShape& shape) {
  constexpr std::int64_t most_pairs = std::numeric_limits<std::int32_t>::max() / 2;
  if (generated.windows && generated.windows->pairs(shape.batch) > most_pairs)
    refuse(generated, "batch {} of {} windows a row is {} pairs of windows; there may be {} at most", shape.batch,
           generated.windows->count, generated.windows->pairs(shape.batch), most_pairs);
}

std::size_t least_launch_bytes(const Generated& generated, int batch, int channels) {
  const std::size_t of_ring = generated.split ? static_cast<std::size_t>(generated.split->workspace_bytes(1)) : 0;
  return of_ring + magnitude_bytes(generated, batch, channels);
}

void check_launch(const Generated& generated, int device, const LaunchArguments& arguments) {
  if (generated.backward) refuse(generated, "the kernel computes gradients; launch_backward runs it");
  const LaunchShape shape{arguments.batch, arguments.channels};
  check_shape(generated, shape);
  const TensorView& u = arguments.u;
  const MutableTensorView& y = arguments.y;
  check_rows(generated, {"u", u.data, u.batch_stride, u.channel_stride}, shape);
  check_rows(generated, {"y", y.data, y.batch_stride, y.channel_stride}, shape);
  check_output_rows(generated, {"y", y.data, y.batch_stride, y.channel_stride}, shape);
  check_gate(generated, "w", arguments.w, has_in_gate(generated.config.gating), shape);
  check_gate(generated, "v", arguments.v, has_out_gate(generated.config.gating), shape);
  check_history(generated, arguments, shape);
  check_pairs(generated, shape);
  check_spectrum(generated, device, arguments.spectrum, shape);
  check_magnitudes(generated, "input_magnitudes", arguments.input_magnitudes, shape);
  check_found_magnitudes(generated, arguments);
  check_report(generated, arguments.report, shape);
  if (generated.split || generated.magnitudes)
    check_workspace(generated, arguments.workspace, least_launch_bytes(generated, shape.batch, shape.channels));
  check_aliases(generated, arguments, shape);
}

}  // namespace ffc
