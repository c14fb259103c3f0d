// Two launches in the place of one.
#include "kernel_in_parts.hpp"

#include <utility>

#include "backward_launches.hpp"
#include "launch_check_parts.hpp"

namespace ffc {

KernelInParts::KernelInParts(const ConvConfig& config, std::shared_ptr<const Kernel> convolution,
                             std::shared_ptr<const Kernel> others)
    : convolution_(std::move(convolution)), others_(std::move(others)), generated_(others_->generated()) {
  generated_.config = config;
}

FilterSpectrum KernelInParts::prepare_filter(const FilterView& filter, CUstream stream, Workspace workspace) const {
  return others_->prepare_filter(filter, stream, workspace);
}

SpectrumView KernelInParts::prepare_filter_into(const FilterView& filter, Workspace memory, Workspace workspace,
                                                CUstream stream) const {
  return others_->prepare_filter_into(filter, memory, workspace, stream);
}

void KernelInParts::launch(const LaunchArguments& arguments, CUstream stream) const {
  others_->launch(arguments, stream);  // which refuses
}

void KernelInParts::launch_backward(const BackwardArguments& arguments, CUstream stream) const {
  check_backward(generated_, device(), arguments);
  const bool takes = convolution_->takes(arguments.input_magnitudes);
  if (!takes && config().scaling == Scaling::given)
    refuse(generated_,
           "input_magnitudes.row_stride is {} but dv comes of a kernel that takes one magnitude of a "
           "channel's rows; it must be 0",
           arguments.input_magnitudes.row_stride);
  BackwardArguments others = arguments;
  others.dv = {};
  others_->launch_backward(others, stream);
  LaunchArguments of_dv;
  of_dv.u = arguments.u, of_dv.w = arguments.w, of_dv.v = arguments.dy;
  of_dv.y = arguments.dv;
  of_dv.spectrum = arguments.spectrum;
  if (takes) of_dv.input_magnitudes = arguments.input_magnitudes;  // else it finds them
  of_dv.batch = arguments.batch, of_dv.channels = arguments.channels;
  of_dv.workspace = arguments.workspace;
  convolution_->launch(of_dv, stream);
}

void KernelInParts::update_scaling(const Workspace& memory, const ScalingArguments& arguments, CUstream stream) const {
  others_->update_scaling(memory, arguments, stream);
}

void KernelInParts::clear(const Workspace& memory, CUstream stream) const { others_->clear(memory, stream); }

}  // namespace ffc
