// Arguments of kernels that make a report, from those of kernels that make none.
#pragma once

#include <cstddef>

#include "ffc/generator/generated_kernel.hpp"

namespace ffc {

// The emitted text declares the same (templates/arguments/*_reporting.cuh, templates/report/channel_report.cuh).
static_assert(sizeof(ChannelReport) == 16 && sizeof(ReportingConvArguments) == 144 &&
              sizeof(ReportingStreamArguments) == 192 && sizeof(ReportingGradientArguments) == 280);

/// The records of the channels from `first` on.
[[nodiscard]] inline ChannelReport* report_from(ChannelReport* report, int first) {
  return report == nullptr ? nullptr : report + first;
}

[[nodiscard]] inline ReportingConvArguments reporting(const ConvArguments& values, ChannelReport* report) {
  return {values, report};
}
[[nodiscard]] inline ReportingGradientArguments reporting(const GradientArguments& values, ChannelReport* report) {
  return {values, report};
}
[[nodiscard]] inline ReportingStreamArguments reporting(const StreamArguments& values, ChannelReport* report) {
  return {{values.conv, report}, values.u, values.w};
}
[[nodiscard]] inline ReportingSplitArguments reporting(const SplitArguments& values, ChannelReport* report) {
  return {{values.conv, report}, values.workspace, values.progress, values.ring, values.reserved};
}
[[nodiscard]] inline ReportingSplitGradientArguments reporting(const SplitGradientArguments& values,
                                                               ChannelReport* report) {
  return {{values.conv, report}, values.workspace,        values.progress, values.ring,
          values.slices,         values.channels_at_once, values.reserved};
}

/// Calls launch(arguments of a kernel that makes a report where there is memory for it).
template <class Arguments, class Launch>
void with_report(const Arguments& values, ChannelReport* report, const Launch& launch) {
  if (report == nullptr)
    launch(values);
  else
    launch(reporting(values, report));
}

}  // namespace ffc
