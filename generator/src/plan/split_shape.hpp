// What follows from a plan of columns and rows: sizes, and how its columns are copied.
#pragma once

#include <cstddef>
#include <cstdint>

#include "column_shares.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// The warps of a unit take the chunks of a section two at a time.
[[nodiscard]] bool pairs_chunks(const ColumnShape& columns);

/// The config of a split plan's rows: complex rows of M points in the workspace, as planes of fp16.
[[nodiscard]] ConvConfig row_config(const ConvConfig& config, const ColumnsAndRowsPlan& plan);
/// The same before there is a plan: of rows of that length behind so many digits of columns.
[[nodiscard]] ConvConfig row_config(const ConvConfig& config, std::int64_t row_length, std::size_t column_digits);

/// Complex columns that a place of the ring has: M, or half as many of single rows.
[[nodiscard]] std::int64_t columns_of_place(const FourStepPlan& plan);

/// Whether the products of columns leave out the upper half of the samples, which is padding.
[[nodiscard]] bool halves_samples(const FourStepPlan& plan);

/// A block's threads, and bytes of dynamic shared memory, of columns and rows together. A cluster's columns are in
/// registers.
[[nodiscard]] int split_threads(const FourStepPlan& plan);
[[nodiscard]] int split_threads(const ClusterPlan& plan);

[[nodiscard]] int split_shared_bytes(const FourStepPlan& plan);
[[nodiscard]] int split_shared_bytes(const ClusterPlan& plan);

/// A unit has one tile, where samples of one part come in while results of the other leave. As measured on an H200: 1
/// to 7% faster, but not where rows go one by one, or where threads have so few registers that it makes more of them
/// spill.
[[nodiscard]] bool parts_take_turns(const FourStepPlan& plan);

/// Rows alone come in where imaginary parts will be, beside the results of the tile that leaves, whose own have been
/// read. A unit that has a tile for gates has one for either way.
[[nodiscard]] bool samples_beside(const ConvConfig& config, const FourStepPlan& plan);

/// Where samples that come in meet their gates.
enum class InGates {
  none,    ///< they have none
  tile,    ///< the unit has one more tile, where gates lie as samples do
  beside,  ///< rows alone take one plane of a tile: gates come into the other
  on_way   ///< samples and gates come through registers on their way to a tile
};
[[nodiscard]] InGates in_gates(const ConvConfig& config, const FourStepPlan& plan);

/// Samples come through registers on their way to a tile, where they are gated and scaled.
[[nodiscard]] inline bool converts_on_way(const ConvConfig& config, const FourStepPlan& plan) {
  return in_gates(config, plan) == InGates::on_way;
}

/// Gates are copied as samples are, and met when these are read from their tile.
[[nodiscard]] inline bool copies_in_gates(const ConvConfig& config, const FourStepPlan& plan) {
  const InGates gates = in_gates(config, plan);
  return gates == InGates::tile || gates == InGates::beside;
}

/// They lie where results do, and so come when these have left.
[[nodiscard]] inline bool gates_follow_results(const ConvConfig& config, const FourStepPlan& plan) {
  return in_gates(config, plan) == InGates::beside && samples_beside(config, plan);
}

/// Samples are made packed fp16 when they are read from their tile, unless they have been on the way there.
[[nodiscard]] bool converts_in_tile(const ConvConfig& config, const FourStepPlan& plan);

/// Of how many of a block's rows of frequencies each group has the sums in shared memory, behind everything else: all
/// where a device has the usual number of blocks, if there is room for them. `config` is the kernel's.
[[nodiscard]] int held_sums(const ConvConfig& config, const FourStepPlan& plan);

/// Bytes of dynamic shared memory that a block of that kernel is launched with.
[[nodiscard]] int kernel_shared_bytes(const ConvConfig& config, const FourStepPlan& plan);

/// Rows of a tile that products take: those that they leave out are not loaded.
[[nodiscard]] int loaded_rows(const FourStepPlan& plan);

/// Rows of a tile that have samples.
[[nodiscard]] int sample_rows(const FourStepPlan& plan);

/// Rows of a tile that a unit copies at a time, a chunk a thread: `copied_rows` of the emitted text.
[[nodiscard]] int copied_rows(const FourStepPlan& plan);

/// `loads_at_once` and `stores_at_once` of the emitted text.
[[nodiscard]] measured::CopyPace copy_pace(const FourStepPlan& plan);

/// Whether turns compute their addresses anew, which threads of few registers would compute ahead of all turns and
/// spill, and those of gradients with gates, which have rows of four tensors.
[[nodiscard]] bool computes_anew(const ConvConfig& config, const FourStepPlan& plan);

}  // namespace ffc
