// Arguments to ranges of memory, and the blocks of a launch run over them.
#include "host_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "ffc/generator/launch_grid.hpp"
#include "filter_checks.hpp"
#include "filter_launches.hpp"
#include "host_measure.hpp"
#include "launch_arguments.hpp"
#include "launch_checks.hpp"
#include "launch_ranges.hpp"
#include "report_launches.hpp"
#include "spectrum_state.hpp"

namespace ffc::host {
namespace {

// Nothing uses it when a call has returned.
class HostSpectrum final : public SpectrumMemory {
 public:
  explicit HostSpectrum(std::size_t bytes) : memory_(bytes) {}
  [[nodiscard]] void* data() const override { return memory_.data(); }
  void mark_used(CUstream) override {}

 private:
  HostMemory memory_;
};

}  // namespace

void HostKernel::refuse_stream(CUstream stream) const { host::refuse_stream(stream, generated_.name); }

FilterSpectrum HostKernel::prepare_filter(const FilterView& filter, CUstream stream, Workspace workspace) const {
  const std::size_t needed = filter_workspace_bytes(std::max(filter.channels, 1));
  check_filter(generated_, filter, workspace, needed);
  refuse_stream(stream);
  const LentMemory memory(workspace, needed);
  const std::size_t bytes = spectrum_bytes(filter.channels);
  auto spectrum = std::make_unique<HostSpectrum>(bytes);
  run_filter(filter, spectrum->data(), memory.workspace().data);
  return FilterSpectrum(std::make_shared<const FilterSpectrum::State>(std::move(spectrum), bytes, filter.channels,
                                                                      device(), generated_.spectrum_tag));
}

SpectrumView HostKernel::prepare_filter_into(const FilterView& filter, Workspace memory, Workspace workspace,
                                             CUstream stream) const {
  check_filter_into(generated_, filter, memory, spectrum_bytes(filter.channels), workspace,
                    filter_workspace_bytes(filter.channels));
  refuse_stream(stream);
  run_filter(filter, memory.data, workspace.data);
  return view_spectrum(memory, filter.channels);
}

void HostKernel::run_filter(const FilterView& filter, void* spectrum, void* workspace) const {
  const FilterArguments arguments =
      filter_arguments(generated_, filter, spectrum, workspace, generated_.filter.tables.data());
  const auto taps =
      static_cast<std::size_t>((filter.channels - 1) * arguments.k_channel_stride + config().filter_length);
  Launch launch;
  launch.entry = programs_.filter->entry();
  launch.kernel = &generated_.filter;
  launch.ranges = {{"k", filter.k, taps * sizeof(float), false},
                   {"spectrum", spectrum, spectrum_bytes(filter.channels), true},
                   {"workspace", workspace, filter_workspace_bytes(filter.channels), true},
                   tables_of(generated_.filter)};
  if (filter.skip != nullptr)
    launch.ranges.push_back({"skip", filter.skip, static_cast<std::size_t>(filter.channels) * sizeof(float), false});
  run_filter(std::move(launch), arguments);
}

void HostKernel::run_filter(Launch launch, const FilterArguments& arguments) const {
  if (generated_.filter_steps > 1) {
    for_each_filter_launch(generated_, arguments, [&](const LongFilterArguments& step, const LaunchGrid& grid) {
      Launch one = launch;  // which ends with the step
      one.arguments = &step;
      one.grid = grid;
      (void)run_blocks(one, 0);
    });
    return;
  }
  launch.arguments = &arguments;
  launch.grid = filter_grid(generated_, arguments.channels);
  (void)run_blocks(launch, 0);
}

void HostKernel::launch(const LaunchArguments& arguments, CUstream stream) const {
  refuse_stream(stream);
  (void)run(arguments, {});
}

namespace {

// What every kernel of a launch may touch: the caller's tensors.
std::vector<Range> tensors_of(const ConvArguments& values, const LaunchArguments& arguments, std::int64_t length) {
  std::vector<Range> ranges = {
      rows_of("u", values.u, values.u_batch_stride, values.u_channel_stride, arguments, length, false),
      rows_of("y", values.y, values.y_batch_stride, values.y_channel_stride, arguments, length, true),
      {"spectrum", values.spectrum, arguments.spectrum.bytes(), false}};
  if (values.w != nullptr)
    ranges.push_back(rows_of("w", values.w, values.w_batch_stride, values.w_channel_stride, arguments, length, false));
  if (values.v != nullptr)
    ranges.push_back(rows_of("v", values.v, values.v_batch_stride, values.v_channel_stride, arguments, length, false));
  add_magnitudes(ranges, "input_magnitudes", values.input_magnitudes, values.batch, values.channels);
  return ranges;
}

int cores() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

}  // namespace

HostCounts HostKernel::run(const LaunchArguments& arguments, const HostOptions& options) const {
  check_launch(generated_, device(), arguments);
  return measure(arguments, options, [&](const LaunchArguments& measured) { return run_measured(measured, options); });
}

HostCounts HostKernel::run_measured(const LaunchArguments& arguments, const HostOptions& options) const {
  const ConvArguments values = conv_arguments(arguments, generated_.conv.tables.data());
  Launch launch = conv_launch(arguments, options);
  launch.arguments = &values;
  launch.ranges = tensors_of(values, arguments, config().length);
  launch.ranges.push_back(tables_of(generated_.conv));
  add_report(launch.ranges, arguments.report, arguments.channels);
  if (generated_.split) return run_split(std::move(launch), values, arguments);
  const StreamArguments stream = stream_arguments(arguments, values);
  const ReportingConvArguments reporting_values = reporting(values, arguments.report);
  const ReportingStreamArguments reporting_stream = reporting(stream, arguments.report);
  if (arguments.report != nullptr) launch.arguments = &reporting_values;
  if (config().history) {
    launch.arguments = &stream;
    if (arguments.report != nullptr) launch.arguments = &reporting_stream;
    const auto add = [&](const char* name, const HistoryRows& rows) {
      if (rows.data == nullptr) return;
      launch.ranges.push_back(rows_of(name, rows.data, rows.batch_stride, rows.channel_stride, arguments,
                                      generated_.windows->reach, false));
    };
    add("history.u", stream.u);
    add("history.w", stream.w);
  }
  launch.grid = launch_grid(generated_, arguments.batch, arguments.channels, resident_blocks());
  if (options.slices > 0) (generated_.walks_channels ? launch.grid.x : launch.grid.y) = options.slices;
  return run_blocks(launch, options.workers).finish(*launch.kernel);
}

void HostKernel::update_scaling(const Workspace& memory, const ScalingArguments& arguments, CUstream stream) const {
  refuse_stream(stream);
  Launch launch;
  launch.entry = programs_.scaling->entry();
  launch.kernel = &*generated_.scaling;
  launch.arguments = &arguments;
  launch.grid = {1, 1, 1};
  launch.ranges = {{"memory", memory.data, memory.bytes, true}};
  (void)run_blocks(launch, 1);
}

void HostKernel::clear(const Workspace& memory, CUstream stream) const {
  refuse_stream(stream);
  std::memset(memory.data, 0, memory.bytes);
}

int HostKernel::resident_blocks() const { return cores() * generated_.blocks_per_sm; }

std::size_t HostKernel::ring_bytes() const { return std::size_t{4} << 20; }

HostCounts HostKernel::run_split(Launch launch, const ConvArguments& values, const LaunchArguments& arguments) const {
  const LentMemory memory(arguments.workspace, ring_workspace_bytes());
  Workspace workspace = memory.workspace();
  workspace.bytes = std::min(workspace.bytes, ring_workspace_bytes());
  const SplitArguments split = split_arguments(*generated_.split, values, workspace);
  std::memset(split.progress, 0, static_cast<std::size_t>(split.ring * generated_.split->progress_bytes));
  const ReportingSplitArguments reporting_split = reporting(split, arguments.report);
  launch.arguments = &split;
  if (arguments.report != nullptr) launch.arguments = &reporting_split;
  launch.grid = {1, 1, 1};  // blocks wait for each other, and here they run one after the other
  launch.ranges.push_back(
      {"workspace", split.workspace, static_cast<std::size_t>(generated_.split->workspace_bytes(split.ring)), true});
  return run_blocks(launch, 1).finish(*launch.kernel);
}

}  // namespace ffc::host

namespace ffc {

namespace {

const host::HostKernel& on_host(const Kernel& kernel) {
  const auto* const found = dynamic_cast<const host::HostKernel*>(&kernel);
  if (found != nullptr) return *found;
  throw LaunchError(fmt::format("{}: the kernel is loaded on device {}; only those of Device::host() are profiled",
                                kernel.name(), kernel.device()));
}

}  // namespace

HostCounts profile(const Kernel& kernel, const LaunchArguments& arguments, const HostOptions& options) {
  return on_host(kernel).run(arguments, options);
}

HostCounts profile(const Kernel& kernel, const BackwardArguments& arguments, const HostOptions& options) {
  return on_host(kernel).run_backward(arguments, options);
}

}  // namespace ffc
