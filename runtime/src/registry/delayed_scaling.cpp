// Where things are in the memory that is lent, and checks.
#include "ffc/runtime/delayed_scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "launch_check_parts.hpp"

namespace ffc {
namespace {

constexpr std::size_t line = 256;  // bytes that each part is a multiple of
constexpr int most_room = 8;       // log2: more leaves rows too small to be accurate
constexpr int most_window = 1024;

// Parts of the memory, in their order.
struct Parts {
  std::size_t status = 0, report = 0, magnitudes = 0, states = 0, history = 0, end = 0;
};

Parts parts_of(int channels, int window) {
  const auto count = static_cast<std::size_t>(channels);
  std::size_t end = 0;
  const auto part = [&](std::size_t bytes) {
    const std::size_t begin = end;
    end += (bytes + line - 1) / line * line;
    return begin;
  };
  Parts parts;
  parts.status = part(sizeof(ScalingStatus));
  parts.report = part(count * sizeof(ChannelReport));
  parts.magnitudes = part(2 * count * sizeof(float));
  parts.states = part(2 * count * sizeof(ScalingState));
  parts.history = part(2 * count * static_cast<std::size_t>(window) * sizeof(float));
  parts.end = end;
  return parts;
}

void check_option(const Generated& generated, const char* name, int value, int least, int most) {
  if (value < least || value > most)
    refuse(generated, "options.{} is {}; it must lie in [{}, {}]", name, value, least, most);
}

void check_options(const Generated& generated, const DelayedScalingOptions& options) {
  constexpr int any = std::numeric_limits<int>::max();
  check_option(generated, "window", options.window, 1, most_window);
  check_option(generated, "headroom", options.headroom, 0, most_room);
  check_option(generated, "backoff", options.backoff, 0, most_room);
  check_option(generated, "most_backoff", options.most_backoff, options.backoff, most_room);
  check_option(generated, "recovery", options.recovery, 1, any);
  check_option(generated, "patience", options.patience, 1, any);
}

const Kernel& checked(const std::shared_ptr<const Kernel>& kernel) {
  if (!kernel) throw LaunchError("delayed scaling: kernel is null; it must be one that makes a report");
  if (kernel->config().report == Report::none)
    refuse(kernel->generated(),
           "the kernel makes no report (report {}), which delayed scaling follows; its config must "
           "say {}",
           to_string(Report::none), to_string(Report::magnitudes));
  return *kernel;
}

}  // namespace

std::size_t DelayedScaling::bytes(int channels, const DelayedScalingOptions& options) {
  if (channels < 1) throw LaunchError(fmt::format("channels is {}; it must be 1 or more", channels));
  return parts_of(channels, std::clamp(options.window, 1, most_window)).end;
}

DelayedScaling::DelayedScaling(std::shared_ptr<const Kernel> kernel, Workspace memory, int channels,
                               const DelayedScalingOptions& options)
    : kernel_(std::move(kernel)), memory_(memory) {
  const Generated& generated = checked(kernel_).generated();
  check_shape(generated, {1, channels});
  check_options(generated, options);
  if (memory.data == nullptr)
    refuse(generated, "memory.data is null; it must point to device memory, {} bytes for {} channels",
           bytes(channels, options), channels);
  check_memory(generated.name, "memory", memory, bytes(channels, options));
  const Parts parts = parts_of(channels, options.window);
  auto* const begin = static_cast<std::byte*>(memory.data);
  memory_.bytes = parts.end;
  arguments_.status = reinterpret_cast<ScalingStatus*>(begin + parts.status);
  arguments_.report = reinterpret_cast<ChannelReport*>(begin + parts.report);
  arguments_.magnitudes = reinterpret_cast<float*>(begin + parts.magnitudes);
  arguments_.states = reinterpret_cast<ScalingState*>(begin + parts.states);
  arguments_.history = reinterpret_cast<float*>(begin + parts.history);
  arguments_.channels = channels;
  arguments_.window = options.window;
  arguments_.headroom = options.headroom;
  arguments_.backoff = options.backoff;
  arguments_.most_backoff = options.most_backoff;
  arguments_.recovery = options.recovery;
  arguments_.patience = options.patience;
}

void DelayedScaling::reset(CUstream stream) const { kernel_->clear(memory_, stream); }

void DelayedScaling::update(CUstream stream) const { kernel_->update_scaling(memory_, arguments_, stream); }

RowMagnitudes DelayedScaling::input_magnitudes() const { return {arguments_.magnitudes, 1}; }

RowMagnitudes DelayedScaling::gradient_magnitudes() const { return {arguments_.magnitudes + arguments_.channels, 1}; }

}  // namespace ffc
