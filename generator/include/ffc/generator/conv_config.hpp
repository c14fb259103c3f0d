// What to compute: the one struct that goes through the whole generator.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ffc/generator/frequency_mask.hpp"
#include "ffc/generator/gradients.hpp"

namespace ffc {

/// Element type of u, w, v and y in device memory. Arithmetic inside is fp16 with fp16 or fp32 accumulation.
enum class DataType { fp16, bf16 };

/// How the L samples of a row relate to the FFT length N.
enum class Padding {
  circular,  ///< L = N: y is the circular convolution of length N.
  padded,    ///< L < N: rows are zero-padded to N, the first L outputs are kept.
  causal     ///< y[n] = sum over m <= n of u[m] k[n - m]; N >= L + Lk - 1 is chosen unless it is given.
};

/// Which of the gates w (multiplied into u) and v (multiplied into y) exist.
enum class Gating { none, in, out, both };

/// Type of the tensor cores' accumulators. `automatic` takes the fastest that keeps the documented accuracy; `fp16`
/// forced leaves rows of one block errors of up to 1.2e-3, where 1.0e-3 is promised.
enum class Accumulation { automatic, fp16, fp32 };

/// What brings rows into the range of fp16, in which the arithmetic inside is done: powers of two, and back again.
enum class Scaling {
  automatic,  ///< `found` where rows are bf16 and both exponents 0, so that rows of any size are safe; else `fixed`
  fixed,      ///< those of `input_exponent` and `gradient_exponent`
  given,      ///< those that bring the magnitudes of rows, which launches lend in device memory, to [1, 2)
  /// Those that are found in the launch: of each row its own, of gradients of each two rows, by the kernel, where a
  /// block holds rows or windows (a convolution's pairs in bf16 alone), and past that where bf16 rows allow it;
  /// elsewhere those of `given`, by another kernel ahead, which reads the rows once more.
  found
};

/// What a launch writes beside its results, into memory that it is lent (`ChannelReport`).
enum class Report {
  none,
  magnitudes  ///< of each channel the largest of what went in and of what came out, and what was not finite
};

/// What a kernel computes: the convolution, or gradients of it.
enum class Pass { forward, backward };

/// One convolution, y = v . irfft(rfft(u . w) * rfft(k)), for rows of L samples.
///
/// Batch size, channel count and strides are arguments of the launch and not part of the config, but for the hint
/// `batch`. A skip term d is folded into the filter by `prepare_filter` and needs no field either.
struct ConvConfig {
  /// N, 16 to 16777216; 0 lets the cost model choose (causal only). A causal config whose filter_length is given may
  /// have an N below L + Lk - 1: rows are then taken in windows of N, which L does not bound (windows.hpp).
  std::int64_t fft_length = 0;
  std::int64_t length = 0;  ///< L, samples per row; 0 means N.
  /// Lk, taps per channel, at most N; 0 means N, of causal rows L, for which there must be room.
  std::int64_t filter_length = 0;
  Padding padding = Padding::circular;
  DataType dtype = DataType::fp16;
  Gating gating = Gating::none;
  Accumulation accumulation = Accumulation::automatic;
  /// Forced factorisation of N, 2 to 64 each, outermost digit first; empty lets the cost model choose. A plan has these
  /// digits, or some that compute them: in their order where there are such, else other products of their factors.
  /// PlanSummary::reading and `ffc-gen --plan` say which. Windows and forced columns need a product that tiles have.
  /// With a product of N / 2, which is 256 x 9 or more: that of rows or windows alone, at frequencies k + 1/4.
  std::vector<int> radices;
  /// Launches take the Lk - 1 inputs before each row's first (causal only): segments of a stream.
  bool history = false;
  /// R: forces N = R x M as columns and rows, R = 16 times 1 to 8, 16, 32 or 64, or 2, 4 or 8 in a cluster of R blocks.
  int column_length = 0;
  /// Rows of a channel that launches will have, a hint for the choice of the plan: what an odd one out costs differs.
  /// 0, an even number and more than 16 are the same; any batch may be launched. 1 and a forced column_length: rows go
  /// through the workspace one by one, and not in pairs. Of gradients 1 and 2: past one block, taps without sums
  /// (generator/README.md, "Sums past one block"); of short rows in one block an even number up to 8 is as good as
  /// another, and blocks are for few.
  int batch = 0;
  /// Takes the plan that stands so many places behind the first one in the list of `rank_plans` and `ffc-gen --plan`:
  /// to see what it takes. The spectrum is that plan's own.
  int runner_up = 0;
  int row_alignment = 0;   ///< bytes (2, 4, 8, 16) that every row's address is a multiple of; 0 derives it from L.
  int input_exponent = 0;  ///< rows are scaled by 2^input_exponent (-24 to 15, bf16 24) inside and back again.
  Scaling scaling = Scaling::automatic;  ///< with `given` and `found` both exponents must be 0.
  Report report = Report::none;          ///< of all plans but digit by digit, which is not chosen then.
  /// Frequencies of the filter that are kept, of fft_length; empty keeps all. A causal row is whole then: no windows,
  /// no history, and length + filter_length - 1 within fft_length.
  FrequencyMask mask;
  std::string arch;  ///< "sm_90a", ...; empty: `get_kernel` takes it from the device.
  Pass pass = Pass::forward;
  Gradients gradients;        ///< backward alone; what is not wanted is not computed.
  int gradient_exponent = 0;  ///< backward alone: dy is scaled by 2^gradient_exponent inside and back again.

  friend bool operator==(const ConvConfig&, const ConvConfig&) = default;
};

/// Checks every field and fills in those that were left to default (length, filter_length, row_alignment). Gradients of
/// gates that do not exist are dropped; of a forward config all gradients are what they are by default.
/// `fft_length` stays 0 for a causal config that leaves the choice to the plan.
/// Throws ConfigError naming the field, its value and the right range.
[[nodiscard]] ConvConfig normalised(const ConvConfig& config);

/// The config as one line of `field=value` pairs: equal for equal normalised configs and only for those.
[[nodiscard]] std::string to_string(const ConvConfig& config);
[[nodiscard]] std::string_view to_string(DataType dtype);
[[nodiscard]] std::string_view to_string(Padding padding);
[[nodiscard]] std::string_view to_string(Gating gating);
[[nodiscard]] std::string_view to_string(Accumulation accumulation);
[[nodiscard]] std::string_view to_string(Scaling scaling);
[[nodiscard]] std::string_view to_string(Report report);

/// "fp16" or "bf16"; throws ConfigError for anything else.
[[nodiscard]] DataType parse_dtype(std::string_view text);

/// "automatic", "fixed", "given" or "found"; throws ConfigError for anything else.
[[nodiscard]] Scaling parse_scaling(std::string_view text);

[[nodiscard]] constexpr bool has_in_gate(Gating gating) { return gating == Gating::in || gating == Gating::both; }
/// Rows of u are multiplied by a power of two inside.
[[nodiscard]] inline bool scales_input(const ConvConfig& config) {
  return config.input_exponent != 0 || config.scaling != Scaling::fixed;
}
/// The same of rows of dy.
[[nodiscard]] inline bool scales_gradient(const ConvConfig& config) {
  return config.gradient_exponent != 0 || config.scaling != Scaling::fixed;
}

[[nodiscard]] constexpr bool has_out_gate(Gating gating) { return gating == Gating::out || gating == Gating::both; }

}  // namespace ffc
