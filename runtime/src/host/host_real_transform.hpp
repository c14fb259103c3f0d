// A real transform of Device::host().
#pragma once

#include <memory>

#include "ffc/runtime/real_transform.hpp"
#include "host_compiler.hpp"

namespace ffc::host {

/// What get_real_transform hands out for the host.
class HostRealTransform final : public RealTransform {
 public:
  HostRealTransform(GeneratedRealTransform generated, std::shared_ptr<const Program> program)
      : generated_(std::move(generated)), program_(std::move(program)) {}

  [[nodiscard]] const GeneratedRealTransform& generated() const override { return generated_; }
  [[nodiscard]] int device() const override { return Device::host().ordinal(); }
  void run(const RealTransformRows& rows, const Workspace& workspace, CUstream stream) const override;

 private:
  GeneratedRealTransform generated_;
  std::shared_ptr<const Program> program_;
};

}  // namespace ffc::host
