// The one registry of a process: driver, devices, compiler and every kernel that was asked for.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "compiler.hpp"
#include "cuda_device.hpp"
#include "driver_api.hpp"
#include "ffc/runtime/kernel.hpp"
#include "ffc/runtime/real_transform.hpp"
#include "host_compiler.hpp"
#include "log.hpp"
#include "memo.hpp"
#include "nvrtc_api.hpp"

namespace ffc {

/// What a registry is made of; tests put their own in.
struct RegistryParts {
  std::function<DriverApi()> open_driver;
  std::function<NvrtcApi()> open_nvrtc;
  std::function<Generated(const ConvConfig&)> generate;
  std::function<cache::Options(cache::WarnCallback)> cache_options;
  std::function<Checks()> checks;  ///< asked once a device
};

/// The parts of a real process: driver and NVRTC opened at run time, the cache that the environment names.
[[nodiscard]] RegistryParts process_parts();

class Registry {
 public:
  explicit Registry(RegistryParts parts);

  /// The process's own. Made by the first call and never destroyed: kernels may outlive every other static.
  static Registry& instance();

  /// Thread-safe. See ffc::get_kernel.
  [[nodiscard]] std::shared_ptr<const Kernel> get_kernel(const ConvConfig& config, Device device);
  /// Thread-safe. See ffc::get_real_transform.
  [[nodiscard]] std::shared_ptr<const RealTransform> get_real_transform(const RealTransformConfig& config,
                                                                        Device device);
  /// Thread-safe. See ffc::compile.
  [[nodiscard]] CompiledProgram compile(const GeneratedKernel& kernel, std::string_view arch);
  void set_log_callback(LogCallback callback) { log_->set(std::move(callback)); }

 private:
  // What a kernel is found by: the config as the caller wrote it, so that finding one normalises nothing.
  struct KernelKey {
    ConvConfig config;
    int device = 0;
    friend bool operator==(const KernelKey&, const KernelKey&) = default;
  };
  struct KernelKeyHash {
    std::size_t operator()(const KernelKey& key) const;
  };

  struct RealTransformKey {
    RealTransformConfig config;
    int device = 0;
    friend bool operator==(const RealTransformKey&, const RealTransformKey&) = default;
  };
  struct RealTransformKeyHash {
    std::size_t operator()(const RealTransformKey& key) const;
  };

  [[nodiscard]] cache::WarnCallback warnings() const;
  const DriverApi& driver();
  int resolve_device(Device device);
  std::shared_ptr<const CudaDevice> device(int ordinal);
  std::shared_ptr<const Kernel> build(const KernelKey& key);
  std::shared_ptr<const Kernel> build_for_gpu(const KernelKey& key);
  std::shared_ptr<const Kernel> build_for_host(const KernelKey& key);
  std::shared_ptr<const RealTransform> build(const RealTransformKey& key);
  /// The arch that a config means on that device, which names `arch` or none. Throws ConfigError for another's.
  std::string arch_on(int device, const std::string& arch);
  void check_driver_version();

  RegistryParts parts_;
  std::shared_ptr<Log> log_ = std::make_shared<Log>();
  std::shared_ptr<Compiler> compiler_;
  std::shared_ptr<host::HostCompiler> host_compiler_;
  std::mutex driver_mutex_;
  std::unique_ptr<const DriverApi> driver_storage_;
  std::atomic<const DriverApi*> driver_ = nullptr;
  std::mutex devices_mutex_;
  std::map<int, std::shared_ptr<const CudaDevice>> devices_;
  Memo<KernelKey, std::shared_ptr<const Kernel>, KernelKeyHash> kernels_;
  Memo<RealTransformKey, std::shared_ptr<const RealTransform>, RealTransformKeyHash> real_transforms_;
};

}  // namespace ffc
