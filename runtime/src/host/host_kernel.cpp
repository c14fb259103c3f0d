// Arguments to ranges of memory, and the blocks of a launch run over them.
#include "host_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <thread>

#include "../backward_launches.hpp"
#include "../filter_checks.hpp"
#include "../filter_launches.hpp"
#include "../launch_checks.hpp"
#include "../magnitude_launches.hpp"
#include "../spectrum_state.hpp"
#include "../split_backward_launches.hpp"
#include "ffc/generator/launch_grid.hpp"

namespace ffc::host {
namespace {

constexpr int most_filter_blocks = 2;  // of a channel in one step: threads are fibers, and channels are many
constexpr std::align_val_t memory_alignment{256};  // of device memory

void* allocate(std::size_t bytes) {
  try {
    return ::operator new(bytes, memory_alignment);
  } catch (const std::bad_alloc&) {
    throw HostError(fmt::format("{} bytes for a spectrum or a workspace are more than this machine has", bytes));
  }
}
void release(void* memory) { ::operator delete(memory, memory_alignment); }

// From the first sample of a tensor to its last.
template <class Arguments>
Range rows_of(const char* name, const void* data, std::int64_t batch_stride, std::int64_t channel_stride,
              const Arguments& arguments, std::int64_t length, bool writable) {
  const std::int64_t last = (arguments.batch - 1) * batch_stride + (arguments.channels - 1) * channel_stride + length;
  return {name, data, static_cast<std::size_t>(2 * last), writable};
}

Range tables_of(const GeneratedKernel& kernel) {
  return {"tables", kernel.tables.data(), kernel.tables.size() * sizeof(kernel.tables[0]), false};
}

// Nothing uses it when a call has returned.
class HostSpectrum final : public SpectrumMemory {
 public:
  explicit HostSpectrum(void* memory) : memory_(memory) {}
  ~HostSpectrum() override { release(memory_); }
  HostSpectrum(const HostSpectrum&) = delete;
  HostSpectrum& operator=(const HostSpectrum&) = delete;
  [[nodiscard]] void* data() const override { return memory_; }
  void mark_used(CUstream) override {}

 private:
  void* memory_;
};

}  // namespace

void HostKernel::refuse_stream(CUstream stream) const {
  if (stream == nullptr) return;
  throw LaunchError(
      fmt::format("{}: stream is {}; a kernel on the host runs before the call returns, and the stream "
                  "must be null",
                  generated_.name, static_cast<const void*>(stream)));
}

FilterSpectrum HostKernel::prepare_filter(const FilterView& filter, CUstream stream, Workspace workspace) const {
  const std::size_t needed = filter_workspace_bytes(std::max(filter.channels, 1));
  check_filter(generated_, filter, workspace, needed);
  refuse_stream(stream);
  const std::unique_ptr<void, void (*)(void*)> own(workspace.data == nullptr ? allocate(needed) : nullptr, release);
  const std::size_t bytes = spectrum_bytes(filter.channels);
  auto spectrum = std::make_unique<HostSpectrum>(allocate(bytes));
  run_filter(filter, spectrum->data(), workspace.data != nullptr ? workspace.data : own.get());
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
    for_each_filter_launch(generated_, arguments, most_filter_blocks,
                           [&](const LongFilterArguments& step, const LaunchGrid& grid) {
                             Launch one = launch;  // which ends with the step
                             one.arguments = &step;
                             one.grid = grid;
                             (void)run_blocks(one, 0);
                           });
    return;
  }
  launch.arguments = &arguments;
  launch.grid = {static_cast<unsigned>(std::min(arguments.channels, generated_.filter_blocks)), 1, 1};
  (void)run_blocks(launch, 0);
}

void HostKernel::launch(const LaunchArguments& arguments, CUstream stream) const {
  refuse_stream(stream);
  (void)run(arguments, {});
}

namespace {

void add_magnitudes(std::vector<Range>& ranges, const char* name, const RowMagnitudes& magnitudes, int channels) {
  if (magnitudes.data == nullptr) return;
  const auto floats = static_cast<std::size_t>((channels - 1) * magnitudes.channel_stride + 1);
  ranges.push_back({name, magnitudes.data, floats * sizeof(float), false});
}

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
  add_magnitudes(ranges, "input_magnitudes", values.input_magnitudes, values.channels);
  return ranges;
}

int cores() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

}  // namespace

template <class Arguments, class Run>
HostCounts HostKernel::measure(const Arguments& arguments, const HostOptions& options, const Run& run) const {
  if (!programs_.magnitudes) return run(arguments);
  const std::size_t bytes = magnitude_bytes(generated_, arguments.channels);
  const std::unique_ptr<void, void (*)(void*)> own(arguments.workspace.data == nullptr ? allocate(bytes) : nullptr,
                                                   release);
  void* const memory = own ? own.get() : arguments.workspace.data;
  const MagnitudeLaunch search = magnitude_launch(generated_, arguments, memory);
  std::memset(memory, 0, search.zeroed_bytes);
  Launch launch;
  launch.entry = programs_.magnitudes->entry();
  launch.kernel = &*generated_.magnitudes;
  launch.arguments = &search.arguments;
  launch.grid = search.grid;
  launch.seed = options.seed;
  launch.ranges = {{"magnitudes", memory, bytes, true}};
  for (const MeasuredRows& tensor : search.arguments.tensors) {
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

HostCounts HostKernel::run(const LaunchArguments& arguments, const HostOptions& options) const {
  check_launch(generated_, device(), arguments);
  return measure(arguments, options, [&](const LaunchArguments& measured) { return run_measured(measured, options); });
}

HostCounts HostKernel::run_measured(const LaunchArguments& arguments, const HostOptions& options) const {
  const ConvArguments values = conv_arguments(arguments, generated_.conv.tables.data());
  Launch launch;
  launch.entry = programs_.conv->entry();
  launch.kernel = &generated_.conv;
  launch.arguments = &values;
  launch.seed = options.seed;
  launch.ranges = tensors_of(values, arguments, config().length);
  launch.ranges.push_back(tables_of(generated_.conv));
  if (generated_.split) return run_split(std::move(launch), values, arguments.workspace);
  const StreamArguments stream = stream_arguments(arguments, values);
  if (config().history) {
    launch.arguments = &stream;
    const auto add = [&](const char* name, const HistoryRows& rows) {
      if (rows.data == nullptr) return;
      launch.ranges.push_back(rows_of(name, rows.data, rows.batch_stride, rows.channel_stride, arguments,
                                      generated_.windows->reach, false));
    };
    add("history.u", stream.u);
    add("history.w", stream.w);
  }
  launch.grid = launch_grid(generated_, arguments.batch, arguments.channels, cores());
  if (options.slices > 0) (generated_.walks_channels ? launch.grid.x : launch.grid.y) = options.slices;
  return run_blocks(launch, options.workers).finish(generated_.conv);
}

void HostKernel::launch_backward(const BackwardArguments& arguments, CUstream stream) const {
  refuse_stream(stream);
  (void)run_backward(arguments, {});
}

int HostKernel::resident_blocks() const { return cores(); }

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
  add_magnitudes(ranges, "input_magnitudes", values.input_magnitudes, values.channels);
  add_magnitudes(ranges, "gradient_magnitudes", values.gradient_magnitudes, values.channels);
  return ranges;
}

template <class Arguments>
std::vector<Range> ranges_of(const Arguments& values, const Workspace& workspace, const Generated& generated) {
  const GeneratedKernel& kernel = *generated.backward->filter_gradient;
  std::vector<Range> ranges = {{"workspace", workspace.data, workspace.bytes, true}, tables_of(kernel)};
  const std::int64_t taps = (values.channels - 1) * values.dk_channel_stride + generated.config.filter_length;
  if (values.dk != nullptr) ranges.push_back({"dk", values.dk, static_cast<std::size_t>(taps) * sizeof(float), true});
  if (values.dd != nullptr)
    ranges.push_back({"dd", values.dd, static_cast<std::size_t>(values.channels) * sizeof(float), true});
  add_magnitudes(ranges, "input_magnitudes", values.input_magnitudes, values.channels);
  add_magnitudes(ranges, "gradient_magnitudes", values.gradient_magnitudes, values.channels);
  return ranges;
}

}  // namespace

HostCounts HostKernel::run_backward(const BackwardArguments& arguments, const HostOptions& options) const {
  check_backward(generated_, device(), arguments);
  return measure(arguments, options,
                 [&](const BackwardArguments& measured) { return run_backward_measured(measured, options); });
}

HostCounts HostKernel::run_backward_measured(const BackwardArguments& arguments, const HostOptions& options) const {
  if (generated_.split) return run_split_backward(arguments, options);
  BackwardPlace place;
  place.tables = generated_.conv.tables.data();
  if (programs_.filter_gradient) place.filter_tables = generated_.backward->filter_gradient->tables.data();
  place.workspace = arguments.workspace;
  place.slices =
      options.slices > 0 ? options.slices : launch_grid(generated_, arguments.batch, arguments.channels, cores()).y;
  const std::size_t needed = gradient_workspace_bytes(arguments.batch, arguments.channels);
  const std::unique_ptr<void, void (*)(void*)> own(
      place.workspace.data == nullptr && needed > 0 ? allocate(needed) : nullptr, release);
  if (own) place.workspace = {own.get(), needed};
  Counter counter;
  const int at_once = chunk_of(generated_, arguments.batch, arguments.channels, resident_blocks());
  for_each_backward_chunk(generated_, arguments, place, at_once, [&](const BackwardChunk& chunk) {
    Launch launch;
    launch.entry = programs_.conv->entry();
    launch.kernel = &generated_.conv;
    launch.arguments = &chunk.gradients;
    launch.grid = chunk.grid;
    launch.seed = options.seed;
    launch.ranges = tensors_of(chunk.gradients, config().length);
    launch.ranges.push_back(tables_of(generated_.conv));
    if (place.workspace.data != nullptr)
      launch.ranges.push_back({"workspace", place.workspace.data, place.workspace.bytes, true});
    if (arguments.spectrum)
      launch.ranges.push_back({"spectrum", arguments.spectrum.data(), arguments.spectrum.bytes(), false});
    counter.add(run_blocks(launch, options.workers));
    if (!programs_.filter_gradient) return;
    launch.entry = programs_.filter_gradient->entry();
    launch.kernel = &*generated_.backward->filter_gradient;
    launch.arguments = &chunk.filter;
    launch.grid = chunk.filter_grid;
    launch.ranges = ranges_of(chunk.filter, place.workspace, generated_);
    (void)run_blocks(launch, options.workers);
  });
  return counter.finish(generated_.conv);
}

HostCounts HostKernel::run_split_backward(const BackwardArguments& arguments, const HostOptions& options) const {
  const std::size_t needed = gradient_workspace_bytes(arguments.batch, arguments.channels);
  const std::unique_ptr<void, void (*)(void*)> own(arguments.workspace.data == nullptr ? allocate(needed) : nullptr,
                                                   release);
  SplitBackwardPlace place;
  place.tables = generated_.conv.tables.data();
  place.ring_bytes = ring_bytes();
  place.workspace = own ? Workspace{own.get(), needed} : arguments.workspace;
  Counter counter;
  for_each_split_backward_launch(
      generated_, arguments, place, most_filter_blocks,
      [](void* progress, std::size_t bytes) { std::memset(progress, 0, bytes); },
      [&](const SplitGradientArguments& gradients) {
        Launch launch;
        launch.entry = programs_.conv->entry();
        launch.kernel = &generated_.conv;
        launch.arguments = &gradients;
        launch.grid = {1, 1, 1};  // blocks wait for each other, and here they run one after the other
        launch.seed = options.seed;
        launch.ranges = tensors_of(gradients.conv, config().length);
        launch.ranges.push_back(tables_of(generated_.conv));
        launch.ranges.push_back({"workspace", place.workspace.data, place.workspace.bytes, true});
        if (arguments.spectrum)
          launch.ranges.push_back({"spectrum", arguments.spectrum.data(), arguments.spectrum.bytes(), false});
        counter.add(run_blocks(launch, 1));
      },
      [&](const LongFilterGradientArguments& step, const LaunchGrid& grid) {
        Launch launch;
        launch.entry = programs_.filter_gradient->entry();
        launch.kernel = &*generated_.backward->filter_gradient;
        launch.arguments = &step;
        launch.grid = grid;
        launch.ranges = ranges_of(step, place.workspace, generated_);
        (void)run_blocks(launch, options.workers);
      });
  return counter.finish(generated_.conv);
}

std::size_t HostKernel::ring_bytes() const { return std::size_t{4} << 20; }

HostCounts HostKernel::run_split(Launch launch, const ConvArguments& values, Workspace workspace) const {
  const std::unique_ptr<void, void (*)(void*)> own(
      workspace.data == nullptr ? allocate(ring_workspace_bytes()) : nullptr, release);
  if (own) workspace = {own.get(), ring_workspace_bytes()};
  workspace.bytes = std::min(workspace.bytes, ring_workspace_bytes());
  const SplitArguments split = split_arguments(*generated_.split, values, workspace);
  std::memset(split.progress, 0, static_cast<std::size_t>(split.ring * SplitLaunch::progress_bytes));
  launch.arguments = &split;
  launch.grid = {1, 1, 1};  // blocks wait for each other, and here they run one after the other
  launch.ranges.push_back(
      {"workspace", split.workspace, static_cast<std::size_t>(split.ring * generated_.split->pair_bytes()), true});
  return run_blocks(launch, 1).finish(generated_.conv);
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
