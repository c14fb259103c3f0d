// What launches of both passes begin with: the one that measures rows, and the program for how their tensors lie.
#pragma once

#include <cstring>

#include "host_kernel.hpp"
#include "launch_ranges.hpp"
#include "magnitude_launches.hpp"
#include "row_offsets.hpp"

namespace ffc::host {

template <class Arguments>
Launch HostKernel::conv_launch(const Arguments& arguments, const HostOptions& options) const {
  const bool apart = apart_ && !lie_alike(arguments);
  Launch launch;
  launch.entry = apart ? apart_->get()->entry() : programs_.conv->entry();
  launch.kernel = apart ? &*generated_.apart : &generated_.conv;
  launch.seed = options.seed;
  return launch;
}

template <class Arguments, class Run>
HostCounts HostKernel::measure(const Arguments& arguments, const HostOptions& options, const Run& run) const {
  if (!programs_.magnitudes) return run(arguments);
  const std::size_t bytes = magnitude_bytes(generated_, arguments.batch, arguments.channels);
  const LentMemory lent({place_of_magnitudes(arguments), bytes}, bytes);
  void* const memory = lent.workspace().data;
  const std::optional<MagnitudeLaunch> search = magnitude_launch(generated_, arguments, memory);
  if (!search) return run(with_magnitudes(generated_, arguments, memory));
  if (search->zeroed) std::memset(search->memory, 0, search->bytes);
  Launch launch;
  launch.entry = programs_.magnitudes->entry();
  launch.kernel = &*generated_.magnitudes;
  launch.arguments = &search->arguments;
  launch.grid = search->grid;
  launch.seed = options.seed;
  launch.ranges = {{"magnitudes", search->memory, search->bytes, true}};
  for (const MeasuredRows& tensor : search->arguments.tensors) {
    const auto add = [&](const char* name, const void* data, std::int64_t batch_stride, std::int64_t channel_stride) {
      if (data != nullptr)
        launch.ranges.push_back(rows_of(name, data, batch_stride, channel_stride, arguments, config().length, false));
    };
    add("rows", tensor.rows, tensor.rows_batch_stride, tensor.rows_channel_stride);
    add("gate", tensor.gate, tensor.gate_batch_stride, tensor.gate_channel_stride);
  }
  (void)run_blocks(launch, options.workers);
  return run(with_magnitudes(generated_, arguments, memory));
}

}  // namespace ffc::host
