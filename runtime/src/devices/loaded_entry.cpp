// Modules, and launches of their entries.
#include "loaded_entry.hpp"

namespace ffc {

LoadedEntry::LoadedEntry(std::shared_ptr<const CudaDevice> device, const GeneratedKernel& kernel,
                         const std::string& cubin)
    : device_(std::move(device)), name_(kernel.name), threads_(kernel.threads), shared_bytes_(kernel.shared_bytes) {
  const DriverApi& api = device_->api();
  const CaptureGuard guard(*device_);
  try {
    check(api, api.module_load_data(&module_, cubin.data()), "cuModuleLoadData", name_.c_str());
    check(api, api.module_get_function(&function_, module_, name_.c_str()), "cuModuleGetFunction", name_.c_str());
    check(api, api.func_set_attribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kernel.shared_bytes),
          "cuFuncSetAttribute", name_.c_str());
    if (kernel.cluster > 1) count_clusters(kernel.cluster);
    upload(kernel);
  } catch (...) {
    release();
    throw;
  }
}

LoadedEntry::~LoadedEntry() { release(); }

void LoadedEntry::upload(const GeneratedKernel& kernel) {
  if (kernel.tables.empty()) return;
  const DriverApi& api = device_->api();
  const std::size_t bytes = kernel.tables.size() * sizeof(kernel.tables[0]);
  check(api, api.mem_alloc(&tables_, bytes), "cuMemAlloc", name_.c_str());
  device_->upload(tables_, kernel.tables.data(), bytes, name_);
}

void LoadedEntry::count_clusters(int blocks) {
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim.x = static_cast<unsigned>(blocks);
  attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
  CUlaunchConfig config = {};
  config.gridDimX = static_cast<unsigned>(blocks), config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = static_cast<unsigned>(threads_), config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = static_cast<unsigned>(shared_bytes_);
  config.attrs = &attribute;
  config.numAttrs = 1;
  const DriverApi& api = device_->api();
  check(api, api.max_active_clusters(&resident_clusters_, function_, &config), "cuOccupancyMaxActiveClusters",
        name_.c_str());
}

void LoadedEntry::release() noexcept {
  const DriverApi& api = device_->api();
  if (tables_ != 0) device_->report(api.mem_free(tables_), "freeing a kernel's tables");
  if (module_ != nullptr) device_->report(api.module_unload(module_), "unloading a kernel");
}

void LoadedEntry::launch_raw(const LaunchGrid& grid, void** parameters, CUstream stream) const {
  const DriverApi& api = device_->api();
  check(api,
        api.launch_kernel(function_, grid.x, grid.y, grid.z, static_cast<unsigned>(threads_), 1, 1,
                          static_cast<unsigned>(shared_bytes_), stream, parameters, nullptr),
        "cuLaunchKernel", name_.c_str());
}

void LoadedEntry::launch_raw(const LaunchGrid& grid, void** parameters, CUstream stream,
                             CUlaunchAttribute& attribute) const {
  const DriverApi& api = device_->api();
  CUlaunchConfig config = {};
  config.gridDimX = grid.x, config.gridDimY = grid.y, config.gridDimZ = grid.z;
  config.blockDimX = static_cast<unsigned>(threads_), config.blockDimY = 1, config.blockDimZ = 1;
  config.sharedMemBytes = static_cast<unsigned>(shared_bytes_);
  config.hStream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  check(api, api.launch_kernel_ex(&config, function_, parameters, nullptr), "cuLaunchKernelEx", name_.c_str());
}

}  // namespace ffc
