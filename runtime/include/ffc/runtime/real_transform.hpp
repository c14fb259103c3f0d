// Filters that are given as spectra: to taps, and gradients of taps to those of spectra.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ffc/generator/real_transform.hpp"
#include "ffc/runtime/kernel.hpp"

namespace ffc {

/// Rows that are read and rows that are written, float32 in device memory, a row for each channel. Not owned.
///
/// A spectrum is a row of N / 2 + 1 complex numbers, rounded down: real and imaginary parts in turn, at an address that
/// 8 divides. Taps are a row of RealTransformConfig::taps floats. Forward `from` has spectra and `to` taps, backward
/// `from` gradients of taps and `to` those of spectra. They share no memory, which is checked.
struct RealTransformRows {
  const float* from = nullptr;
  float* to = nullptr;
  int channels = 0;
  std::int64_t from_channel_stride = 0;  ///< elements between rows, of spectra complex numbers; 0: no gaps
  std::int64_t to_channel_stride = 0;
};

/// A compiled transform loaded on one device. Immutable and thread-safe; shared by all who asked for the same config.
class RealTransform {
 public:
  virtual ~RealTransform() = default;

  [[nodiscard]] virtual const GeneratedRealTransform& generated() const = 0;
  [[nodiscard]] const RealTransformConfig& config() const { return generated().config; }
  [[nodiscard]] virtual int device() const = 0;  ///< ordinal; that of Device::host() on the host

  /// Device bytes that a run needs beside its rows: 0 where a block holds a channel's transform, to about N = 32768;
  /// else about 4 N bytes a channel of even and 8 N of odd length, some four times as many where N has a prime factor
  /// above 61; at most some 128 MB, or one channel's where that is more. Throws LaunchError for channels below 1.
  [[nodiscard]] std::size_t workspace_bytes(int channels) const;

  /// Transforms all rows in float32, asynchronously on `stream`. Takes workspace_bytes(channels) of lent workspace, at
  /// an address that 16 divides; without it a stream-ordered allocation is made and given back. Never synchronises,
  /// legal in graph capture. Throws LaunchError before anything is launched, DriverError for what the driver returns.
  virtual void run(const RealTransformRows& rows, const Workspace& workspace = {}, CUstream stream = nullptr) const = 0;
};

/// The transform for a config on a device: as get_kernel finds kernels. Throws ConfigError, CompileError, DriverError.
[[nodiscard]] std::shared_ptr<const RealTransform> get_real_transform(const RealTransformConfig& config,
                                                                      Device device = {});

}  // namespace ffc
