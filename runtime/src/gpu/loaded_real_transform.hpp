// A real transform on one GPU.
#pragma once

#include <memory>
#include <string>

#include "cuda_device.hpp"
#include "ffc/runtime/real_transform.hpp"
#include "loaded_entry.hpp"

namespace ffc {

/// What get_real_transform hands out for a GPU.
class LoadedRealTransform final : public RealTransform {
 public:
  /// Throws DriverError.
  LoadedRealTransform(std::shared_ptr<const CudaDevice> device, GeneratedRealTransform generated,
                      const std::string& cubin);
  ~LoadedRealTransform() override;

  [[nodiscard]] const GeneratedRealTransform& generated() const override { return generated_; }
  [[nodiscard]] int device() const override { return device_->ordinal(); }
  void run(const RealTransformRows& rows, const Workspace& workspace, CUstream stream) const override;

 private:
  std::shared_ptr<const CudaDevice> device_;
  GeneratedRealTransform generated_;
  std::unique_ptr<LoadedEntry> entry_;
};

}  // namespace ffc
