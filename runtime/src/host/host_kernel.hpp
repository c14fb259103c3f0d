// A kernel of Device::host(): loaded programs, tables, and launches that return when they are done.
#pragma once

#include <memory>

#include "ffc/runtime/host.hpp"
#include "ffc/runtime/kernel.hpp"
#include "host_compiler.hpp"

namespace ffc::host {

/// What get_kernel hands out for the host.
class HostKernel final : public Kernel {
 public:
  HostKernel(Generated generated, std::shared_ptr<const Program> conv, std::shared_ptr<const Program> filter)
      : generated_(std::move(generated)), conv_(std::move(conv)), filter_(std::move(filter)) {}

  [[nodiscard]] const Generated& generated() const override { return generated_; }
  [[nodiscard]] int device() const override { return Device::host().ordinal(); }
  [[nodiscard]] FilterSpectrum prepare_filter(const FilterView& filter, CUstream stream,
                                              Workspace workspace) const override;
  void launch(const LaunchArguments& arguments, CUstream stream) const override;
  /// launch, with what it counted.
  HostCounts run(const LaunchArguments& arguments, const HostOptions& options) const;

 private:
  void refuse_stream(CUstream stream) const;
  void run_filter(Launch launch, const FilterArguments& arguments) const;

  Generated generated_;
  std::shared_ptr<const Program> conv_, filter_;
};

}  // namespace ffc::host
