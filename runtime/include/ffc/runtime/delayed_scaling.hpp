// Magnitudes of rows from the reports of the steps before: delayed scaling.
#pragma once

#include <cstddef>
#include <memory>

#include "ffc/runtime/kernel.hpp"

namespace ffc {

/// How magnitudes follow what launches report. All are of each channel and tensor by itself.
struct DelayedScalingOptions {
  int window = 8;    ///< steps whose largest magnitude counts, 1 to 1024
  int headroom = 2;  ///< log2 of the room above it that is left for the next step, 0 to 8
  /// log2 of the room that is added where results left the range although rows were no larger than said, 0 to 8. Rows
  /// that were larger explain it: they are in the window, and the next step has room for them.
  int backoff = 2;
  int most_backoff = 4;  ///< log2 of all the room that is added so, `backoff` to 8
  int recovery = 64;     ///< steps without such an overflow after which half of that room is given back, 1 or more
  int patience = 2;      ///< steps in a row with rows 2^8 below their magnitude that empty the window, 1 or more
};

/// Follows how large rows of u . w and of dy . v are, channel by channel, from what launches report, and lends them to
/// the next launches of kernels with Scaling::given. Everything is in device memory: a step neither synchronises nor
/// allocates, and may be captured into a graph.
///
///     DelayedScaling scaling(forward, memory, channels);        // memory: DelayedScaling::bytes(channels) of them
///     scaling.reset(stream);
///     for each step:
///       arguments.input_magnitudes = scaling.input_magnitudes(), arguments.report = scaling.report();
///       forward->launch(arguments, stream);                     // and backward, with gradient_magnitudes() too
///       scaling.update(stream);                                 // then drop the step where status()->drop says so
///
/// A step whose rows are more than 2^3 above their magnitude may overflow, which `drop` says, and one whose rows are
/// more than 2^8 below loses accuracy, which `faint` says; every other one has the accuracy that is documented.
/// Not thread-safe; owns no device memory.
class DelayedScaling {
 public:
  /// Device bytes that it needs for so many channels.
  [[nodiscard]] static std::size_t bytes(int channels, const DelayedScalingOptions& options = {});

  /// `kernel` makes reports (ConvConfig::report), and runs the updates: that of forward or of backward launches on the
  /// same device. `memory` is in device memory, of bytes(channels, options) or more at an address that 16 divides; it
  /// must live until what was launched is done. What it holds is not changed: bytes that were saved go on where they
  /// were. Throws LaunchError for arguments that it cannot run with.
  DelayedScaling(std::shared_ptr<const Kernel> kernel, Workspace memory, int channels,
                 const DelayedScalingOptions& options = {});

  /// As before the first step: nothing has been met, and rows are taken as they are. Asynchronous on `stream`.
  void reset(CUstream stream = nullptr) const;
  /// Behind the launches of a step on the same stream: makes the next one's magnitudes and clears the report.
  /// Asynchronous, one kernel of one block. Throws DriverError for what the driver returns.
  void update(CUstream stream = nullptr) const;

  /// What launches are lent: of the step that comes.
  [[nodiscard]] RowMagnitudes input_magnitudes() const;
  [[nodiscard]] RowMagnitudes gradient_magnitudes() const;
  /// Where launches report to, forward and backward.
  [[nodiscard]] ChannelReport* report() const { return arguments_.report; }
  /// In device memory: what the last update found. Copy it when you like; a later kernel may ask it, too.
  [[nodiscard]] const ScalingStatus* status() const { return arguments_.status; }

 private:
  std::shared_ptr<const Kernel> kernel_;
  Workspace memory_;
  ScalingArguments arguments_;
};

}  // namespace ffc
