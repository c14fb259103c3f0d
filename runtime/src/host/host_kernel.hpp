// A kernel of Device::host(): loaded programs, tables, and launches that return when they are done.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "ffc/runtime/host.hpp"
#include "ffc/runtime/kernel.hpp"
#include "host_compiler.hpp"

namespace ffc::host {

/// A program that is compiled when a launch first asks for it: few launches do, and compilers for the host are slow.
class LateProgram {
 public:
  /// compile(kernel) is called at most once, if it does not throw.
  LateProgram(GeneratedKernel kernel,
              std::function<std::shared_ptr<const Program>(const GeneratedKernel& kernel)> compile)
      : kernel_(std::move(kernel)), compile_(std::move(compile)) {}

  /// Thread-safe. Throws CompileError.
  [[nodiscard]] const Program& get() const {
    std::call_once(once_, [this] { program_ = compile_(kernel_); });
    return *program_;
  }

 private:
  GeneratedKernel kernel_;
  std::function<std::shared_ptr<const Program>(const GeneratedKernel&)> compile_;
  mutable std::once_flag once_;
  mutable std::shared_ptr<const Program> program_;
};

/// The programs of one Generated.
struct Programs {
  std::shared_ptr<const Program> conv, filter;
  std::shared_ptr<const Program> filter_gradient, magnitudes, scaling;  ///< null where there is none
  std::shared_ptr<const LateProgram> apart;                             ///< likewise
};

/// What get_kernel hands out for the host.
class HostKernel final : public Kernel {
 public:
  HostKernel(Generated generated, Programs programs)
      : generated_(std::move(generated)), programs_(std::move(programs)) {}

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
};

}  // namespace ffc::host
