// Emission of gradients (tiled family): a skeleton template whose blocks follow the plan's steps.
#include "emit_backward.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "assemble.hpp"
#include "backward_copies.hpp"
#include "backward_stages.hpp"
#include "emit_filter_gradient.hpp"
#include "emit_tiled.hpp"
#include "emitted.hpp"
#include "ffc/generator/arch.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "gradient_sums.hpp"
#include "names.hpp"
#include "report_text.hpp"
#include "row_source.hpp"
#include "spectrum_layout.hpp"
#include "text.hpp"
#include "tiled_setup.hpp"
#include "tiled_shape.hpp"
#include "tiled_tables.hpp"
#include "waves.hpp"

namespace ffc {
namespace {

static_assert(sizeof(GradientArguments) == 248, "gradient_arguments.cuh declares 248 bytes");

constexpr int tile_bytes = 1024;

std::string entry_block(const std::string& name) {
  return kernel_entry("__launch_bounds__(block_threads, blocks_per_sm)", name, "GradientArguments arguments");
}

std::string constants_of(const ConvConfig& config, const InBlockPlan& plan, const SpectrumLayout& spectrum) {
  return tiled_constants(config, plan, spectrum) +
         constant_line("int tensors", plan.resident_tensors(), "of a pair in shared memory at a time");
}

// Of the filter: its spectrum and scale.
std::string spectrum_setup(const ConvConfig& config, const InBlockPlan& plan) {
  TextWriter out(1);
  if (!has_spectrum(plan)) return {};
  out.line("const unsigned char* const spectrum_row =");
  out.line(
      "    static_cast<const unsigned char*>(arguments.spectrum) + static_cast<long long>(channel) * "
      "spectrum_row_bytes;");
  out.line(
      "const float scale = load_constant(reinterpret_cast<const float*>(spectrum_row + spectrum_row_bytes - 16));");
  emit_result_scales(out, config, plan, "channel");
  return out.take();
}

std::string setup_block(const ConvConfig& config, const InBlockPlan& plan, const TiledTables& tables) {
  std::string text = spectrum_setup(config, plan) + tiled_setup(config, plan, tables);
  TextWriter out(1);
  if (plan.backward.transforms_gradient) emit_row_scale(out, config, "gradient", "channel", "gradient_scale");
  if (plan.geometry.in_turn && plan.backward.sums) {
    out.line("// Where u's frequencies wait, tile by tile.");
    out.line("uint4* const parked = static_cast<uint4*>(arguments.parked) +");
    out.line("    (static_cast<long long>(channel) * gridDim.y + blockIdx.y) * (rows * tile_bytes / 16);");
  }
  emit_sums_setup(out, plan);
  return text + out.take();
}

Substitutes substitutes_of(const ConvConfig& config, const InBlockPlan& plan) {
  Substitutes substitutes = tiled_substitutes(config, plan);
  if (config.dtype == DataType::bf16) substitutes["storage_fp16_wide.cuh"] = "storage_bf16.cuh";
  if (!plan.backward.sums) substitutes["sums.cuh"] = "";
  const bool joins = plan.backward.sums && has_columns(plan) && plan.geometry.sums == Placement::global;
  if (!joins) substitutes["joined_sums.cuh"] = "";
  if (!plan.backward.sums || !reports(config)) substitutes["met_sums.cuh"] = "";
  if (!plan.backward.sums || config.scaling != Scaling::found) substitutes["scaled_sums.cuh"] = "";
  if (!keeps_rows(config, plan)) substitutes["kept_chunk.cuh"] = "";
  if (!keeps_rows(config, plan) || plan.most_delay == 0) substitutes["delayed_kept_chunk.cuh"] = "";
  if (!plan.geometry.in_turn) substitutes["parked_tiles.cuh"] = "";
  if (!overlaps_gradients(plan, find_arch(config.arch))) substitutes["next_launch.cuh"] = "";
  if (has_columns(plan) || plan.backward.tensors() == 1) substitutes["stored_tile.cuh"] = "";
  if (!plan.windows || !plan.backward.looks_ahead()) substitutes["windows_ahead.cuh"] = "";
  if (!plan.windows || plan.windows->gap == 0) substitutes["windows_gap.cuh"] = "";
  return substitutes;
}

// What a block does when its pairs are done.
std::string sums_block(const ConvConfig& config, const InBlockPlan& plan) {
  std::string text;
  if (overlaps_gradients(plan, find_arch(config.arch)))
    text =
        "  // The filter's gradient may get ready: it waits for the sums of all blocks.\n"
        "  let_next_launch_begin();\n\n";
  return text + backward_sums(config, plan);
}

}  // namespace

EmittedConv emit_backward(const ConvConfig& config, const InBlockPlan& plan) {
  const TiledTables tables = make_tiled_tables(plan);
  EmittedConv result;
  result.spectrum = tiled_spectrum_layout(config, plan, tables);
  const std::string name = kernel_name(config, plan);
  const Blocks blocks = {
      {"header", header_comment(config, plan, name)},
      {"constants", constants_of(config, plan, result.spectrum)},
      {"shared_map", tiled_shared_map(config, plan)},
      {"entry", entry_block(name)},
      {"pairs", pairs_block(plan)},
      {"setup", setup_block(config, plan, tables)},
      {"load", backward_load(config, plan)},
      {"first_load", backward_first_load(plan)},
      {"stages", backward_stages(config, plan)},
      {"store", backward_store(config, plan)},
      {"sums", sums_block(config, plan)},
  };
  result.kernel = block_kernel(config, plan, "tiled_backward.cu.in", blocks, substitutes_of(config, plan), tables);
  return result;
}

namespace {

int pairs_of_group(const InBlockPlan& plan) {
  if (!has_columns(plan))
    return plan.rows() <= 2 ? measured::gradient_pairs_of_short_rows : measured::gradient_pairs_of_warp;
  return plan.rows() > 64 ? measured::gradient_pairs_of_longest : measured::gradient_pairs_of_columns;
}

}  // namespace

BackwardLaunch backward_launch(const ConvConfig& config, const InBlockPlan& plan, const SpectrumLayout& layout) {
  BackwardLaunch launch;
  launch.windows = plan.windows;
  launch.packing = plan.packing;
  launch.least_pairs = pairs_of_group(plan) * plan.geometry.groups;
  if (!plan.backward.sums) return launch;
  if (plan.geometry.in_turn) launch.parked_bytes = std::int64_t{plan.rows()} * tile_bytes;
  launch.sums_bytes = std::int64_t{plan.factor_rows()} * sums_tile_bytes;
  launch.filter_gradient = emit_filter_gradient(layout, config, plan);
  launch.overlaps = overlaps_gradients(plan, find_arch(config.arch));
  if (filter_gradient_place(plan, find_arch(config.arch)) != FilterGradientPlace::global_memory) {
    launch.inverse_blocks = std::numeric_limits<int>::max();  // a channel each
    return launch;
  }
  launch.inverse_bytes = 8 * plan.transform_length;  // two arrays of float2, of half the length
  launch.inverse_blocks = static_cast<int>(
      std::clamp<std::int64_t>(measured::most_inverse_workspace_of_block / launch.inverse_bytes, 1, 1024));
  return launch;
}

}  // namespace ffc
