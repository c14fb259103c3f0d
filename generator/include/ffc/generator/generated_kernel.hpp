// What the generator hands to the runtime: source text, constant tables, and how to launch.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/kernel_arguments.hpp"
#include "ffc/generator/packing.hpp"
#include "ffc/generator/windows.hpp"

namespace ffc {

/// One emitted program: a self-contained .cu text with one `extern "C" __global__` entry of the same name.
struct GeneratedKernel {
  std::string name;                   ///< entry point; the same in profiler, cache, log and dump
  std::string source;                 ///< full text, includes nothing
  std::vector<std::string> options;   ///< NVRTC options beside --gpu-architecture
  std::vector<std::uint32_t> tables;  ///< constants that the entry reads through `arguments.tables` (device memory)
  int threads = 0;                    ///< threads per block (one-dimensional)
  int shared_bytes = 0;               ///< dynamic shared memory per block
  int cluster = 1;                    ///< blocks that reach into each other's shared memory: a cluster of the grid's x
  bool overlaps = false;              ///< made for programmatic dependent launch behind another launch of itself
};

/// How gradients are launched: the backward entry (Generated::conv, GradientArguments) over (channels, slices of the
/// batch), then, where there are sums that stay, `filter_gradient` over the channels. Slices depend on the batch and
/// the channels alone, so that sums are the same to the last bit whatever the device and the workspace.
struct BackwardLaunch {
  std::optional<GeneratedKernel> filter_gradient;  ///< FilterGradientArguments; where dk or dd is wanted
  std::int64_t sums_bytes = 0;                     ///< of a channel and slice; 0 where there are no sums
  std::int64_t sums_bytes_of_taps = 0;  ///< the same where makes_taps(), of those that the block has no room for
  std::int64_t parked_bytes = 0;        ///< of a block: where u's frequencies wait for dy's
  std::int64_t inverse_bytes = 0;       ///< workspace of a block of filter_gradient; 0 where shared memory holds it all
  int inverse_shares = 1;               ///< of a channel: where in steps, most blocks that find work
  int inverse_blocks = 0;               ///< most that it is launched with, or channels where in steps
  int inverse_steps = 1;                ///< its launches; more than 1: LongFilterGradientArguments
  bool overlaps = false;                ///< both entries are made for programmatic dependent launch
  int least_pairs = 1;             ///< of a slice, where the batch has as many and whole waves do not ask for fewer
  int pairs_at_once = 1;           ///< of a slice: by the groups of a block, or by the blocks of a cluster
  int resident_slices = 0;         ///< that an H200 works on at a time; 0: slices depend on the batch alone
  std::optional<Windows> windows;  ///< rows are taken in windows, whose pairs slices share
  bool returns_sums = false;       ///< the backward entry makes taps of them, a channel in one slice
  bool ends_in_taps = false;  ///< it can, where a channel is one slice; the filter's gradient has nothing to do then
  int channels_at_once = 1;   ///< then: that have sums at a time
  int tensors = 0;            ///< of a split plan: complex rows of a pair that share the ring, 1 or 2
  Packing packing = Packing::two_rows;  ///< of batch rows; one alone counts as a pair

  /// Pairs of batch rows of a channel, or rows alone, or of windows: up to 2^30.
  [[nodiscard]] std::int64_t pairs(int batch) const;
  /// Those of a slice of a launch of so many channels: enough of them that the sums cost little beside the rows, or as
  /// many as come out in whole waves of what an H200 holds, and at most 16 slices.
  [[nodiscard]] int pairs_per_slice(int batch, int channels) const;
  /// Slices of so many pairs.
  [[nodiscard]] int slices_of(int batch, int pairs_of_slice) const;
  /// Whether the backward entry makes taps of a launch of so many slices.
  [[nodiscard]] bool makes_taps(int slices) const { return ends_in_taps && slices == 1; }
  [[nodiscard]] int slices(int batch, int channels) const { return slices_of(batch, pairs_per_slice(batch, channels)); }
};

/// How a split plan is launched (generator/README.md, "Past one block"), and one digit by digit that has a place of the
/// ring for each block, of which it counts nothing: one kernel, SplitArguments, a
/// cooperative launch of at most as many blocks as the device holds at once (one an SM), any number from 1. Some warps
/// of a block take columns of samples to rows of frequencies in the workspace and back, others convolve the rows. The
/// workspace is a ring of pairs of batch rows, so its size has nothing to do with B and H: behind `ring` times
/// pair_bytes() come `ring` times progress_bytes of counts, which are zero when the launch begins.
struct SplitLaunch {
  int column_length = 0;        ///< R
  int spectrum_rows = 0;        ///< rows of M frequencies whose spectrum is kept: R / 2 + 1, fewer under a mask; of
                                ///< rows alone at frequencies k + 1/4, which have no mirrors, R
  int place_rows = 0;           ///< rows of M frequencies that a place of the ring holds: R or fewer
  std::int64_t row_length = 0;  ///< M
  Packing packing = Packing::two_rows;  ///< a place of the ring holds packed_rows() of it

  double busy_places = 0;  ///< places of the ring that a block works at, by the tiles and rows it holds of each
  int least_ring = 2;      ///< places; with fewer rows wait for each other

  /// For each place of the ring: a line of memory, and what columns tell rows of their tiles.
  std::int64_t progress_bytes = 128;

  /// Bytes of a place of the ring: real parts, then as many imaginary parts, fp16. Of a pair of rows R x M of each,
  /// without what a mask drops; of a single row, whose frequencies have mirrors, half of that, and of a row alone at
  /// frequencies k + 1/4, R x M.
  [[nodiscard]] std::int64_t pair_bytes() const { return std::int64_t{4} * place_rows * row_length; }
  [[nodiscard]] std::int64_t workspace_bytes(std::int64_t ring) const { return ring * (pair_bytes() + progress_bytes); }
  /// Pairs of a launch, or single rows: rows of all channels follow each other, so that only the last one of all may be
  /// without a partner.
  [[nodiscard]] std::int64_t pairs(int batch, int channels) const {
    const std::int64_t rows = std::int64_t{batch} * channels;
    const int of_place = packed_rows(packing);
    return (rows + of_place - 1) / of_place;
  }
  /// The places with which so many blocks were measured to be fastest on an H200: those that they work at and somewhat
  /// more, so that few wait for each other; of pairs as many as `cached_bytes` hold where those are more. Of rows alone
  /// at frequencies k + 1/4 no more than they work at where half as much memory again does not hold the others too.
  [[nodiscard]] std::int64_t wanted_ring(int blocks, std::int64_t cached_bytes) const {
    constexpr double spare = 1.4, more_rows = 1.1;
    const double busy = busy_places * blocks;
    const bool alone = are_alone(packing);
    auto places = static_cast<std::int64_t>((alone ? more_rows : 1) * busy + spare);
    if (!alone) places = std::max(places, cached_bytes / pair_bytes());
    if (packing == Packing::right_angle && 2 * places * pair_bytes() > 3 * cached_bytes)
      places = std::min(places, static_cast<std::int64_t>(std::ceil(busy)));
    return std::max<std::int64_t>(places, least_ring);
  }
  /// The pairs that a workspace holds.
  [[nodiscard]] std::int64_t ring_of(std::int64_t workspace_bytes) const {
    return workspace_bytes / (pair_bytes() + progress_bytes);
  }
};

/// Which inputs y may lie over, exactly: what is read again must still be there.
enum class InPlace {
  any,      ///< u, w or v: a row is read before its y is written, and a sample of v just before that of y
  out_gate  ///< v alone: windows read samples of u and w again
};

/// Everything made from one config. A pure function of the config: the same config gives the same bytes.
struct Generated {
  ConvConfig config;     ///< normalised, arch named
  std::string name;      ///< that of `conv`
  GeneratedKernel conv;  ///< the convolution, or gradients
  /// Of rows that are delayed (generator/README.md, "Rows at any address"): `conv` for tensors whose rows do not begin
  /// as far behind lines of 16 bytes as each other. It reads the tables of `conv`. Without it `conv` takes all.
  std::optional<GeneratedKernel> apart;
  std::optional<SplitLaunch> split;        ///< of a plan with a workspace: how `conv` is launched
  std::optional<Windows> windows;          ///< of rows in windows; StreamArguments where there is a history
  std::optional<BackwardLaunch> backward;  ///< of a backward config: how `conv` is launched, and what follows it
  GeneratedKernel filter;                  ///< k (H, Lk) float32 to the spectrum in the convolution's own order
  /// With Scaling::found, where `conv` does not find how large rows are: MagnitudeArguments, launched ahead of it. It
  /// takes what this finds as it takes magnitudes with Scaling::given.
  std::optional<GeneratedKernel> magnitudes;
  /// `conv` takes magnitudes of each batch row (RowMagnitudes::row_stride), and `magnitudes` finds those: past one
  /// block, but not digit by digit. Two rows that are a pair, of gradients or in a cluster, have the power of two of
  /// the larger one. Else it takes one of a channel.
  bool magnitudes_of_rows = false;
  /// With ConvConfig::report: what makes the next step's magnitudes of this one's report, ScalingArguments.
  std::optional<GeneratedKernel> scaling;
  std::int64_t transform_length = 0;  ///< length of the transform that runs; N, or a good length that N is folded into
  std::int64_t spectrum_row_bytes = 0;  ///< spectrum memory per channel, a multiple of 16
  int filter_steps = 1;   ///< launches of the filter entry for a chunk of channels; more than 1: LongFilterArguments
  int filter_shares = 1;  ///< of a channel: where filter_steps is more than 1, most blocks that find work
  std::int64_t filter_workspace_bytes_per_block = 0;  ///< per channel where filter_steps is more than 1
  /// Bounds the workspace: most blocks the filter entry is launched with; where filter_steps is more than 1, most
  /// channels of a chunk, as many as 128 or 256 MB of workspace serve and at least 1.
  int filter_blocks = 1;
  std::string spectrum_tag;             ///< equal for kernels that may share a spectrum
  int blocks_per_sm = 1;                ///< that the plan counts on
  int groups_per_block = 1;             ///< groups of threads that each walk over pairs of batch rows on their own
  Packing packing = Packing::two_rows;  ///< how rows, or windows, become complex ones
  bool walks_channels = false;          ///< blocks walk over channels; else each has one
  InPlace in_place = InPlace::any;
};

}  // namespace ffc
