// Constants, shared memory, templates and layouts of the tiled family's kernels.
#include "tiled_common.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <complex>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assemble.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "kept_digits.hpp"
#include "mask_text.hpp"
#include "names.hpp"
#include "report_text.hpp"
#include "row_source.hpp"
#include "spectrum_layout.hpp"
#include "text.hpp"
#include "tile_counts.hpp"
#include "tiled_chunks.hpp"
#include "tiled_pieces.hpp"
#include "tiled_shape.hpp"
#include "tiled_tables.hpp"
#include "tiled_windows.hpp"
#include "unit_roots.hpp"

namespace ffc {

namespace {

// exp(-2 pi i j / (4 rows)) for the butterfly of a row alone, by a factor that makes them round well.
std::string quarter_roots(const InBlockPlan& plan) {
  const int rows = plan.rows();
  const double scale = outer_scale(plan);
  std::vector<std::string> cosines, sines;
  for (int j = 0; j < 4 * rows; ++j) {
    const std::complex<double> root = scale * unit_root(j, 4 * rows);
    cosines.push_back(packed_twice(root.real()));
    sines.push_back(packed_twice(root.imag()));
  }
  constexpr std::string_view function = R"(__device__ __forceinline__ constexpr Packed {}(int j) {{
  constexpr Packed of[4 * rows] = {{{}}};
  return of[j % (4 * rows)];
}}
)";
  return fmt::format("// {} exp(-2 pi i j / (4 rows)), for two samples at a time.\n", scale) +
         fmt::format(function, "turn_re", fmt::join(cosines, ", ")) +
         fmt::format(function, "turn_im", fmt::join(sines, ", "));
}

}  // namespace

std::string tiled_constants(const ConvConfig& config, const InBlockPlan& plan, const SpectrumLayout& spectrum) {
  const Geometry& geometry = plan.geometry;
  std::string text;
  const auto constant = [&](std::string_view name, std::int64_t value, std::string_view comment = {}) {
    text += constant_line(fmt::format("int {}", name), value, comment);
  };
  if (plan.windows)
    text += window_constants(config, plan);
  else if (plan.real_filter())
    constant("length", plan.row_length(), "samples of a row that exist");
  constant("rows", plan.rows(), "of 256 samples, one per value of the outer digits");
  constant("slots", plan.slots(), "rows of shared memory, whole blocks of 8 where columns are contracted");
  constant("alignment", config.row_alignment, "bytes that every row starts at a multiple of");
  constant("group_warps", geometry.warps_per_group, "warps that share a pair");
  constant("groups", geometry.groups, "pairs under way at a time, each with its own barrier");
  if (!plan.in_cluster()) constant("buffers", geometry.buffers, "pairs of a group in shared memory");
  if (plan.real_filter()) constant("blocks_per_sm", geometry.blocks_per_sm);
  constant("factor_rows", plan.factor_rows(),
           plan.half_spectrum()  ? "of frequencies, and of twiddles and the spectrum"
           : plan.mirrors_rows() ? "whose twiddles and spectrum are kept: row -f takes those of row f"
                                 : "whose twiddles and spectrum are kept");
  constant("columns_per_warp", 32 / geometry.warps_per_group, "in chunks of 8 samples");
  if (plan.real_filter())
    constant("spectrum_row_bytes", spectrum.row_bytes(), "tiles, then 16 bytes that begin with the scale");
  if (plan.outer_tile > 1)
    constant("items_at_once", geometry.items_at_once, "of 16 columns that a warp keeps in flight");
  if (plan.outer_tile > 1 && sides(plan) == 1) {
    constant("rows_per_warp", plan.couples_per_warp());
    constant("tile_rows_at_once", geometry.couples_at_once, "that a warp keeps in flight");
  }
  if (adds_in_turns(plan)) {
    constant("cluster_blocks", blocks_in_turns, "that share a channel's rows and add to its sums in turns");
    constant("part_tiles", plan.couples_per_warp() / blocks_in_turns, "of a warp, in a turn");
  }
  if (plan.outer_tile > 1 && sides(plan) == 2) {
    constant("couples", plan.couples(), "of a row and its mirror -f");
    constant("couples_per_warp", plan.couples_per_warp());
    constant("couples_at_once", geometry.couples_at_once, "that a warp keeps in flight");
  }
  if (plan.outer_butterfly > 1)
    constant("butterflies", plan.outer_butterfly, "radix of the digit in the register index");
  const bool made = column_matrix(plan) == ColumnMatrix::made;
  if (made || plan.half_spectrum() || has_slots_between(plan))
    constant("tile_radix", plan.outer_tile, "of the digit that products down the columns contract");
  if (plan.most_wrapped > 0) {
    constant("ends_bytes", ends_bytes(plan), "of what lies behind a row's samples, in one of a group's two places");
    text += constant_line("float end_scale", float_literal(outer_scale(plan)),
                          "of the first row of samples in each frequency");
  }
  if (made) text += constant_line("float column_scale", float_literal(column_scale(plan)), "of their matrices");
  if (plan.outer_tile > 1) constant("slot_stride", plan.slot_stride(), "slots per value of the butterfly digit");
  if (!plan.real_filter() && !plan.in_cluster())
    constant("rows_at_once", plan.rows_at_once(), "a row and its mirror, or one");
  if (!plan.real_filter()) constant("last_barrier", 15, "of all warps of the rows; their groups have 1 and on");
  if (plan.holds_row_alone()) text += quarter_roots(plan);
  return text + kept_rows_text(plan);
}

std::string tiled_shared_map(const ConvConfig& config, const InBlockPlan& plan) {
  std::string text = "// Byte offsets in shared memory behind the buffers.\n";
  const auto offset = [&](std::string_view name, int value) {
    text += fmt::format("constexpr int {} = {};\n", name, value);
  };
  if (gates_in_shared(config, plan)) offset("gate_offset", plan.shared.gate_offset);
  if (plan.geometry.staged_rows > 0) {
    offset("stage_offset", plan.shared.stage_offset);
    offset("stage_plane_bytes", plan.shared.stage_plane_bytes);
  }
  const bool tables = plan.geometry.twiddle == Placement::shared || plan.geometry.twiddle == Placement::steps;
  if (tables && plan.has_outer_twiddle())
    offset(plan.fractional_rows ? "row_factors_offset" : "outer_twiddle_offset", plan.shared.twiddle_offset);
  const bool spectrum = plan.geometry.spectrum == Placement::shared || plan.geometry.spectrum == Placement::staged;
  if (has_spectrum(plan) && spectrum) offset("spectrum_offset", plan.shared.spectrum_offset);
  if (shares_column_factors(plan) || shares_column_matrix(plan))
    offset("column_twiddle_offset", plan.shared.column_twiddle_offset);
  if (plan.geometry.frequencies > 1) offset("factors_bytes", plan.shared.factors_bytes);
  if (plan.shared.shifts_offset > 0) offset("shifts_offset", plan.shared.shifts_offset);
  if (plan.shared.ends_offset > 0) offset("ends_offset", plan.shared.ends_offset);
  if (plan.shared.sums_offset > 0) offset("sums_offset", plan.shared.sums_offset);
  if (plan.shared.magnitudes_offset > 0) offset("magnitudes_offset", plan.shared.magnitudes_offset);
  if (plan.shared.turns_offset > 0) offset("turns_offset", plan.shared.turns_offset);
  if (plan.shared.resident_couples > 0) offset("resident_couples", plan.shared.resident_couples);
  return text;
}

Substitutes tiled_substitutes(const ConvConfig& config, const InBlockPlan& plan) {
  Substitutes substitutes;
  const auto leave_out = [&](bool unused, const char* file) {
    if (unused) substitutes[file] = "";
  };
  if (plan.accumulation == Accumulation::fp32) substitutes["accumulator.cuh"] = "accumulator32.cuh";
  leave_out(plan.fused_factors == 0, "contract16_fused.cuh");
  leave_out(!plan.fractional_rows, "fractional_rows.cuh");
  if (plan.row_sums != RowSums::rounded) substitutes["halves_as_a.cuh"] = "halves_as_a_in_accumulators.cuh";
  if (plan.row_sums >= RowSums::accumulated) substitutes["halves_as_b.cuh"] = "halves_as_b_wide.cuh";
  if (plan.row_sums == RowSums::wide) substitutes["halves_accumulator.cuh"] = "halves_accumulator32.cuh";
  leave_out(plan.fractional_rows && right_angle_rows(plan), "contract16.cuh");
  leave_out(!half_results(plan), "contract16_half.cuh");
  leave_out(!half_columns(plan), "contract_wide_half.cuh");
  leave_out(dropped_tile_values(plan).empty(), "tiled_dropped_rows.cuh");
  leave_out(plan.kept_inner.empty(), "contract16_kept_inner.cuh");
  leave_out(plan.kept_last.empty(), "contract16_kept_last.cuh");
  const bool reads_matrices = shares_column_factors(plan) || shares_column_matrix(plan);
  leave_out(plan.outer_tile <= 8 || !reads_matrices, "tiled_column_matrices.cuh");
  leave_out(!has_column_factors(plan) || shares_column_factors(plan), "read_column_matrices.cuh");
  for (const char* const wide : {"wide.cuh", "contract_wide.cuh", "contract_wide_real.cuh"})
    leave_out(!plan.wide_columns, wide);
  leave_out(plan.geometry.staged_rows != 1 || stages_all(plan), "tiled_staged_rows.cuh");
  leave_out(!plan.real_filter() && plan.geometry.twiddle != Placement::steps, "twiddle_steps.cuh");
  if (!plan.real_filter())
    substitutes[column_matrix(plan) == ColumnMatrix::made ? "split_shift.cuh" : "split_matrix.cuh"] = "";
  put_storage(substitutes, config);
  if (plan.real_filter()) put_report(substitutes, config);
  leave_out(config.scaling != Scaling::found, "found_scales.cuh");
  // Rows of the workspace are measured as the samples that their tiles of columns are made of, which are bf16.
  if (config.dtype == DataType::fp16 && plan.real_filter()) substitutes["largest_bf16.cuh"] = "largest_fp16.cuh";
  leave_out(!plan.mirrors_rows() || plan.half_spectrum(), "tiled_mirror_rows.cuh");
  substitutes["real_butterfly.cuh"] =
      plan.outer_butterfly == 1 ? "" : fmt::format("real_butterfly{}.cuh", plan.outer_butterfly);
  leave_out(!plan.half_spectrum(), "real_row_columns.cuh");
  leave_out(!has_slots_between(plan), "slots_between.cuh");
  leave_out(plan.outer_tile != 8, "contract8.cuh");
  leave_out(plan.outer_tile != 8 && !half_results(plan), "tiled_half_rows.cuh");
  leave_out(!real_rows(plan), "tiled_real_rows.cuh");
  leave_out(!plan.holds_row_alone(), "turned_tiles.cuh");
  leave_out(!plan.holds_row_alone(), "turned_butterfly.cuh");
  leave_out(!counts_from_first(plan), "tiled_place_below.cuh");
  leave_out(plan.real_filter() && plan.most_delay == 0, "delayed_chunks.cuh");
  leave_out(plan.real_filter() && !stores_ends_apart(plan), "row_ends.cuh");
  if (!plan.right_angle()) substitutes["wrapped_ends.cuh"] = "wrapped_pair_ends.cuh";
  leave_out(plan.most_wrapped == 0, "wrapped_ends.cuh");
  leave_out(!fills_registers(plan), "load_here.cuh");
  substitutes["butterfly.cuh"] =
      plan.outer_butterfly == 1 || plan.holds_row_alone() ? "" : fmt::format("butterfly{}.cuh", plan.outer_butterfly);
  leave_out(plan.outer_butterfly == 1 || plan.half_spectrum() || plan.holds_row_alone(), "butterfly_tiles.cuh");
  leave_out(!half_butterfly(plan) || plan.holds_row_alone(), "butterfly_tiles_padded.cuh");
  leave_out(!plan.geometry.walks_channels, "channel_walk.cuh");
  if (plan.real_filter()) leave_out_windows(substitutes, plan);
  return substitutes;
}

SpectrumLayout tiled_spectrum_layout(const ConvConfig& config, const InBlockPlan& plan) {
  SpectrumLayout layout;
  layout.order = tiled_spectrum_order(plan);
  layout.tile = halves_rows(plan) ? 4 : 256;
  layout.mask = config.mask;
  layout.gain = spectrum_gain(plan);
  layout.output_exponent = -config.input_exponent;
  layout.fp16_scale = config.dtype == DataType::fp16;
  // In quarters, those of k + 1/4: every fourth frequency of a transform four times as long.
  layout.right_angle = plan.right_angle();
  if (plan.right_angle())
    for (std::int32_t& frequency : layout.order) frequency = plan.frequency_parts() * frequency + 1;
  place_taps(layout, config, plan.frequency_parts() * plan.transform_length);
  return layout;
}

std::string pairs_block(const InBlockPlan& plan) {
  if (plan.geometry.walks_channels)
    return fmt::format("  // Each {} is a pair by itself; a block's groups take turns.\n  const int pairs = {};\n",
                       plan.windows ? "window" : "row", plan.windows ? "arguments.batch * windows" : "arguments.batch");
  if (real_rows(plan))
    return "  // This block's slice of the batch, each row a pair by itself; its groups take turns.\n"
           "  const int pairs = arguments.batch;\n";
  if (plan.right_angle())
    return "  // This block's slice of all windows, each of which is a pair by itself; its groups take turns.\n"
           "  const int pairs = arguments.batch * windows;\n";
  return plan.windows ? "  // This block's slice of the pairs of windows; its groups take turns.\n"
                        "  const int pairs = window_pairs(arguments.batch);\n"
                      : "  // This block's slice of the batch, in pairs of rows; its groups take turns.\n"
                        "  const int pairs = (arguments.batch + 1) / 2;\n";
}

GeneratedKernel block_kernel(const ConvConfig& config, const InBlockPlan& plan, std::string_view skeleton,
                             const Blocks& blocks, const Substitutes& substitutes, const TiledTables& tables) {
  GeneratedKernel kernel;
  kernel.name = kernel_name(config, plan);
  kernel.options = {"--fmad=false"};
  kernel.source = assemble(skeleton, blocks, substitutes);
  kernel.tables = tables.words;
  kernel.threads = plan.geometry.threads();
  kernel.shared_bytes = plan.shared.total;
  if (adds_in_turns(plan)) kernel.cluster = blocks_in_turns;
  return kernel;
}

}  // namespace ffc
