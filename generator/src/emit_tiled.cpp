// Emission of the tiled family: a skeleton template whose blocks follow the plan's steps.
#include "emit_tiled.hpp"

#include <fmt/format.h>

#include "tiled_stages.hpp"
#include "tiled_tables.hpp"

namespace ffc {

std::string tiled_constants(const ConvConfig& config, const Plan& plan, const SpectrumLayout& spectrum) {
  const Geometry& geometry = plan.geometry;
  std::string text;
  const auto constant = [&](std::string_view name, std::int64_t value, std::string_view comment = {}) {
    text += constant_line(fmt::format("int {}", name), value, comment);
  };
  if (plan.real_filter()) constant("length", plan.length, "samples of a row that exist");
  constant("rows", plan.rows(), "of 256 samples, one per value of the outer digits");
  constant("slots", plan.slots(), "rows of shared memory, whole blocks of 8 where columns are contracted");
  constant("alignment", config.row_alignment, "bytes that every row starts at a multiple of");
  constant("group_warps", geometry.warps_per_group, "warps that share a pair");
  constant("groups", geometry.groups, "pairs under way at a time, each with its own barrier");
  constant("buffers", geometry.buffers, "pairs of a group in shared memory");
  if (plan.real_filter()) constant("blocks_per_sm", geometry.blocks_per_sm);
  constant("factor_rows", plan.factor_rows(),
           plan.real_filter() ? "whose twiddles and spectrum are kept: row -f takes those of row f"
                              : "whose twiddles and spectrum are kept");
  constant("columns_per_warp", 32 / geometry.warps_per_group, "in chunks of 8 samples");
  if (plan.real_filter())
    constant("spectrum_row_bytes", spectrum.row_bytes(), "tiles, then 16 bytes that begin with the scale");
  if (plan.outer_tile > 1)
    constant("items_at_once", geometry.items_at_once, "of 16 columns that a warp keeps in flight");
  if (plan.outer_tile > 1 && !plan.real_filter()) {
    constant("rows_per_warp", plan.couples_per_warp());
    constant("tile_rows_at_once", geometry.couples_at_once, "that a warp keeps in flight");
  }
  if (plan.outer_tile > 1 && plan.real_filter()) {
    constant("couples", plan.couples(), "of a row and its mirror -f");
    constant("couples_per_warp", plan.couples_per_warp());
    constant("couples_at_once", geometry.couples_at_once, "that a warp keeps in flight");
  }
  if (plan.outer_butterfly > 1)
    constant("butterflies", plan.outer_butterfly, "radix of the digit in the register index");
  if (plan.outer_tile > 1) constant("slot_stride", plan.slot_stride(), "slots per value of the butterfly digit");
  if (!plan.real_filter()) constant("rows_at_once", plan.rows_at_once(), "a row and its mirror, or one");
  if (!plan.real_filter()) constant("last_barrier", 15, "of all warps of the rows; their groups have 1 and on");
  return text;
}

std::string tiled_shared_map(const ConvConfig& config, const Plan& plan) {
  std::string text = "// Byte offsets in shared memory behind the buffers.\n";
  const auto offset = [&](std::string_view name, int value) {
    text += fmt::format("constexpr int {} = {};\n", name, value);
  };
  if (gates_in_shared(config, plan)) offset("gate_offset", plan.shared.gate_offset);
  if (plan.geometry.staged_rows > 0) {
    offset("stage_offset", plan.shared.stage_offset);
    offset("stage_plane_bytes", plan.shared.stage_plane_bytes);
  }
  if (plan.geometry.twiddle == Placement::shared && plan.has_outer_twiddle())
    offset("outer_twiddle_offset", plan.shared.twiddle_offset);
  if (has_spectrum(plan) && plan.geometry.spectrum == Placement::shared)
    offset("spectrum_offset", plan.shared.spectrum_offset);
  if (plan.outer_tile > 1 && plan.outer_butterfly > 1)
    offset("column_twiddle_offset", plan.shared.column_twiddle_offset);
  if (plan.shared.sums_offset > 0) offset("sums_offset", plan.shared.sums_offset);
  return text;
}

Substitutes tiled_substitutes(const ConvConfig& config, const Plan& plan) {
  Substitutes substitutes;
  if (plan.accumulation == Accumulation::fp32) substitutes["accumulator.cuh"] = "accumulator32.cuh";
  if (plan.fused_factors == 0) substitutes["contract16_fused.cuh"] = "";
  if (!half_columns(plan)) {
    substitutes["contract16_half.cuh"] = "";
    substitutes["contract_wide_half.cuh"] = "";
  }
  if (!plan.tile_first() || plan.outer_butterfly == 1) substitutes["tiled_column_matrices.cuh"] = "";
  if (!plan.wide_columns) {
    substitutes["wide.cuh"] = "";
    substitutes["contract_wide.cuh"] = "";
  }
  if (plan.geometry.staged_rows != 1) substitutes["tiled_staged_rows.cuh"] = "";
  if (config.dtype == DataType::bf16) substitutes["storage_fp16.cuh"] = "storage_bf16.cuh";
  if (!plan.real_filter()) substitutes["tiled_mirror_rows.cuh"] = "";
  if (plan.outer_tile != 8) substitutes["contract8.cuh"] = "";
  if (plan.outer_tile != 8 && !half_columns(plan)) substitutes["tiled_half_rows.cuh"] = "";
  substitutes["butterfly.cuh"] = plan.outer_butterfly == 1 ? "" : fmt::format("butterfly{}.cuh", plan.outer_butterfly);
  if (plan.outer_butterfly == 1) substitutes["butterfly_tiles.cuh"] = "";
  if (!half_butterfly(plan)) substitutes["butterfly_tiles_padded.cuh"] = "";
  return substitutes;
}

SpectrumLayout tiled_spectrum_layout(const ConvConfig& config, const Plan& plan, const TiledTables& tables) {
  SpectrumLayout layout;
  layout.order = tiled_spectrum_order(plan);
  layout.tile = 256;
  layout.gain = tables.gain;
  layout.output_exponent = -config.input_exponent;
  layout.fp16_scale = config.dtype == DataType::fp16;
  place_taps(layout, config, plan.transform_length);
  return layout;
}

namespace {

std::string entry_block(const std::string& name) {
  return fmt::format(
      "extern \"C\" __global__ void __launch_bounds__(block_threads, blocks_per_sm)\n"
      "    {}(const ConvArguments arguments) {{\n",
      name);
}

}  // namespace

EmittedConv emit_tiled(const ConvConfig& config, const Plan& plan) {
  const TiledTables tables = make_tiled_tables(plan);
  EmittedConv result;
  result.spectrum = tiled_spectrum_layout(config, plan, tables);

  const std::string name = kernel_name(config, plan);
  const Blocks blocks = {
      {"header", header_comment(config, plan, name)}, {"constants", tiled_constants(config, plan, result.spectrum)},
      {"shared_map", tiled_shared_map(config, plan)}, {"entry", entry_block(name)},
      {"setup", tiled_setup(config, plan, tables)},   {"load", tiled_load(config, plan)},
      {"first_load", tiled_first_load(plan)},         {"stages", tiled_stages(config, plan)},
      {"store", tiled_store(config, plan)},
  };
  GeneratedKernel& kernel = result.kernel;
  kernel.name = name;
  kernel.options = {"--fmad=false"};
  kernel.source = assemble("tiled_conv.cu.in", blocks, tiled_substitutes(config, plan));
  kernel.tables = tables.words;
  kernel.threads = plan.geometry.threads();
  kernel.shared_bytes = plan.shared.total;
  return result;
}

EmittedHalf emit_inner_rows(const ConvConfig& config, const Plan& plan) {
  const TiledTables tables = make_tiled_tables(plan);
  EmittedHalf result;
  result.blocks = {
      {"row_constants", tiled_constants(config, plan, {})},
      {"shared_map", tiled_shared_map(config, plan)},
      {"setup", tiled_setup(config, plan, tables)},
      {"load", tiled_load(config, plan)},
      {"frequency", tiled_frequency(plan)},
      {"stages", tiled_stages(config, plan)},
      {"store", tiled_store(config, plan)},
  };
  result.substitutes = tiled_substitutes(config, plan);
  result.tables = tables.words;
  result.gain = tables.gain;
  return result;
}

}  // namespace ffc
