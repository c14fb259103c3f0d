// Memory first, then disk, then the compiler.
#include "registry.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <future>

#include "ffc/generator/arch.hpp"
#include "ffc/generator/few_rows.hpp"
#include "ffc/generator/generate.hpp"
#include "host_kernel.hpp"
#include "kernel_in_parts.hpp"
#include "loaded_kernel.hpp"

namespace ffc {
namespace {

// Whose text the host runs where the config names no arch.
constexpr const char* host_arch = "sm_90a";

}  // namespace

RegistryParts process_parts() {
  RegistryParts parts;
  parts.open_driver = [] {
    DriverApi api = load_driver();
    initialise(api);
    return api;
  };
  parts.open_nvrtc = [] { return load_nvrtc(nvrtc_candidates()); };
  parts.generate = [](const ConvConfig& config) { return ffc::generate(config); };
  parts.cache_options = [](cache::WarnCallback warn) { return cache::options_from_environment(std::move(warn)); };
  parts.checks = checks_from_environment;
  return parts;
}

Registry::Registry(RegistryParts parts)
    : parts_(std::move(parts)),
      compiler_(std::make_shared<Compiler>(parts_.open_nvrtc, parts_.cache_options(warnings()))),
      host_compiler_(std::make_shared<host::HostCompiler>(parts_.cache_options(warnings()))) {}

cache::WarnCallback Registry::warnings() const {
  return [log = log_](std::string_view line) { log->line(line); };
}

Registry& Registry::instance() {
  static Registry& registry = *new Registry(process_parts());
  return registry;
}

std::size_t Registry::KernelKeyHash::operator()(const KernelKey& key) const {
  std::size_t hash = 0;
  const auto mix = [&](std::size_t value) { hash = (hash ^ value) * 0x9e3779b97f4a7c15u; };
  const ConvConfig& config = key.config;
  mix(static_cast<std::size_t>(config.fft_length));
  mix(static_cast<std::size_t>(config.length));
  mix(static_cast<std::size_t>(config.filter_length) << 1 | static_cast<std::size_t>(config.history));
  mix(static_cast<std::size_t>(config.padding) << 16 | static_cast<std::size_t>(config.dtype) << 12 |
      static_cast<std::size_t>(config.gating) << 8 | static_cast<std::size_t>(config.accumulation) << 4);
  mix(static_cast<std::size_t>(config.row_alignment) << 32 | static_cast<std::uint32_t>(config.input_exponent));
  const Gradients& gradients = config.gradients;
  mix(static_cast<std::size_t>(config.pass) << 8 | std::size_t{gradients.u} << 4 | std::size_t{gradients.w} << 3 |
      std::size_t{gradients.v} << 2 | std::size_t{gradients.k} << 1 | std::size_t{gradients.d});
  mix(static_cast<std::size_t>(config.report) << 40 | static_cast<std::size_t>(config.scaling) << 32 |
      static_cast<std::uint32_t>(config.gradient_exponent));
  for (const int radix : config.radices) mix(static_cast<std::size_t>(radix));
  mix(std::hash<std::string>()(config.arch));
  mix(static_cast<std::size_t>(key.device));
  return hash;
}

const DriverApi& Registry::driver() {
  if (const DriverApi* api = driver_.load(std::memory_order_acquire)) return *api;
  const std::lock_guard lock(driver_mutex_);
  if (!driver_storage_) driver_storage_ = std::make_unique<const DriverApi>(parts_.open_driver());
  driver_.store(driver_storage_.get(), std::memory_order_release);
  return *driver_storage_;
}

namespace {

// What FFC_DEVICE names.
Device device_from_environment() {
  const char* const text = std::getenv("FFC_DEVICE");
  if (text == nullptr || *text == '\0') return {};
  const std::string_view named = text;
  if (named == "host") return Device::host();
  int ordinal = 0;
  const auto [end, error] = std::from_chars(named.data(), named.data() + named.size(), ordinal);
  if (error != std::errc() || end != named.data() + named.size() || ordinal < 0)
    throw DriverError(fmt::format("FFC_DEVICE is '{}'; it must be 'host' or the ordinal of a GPU, from 0", named));
  return ordinal;
}

}  // namespace

int Registry::resolve_device(Device device) {
  if (device == Device()) device = device_from_environment();
  if (device != Device()) return device.ordinal();
  const DriverApi& api = driver();
  CUcontext current = nullptr;
  check(api, api.ctx_get_current(&current), "cuCtxGetCurrent");
  if (current == nullptr) return 0;
  CUdevice handle = 0;
  check(api, api.ctx_get_device(&handle), "cuCtxGetDevice");
  return handle;  // the driver's handles are the ordinals
}

std::shared_ptr<const CudaDevice> Registry::device(int ordinal) {
  const DriverApi& api = driver();
  int count = 0;
  check(api, api.device_get_count(&count), "cuDeviceGetCount");
  if (count == 0) throw DriverError("the CUDA driver finds no device; launching needs one", CUDA_ERROR_NO_DEVICE);
  if (ordinal < 0 || ordinal >= count)
    throw DriverError(fmt::format("device is {}; it must be -1 or lie in [0, {}]", ordinal, count - 1),
                      CUDA_ERROR_INVALID_DEVICE);
  const std::lock_guard lock(devices_mutex_);
  std::shared_ptr<const CudaDevice>& slot = devices_[ordinal];
  if (!slot) slot = std::make_shared<const CudaDevice>(api, ordinal, log_, parts_.checks());
  return slot;
}

void Registry::check_driver_version() {
  const NvrtcApi& nvrtc = compiler_->nvrtc();
  const int version = driver().version;
  if (version / 1000 >= nvrtc.major) return;
  throw DriverError(
      fmt::format("the driver supports CUDA {}; NVRTC is of CUDA {}.{} ({}), whose kernels need a driver for "
                  "CUDA {}.0 or later",
                  cuda_version_text(version), nvrtc.major, nvrtc.minor, nvrtc.path, nvrtc.major));
}

std::shared_ptr<const Kernel> Registry::get_kernel(const ConvConfig& config, Device device) {
  const KernelKey key{config, resolve_device(device)};
  return kernels_.get(key, [&] { return build(key); });
}

std::string Registry::arch_on(int device, const std::string& arch) {
  if (device == Device::host().ordinal()) return arch.empty() ? host_arch : arch;
  const std::shared_ptr<const CudaDevice> gpu = this->device(device);
  const Arch& own = arch_for_capability(gpu->major(), gpu->minor());
  if (!arch.empty() && arch != own.name)
    throw ConfigError(fmt::format("arch is {}; device {} runs {} (leave arch empty to take the device's)", arch,
                                  gpu->ordinal(), own.name));
  return std::string(own.name);
}

std::shared_ptr<const Kernel> Registry::build(const KernelKey& key) {
  KernelKey normal{normalised(key.config), key.device};
  normal.config.arch = arch_on(key.device, normal.config.arch);
  const auto build_normal = [&]() -> std::shared_ptr<const Kernel> {
    if (const auto parts = gradient_parts(normal.config))
      return std::make_shared<KernelInParts>(normal.config, get_kernel(parts->convolution, key.device),
                                             get_kernel(parts->others, key.device));
    return key.device == Device::host().ordinal() ? build_for_host(normal) : build_for_gpu(normal);
  };
  // Two ways to write one config end in one kernel.
  return key == normal ? build_normal() : kernels_.get(normal, build_normal);
}

namespace {

// compile(kernel), side by side, of what every launch needs: KernelCubins or host::Programs.
template <class Programs, class Compile>
Programs compile_all(const Generated& generated, const Compile& compile) {
  const auto compile_aside = [&](const GeneratedKernel& kernel) {
    return std::async(std::launch::async, [&] { return compile(kernel); });
  };
  auto filter = compile_aside(generated.filter);
  decltype(filter) gradient, magnitudes, scaling;
  if (generated.backward && generated.backward->filter_gradient)
    gradient = compile_aside(*generated.backward->filter_gradient);
  if (generated.magnitudes) magnitudes = compile_aside(*generated.magnitudes);
  if (generated.scaling) scaling = compile_aside(*generated.scaling);
  Programs programs;
  programs.conv = compile(generated.conv);
  programs.filter = filter.get();
  if (gradient.valid()) programs.filter_gradient = gradient.get();
  if (magnitudes.valid()) programs.magnitudes = magnitudes.get();
  if (scaling.valid()) programs.scaling = scaling.get();
  return programs;
}

}  // namespace

std::shared_ptr<const Kernel> Registry::build_for_gpu(const KernelKey& key) {
  check_driver_version();
  Generated generated = parts_.generate(key.config);
  const auto compile = [compiler = compiler_, arch = key.config.arch](const GeneratedKernel& kernel) {
    return compiler->compile(kernel, arch).cubin;
  };
  const auto cubins = compile_all<KernelCubins>(generated, compile);
  return std::make_shared<LoadedKernel>(device(key.device), std::move(generated), cubins, compile);
}

std::shared_ptr<const Kernel> Registry::build_for_host(const KernelKey& key) {
  Generated generated = parts_.generate(key.config);
  const auto compile = [compiler = host_compiler_, arch = key.config.arch](const GeneratedKernel& kernel) {
    return compiler->compile(kernel, arch);
  };
  auto programs = compile_all<host::Programs>(generated, compile);
  return std::make_shared<host::HostKernel>(std::move(generated), std::move(programs), compile);
}

CompiledProgram Registry::compile(const GeneratedKernel& kernel, std::string_view arch) {
  return compiler_->compile(kernel, arch);
}

}  // namespace ffc
