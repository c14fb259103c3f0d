// A backward kernel that is two: dv is a convolution, and another makes the other gradients.
#pragma once

#include <memory>

#include "ffc/runtime/kernel.hpp"

namespace ffc {

/// What get_kernel hands out where gradient_parts() says so.
class KernelInParts final : public Kernel {
 public:
  /// The kernels of the parts of `config`, on one device.
  KernelInParts(const ConvConfig& config, std::shared_ptr<const Kernel> convolution,
                std::shared_ptr<const Kernel> others);

  /// That of the others, for the config of all.
  [[nodiscard]] const Generated& generated() const override { return generated_; }
  [[nodiscard]] int device() const override { return others_->device(); }
  [[nodiscard]] FilterSpectrum prepare_filter(const FilterView& filter, CUstream stream,
                                              Workspace workspace) const override;
  SpectrumView prepare_filter_into(const FilterView& filter, Workspace memory, Workspace workspace,
                                   CUstream stream) const override;
  void launch(const LaunchArguments& arguments, CUstream stream) const override;
  void launch_backward(const BackwardArguments& arguments, CUstream stream) const override;

 protected:
  void update_scaling(const Workspace& memory, const ScalingArguments& arguments, CUstream stream) const override;
  void clear(const Workspace& memory, CUstream stream) const override;
  [[nodiscard]] int resident_blocks() const override { return others_->resident_blocks(); }
  [[nodiscard]] std::size_t ring_bytes() const override { return others_->ring_bytes(); }

 private:
  std::shared_ptr<const Kernel> convolution_, others_;
  Generated generated_;
};

}  // namespace ffc
