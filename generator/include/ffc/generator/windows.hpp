// Overlap-save: long rows in windows of one transform, where the filter is short. Windows alone: generator/README.md,
// "Right-angle convolution".
#pragma once

#include <cstdint>

#include "ffc/generator/packing.hpp"

namespace ffc {

/// How a causal convolution goes over its rows in windows. Window i is a circular convolution of `length` samples: the
/// `step` samples from i x step on, which it makes y of, and before them the halo, which the filter looks back on. A
/// halo is a multiple of 64 samples, so that windows begin at lines of memory; what it has beyond `reach` counts as
/// zeros, so that a window's result depends on no sample that the filter does not reach.
///
/// Gradients turn the filter around: what they make of the new samples looks ahead, on as many samples of dy behind
/// these. In the circle that is the halo seen from the other side. Where dv is wanted beside du or dw, u looks back and
/// dy ahead; where dk is, too, there is a gap between the two, as long as a halo, so that the sums hold no products of
/// what two windows share.
struct Windows {
  std::int64_t length = 0;  ///< N, samples of a window
  std::int64_t step = 0;    ///< new samples of a window, at least 64: N less the halo, and less the gap and dy's halo
  std::int64_t gap = 0;     ///< of gradients: behind the new samples, in front of dy's halo and u's
  std::int64_t reach = 0;   ///< samples that the filter looks back: its taps less one
  std::int64_t count = 0;   ///< windows of a row; the last may have fewer new samples
  bool history = false;     ///< what comes before a row's first sample is an argument of the launch, else zeros
  Packing packing = Packing::two_rows;  ///< at a right angle each is transformed alone, as N / 2 complex points

  /// On one side of the new samples, of u's or of dy's.
  [[nodiscard]] std::int64_t halo() const { return gap > 0 ? gap : length - step; }
  /// The halo's samples that are read: as many as the filter reaches, in whole chunks of 8.
  [[nodiscard]] std::int64_t read_back() const { return (reach + 7) / 8 * 8; }
  /// Pairs of windows of a channel: those of two batch rows in step, and those of a last row without a partner two by
  /// two. Of windows alone, as many as there are.
  [[nodiscard]] std::int64_t pairs(std::int64_t batch) const {
    return are_alone(packing) ? batch * count : batch / 2 * count + batch % 2 * ((count + 1) / 2);
  }

  friend bool operator==(const Windows&, const Windows&) = default;
};

}  // namespace ffc
