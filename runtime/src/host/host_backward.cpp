// Gradients: the launches of a backward kernel, and what each may touch.
#include <cstring>

#include "backward_launches.hpp"
#include "ffc/generator/launch_grid.hpp"
#include "host_kernel.hpp"
#include "host_measure.hpp"
#include "launch_ranges.hpp"
#include "report_launches.hpp"
#include "split_backward_launches.hpp"

namespace ffc::host {

void HostKernel::launch_backward(const BackwardArguments& arguments, CUstream stream) const {
  refuse_stream(stream);
  (void)run_backward(arguments, {});
}

namespace {

// The tensors of a chunk of channels: those that its kernel was given.
std::vector<Range> tensors_of(const GradientArguments& values, std::int64_t length) {
  std::vector<Range> ranges;
  const auto add = [&](const char* name, const void* data, std::int64_t batch_stride, std::int64_t channel_stride,
                       bool writable) {
    if (data != nullptr) ranges.push_back(rows_of(name, data, batch_stride, channel_stride, values, length, writable));
  };
  add("u", values.u, values.u_batch_stride, values.u_channel_stride, false);
  add("w", values.w, values.w_batch_stride, values.w_channel_stride, false);
  add("v", values.v, values.v_batch_stride, values.v_channel_stride, false);
  add("dy", values.dy, values.dy_batch_stride, values.dy_channel_stride, false);
  add("du", values.du, values.du_batch_stride, values.du_channel_stride, true);
  add("dw", values.dw, values.dw_batch_stride, values.dw_channel_stride, true);
  add("dv", values.dv, values.dv_batch_stride, values.dv_channel_stride, true);
  add_magnitudes(ranges, "input_magnitudes", values.input_magnitudes, values.batch, values.channels);
  add_magnitudes(ranges, "gradient_magnitudes", values.gradient_magnitudes, values.batch, values.channels);
  return ranges;
}

// Where arguments have dk and dd.
template <class Arguments>
void add_taps(std::vector<Range>& ranges, const Arguments& values, int channels, std::int64_t filter_length) {
  const std::int64_t taps = (channels - 1) * values.dk_channel_stride + filter_length;
  if (values.dk != nullptr) ranges.push_back({"dk", values.dk, static_cast<std::size_t>(taps) * sizeof(float), true});
  if (values.dd != nullptr)
    ranges.push_back({"dd", values.dd, static_cast<std::size_t>(channels) * sizeof(float), true});
}

template <class Arguments>
std::vector<Range> ranges_of(const Arguments& values, const Workspace& workspace, const Generated& generated) {
  const GeneratedKernel& kernel = *generated.backward->filter_gradient;
  std::vector<Range> ranges = {{"workspace", workspace.data, workspace.bytes, true}, tables_of(kernel)};
  add_taps(ranges, values, values.channels, generated.config.filter_length);
  add_magnitudes(ranges, "input_magnitudes", values.input_magnitudes, 1, values.channels);
  add_magnitudes(ranges, "gradient_magnitudes", values.gradient_magnitudes, 1, values.channels);
  return ranges;
}

}  // namespace

HostCounts HostKernel::run_backward(const BackwardArguments& arguments, const HostOptions& options) const {
  check_backward(generated_, device(), arguments);
  return measure(arguments, options,
                 [&](const BackwardArguments& measured) { return run_backward_measured(measured, options); });
}

template <class Arguments>
void HostKernel::run_filter_gradient(const Arguments& arguments, const LaunchGrid& grid, const Workspace& workspace,
                                     const HostOptions& options) const {
  Launch launch;
  launch.entry = programs_.filter_gradient->entry();
  launch.kernel = &*generated_.backward->filter_gradient;
  launch.arguments = &arguments;
  launch.grid = grid;
  launch.seed = options.seed;
  launch.ranges = ranges_of(arguments, workspace, generated_);
  (void)run_blocks(launch, options.workers);
}

HostCounts HostKernel::run_backward_measured(const BackwardArguments& arguments, const HostOptions& options) const {
  if (generated_.split) return run_split_backward(arguments, options);
  const int resident = resident_blocks();
  BackwardPlace place;
  place.resident_blocks = resident;
  place.tables = generated_.conv.tables.data();
  if (programs_.filter_gradient) place.filter_tables = generated_.backward->filter_gradient->tables.data();
  place.slices =
      options.slices > 0 ? options.slices : launch_grid(generated_, arguments.batch, arguments.channels, resident).y;
  const std::size_t needed = gradient_workspace_bytes(arguments.batch, arguments.channels);
  const LentMemory memory(arguments.workspace, needed);
  place.workspace = memory.workspace();
  const Launch of_conv = conv_launch(arguments, options);
  Counter counter;
  const int at_once = chunk_of(generated_, arguments.batch, arguments.channels, resident);
  for_each_backward_chunk(generated_, arguments, place, at_once, [&](const BackwardChunk& chunk) {
    Launch launch = of_conv;
    const ReportingGradientArguments reporting_gradients = reporting(chunk.gradients, chunk.report);
    launch.arguments = &chunk.gradients;
    if (chunk.report != nullptr) launch.arguments = &reporting_gradients;
    launch.grid = chunk.grid;
    launch.ranges = tensors_of(chunk.gradients, config().length);
    launch.ranges.push_back(tables_of(generated_.conv));
    add_report(launch.ranges, chunk.report, chunk.gradients.channels);
    add_taps(launch.ranges, chunk.gradients, chunk.gradients.channels, config().filter_length);
    if (place.workspace.data != nullptr)
      launch.ranges.push_back({"workspace", place.workspace.data, place.workspace.bytes, true});
    if (arguments.spectrum)
      launch.ranges.push_back({"spectrum", arguments.spectrum.data(), arguments.spectrum.bytes(), false});
    counter.add(run_blocks(launch, options.workers));
    if (!chunk.filter) return;
    for_each_filter_gradient_launch(*generated_.backward, *chunk.filter,
                                    [&](const auto& filter, const LaunchGrid& grid) {
                                      run_filter_gradient(filter, grid, place.workspace, options);
                                    });
  });
  return counter.finish(*of_conv.kernel);
}

HostCounts HostKernel::run_split_backward(const BackwardArguments& arguments, const HostOptions& options) const {
  const std::size_t needed = gradient_workspace_bytes(arguments.batch, arguments.channels);
  const LentMemory memory(arguments.workspace, needed);
  SplitBackwardPlace place;
  place.tables = generated_.conv.tables.data();
  place.ring_bytes = ring_bytes();
  place.workspace = memory.workspace();
  const Launch of_conv = conv_launch(arguments, options);
  Counter counter;
  for_each_split_backward_launch(
      generated_, arguments, place, [](void* progress, std::size_t bytes) { std::memset(progress, 0, bytes); },
      [&](const SplitGradientArguments& gradients, ChannelReport* report) {
        const ReportingSplitGradientArguments reporting_gradients = reporting(gradients, report);
        Launch launch = of_conv;
        launch.arguments = &gradients;
        if (report != nullptr) launch.arguments = &reporting_gradients;
        launch.grid = {1, 1, 1};  // blocks wait for each other, and here they run one after the other
        launch.ranges = tensors_of(gradients.conv, config().length);
        launch.ranges.push_back(tables_of(generated_.conv));
        add_report(launch.ranges, report, gradients.conv.channels);
        add_taps(launch.ranges, gradients.conv, gradients.conv.channels, config().filter_length);
        launch.ranges.push_back({"workspace", place.workspace.data, place.workspace.bytes, true});
        if (arguments.spectrum)
          launch.ranges.push_back({"spectrum", arguments.spectrum.data(), arguments.spectrum.bytes(), false});
        counter.add(run_blocks(launch, 1));
      },
      [&](const LongFilterGradientArguments& step, const LaunchGrid& grid) {
        run_filter_gradient(step, grid, place.workspace, options);
      });
  return counter.finish(*of_conv.kernel);
}

}  // namespace ffc::host
