// Rows to ranges of memory, and the blocks of each launch run over them.
#include "host_real_transform.hpp"

#include <fmt/format.h>

#include "launch_ranges.hpp"
#include "real_transform_launches.hpp"

namespace ffc::host {

void HostRealTransform::run(const RealTransformRows& rows, const Workspace& workspace, CUstream stream) const {
  check_real_transform(*this, rows, workspace);
  refuse_stream(stream, generated_.kernel.name);
  const std::size_t needed = workspace_bytes(rows.channels);
  const LentMemory memory(workspace, needed);
  const auto bytes = [](std::int64_t floats) { return static_cast<std::size_t>(floats) * sizeof(float); };
  for_each_real_transform_launch(generated_, rows, memory.workspace().data,
                                 [&](const RealTransformArguments& step, const LaunchGrid& grid) {
                                   Launch launch;
                                   launch.entry = program_->entry();
                                   launch.kernel = &generated_.kernel;
                                   launch.arguments = &step;
                                   launch.grid = grid;
                                   launch.ranges = {{"from", rows.from, bytes(from_span(generated_, rows)), false},
                                                    {"to", rows.to, bytes(to_span(generated_, rows)), true}};
                                   if (needed > 0)
                                     launch.ranges.push_back({"workspace", memory.workspace().data, needed, true});
                                   (void)run_blocks(launch, 0);
                                 });
}

}  // namespace ffc::host
