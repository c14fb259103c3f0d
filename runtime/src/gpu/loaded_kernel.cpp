// Loading, preparing filters and launching on one device.
#include "loaded_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "backward_launches.hpp"
#include "device_spectrum.hpp"
#include "ffc/generator/launch_grid.hpp"
#include "filter_checks.hpp"
#include "filter_launches.hpp"
#include "launch_arguments.hpp"
#include "launch_checks.hpp"
#include "magnitude_launches.hpp"
#include "report_launches.hpp"
#include "row_offsets.hpp"
#include "split_backward_launches.hpp"
#include "stream_memory.hpp"

namespace ffc {
namespace {

// Graphs hold edges of programmatic dependent launch from CUDA 12.3 on.
constexpr int least_driver_of_overlaps = 12030;

}  // namespace

LoadedKernel::LoadedKernel(std::shared_ptr<const CudaDevice> device, Generated generated, const KernelCubins& cubins,
                           Compile compile)
    : device_(std::move(device)), generated_(std::move(generated)) {
  const ContextGuard guard(*device_);
  const auto load = [&](const GeneratedKernel& kernel, const std::string& cubin) {
    return std::make_unique<LoadedEntry>(device_, kernel, cubin);
  };
  conv_ = load(generated_.conv, cubins.conv);
  filter_ = load(generated_.filter, cubins.filter);
  if (!cubins.filter_gradient.empty())
    filter_gradient_ = load(*generated_.backward->filter_gradient, cubins.filter_gradient);
  if (!cubins.magnitudes.empty()) magnitudes_ = load(*generated_.magnitudes, cubins.magnitudes);
  if (!cubins.scaling.empty()) scaling_ = load(*generated_.scaling, cubins.scaling);
  if (!generated_.apart) return;
  apart_.emplace([this, compile = std::move(compile)] {
    return std::make_unique<LoadedEntry>(device_, *generated_.apart, compile(*generated_.apart));
  });
}

LoadedKernel::~LoadedKernel() {
  std::unique_ptr<LoadedEntry> apart;
  if (apart_)
    if (auto made = apart_->take()) apart = *std::move(made);
  std::unique_ptr<LoadedEntry>* const entries[] = {&conv_,       &apart,   &filter_, &filter_gradient_,
                                                   &magnitudes_, &scaling_};
  try {
    const ContextGuard guard(*device_);
    for (auto* const entry : entries) entry->reset();
  } catch (const DriverError&) {
    // The driver is gone, and modules and tables with it.
    for (auto* const entry : entries) (void)entry->release();
  }
}

template <class Arguments>
const LoadedEntry& LoadedKernel::conv_for(const Arguments& arguments) const {
  return !apart_ || lie_alike(arguments) ? *conv_ : *apart_->get();
}

CUcontext LoadedKernel::check_context(CUstream stream) const { return device_->check_context(stream, generated_.name); }

void LoadedKernel::check_memory(const char* what, const void* address, CUstream stream) const {
  device_->check_memory(what, address, stream, generated_.name);
}

FilterSpectrum LoadedKernel::prepare_filter(const FilterView& filter, CUstream stream, Workspace workspace) const {
  check_filter(generated_, filter, workspace, filter_workspace_bytes(std::max(filter.channels, 1)));
  const ContextGuard guard(*device_, check_context(stream));
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult asked = device_->api().stream_is_capturing(stream, &status);
  // The legacy stream answers with an error while another stream is being captured that it would have to wait for.
  if (is_capture_error(static_cast<int>(asked)) || status != CU_STREAM_CAPTURE_STATUS_NONE)
    throw LaunchError(
        fmt::format("{}: prepare_filter allocates and cannot be captured into a graph; prepare the "
                    "filter before the capture begins, or call prepare_filter_into",
                    generated_.filter.name));
  check(device_->api(), asked, "cuStreamIsCapturing");
  check_filter_memory(filter, workspace, stream);

  StreamMemory spectrum(*device_, spectrum_bytes(filter.channels), stream, "filter spectrum");
  std::unique_ptr<StreamMemory> own;
  if (const std::size_t needed = filter_workspace_bytes(filter.channels); workspace.data == nullptr && needed > 0)
    own = std::make_unique<StreamMemory>(*device_, needed, stream, "filter workspace");
  launch_filter(
      filter_arguments(generated_, filter, spectrum.data(), own ? own->data() : workspace.data, filter_->tables()),
      stream);
  if (own) own->free_now();

  auto memory = std::make_unique<DeviceSpectrum>(device_, spectrum.take());
  memory->mark_used(stream);
  return FilterSpectrum(std::make_shared<const FilterSpectrum::State>(
      std::move(memory), spectrum_bytes(filter.channels), filter.channels, device(), generated_.spectrum_tag));
}

SpectrumView LoadedKernel::prepare_filter_into(const FilterView& filter, Workspace memory, Workspace workspace,
                                               CUstream stream) const {
  check_filter_into(generated_, filter, memory, spectrum_bytes(filter.channels), workspace,
                    filter_workspace_bytes(filter.channels));
  const ContextGuard guard(*device_, check_context(stream));
  check_filter_memory(filter, workspace, stream);
  check_memory("memory.data", memory.data, stream);
  launch_filter(filter_arguments(generated_, filter, memory.data, workspace.data, filter_->tables()), stream);
  return view_spectrum(memory, filter.channels);
}

void LoadedKernel::check_filter_memory(const FilterView& filter, const Workspace& workspace, CUstream stream) const {
  check_memory("filter.k", filter.k, stream);
  if (filter.skip != nullptr) check_memory("filter.skip", filter.skip, stream);
  if (workspace.data != nullptr) check_memory("workspace.data", workspace.data, stream);
}

template <class Arguments>
void LoadedKernel::launch_step(const LoadedEntry& entry, bool overlaps, const LaunchGrid& grid,
                               const Arguments& arguments, CUstream stream) const {
  if (overlaps && device_->api().version >= least_driver_of_overlaps)
    entry.launch_overlapping(grid, arguments, stream);
  else
    entry.launch(grid, arguments, stream);
}

void LoadedKernel::launch_filter(const FilterArguments& arguments, CUstream stream) const {
  if (generated_.filter_steps > 1) {
    bool behind = false;
    for_each_filter_launch(generated_, arguments, [&](const LongFilterArguments& step, const LaunchGrid& grid) {
      launch_step(*filter_, behind && generated_.filter.overlaps, grid, step, stream);
      behind = true;
    });
    return;
  }
  filter_->launch(filter_grid(generated_, arguments.channels), arguments, stream);
}

void LoadedKernel::launch(const LaunchArguments& arguments, CUstream stream) const {
  check_launch(generated_, device_->ordinal(), arguments);
  const ContextGuard guard(*device_, check_context(stream));
  check_memory("u.data", arguments.u.data, stream);
  check_memory("y.data", arguments.y.data, stream);
  if (arguments.w.data != nullptr) check_memory("w.data", arguments.w.data, stream);
  if (arguments.v.data != nullptr) check_memory("v.data", arguments.v.data, stream);
  if (arguments.input_magnitudes.data != nullptr)
    check_memory("input_magnitudes.data", arguments.input_magnitudes.data, stream);
  if (arguments.found_magnitudes != nullptr) check_memory("found_magnitudes", arguments.found_magnitudes, stream);
  if (arguments.report != nullptr) check_memory("report", arguments.report, stream);
  if (arguments.history.u.data != nullptr) check_memory("history.u.data", arguments.history.u.data, stream);
  if (arguments.history.w.data != nullptr) check_memory("history.w.data", arguments.history.w.data, stream);
  if (arguments.workspace.data != nullptr) check_memory("workspace.data", arguments.workspace.data, stream);
  const LoadedEntry& conv = conv_for(arguments);
  measure(arguments, stream, [&](const LaunchArguments& measured) { launch_measured(conv, measured, stream); });
  arguments.spectrum.owner().mark_used(stream);
}

void LoadedKernel::launch_measured(const LoadedEntry& conv, const LaunchArguments& arguments, CUstream stream) const {
  if (generated_.split)
    launch_split(conv, arguments, stream);
  else
    launch_rows(conv, arguments, stream);
}

template <class Arguments, class Launch>
void LoadedKernel::measure(const Arguments& arguments, CUstream stream, const Launch& launch) const {
  if (!magnitudes_) return launch(arguments);
  void* memory = place_of_magnitudes(arguments);
  std::unique_ptr<StreamMemory> own;
  if (memory == nullptr) {
    own = std::make_unique<StreamMemory>(*device_, magnitude_bytes(generated_, arguments.batch, arguments.channels),
                                         stream, "magnitudes of rows");
    memory = own->data();
  }
  if (const auto search = magnitude_launch(generated_, arguments, memory)) {
    const DriverApi& api = device_->api();
    if (search->zeroed)
      check(api, api.memset_d8_async(reinterpret_cast<CUdeviceptr>(search->memory), 0, search->bytes, stream),
            "cuMemsetD8Async", generated_.name.c_str());
    magnitudes_->launch(search->grid, search->arguments, stream);
  }
  launch(with_magnitudes(generated_, arguments, memory));
  if (own) own->free_now();
}

void LoadedKernel::launch_rows(const LoadedEntry& conv, const LaunchArguments& arguments, CUstream stream) const {
  const LaunchGrid grid = launch_grid(generated_, arguments.batch, arguments.channels, resident_blocks());
  const ConvArguments values = conv_arguments(arguments, conv_->tables());
  const auto launch = [&](const auto& all) { conv.launch(grid, all, stream); };
  if (generated_.config.history)
    with_report(stream_arguments(arguments, values), arguments.report, launch);
  else
    with_report(values, arguments.report, launch);
}

int LoadedKernel::resident_blocks() const {
  const int cluster = generated_.conv.cluster;
  return cluster > 1 ? conv_->resident_clusters() * cluster : device_->multiprocessors() * generated_.blocks_per_sm;
}

void LoadedKernel::check_backward_memory(const BackwardArguments& arguments, CUstream stream) const {
  const std::pair<const char*, const void*> all[] = {{"u.data", arguments.u.data},
                                                     {"w.data", arguments.w.data},
                                                     {"v.data", arguments.v.data},
                                                     {"dy.data", arguments.dy.data},
                                                     {"du.data", arguments.du.data},
                                                     {"dw.data", arguments.dw.data},
                                                     {"dv.data", arguments.dv.data},
                                                     {"dk", arguments.dk},
                                                     {"dd", arguments.dd},
                                                     {"report", arguments.report},
                                                     {"workspace.data", arguments.workspace.data},
                                                     {"input_magnitudes.data", arguments.input_magnitudes.data},
                                                     {"gradient_magnitudes.data", arguments.gradient_magnitudes.data}};
  for (const auto& [what, address] : all)
    if (address != nullptr) check_memory(what, address, stream);
}

void LoadedKernel::launch_backward(const BackwardArguments& arguments, CUstream stream) const {
  check_backward(generated_, device_->ordinal(), arguments);
  const ContextGuard guard(*device_, check_context(stream));
  check_backward_memory(arguments, stream);
  const LoadedEntry& conv = conv_for(arguments);
  measure(arguments, stream,
          [&](const BackwardArguments& measured) { launch_backward_measured(conv, measured, stream); });
  arguments.spectrum.owner().mark_used(stream);
}

void LoadedKernel::launch_backward_measured(const LoadedEntry& conv, const BackwardArguments& arguments,
                                            CUstream stream) const {
  if (generated_.split)
    launch_split_backward(conv, arguments, stream);
  else
    launch_backward_rows(conv, arguments, stream);
}

void LoadedKernel::launch_backward_rows(const LoadedEntry& conv, const BackwardArguments& arguments,
                                        CUstream stream) const {
  const int resident = resident_blocks();
  const int at_once = chunk_of(generated_, arguments.batch, arguments.channels, resident);
  BackwardPlace place;
  place.resident_blocks = resident;
  place.tables = conv_->tables();
  place.filter_tables = filter_gradient_ ? filter_gradient_->tables() : nullptr;
  place.workspace = arguments.workspace;
  place.slices = launch_grid(generated_, arguments.batch, arguments.channels, resident).y;
  std::unique_ptr<StreamMemory> own;
  if (const std::size_t needed = gradient_workspace_bytes(arguments.batch, arguments.channels);
      place.workspace.data == nullptr && needed > 0) {
    own = std::make_unique<StreamMemory>(*device_, needed, stream, "workspace of gradients");
    place.workspace = {own->data(), needed};
  }
  for_each_backward_chunk(generated_, arguments, place, at_once, [&](const BackwardChunk& chunk) {
    with_report(chunk.gradients, chunk.report, [&](const auto& all) { conv.launch(chunk.grid, all, stream); });
    if (chunk.filter) launch_filter_gradient(chunk, stream);
  });
  if (own) own->free_now();
}

void LoadedKernel::launch_filter_gradient(const BackwardChunk& chunk, CUstream stream) const {
  const BackwardLaunch& launch = *generated_.backward;
  for_each_filter_gradient_launch(launch, *chunk.filter, [&](const auto& arguments, const LaunchGrid& grid) {
    launch_step(*filter_gradient_, launch.overlaps, grid, arguments, stream);
  });
}

void LoadedKernel::launch_split_backward(const LoadedEntry& conv, const BackwardArguments& arguments,
                                         CUstream stream) const {
  SplitBackwardPlace place;
  place.tables = conv_->tables();
  place.ring_bytes = ring_bytes();
  place.blocks = device_->multiprocessors();
  place.workspace = arguments.workspace;
  std::unique_ptr<StreamMemory> own;
  if (place.workspace.data == nullptr) {
    const std::size_t needed = gradient_workspace_bytes(arguments.batch, arguments.channels);
    own = std::make_unique<StreamMemory>(*device_, needed, stream, "workspace of gradients");
    place.workspace = {own->data(), needed};
  }
  const LaunchGrid grid = {static_cast<unsigned>(place.blocks), 1, 1};
  bool behind = false;
  for_each_split_backward_launch(
      generated_, arguments, place,
      [&](void* progress, std::size_t bytes) {
        check(device_->api(), device_->api().memset_d8_async(reinterpret_cast<CUdeviceptr>(progress), 0, bytes, stream),
              "cuMemsetD8Async", generated_.name.c_str());
      },
      [&](const SplitGradientArguments& gradients, ChannelReport* report) {
        with_report(gradients, report, [&](const auto& all) { conv.launch_cooperative(grid, all, stream); });
        behind = false;
      },
      [&](const LongFilterGradientArguments& step, const LaunchGrid& blocks) {
        launch_step(*filter_gradient_, behind && generated_.backward->filter_gradient->overlaps, blocks, step, stream);
        behind = true;
      });
  if (own) own->free_now();
}

std::size_t LoadedKernel::ring_bytes() const {
  // Measured best for gradients on an H200, whose L2 has 60 MB (generator/src/MEASURED.md, "The ring").
  return device_->l2_bytes() * 2 / 5;
}

void LoadedKernel::launch_split(const LoadedEntry& conv, const LaunchArguments& arguments, CUstream stream) const {
  Workspace workspace = arguments.workspace;
  std::unique_ptr<StreamMemory> own;
  if (workspace.data == nullptr) {
    const std::size_t bytes = needed_workspace_bytes(*generated_.split, arguments, ring_workspace_bytes());
    own = std::make_unique<StreamMemory>(*device_, bytes, stream, "workspace");
    workspace = {own->data(), bytes};
  }
  workspace.bytes = std::min(workspace.bytes, ring_workspace_bytes());  // a ring past L2 takes a third longer
  const SplitArguments split =
      split_arguments(*generated_.split, conv_arguments(arguments, conv_->tables()), workspace);
  const DriverApi& api = device_->api();
  check(api,
        api.memset_d8_async(reinterpret_cast<CUdeviceptr>(split.progress), 0,
                            static_cast<std::size_t>(split.ring * generated_.split->progress_bytes), stream),
        "cuMemsetD8Async", generated_.name.c_str());
  const LaunchGrid grid = {static_cast<unsigned>(device_->multiprocessors()), 1, 1};
  with_report(split, arguments.report, [&](const auto& all) { conv.launch_cooperative(grid, all, stream); });
  if (own) own->free_now();
}

}  // namespace ffc
