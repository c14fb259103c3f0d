// Loading and launching.
#include "loaded_real_transform.hpp"

#include "real_transform_launches.hpp"
#include "stream_memory.hpp"

namespace ffc {

LoadedRealTransform::LoadedRealTransform(std::shared_ptr<const CudaDevice> device, GeneratedRealTransform generated,
                                         const std::string& cubin)
    : device_(std::move(device)), generated_(std::move(generated)) {
  const ContextGuard guard(*device_);
  entry_ = std::make_unique<LoadedEntry>(device_, generated_.kernel, cubin);
}

LoadedRealTransform::~LoadedRealTransform() {
  try {
    const ContextGuard guard(*device_);
    entry_.reset();
  } catch (const DriverError&) {
    (void)entry_.release();  // the driver is gone, and the module with it
  }
}

void LoadedRealTransform::run(const RealTransformRows& rows, const Workspace& workspace, CUstream stream) const {
  check_real_transform(*this, rows, workspace);
  const std::string& name = generated_.kernel.name;
  const ContextGuard guard(*device_, device_->check_context(stream, name));
  device_->check_memory("from", rows.from, stream, name);
  device_->check_memory("to", rows.to, stream, name);
  if (workspace.data != nullptr) device_->check_memory("workspace.data", workspace.data, stream, name);
  std::unique_ptr<StreamMemory> own;
  if (const std::size_t needed = workspace_bytes(rows.channels); workspace.data == nullptr && needed > 0)
    own = std::make_unique<StreamMemory>(*device_, needed, stream, "workspace of a real transform");
  for_each_real_transform_launch(
      generated_, rows, own ? own->data() : workspace.data,
      [&](const RealTransformArguments& step, const LaunchGrid& grid) { entry_->launch(grid, step, stream); });
  if (own) own->free_now();
}

}  // namespace ffc
