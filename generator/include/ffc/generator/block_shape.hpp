// Threads and memory of a block: of columns, of a cluster, and of rows.
#pragma once

#include <vector>

#include "ffc/generator/plan_language.hpp"

namespace ffc {

/// Where a constant of the kernel lives while the batch is walked.
/// `steps`, of twiddles of long rows: made of a tile of the warp's own and one for each of its rows, in shared memory.
/// `staged`, of the spectrum of long rows: in global memory, each warp copying its tiles ahead to two places of its own
/// in shared memory.
/// `turns`, of sums: in global memory, which the blocks of a cluster add to in turns, the last tiles of each turn in
/// shared memory until the end.
enum class Placement { registers, shared, global, steps, staged, turns };

/// Blocks of a cluster whose sums are placed in `turns`.
inline constexpr int blocks_in_turns = 4;

/// How the ring takes columns of R = 16 x butterfly or 16 x 16 x butterfly: units of warps, each with a tile of columns
/// in shared memory.
struct ColumnShape {
  int products = 1;   ///< digits of 16 that matrix products contract, 1 or 2
  int butterfly = 1;  ///< radix of the digit in the register index, behind them
  int chunks = 8;     ///< of 8 samples (2, 4 or 8), of each row at a time
  int warps = 4;      ///< of a unit
  int units = 2;      ///< of a block, beside the warps that work on rows
  int registers = 0;  ///< of a thread, rows having the others; 0: all have as many
  int tiles = 2;      ///< of a unit: the pair that leaves the workspace and the one that comes at once, or in turn

  bool gate_tile = false;  ///< of a unit, one more: gates come asynchronously, as samples do, w and then v

  double rows_share = 1;    ///< of the work on rows of frequencies, what a mask leaves
  bool few_rows = false;    ///< a mask leaves so few rows of frequencies that one product makes them
  bool light_rows = false;  ///< rows have left half of their warps to more units of columns

  bool shared_matrices = false;  ///< those of the products are in shared memory, where there is room

  [[nodiscard]] int length() const { return 16 * sections(); }  ///< R
  [[nodiscard]] int sections() const { return (products == 2 ? 16 : 1) * butterfly; }
  [[nodiscard]] std::vector<int> radices() const;
  [[nodiscard]] int columns() const { return 8 * chunks; }
  [[nodiscard]] int tile_bytes() const { return 4 * length() * columns(); }  ///< of both parts
  [[nodiscard]] int unit_bytes() const { return (tiles + (gate_tile ? 1 : 0)) * tile_bytes(); }
  [[nodiscard]] int threads() const { return 32 * warps * units; }  ///< of a block
  [[nodiscard]] int matrices_bytes() const { return 2048 * (sections() + (products == 2 ? butterfly : 0)); }
  /// Shared memory of a block's columns.
  [[nodiscard]] int shared_bytes() const { return units * unit_bytes() + (shared_matrices ? matrices_bytes() : 0); }
};

/// How a cluster takes columns of R, its blocks: as butterflies in registers. The first threads of each block take a
/// share of them, of every row a chunk at a time.
struct ClusterShape {
  int blocks = 4;  ///< R = 2, 4 or 8
  int warps = 4;   ///< of a block, beside those that work on rows

  [[nodiscard]] int length() const { return blocks; }
  [[nodiscard]] std::vector<int> radices() const { return {blocks}; }
  [[nodiscard]] int threads() const { return 32 * warps; }
  [[nodiscard]] int chunk_words() const { return blocks > 4 ? 2 : 4; }  ///< of two samples, in a chunk
  /// Of shared memory behind that of the rows: two barriers for each of so many pairs.
  [[nodiscard]] static int barrier_bytes(int pairs) { return (16 * pairs + 127) / 128 * 128; }
};

/// Where the products of 8 of a fractional row add up their two halves: as packed values before the second and the last
/// product, in fp16 accumulators of the others; in those of all four; in fp16 and fp32 ones; or all in fp32.
enum class RowSums { rounded, in_accumulators, accumulated, wide };

/// Threads and memory of one block. A group of warps walks over pairs of batch rows independently of other groups.
struct Geometry {
  int warps_per_group = 1;
  int groups = 1;
  int buffers = 1;  ///< pairs of rows in shared memory per group: one computed, the others on their way in
  int blocks_per_sm = 1;
  bool whole_rows = false;  ///< copies whole rows, at two more barriers a pair; else each warp its own columns
  Placement twiddle = Placement::shared;  ///< factors between outer and inner digits
  Placement spectrum = Placement::shared;
  Placement column_factors = Placement::shared;  ///< matrices of the column stages that carry a twiddle
  int staged_rows = 0;        ///< rows of the next pair (0, 1, 2) copied ahead into a stage of their own
  bool gate_at_load = false;  ///< u . w is formed in registers on the way to shared memory, where both do not fit
  int items_at_once = 1;      ///< column tiles that a warp keeps in flight
  int couples_at_once = 1;    ///< couples of rows that a warp keeps in flight
  Placement sums = Placement::registers;  ///< backward: of conj(Z) G over the pairs that a block walks over
  bool walks_channels = false;  ///< blocks walk over channels too, and no slot of a multiprocessor is idle at their end
  int frequencies = 1;          ///< of a four-step transform's rows: of which a block keeps the factors, 1 or 2
  bool in_turn = false;         ///< backward: u's rows and dy's take turns in one buffer, and Z waits in global memory

  [[nodiscard]] int group_threads() const { return 32 * warps_per_group; }
  [[nodiscard]] int threads() const { return group_threads() * groups; }
};

/// Byte offsets in a block's shared memory (tiled family).
struct SharedMap {
  int pairs = 0;         ///< of rows, from its beginning on: a group's buffers, or a ring of all groups of a cluster
  int plane_bytes = 0;   ///< one real row of a pair
  int buffer_bytes = 0;  ///< one pair: two planes
  int stage_plane_bytes = 0;  ///< one row of the stage
  int stage_offset = 0;
  int gate_offset = 0;  ///< in-gate rows, laid out like the buffers
  int twiddle_offset = 0;
  int column_twiddle_offset = 0;  ///< radix 8: vectors; else matrices that carry the twiddle
  int spectrum_offset = 0;
  int sums_offset = 0;
  int resident_couples = 0;   ///< backward, where not all sums fit: couples of each warp whose sums are here
  int turns_offset = 0;       ///< of each turn two barriers of 8 bytes
  int factors_bytes = 0;      ///< of one of two frequencies: twiddles and matrices, from those of the first on
  int shifts_offset = 0;      ///< where registers have no room for them: twiddles of the samples 256 apart
  int ends_offset = 0;        ///< of rows that are delayed past the last point: what comes round of them
  int magnitudes_offset = 0;  ///< where warps of a group tell each other how large rows are: a word each
  int total = 0;
};

}  // namespace ffc
