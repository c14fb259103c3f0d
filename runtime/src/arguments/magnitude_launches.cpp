// Memory, arguments and grids of the launches that measure rows.
#include "magnitude_launches.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ffc/generator/backward_work.hpp"

namespace ffc {
namespace {

constexpr std::int64_t line = 256;            // bytes that the memory of either tensor is a multiple of
constexpr std::int64_t samples_of_word = 8;   // as the kernel reads them
constexpr std::int64_t words_of_thread = 32;  // enough to hide how a block begins and ends; MEASURED.md has it
constexpr std::int64_t most_blocks = 32767;   // of a magnitude and tensor

// The magnitudes of a channel of so many rows.
int magnitudes_apart(const Generated& generated, int batch) { return generated.magnitudes_of_rows ? batch : 1; }

int tensors_of(const Generated& generated) { return generated.backward ? 2 : 1; }

std::size_t bytes_of_tensor(std::int64_t magnitudes) {
  return static_cast<std::size_t>((4 * magnitudes + line - 1) / line * line);
}

std::uint32_t* magnitudes_of(void* memory, int tensor, std::int64_t magnitudes) {
  return reinterpret_cast<std::uint32_t*>(static_cast<std::byte*>(memory) +
                                          static_cast<std::size_t>(tensor) * bytes_of_tensor(magnitudes));
}

// Rows and gate of one tensor of `arguments`, and where its magnitudes go. The stride of an axis of one element may be
// anything, so it is not passed on.
template <class Arguments>
MeasuredRows measured(const Generated& generated, const TensorView& rows, const TensorView& gate,
                      const Arguments& arguments, void* memory, int tensor) {
  const std::int64_t per_batch = arguments.batch > 1 ? 1 : 0, per_channel = arguments.channels > 1 ? 1 : 0;
  MeasuredRows of;
  of.rows = rows.data;
  of.rows_batch_stride = per_batch * rows.batch_stride, of.rows_channel_stride = per_channel * rows.channel_stride;
  of.gate = gate.data;
  of.gate_batch_stride = per_batch * gate.batch_stride, of.gate_channel_stride = per_channel * gate.channel_stride;
  of.magnitudes = magnitudes_of(memory, tensor, magnitude_count(generated, arguments.batch, arguments.channels));
  return of;
}

MagnitudeLaunch launch_of(const Generated& generated, const std::vector<MeasuredRows>& all, int batch, int channels,
                          void* memory, std::size_t bytes) {
  const ConvConfig& config = generated.config;
  MagnitudeLaunch launch;
  launch.memory = memory, launch.bytes = bytes;
  launch.arguments.apart = magnitudes_apart(generated, batch);
  launch.arguments.rows = batch / launch.arguments.apart;
  std::copy(all.begin(), all.end(), launch.arguments.tensors);
  const auto tensors = static_cast<std::int64_t>(all.size());
  const std::int64_t words = launch.arguments.rows * std::max<std::int64_t>(1, config.length / samples_of_word);
  const std::int64_t of_block = words_of_thread * generated.magnitudes->threads;
  const std::int64_t blocks = std::clamp<std::int64_t>((words + of_block - 1) / of_block, 1, most_blocks);
  launch.arguments.blocks = static_cast<std::int32_t>(blocks);
  launch.grid = {static_cast<unsigned>(magnitude_count(generated, batch, channels)),
                 static_cast<unsigned>(tensors * blocks), 1};
  launch.zeroed = blocks > 1;
  return launch;
}

// Those that were found, where the launch lends none.
template <class Arguments>
void take_found(RowMagnitudes& magnitudes, const Generated& generated, const Arguments& arguments, void* memory,
                int tensor) {
  if (magnitudes.data != nullptr) return;
  const std::int64_t count = magnitude_count(generated, arguments.batch, arguments.channels);
  const auto* const found = reinterpret_cast<const float*>(magnitudes_of(memory, tensor, count));
  magnitudes = found_magnitudes(generated, found, arguments.batch);
}

template <class Arguments>
Workspace behind(const Generated& generated, const Arguments& arguments) {
  const Workspace& workspace = arguments.workspace;
  if (workspace.data == nullptr) return workspace;
  const std::size_t taken = magnitude_bytes(generated, arguments.batch, arguments.channels);
  if (workspace.bytes == taken) return {};
  return {static_cast<std::byte*>(workspace.data) + taken, workspace.bytes - taken};
}

}  // namespace

std::int64_t magnitude_count(const Generated& generated, int batch, int channels) {
  if (!generated.magnitudes) return 0;
  return std::int64_t{channels} * magnitudes_apart(generated, batch);
}

std::size_t magnitude_bytes(const Generated& generated, int batch, int channels) {
  if (!generated.magnitudes) return 0;
  return static_cast<std::size_t>(tensors_of(generated)) * bytes_of_tensor(magnitude_count(generated, batch, channels));
}

RowMagnitudes found_magnitudes(const Generated& generated, const float* memory, int batch) {
  return {memory, magnitudes_apart(generated, batch), generated.magnitudes_of_rows ? 1 : 0};
}

void* place_of_magnitudes(const LaunchArguments& arguments) {
  return arguments.found_magnitudes != nullptr ? arguments.found_magnitudes : arguments.workspace.data;
}

void* place_of_magnitudes(const BackwardArguments& arguments) { return arguments.workspace.data; }

std::optional<MagnitudeLaunch> magnitude_launch(const Generated& generated, const LaunchArguments& arguments,
                                                void* memory) {
  if (arguments.input_magnitudes.data != nullptr) return std::nullopt;
  const auto count = static_cast<std::size_t>(magnitude_count(generated, arguments.batch, arguments.channels));
  return launch_of(generated, {measured(generated, arguments.u, arguments.w, arguments, memory, 0)}, arguments.batch,
                   arguments.channels, memory, sizeof(float) * count);
}

std::optional<MagnitudeLaunch> magnitude_launch(const Generated& generated, const BackwardArguments& arguments,
                                                void* memory) {
  const BackwardWork work = backward_work(generated.config);
  std::vector<MeasuredRows> all;
  if (work.transforms_input && arguments.input_magnitudes.data == nullptr)
    all.push_back(measured(generated, arguments.u, arguments.w, arguments, memory, 0));
  if (work.transforms_gradient && arguments.gradient_magnitudes.data == nullptr)
    all.push_back(measured(generated, arguments.dy, arguments.v, arguments, memory, 1));
  if (all.empty()) return std::nullopt;
  return launch_of(generated, all, arguments.batch, arguments.channels, memory,
                   magnitude_bytes(generated, arguments.batch, arguments.channels));
}

LaunchArguments with_magnitudes(const Generated& generated, LaunchArguments arguments, void* memory) {
  take_found(arguments.input_magnitudes, generated, arguments, memory, 0);
  arguments.workspace = behind(generated, arguments);
  return arguments;
}

BackwardArguments with_magnitudes(const Generated& generated, BackwardArguments arguments, void* memory) {
  const BackwardWork work = backward_work(generated.config);
  if (work.transforms_input) take_found(arguments.input_magnitudes, generated, arguments, memory, 0);
  if (work.transforms_gradient) take_found(arguments.gradient_magnitudes, generated, arguments, memory, 1);
  arguments.workspace = behind(generated, arguments);
  return arguments;
}

}  // namespace ffc
