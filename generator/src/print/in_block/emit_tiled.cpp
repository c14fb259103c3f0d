// Emission of the tiled family: a skeleton template whose blocks follow the plan's steps.
#include "emit_tiled.hpp"

#include <fmt/format.h>

#include "assemble.hpp"
#include "emitted.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "lower_tiled.hpp"
#include "names.hpp"
#include "report_text.hpp"
#include "row_chain.hpp"
#include "row_source.hpp"
#include "text.hpp"
#include "tiled_common.hpp"
#include "tiled_copies.hpp"
#include "tiled_magnitudes.hpp"
#include "tiled_pieces.hpp"
#include "tiled_results.hpp"
#include "tiled_setup.hpp"
#include "tiled_shape.hpp"
#include "tiled_stages.hpp"
#include "tiled_tables.hpp"

namespace ffc {
namespace {

// The first pair's rows are on their way when the first use is made of the spectrum.
std::string first_load(const ConvConfig& config, const InBlockPlan& plan) {
  TextWriter out(1);
  if (!plan.geometry.walks_channels) emit_spectrums_order(out, plan);
  return tiled_first_load(config, plan) + out.take();
}

std::string entry_block(const InBlockPlan& plan, const std::string& name) {
  const bool history = plan.windows && plan.windows->history;
  return kernel_entry("__launch_bounds__(block_threads, blocks_per_sm)", name,
                      history ? "StreamArguments stream" : "ConvArguments arguments") +
         (history ? "  const ConvArguments& arguments = stream.conv;\n" : "");
}

// Blocks that walk over channels: what each needs of the channel that its next pair is of.
constexpr std::string_view each_item =
    R"(  for (int item = group, buffer = 0; item < walk.items; item += groups, buffer = (buffer + 1) % buffers) {
    const auto [channel, pair] = next;
    const unsigned char* const spectrum_row =
        static_cast<const unsigned char*>(arguments.spectrum) + static_cast<long long>(channel) * spectrum_row_bytes;
    const uint4* const spectrum_tiles = reinterpret_cast<const uint4*>(spectrum_row);
)";

std::string each_item_of(const ConvConfig& config, const InBlockPlan& plan) {
  TextWriter out(2);
  out.line(spectrum_scale(plan));
  if (plan.spectrum_lacks_power) emit_spectrum_power(out);
  if (config.scaling != Scaling::given) return std::string(each_item) + out.take();
  emit_input_scale(out, config, "channel");
  emit_result_scale(out, config, "input", "channel");
  return std::string(each_item) + out.take();
}

void put_walk(Blocks& blocks, const ConvConfig& config, const InBlockPlan& plan) {
  const bool walks = plan.geometry.walks_channels;
  const auto put = [&](const char* name, std::string_view text) {
    blocks[name] = walks ? std::optional<std::string>(text) : as_it_stands;
  };
  put("own_channel", "");
  blocks["own_scale"] = walks ? "" : fmt::format("  {}\n\n", spectrum_scale(plan));
  put("slice", "  const ChannelWalk walk = walk_channels(arguments.channels, pairs);\n");
  put("each_pair", each_item_of(config, plan));
}

std::string report_block(const ConvConfig& config, const InBlockPlan& plan) {
  if (!reports_behind_pairs(config, plan)) return "";
  TextWriter out(1);
  emit_report(out, samples_field(Tensor::input), "channel");
  emit_report(out, results_field(plan), "channel");
  return out.take();
}

}  // namespace

EmittedConv emit_tiled(const ConvConfig& config, const InBlockPlan& plan) {
  const TiledTables tables = make_tiled_tables(plan);
  EmittedConv result;
  result.spectrum = tiled_spectrum_layout(config, plan);

  const std::string name = kernel_name(config, plan);
  Blocks blocks = {
      {"header", header_comment(config, plan, name)}, {"constants", tiled_constants(config, plan, result.spectrum)},
      {"shared_map", tiled_shared_map(config, plan)}, {"entry", entry_block(plan, name)},
      {"setup", tiled_setup(config, plan, tables)},   {"load", tiled_load(config, plan)},
      {"first_load", first_load(config, plan)},       {"stages", tiled_stages(config, plan, lower_tiled(config, plan))},
      {"store", tiled_store(config, plan)},           {"pairs", pairs_block(plan)},
      {"report", report_block(config, plan)},
  };
  put_walk(blocks, config, plan);
  result.kernel = block_kernel(config, plan, "tiled_conv.cu.in", blocks, tiled_substitutes(config, plan), tables);
  return result;
}

namespace {

// A fence waits for what was written just before it, and the group for the warp that waits.
constexpr std::string_view count_done_behind =
    R"(  // The row that is done but not counted: once the next one is through a stage, what was written has arrived, and nobody
  // waits for it.
  Rows done = {};
  const auto count_done = [&] {
    if (thread == 0 && done.counts_for > 0) add_to_count(rows_done(split, done.place), done.counts_for);
    done.counts_for = 0;
  };
)";
constexpr std::string_view count_behind =
    R"(    done = mine;
    if (!ahead) count_done();
)";

void put_count(Blocks& blocks, const InBlockPlan& plan) {
  const bool behind = counts_behind(plan);
  blocks["count_done"] = std::string(behind ? count_done_behind : "");
  blocks["count"] = behind ? std::optional<std::string>(count_behind) : as_it_stands;
}

}  // namespace

EmittedHalf emit_inner_rows(const ConvConfig& config, const InBlockPlan& plan,
                            const std::vector<Statement>& statements) {
  const TiledTables tables = make_tiled_tables(plan);
  EmittedHalf result;
  result.blocks = {
      {"row_constants", tiled_constants(config, plan, {})},
      {"shared_map", tiled_shared_map(config, plan)},
      {"setup", tiled_setup(config, plan, tables)},
      {"frequency", tiled_frequency(plan)},
  };
  // Gradients have stages of their own.
  if (!plan.is_backward()) result.blocks["stages"] = tiled_stages(config, plan, statements);
  if (!plan.is_backward() && !plan.in_cluster()) result.blocks["kept_factors"] = tiled_kept_factors(plan);
  if (!plan.in_cluster()) {
    put_count(result.blocks, plan);
    result.blocks["load"] = tiled_load(config, plan);
    result.blocks["store"] = tiled_store(config, plan);
  }
  result.substitutes = tiled_substitutes(config, plan);
  result.tables = tables.words;
  result.gain = tiled_gain(plan);
  return result;
}

}  // namespace ffc
