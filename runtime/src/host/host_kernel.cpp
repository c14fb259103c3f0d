// Arguments to ranges of memory, and the blocks of a launch run over them.
#include "host_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <thread>

#include "../filter_launches.hpp"
#include "../launch_checks.hpp"
#include "../spectrum_state.hpp"

namespace ffc::host {
namespace {

constexpr int most_filter_blocks = 2;  // of a channel in one step: threads are fibers, and channels are many
constexpr std::align_val_t memory_alignment{256};  // of device memory

void* allocate(std::size_t bytes) { return ::operator new(bytes, memory_alignment); }
void release(void* memory) { ::operator delete(memory, memory_alignment); }

// From the first sample of a tensor to its last.
Range rows_of(const char* name, const void* data, std::int64_t batch_stride, std::int64_t channel_stride,
              const LaunchArguments& arguments, std::int64_t length, bool writable) {
  const std::int64_t last = (arguments.batch - 1) * batch_stride + (arguments.channels - 1) * channel_stride + length;
  return {name, data, static_cast<std::size_t>(2 * last), writable};
}

Range tables_of(const GeneratedKernel& kernel) {
  return {"tables", kernel.tables.data(), kernel.tables.size() * sizeof(kernel.tables[0]), false};
}

}  // namespace

void HostKernel::refuse_stream(CUstream stream) const {
  if (stream == nullptr) return;
  throw LaunchError(
      fmt::format("{}: stream is {}; a kernel on the host runs before the call returns, and the stream "
                  "must be null",
                  generated_.name, static_cast<const void*>(stream)));
}

FilterSpectrum HostKernel::prepare_filter(const FilterView& filter, CUstream stream, Workspace workspace) const {
  const std::size_t needed = filter_workspace_bytes(filter.channels);
  check_filter(generated_, filter, workspace, needed);
  refuse_stream(stream);
  const std::unique_ptr<void, void (*)(void*)> own(workspace.data == nullptr ? allocate(needed) : nullptr, release);
  const auto channels = static_cast<std::size_t>(filter.channels);
  const auto state = std::make_shared<FilterSpectrum::State>(allocate(spectrum_bytes(filter.channels)),
                                                             spectrum_bytes(filter.channels), filter.channels, device(),
                                                             generated_.spectrum_tag);
  state->free = [](void* memory, bool) { release(memory); };
  FilterArguments arguments;
  arguments.k = filter.k;
  arguments.skip = filter.skip;
  arguments.spectrum = state->data;
  arguments.workspace = workspace.data != nullptr ? workspace.data : own.get();
  arguments.tables = generated_.filter.tables.data();
  arguments.k_channel_stride = filter.channel_stride != 0 ? filter.channel_stride : config().filter_length;
  arguments.channels = filter.channels;
  arguments.filter_length = static_cast<std::int32_t>(config().filter_length);
  const auto taps =
      static_cast<std::size_t>((filter.channels - 1) * arguments.k_channel_stride + config().filter_length);
  Launch launch;
  launch.entry = programs_.filter->entry();
  launch.kernel = &generated_.filter;
  launch.ranges = {{"k", filter.k, taps * sizeof(float), false},
                   {"spectrum", state->data, state->bytes, true},
                   {"workspace", arguments.workspace, needed, true},
                   tables_of(generated_.filter)};
  if (filter.skip != nullptr) launch.ranges.push_back({"skip", filter.skip, channels * sizeof(float), false});
  run_filter(std::move(launch), arguments);
  return FilterSpectrum(state);
}

void HostKernel::run_filter(Launch launch, const FilterArguments& arguments) const {
  if (generated_.filter_steps > 1) {
    for_each_filter_launch(generated_, arguments, most_filter_blocks,
                           [&](const LongFilterArguments& step, const LaunchGrid& grid) {
                             launch.arguments = &step;
                             launch.grid = grid;
                             (void)run_blocks(launch, 0);
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
  return ranges;
}

int cores() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

void add_counts(HostCounts& total, HostCounts more) {
  total.matrix_products += more.matrix_products;
  total.bytes_read += more.bytes_read;
  total.bytes_written += more.bytes_written;
  total.wavefronts += more.wavefronts;
  total.conflicts += more.conflicts;
  total.block_barriers += more.block_barriers;
  total.warp_barriers += more.warp_barriers;
  total.sites.insert(total.sites.end(), more.sites.begin(), more.sites.end());
}

}  // namespace

HostCounts HostKernel::run(const LaunchArguments& arguments, const HostOptions& options) const {
  check_launch(generated_, device(), arguments);
  if (generated_.columns) return run_chunks(arguments, options);
  const ConvArguments values = conv_arguments(arguments, generated_.conv.tables.data());
  Launch launch;
  launch.entry = programs_.conv->entry();
  launch.kernel = &generated_.conv;
  launch.arguments = &values;
  launch.seed = options.seed;
  launch.grid = launch_grid(generated_, arguments.batch, arguments.channels, cores());
  if (options.slices > 0) launch.grid.y = options.slices;
  launch.ranges = tensors_of(values, arguments, config().length);
  launch.ranges.push_back(tables_of(generated_.conv));
  return run_blocks(launch, options.workers).finish(generated_.conv);
}

std::size_t HostKernel::chunk_bytes() const { return std::size_t{4} << 20; }

HostCounts HostKernel::run_chunks(const LaunchArguments& arguments, const HostOptions& options) const {
  const SplitColumns& columns = *generated_.columns;
  const std::int64_t most = share_workspace(generated_, arguments.workspace, workspace_bytes(), 1).pairs;
  const std::unique_ptr<void, void (*)(void*)> own(
      arguments.workspace.data == nullptr ? allocate(workspace_bytes()) : nullptr, release);
  void* const workspace = own ? own.get() : arguments.workspace.data;
  const ConvArguments whole = conv_arguments(arguments, nullptr);
  Launch launch;
  launch.seed = options.seed;
  launch.ranges = tensors_of(whole, arguments, config().length);
  for (const GeneratedKernel* kernel : {&generated_.conv, &columns.forward, &columns.inverse})
    launch.ranges.push_back(tables_of(*kernel));
  launch.ranges.push_back({"workspace", workspace, static_cast<std::size_t>(most * columns.pair_bytes()), true});
  Counter forward, rows, inverse, turn;
  const auto run_one = [&](Counter& counter, const GeneratedKernel& kernel, const Program& program, const auto& part,
                           const LaunchGrid& grid) {
    launch.entry = program.entry();
    launch.kernel = &kernel;
    launch.arguments = &part;
    launch.grid = grid;
    counter.add(run_blocks(launch, options.workers));
  };
  const auto parts_of = [&](const Chunk& chunk) {
    ChunkArguments parts = chunk_arguments(generated_, whole, chunk, workspace);
    parts.forward.tables = columns.forward.tables.data();
    parts.rows.tables = generated_.conv.tables.data();
    parts.inverse.tables = columns.inverse.tables.data();
    return parts;
  };
  const std::vector<Chunk> chunks = make_chunks(arguments.batch, arguments.channels, most);
  ChunkArguments parts = parts_of(chunks.front());
  run_one(forward, columns.forward, *programs_.forward_columns, parts.forward,
          column_grid(generated_, chunks.front().pairs()));
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    LaunchGrid grid = row_grid(generated_, chunks[i], cores());
    if (options.slices > 0) grid.y = options.slices;
    run_one(rows, generated_.conv, *programs_.conv, parts.rows, grid);
    if (i + 1 == chunks.size()) break;
    const ChunkArguments next = parts_of(chunks[i + 1]);
    run_one(turn, columns.turn, *programs_.turn_columns, TurnArguments{parts.inverse, next.forward},
            column_grid(generated_, std::max(chunks[i].pairs(), chunks[i + 1].pairs())));
    parts = next;
  }
  run_one(inverse, columns.inverse, *programs_.inverse_columns, parts.inverse,
          column_grid(generated_, chunks.back().pairs()));
  HostCounts counts = forward.finish(columns.forward);
  add_counts(counts, rows.finish(generated_.conv));
  add_counts(counts, turn.finish(columns.turn));
  add_counts(counts, inverse.finish(columns.inverse));
  return counts;
}

}  // namespace ffc::host

namespace ffc {

HostCounts profile(const Kernel& kernel, const LaunchArguments& arguments, const HostOptions& options) {
  const auto* const on_host = dynamic_cast<const host::HostKernel*>(&kernel);
  if (on_host == nullptr)
    throw LaunchError(fmt::format("{}: the kernel is loaded on device {}; only those of Device::host() are profiled",
                                  kernel.name(), kernel.device()));
  return on_host->run(arguments, options);
}

}  // namespace ffc
