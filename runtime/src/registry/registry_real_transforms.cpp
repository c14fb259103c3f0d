// Real transforms: memory first, then disk, then the compiler.
#include "host_real_transform.hpp"
#include "loaded_real_transform.hpp"
#include "registry.hpp"

namespace ffc {

std::size_t Registry::RealTransformKeyHash::operator()(const RealTransformKey& key) const {
  std::size_t hash = std::hash<std::string>()(key.config.arch);
  for (const std::int64_t value :
       {key.config.length, key.config.taps, static_cast<std::int64_t>(key.config.pass), std::int64_t{key.device}})
    hash = (hash ^ static_cast<std::size_t>(value)) * 0x9e3779b97f4a7c15u;
  return hash;
}

std::shared_ptr<const RealTransform> Registry::get_real_transform(const RealTransformConfig& config, Device device) {
  const RealTransformKey key{normalised(config), resolve_device(device)};  // two ways to write one are the same
  return real_transforms_.get(key, [&] { return build(key); });
}

std::shared_ptr<const RealTransform> Registry::build(const RealTransformKey& key) {
  RealTransformConfig config = key.config;
  config.arch = arch_on(key.device, config.arch);
  const bool on_host = key.device == Device::host().ordinal();
  if (!on_host) check_driver_version();
  GeneratedRealTransform generated = generate_real_transform(config);
  if (on_host) {
    auto program = host_compiler_->compile(generated.kernel, config.arch);
    return std::make_shared<host::HostRealTransform>(std::move(generated), std::move(program));
  }
  const std::string cubin = compiler_->compile(generated.kernel, config.arch).cubin;
  return std::make_shared<LoadedRealTransform>(device(key.device), std::move(generated), cubin);
}

std::shared_ptr<const RealTransform> get_real_transform(const RealTransformConfig& config, Device device) {
  return Registry::instance().get_real_transform(config, device);
}

}  // namespace ffc
