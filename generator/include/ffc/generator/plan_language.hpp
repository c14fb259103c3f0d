// The plan language: digits of a transform and the steps over them (generator/README.md, "The plan").
#pragma once

#include <cstdint>
#include <vector>

namespace ffc {

/// One digit of the transform of length M = r1 r2 ... rp, outermost first. With n = sum of n_i stride_i and
/// k = sum of k_i weight_i, contracting n_i against exp(-2 pi i n_i k_i / r_i) turns it into k_i (generator/README.md,
/// "Digits").
struct Digit {
  int radix = 1;
  std::int64_t stride = 1;  ///< product of the radices after it
  std::int64_t weight = 1;  ///< product of the radices before it

  friend bool operator==(const Digit&, const Digit&) = default;
};

/// The verbs of the plan language (generator/README.md, "The plan").
enum class StepKind { load, contract, butterfly, twiddle, exchange, pointwise, accumulate, take_sums, store };

/// Which of a pair's tensors a step works on: the rows that are convolved, or, of a backward plan, those of dy, or the
/// filter's gradient, which a block in one slice makes once a channel.
enum class Tensor { input, gradient, taps };

/// Which operand of the matrix product the data is. Both contract the tile's columns: as A the rows stay rows, as B the
/// new digit becomes the rows and the old rows the columns.
enum class Role { a, b };

/// What an exchange goes through: the shared memory of the block, that of a cluster, or global memory.
enum class Level { block, cluster, grid };

/// One step. `digit` is the contracted one; a twiddle multiplies by exp(-+2 pi i sum_j sum_i k_j n_i / ...) over the
/// digits `done` (already k) and `open` (still n).
struct Step {
  StepKind kind = StepKind::load;
  bool inverse = false;
  int digit = -1;
  Role role = Role::b;
  std::vector<int> done = {};
  std::vector<int> open = {};
  Level level = Level::block;     ///< exchange: through what memory
  Tensor tensor = Tensor::input;  ///< accumulate: both; take_sums: what they take the place of, or taps
};

}  // namespace ffc
