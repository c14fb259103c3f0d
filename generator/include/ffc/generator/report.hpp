// What launches report, and what follows it from step to step: as they lie in device memory.
#pragma once

#include <cstdint>

namespace ffc {

/// What a launch with `ConvConfig::report` met of a channel: magnitudes, in device memory. The launch raises what is
/// there, so that several may share a record; who lends it begins with zeros. A NaN is larger than an infinity, and
/// both than what is finite.
struct ChannelReport {
  float input = 0;      ///< the largest |u . w|, of samples as stored, or of their products with the gate
  float gradient = 0;   ///< the largest |dy . v|, of a launch of gradients
  float output = 0;     ///< the largest |y|, as stored: not finite where a result, or one before it, left the range
  float gradients = 0;  ///< the same of du, dw and dv; a NaN, too, where sums that become dk or dd are not finite
};

/// What follows a channel's rows of one tensor from step to step (ScalingArguments).
struct ScalingState {
  std::int32_t room = 0;   ///< log2, beside the headroom, after results have left the range
  std::int32_t calm = 0;   ///< steps since then
  std::int32_t faint = 0;  ///< steps in a row whose rows were too small for the magnitude
  std::int32_t reserved = 0;
};

/// What the steps of a run came to, in device memory.
struct ScalingStatus {
  std::uint32_t steps = 0;    ///< so far
  std::uint32_t dropped = 0;  ///< of them
  /// 1: the last one is to be dropped, as something was not finite: a result, a sum, or a sample to begin with.
  std::uint32_t drop = 0;
  /// 1: rows of a channel were more than 2^8 below the magnitude that they were scaled by; they lost accuracy.
  std::uint32_t faint = 0;
};

/// The argument of the entry that makes magnitudes of reports, passed by value, of one block; scaling_arguments.cuh
/// declares the same struct.
struct ScalingArguments {
  ChannelReport* report = nullptr;  ///< of each channel; zero behind it
  float* magnitudes = nullptr;      ///< of u . w for each channel, then of dy . v
  float* history = nullptr;         ///< `window` times as many
  ScalingState* states = nullptr;   ///< as many as magnitudes
  ScalingStatus* status = nullptr;
  std::int32_t channels = 0;
  std::int32_t window = 1;        ///< steps
  std::int32_t headroom = 0;      ///< log2
  std::int32_t backoff = 0;       ///< log2
  std::int32_t most_backoff = 0;  ///< log2
  std::int32_t recovery = 1;      ///< steps
  std::int32_t patience = 1;      ///< steps
  std::int32_t reserved = 0;      ///< nothing: the struct's size is a multiple of 8
};

}  // namespace ffc
