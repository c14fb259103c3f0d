// A kernel of Device::host(): loaded programs, tables, and launches that return when they are done.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "ffc/runtime/host.hpp"
#include "ffc/runtime/kernel.hpp"
#include "host_compiler.hpp"
#include "late.hpp"

namespace ffc::host {

/// The programs of one Generated that every kernel needs.
struct Programs {
  std::shared_ptr<const Program> conv, filter;
  std::shared_ptr<const Program> filter_gradient, magnitudes, scaling;  ///< null where there is none
};

/// What get_kernel hands out for the host.
class HostKernel final : public Kernel {
 public:
  using Compile = std::function<std::shared_ptr<const Program>(const GeneratedKernel& kernel)>;

  /// compile(kernel) is called where the first launch of tensors that lie apart comes.
  HostKernel(Generated generated, Programs programs, Compile compile)
      : generated_(std::move(generated)), programs_(std::move(programs)) {
    if (generated_.apart) apart_.emplace([this, compile = std::move(compile)] { return compile(*generated_.apart); });
  }

  [[nodiscard]] const Generated& generated() const override { return generated_; }
  [[nodiscard]] int device() const override { return Device::host().ordinal(); }
  [[nodiscard]] FilterSpectrum prepare_filter(const FilterView& filter, CUstream stream,
                                              Workspace workspace) const override;
  SpectrumView prepare_filter_into(const FilterView& filter, Workspace memory, Workspace workspace,
                                   CUstream stream) const override;
  void launch(const LaunchArguments& arguments, CUstream stream) const override;
  void launch_backward(const BackwardArguments& arguments, CUstream stream) const override;
  /// launch, with what it counted.
  HostCounts run(const LaunchArguments& arguments, const HostOptions& options) const;
  /// launch_backward, with what the gradients' kernel counted.
  HostCounts run_backward(const BackwardArguments& arguments, const HostOptions& options) const;

 protected:
  void update_scaling(const Workspace& memory, const ScalingArguments& arguments, CUstream stream) const override;
  void clear(const Workspace& memory, CUstream stream) const override;
  [[nodiscard]] int resident_blocks() const override;
  [[nodiscard]] std::size_t ring_bytes() const override;

 private:
  void refuse_stream(CUstream stream) const;
  /// What run(arguments with the magnitudes of their rows) counts, which are found first.
  template <class Arguments, class Run>
  HostCounts measure(const Arguments& arguments, const HostOptions& options, const Run& run) const;
  HostCounts run_measured(const LaunchArguments& arguments, const HostOptions& options) const;
  HostCounts run_backward_measured(const BackwardArguments& arguments, const HostOptions& options) const;
  HostCounts run_split(Launch launch, const ConvArguments& values, const LaunchArguments& arguments) const;
  HostCounts run_split_backward(const BackwardArguments& arguments, const HostOptions& options) const;
  /// One launch of the filter gradient's entry, with the arguments that it takes.
  template <class Arguments>
  void run_filter_gradient(const Arguments& arguments, const LaunchGrid& grid, const Workspace& workspace,
                           const HostOptions& options) const;
  void run_filter(const FilterView& filter, void* spectrum, void* workspace) const;
  void run_filter(Launch launch, const FilterArguments& arguments) const;
  /// A launch of the convolution, or of gradients, of such tensors, but for its arguments and ranges.
  template <class Arguments>
  [[nodiscard]] Launch conv_launch(const Arguments& arguments, const HostOptions& options) const;

  Generated generated_;
  Programs programs_;
  std::optional<Late<std::shared_ptr<const Program>>> apart_;
};

}  // namespace ffc::host
