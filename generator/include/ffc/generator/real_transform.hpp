// Between float32 taps and spectra in standard order: what of, and how the kernels are launched.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"

namespace ffc {

/// A transform between a row of taps k and its spectrum K, frequencies 0 to N / 2 in order, complex64:
/// forward `k = irfft(K, n = N)[0 : taps]`, backward the gradient of that, from dk to dK.
///
/// The gradient of a complex number is that by its real part plus i times that by its imaginary part, as in PyTorch:
/// dK[f] = c / N times rfft(dk, n = N)[f], c being 1 at frequency 0 and at N / 2 where N is even, and 2 elsewhere.
/// Imaginary parts of those two frequencies are not read, and their gradients are 0.
struct RealTransformConfig {
  std::int64_t length = 0;  ///< N, 16 to 16777216, any
  std::int64_t taps = 0;    ///< of a row, 1 to N; 0 means N. Those behind are not written, and backward are zeros.
  Pass pass = Pass::forward;
  std::string arch = {};  ///< "sm_90a", ...; empty: `get_real_transform` takes it from the device.

  friend bool operator==(const RealTransformConfig&, const RealTransformConfig&) = default;
};

/// Checks every field and fills in `taps`. Throws ConfigError naming the field, its value and the right range.
[[nodiscard]] RealTransformConfig normalised(const RealTransformConfig& config);

/// The config as one line of `field=value` pairs.
[[nodiscard]] std::string to_string(const RealTransformConfig& config);

/// The argument of every entry, passed by value; real_transform_arguments.cuh declares the same struct. Pointers are
/// device memory, those of the launch's first channel.
struct RealTransformArguments {
  const float* from = nullptr;                                  ///< spectra forward, gradients of taps backward
  float* to = nullptr;                                          ///< taps forward, gradients of spectra backward
  void* workspace = nullptr;                                    ///< GeneratedRealTransform::workspace_bytes
  std::int64_t from_channel_stride = 0, to_channel_stride = 0;  ///< in floats
  std::int32_t channels = 0;                                    ///< of the launch
  std::int32_t step = 0;
};

/// Which rows of the workspace a step works at.
enum class StepRows {
  channels,            ///< those of the launch
  channels_and_chirp,  ///< and the one behind them
  chirp                ///< that one alone
};

/// One launch: a grid of `shares` blocks for each of its rows, which are the grid's y; with one step they are its x.
struct RealTransformStep {
  int shares = 1;
  StepRows rows = StepRows::channels;
};

/// All that is made from one config. A pure function of the config: the same config gives the same bytes.
struct GeneratedRealTransform {
  RealTransformConfig config;  ///< normalised, arch named
  GeneratedKernel kernel;      ///< RealTransformArguments
  std::vector<RealTransformStep> steps;
  std::int64_t row_bytes = 0;  ///< of the workspace; 0: a block holds the transform, and needs none
  int most_channels = 1;       ///< of a launch: as many as 128 MB of workspace serve, and at least 1

  /// Floats of a row that is read and of one that is written.
  [[nodiscard]] std::int64_t from_floats() const;
  [[nodiscard]] std::int64_t to_floats() const;
  /// Device bytes that so many channels need beside their rows.
  [[nodiscard]] std::int64_t workspace_bytes(int channels) const;
};

/// Emits the kernel for a config whose arch is named. Throws ConfigError.
[[nodiscard]] GeneratedRealTransform generate_real_transform(const RealTransformConfig& config);

}  // namespace ffc
