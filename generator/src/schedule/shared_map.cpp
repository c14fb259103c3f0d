// What a block's shared memory holds, part by part.
#include "shared_map.hpp"

#include <algorithm>

#include "ffc/generator/arch.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

int aligned(int bytes) { return (bytes + 127) / 128 * 128; }

// The sums of a block's groups meet in its shared memory when all pairs are done.
int least_shared_bytes(const InBlockPlan& plan) {
  return plan.backward.sums && plan.geometry.groups > 1 ? plan.factor_rows() * sums_tile_bytes : 0;
}

// Sums that do not all fit: of so many couples of each warp they do, behind `end` bytes.
int resident_couples(const InBlockPlan& plan, const Arch& arch, int end) {
  const Geometry& geometry = plan.geometry;
  if (adds_in_turns(plan)) return blocks_in_turns;
  if (!plan.backward.sums || geometry.sums != Placement::global) return 0;
  const int room =
      std::min(arch.shared_per_block, arch.shared_per_sm / geometry.blocks_per_sm - Arch::reserved_per_block);
  return std::clamp((room - end) / (geometry.warps_per_group * sums_tile_bytes), 0, plan.couples_per_warp());
}

}  // namespace

SharedMap shared_map(const InBlockPlan& plan, const ConvConfig& config, const Arch& arch, int pairs) {
  constexpr int tile_bytes = 1024, fractional_row_bytes = 1536;
  const Geometry& geometry = plan.geometry;
  SharedMap map;
  map.plane_bytes = plan.slots() * 512;
  map.buffer_bytes = 2 * map.plane_bytes;
  map.pairs = pairs;
  int end = pairs * plan.resident_tensors() * map.buffer_bytes;
  const auto take = [&](bool wanted, int& offset, int bytes) {
    if (!wanted) return;
    offset = end;
    end = aligned(end + bytes);
  };
  map.stage_plane_bytes = plan.loaded_rows() * 512;
  take(geometry.staged_rows > 0, map.stage_offset, geometry.staged_rows * map.stage_plane_bytes);
  take(config.gating != Gating::none && !geometry.gate_at_load, map.gate_offset,
       geometry.groups * geometry.buffers * map.buffer_bytes);
  const auto take_twiddles = [&] {
    take(plan.has_outer_twiddle() && geometry.twiddle == Placement::shared, map.twiddle_offset,
         plan.factor_rows() * (plan.fractional_rows ? fractional_row_bytes : tile_bytes));
  };
  const bool keeps_two = geometry.frequencies > 1;
  if (!keeps_two) take_twiddles();
  take(has_spectrum(plan) && geometry.spectrum == Placement::shared, map.spectrum_offset,
       plan.factor_rows() * (halves_rows(plan) ? tile_bytes / 2 : tile_bytes));
  take(has_spectrum(plan) && geometry.spectrum == Placement::staged, map.spectrum_offset,
       staged_tiles * geometry.groups * geometry.warps_per_group * tile_bytes);
  const int first_factor = end;
  if (keeps_two) take_twiddles();
  take(shares_column_factors(plan), map.column_twiddle_offset,
       16 * column_twiddle_entries(plan) * column_factors(plan));
  take(shares_column_matrix(plan), map.column_twiddle_offset, tile_bytes);
  if (keeps_two) {
    map.factors_bytes = end - first_factor;
    end += map.factors_bytes;
  }
  take(geometry.twiddle == Placement::steps, map.twiddle_offset, plan.couples_per_warp() * tile_bytes);
  take(shares_shifts(plan), map.shifts_offset, 4 * 8 * plan.outer_butterfly);
  take(config.scaling == Scaling::found && geometry.warps_per_group > 1, map.magnitudes_offset,
       4 * geometry.groups * geometry.warps_per_group * (plan.is_backward() && geometry.gate_at_load ? 2 : 1));
  take(plan.most_wrapped > 0, map.ends_offset, 2 * ends_bytes(plan) * geometry.groups);
  take(plan.backward.sums && geometry.sums == Placement::shared, map.sums_offset, plan.factor_rows() * sums_tile_bytes);
  map.resident_couples = resident_couples(plan, arch, end);
  take(map.resident_couples > 0, map.sums_offset, map.resident_couples * geometry.warps_per_group * sums_tile_bytes);
  take(adds_in_turns(plan), map.turns_offset, 16 * blocks_in_turns);
  map.total = std::max(end, least_shared_bytes(plan));
  return map;
}

bool fits(const InBlockPlan& plan, const Arch& arch) {
  const Geometry& geometry = plan.geometry;
  // A stage of its own is for kernels whose only group has only one buffer, and whose tiles come first and whole.
  const bool staged = geometry.staged_rows > 0;
  if (staged && (geometry.groups > 1 || geometry.buffers > 1 || !geometry.whole_rows || plan.outer_tile != 16))
    return false;
  if (plan.fractional_rows && geometry.twiddle != Placement::shared) return false;
  if (geometry.frequencies > 1 && (geometry.twiddle != Placement::shared || has_shifts(plan) || keeps_spectrum(plan)))
    return false;
  if (plan.outer_tile > 1 && plan.couples_per_warp() % geometry.couples_at_once != 0) return false;
  // Asynchronous copies of more than one pair at a time leave no slot to wait for a gate of this one.
  if (plan.shared.gate_offset > 0 && geometry.buffers > 1) return false;
  return plan.shared.total <= arch.shared_per_block && arch.holds(geometry.blocks_per_sm, plan.shared.total) &&
         geometry.blocks_per_sm <= arch.blocks_per_sm && geometry.threads() <= 1024 &&
         geometry.threads() * geometry.blocks_per_sm <= arch.threads_per_sm;
}

void map_shared(InBlockPlan& plan, const ConvConfig& config) {
  plan.shared = shared_map(plan, config, find_arch(config.arch), plan.shared.pairs);
}

}  // namespace ffc
