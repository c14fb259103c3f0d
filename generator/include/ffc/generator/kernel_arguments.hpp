// The arguments of all entries, as the emitted texts declare them too (templates/arguments/): the two change together.
#pragma once

#include <cstdint>

#include "ffc/generator/report.hpp"

namespace ffc {

/// How large rows are: of each channel a bound of the magnitudes of its rows, float32 in device memory, that is at most
/// some 2^8 above the largest one, or 2^3 below it; or one for all channels, or of each row for kernels that take
/// those (Generated::magnitudes_of_rows). The kernel reads it when it runs; of zeros and of what is not
/// finite, and without memory, it takes the rows as they are.
struct RowMagnitudes {
  const float* data = nullptr;
  std::int32_t channel_stride = 0;  ///< elements; 0: one for all channels
  std::int32_t row_stride = 0;      ///< elements between batch rows of a channel; 0: one for all of them
};

/// The argument of every convolution entry, passed by value. Strides are in elements; pointers are device memory.
/// The emitted text declares the same struct (arguments.cuh); the two change together.
struct ConvArguments {
  const void* u = nullptr;
  const void* w = nullptr;
  const void* v = nullptr;
  void* y = nullptr;
  const void* spectrum = nullptr;
  const void* tables = nullptr;
  std::int64_t u_batch_stride = 0, u_channel_stride = 0;
  std::int64_t w_batch_stride = 0, w_channel_stride = 0;
  std::int64_t v_batch_stride = 0, v_channel_stride = 0;
  std::int64_t y_batch_stride = 0, y_channel_stride = 0;
  std::int32_t batch = 0;     ///< B
  std::int32_t channels = 0;  ///< H
  RowMagnitudes input_magnitudes;
};

/// The same of an entry that makes a report, as all arguments of that name: `report` is a record for each channel.
struct ReportingConvArguments {
  ConvArguments conv;
  ChannelReport* report = nullptr;
};

/// Rows of one tensor that are measured, and what they are multiplied by. Strides are in elements.
struct MeasuredRows {
  const void* rows = nullptr;
  const void* gate = nullptr;           ///< null: nothing
  std::uint32_t* magnitudes = nullptr;  ///< out: of each channel, or each of its rows, the bits of a float32
  std::int64_t rows_batch_stride = 0, rows_channel_stride = 0;
  std::int64_t gate_batch_stride = 0, gate_channel_stride = 0;
};

/// The argument of every entry that measures rows, passed by value; magnitude_arguments.cuh declares the same struct.
/// Its grid is (magnitudes, tensors times blocks of a magnitude), those of a channel's rows one behind the other; of
/// more than one block, magnitudes are zero before.
struct MagnitudeArguments {
  MeasuredRows tensors[2];  ///< u . w, and of gradients dy . v
  std::int32_t rows = 0;    ///< of a magnitude: all of a channel, or one
  std::int32_t apart = 1;   ///< magnitudes of a channel: one, or as many as rows
  std::int32_t blocks = 1;  ///< of a magnitude
  std::int32_t reserved = 0;
};

/// The argument of every filter entry (prepare_filter), passed by value; a block for each channel.
struct FilterArguments {
  const float* k = nullptr;     ///< (channels, filter_length) float32
  const float* skip = nullptr;  ///< (channels) float32 d, added to tap 0; may be null
  void* spectrum = nullptr;     ///< out: channels rows of Generated::spectrum_row_bytes
  void* workspace = nullptr;    ///< grid.x times Generated::filter_workspace_bytes_per_block
  const void* tables = nullptr;
  std::int64_t k_channel_stride = 0;  ///< elements
  std::int32_t channels = 0;
  std::int32_t filter_length = 0;
};

/// What comes before the first sample of every row of (B, H, L): `Windows::reach` elements a row, contiguous. Strides
/// are in elements; null stands for zeros.
struct HistoryRows {
  const void* data = nullptr;
  std::int64_t batch_stride = 0, channel_stride = 0;
};

/// The argument of an entry that takes a history; stream_arguments.cuh declares the same struct.
template <class Conv>
struct StreamArgumentsOf {
  Conv conv;
  HistoryRows u, w;  ///< of the tensors of that name
};
using StreamArguments = StreamArgumentsOf<ConvArguments>;
using ReportingStreamArguments = StreamArgumentsOf<ReportingConvArguments>;

/// The argument of every backward entry, passed by value: as ConvArguments. Tensors of gates and gradients that the
/// kernel does not have are null. gradient_arguments.cuh declares the same struct.
struct GradientArguments {
  const void *u = nullptr, *w = nullptr, *v = nullptr, *dy = nullptr;
  void *du = nullptr, *dw = nullptr, *dv = nullptr;
  const void* spectrum = nullptr;
  const void* tables = nullptr;
  void* sums = nullptr;    ///< float32: BackwardLaunch::sums_bytes for each channel and slice
  void* parked = nullptr;  ///< BackwardLaunch::parked_bytes for each block
  std::int64_t u_batch_stride = 0, u_channel_stride = 0;
  std::int64_t w_batch_stride = 0, w_channel_stride = 0;
  std::int64_t v_batch_stride = 0, v_channel_stride = 0;
  std::int64_t dy_batch_stride = 0, dy_channel_stride = 0;
  std::int64_t du_batch_stride = 0, du_channel_stride = 0;
  std::int64_t dw_batch_stride = 0, dw_channel_stride = 0;
  std::int64_t dv_batch_stride = 0, dv_channel_stride = 0;
  std::int32_t batch = 0;
  std::int32_t channels = 0;
  std::int32_t pairs_per_slice = 0;  ///< pairs of batch rows of a block: BackwardLaunch::pairs_per_slice
  std::int32_t makes_taps = 0;       ///< not 0: a channel is one slice, whose block makes taps of its sums
  RowMagnitudes input_magnitudes, gradient_magnitudes;  ///< of u . w, of dy . v
  float* dk = nullptr;                                  ///< where it does: (channels, filter_length) float32; may be
                                                        ///< null
  float* dd = nullptr;                                  ///< there: (channels) float32; may be null
  std::int64_t dk_channel_stride = 0;                   ///< elements
};

struct ReportingGradientArguments {
  GradientArguments conv;
  ChannelReport* report = nullptr;
};

/// The argument of every filter gradient entry, passed by value; grid.x blocks walk over the channels.
struct FilterGradientArguments {
  void* sums = nullptr;       ///< what the backward entry wrote
  float* dk = nullptr;        ///< out: (channels, filter_length) float32; may be null
  float* dd = nullptr;        ///< out: (channels) float32; may be null
  void* workspace = nullptr;  ///< grid.x times BackwardLaunch::inverse_bytes; null where that is 0
  const void* tables = nullptr;
  std::int64_t dk_channel_stride = 0;  ///< elements
  std::int32_t channels = 0;
  std::int32_t slices = 1;
  RowMagnitudes input_magnitudes, gradient_magnitudes;  ///< those of the backward entry
};

/// The argument of a filter gradient entry that is launched once a step (BackwardLaunch::inverse_steps), for a chunk of
/// channels at a time, with a channel for each y of the grid. Pointers are those of the chunk's first channel.
/// filter_gradient_long_arguments.cuh declares the same struct.
struct LongFilterGradientArguments {
  void* sums = nullptr;  ///< rows that hold whole tiles of them take their place
  float* dk = nullptr;
  float* dd = nullptr;
  void* workspace = nullptr;  ///< channels times BackwardLaunch::inverse_bytes, which may be 0
  std::int64_t dk_channel_stride = 0;
  std::int32_t channels = 0;  ///< of the chunk
  std::int32_t slices = 1;
  std::int32_t step = 0;                                ///< 0 to BackwardLaunch::inverse_steps - 1
  std::int32_t reserved = 0;                            ///< nothing: the struct's size is a multiple of 8
  RowMagnitudes input_magnitudes, gradient_magnitudes;  ///< those of the backward entry
};

/// The argument of a split plan's entry; split_arguments.cuh declares the same struct.
template <class Conv>
struct SplitArgumentsOf {
  Conv conv;
  void* workspace = nullptr;
  void* progress = nullptr;   ///< SplitLaunch::progress_bytes for each pair of the ring, zero
  std::int32_t ring = 1;      ///< pairs of rows in the workspace
  std::int32_t reserved = 0;  ///< nothing: the struct's size is a multiple of 8
};
using SplitArguments = SplitArgumentsOf<ConvArguments>;
using ReportingSplitArguments = SplitArgumentsOf<ReportingConvArguments>;

/// The argument of a backward split plan's entry, which is launched as SplitLaunch says, with a ring of single tensors
/// of pairs: at least BackwardLaunch::tensors. split_gradient_arguments.cuh declares the same struct. The
/// sums of channel and slice are spectrum_rows rows of the spectrum, and slice s has the pairs s, s + slices and so on.
template <class Conv>
struct SplitGradientArgumentsOf {
  Conv conv;                  ///< without parked and pairs_per_slice; dk and dd with BackwardLaunch::returns_sums
  void* workspace = nullptr;  ///< as of SplitArguments
  void* progress = nullptr;
  std::int32_t ring = 2;
  std::int32_t slices = 1;
  std::int32_t channels_at_once = 1;  ///< that take turns, a pair each: as many as keep all groups of rows at work
  std::int32_t reserved = 0;          ///< nothing: the struct's size is a multiple of 8
};
using SplitGradientArguments = SplitGradientArgumentsOf<GradientArguments>;
using ReportingSplitGradientArguments = SplitGradientArgumentsOf<ReportingGradientArguments>;

/// The argument of a filter entry that is launched once a step (Generated::filter_steps), for a chunk of channels at a
/// time, with a channel for each y of the grid. Pointers are those of the chunk's first channel.
struct LongFilterArguments {
  const float* k = nullptr;
  const float* skip = nullptr;
  void* spectrum = nullptr;
  void* workspace = nullptr;  ///< channels times Generated::filter_workspace_bytes_per_block
  const void* tables = nullptr;
  std::int64_t k_channel_stride = 0;
  std::int32_t channels = 0;  ///< of the chunk
  std::int32_t filter_length = 0;
  std::int32_t step = 0;  ///< 0 to Generated::filter_steps - 1
};

}  // namespace ffc
