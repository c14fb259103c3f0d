// Emission of a cluster's kernel: columns in registers, rows as the tiled family's.
#include "emit_cluster.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "assemble.hpp"
#include "cluster_text.hpp"
#include "column_tables.hpp"
#include "emit_long_filter.hpp"
#include "emit_tiled.hpp"
#include "emitted.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "generate_split.hpp"
#include "kept_digits.hpp"
#include "lower_cluster.hpp"
#include "lower_inner_rows.hpp"
#include "names.hpp"
#include "plan_steps.hpp"
#include "report_text.hpp"
#include "row_source.hpp"
#include "split_shape.hpp"
#include "statement.hpp"
#include "step_text.hpp"
#include "text.hpp"
#include "tile_powers.hpp"
#include "tiled_magnitudes.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

// Powers of two whose product with R is 1: rows of frequencies are no larger than rows of samples.
struct Scales {
  double forward, inverse;
};

Scales column_scales(int length) {
  return length == 2 ? Scales{0.5, 1} : length == 4 ? Scales{0.5, 0.5} : Scales{0.25, 0.5};
}

std::string constants_of(const ClusterPlan& plan) {
  std::string text;
  const auto constant = [&](std::string_view name, std::int64_t value, std::string_view comment = {}) {
    text += constant_line(fmt::format("int {}", name), value, comment);
  };
  const InBlockPlan& rows = plan.row_plan;
  const int parts = plan.frequency_parts();
  constant("transform_length", parts * plan.transform_length,
           plan.right_angle() ? "in quarters of a frequency" : std::string_view());
  constant("frequency_step", parts * plan.columns.length(), "between the frequencies of a row");
  constant("blocks", plan.columns.length(), "of a cluster, each with a row of frequencies");
  constant("row_length", rows.transform_length);
  text += constant_line("long long spectrum_channel_bytes",
                        split_spectrum_bytes(spectrum_rows(plan), rows.transform_length),
                        "the last 16 begin with the scale");
  constant("column_threads", plan.columns.threads(), "of a block: the first");
  constant("threads", split_threads(plan), "of a block: the others work on rows");
  constant("ring", rows.shared.pairs, "items in a block's shared memory, from its beginning on");
  constant("barriers_offset", rows.shared.total, "where the barriers of each of their places begin");
  if (rows.takes_tile_powers) {
    constant("piece_samples", piece_samples(plan), "of every row, that a warp takes at a time");
    constant("exponents_offset", split_shared_bytes(plan), "where those of the pieces of each place's item begin");
    constant("place_words_bytes", piece_words_bytes(plan), "of them and what is made of them");
  }
  return text;
}

// Of row r: cos and sin of 2 pi r / (4 blocks), with the forward scale in them on the way in.
std::string right_angle_constants(int blocks) {
  const auto values = [&](std::string_view name, double scale, double (*function)(double)) {
    std::string list;
    for (int row = 0; row < blocks; ++row) {
      const std::string word = packed_twice(scale * function(2 * std::numbers::pi * row / (4 * blocks)));
      if (row > 0 && row % 4 == 0) list.replace(list.size() - 1, 1, "\n         ");
      list += row + 1 < blocks ? fmt::format("row == {} ? {} : ", row, word) : word;
    }
    return fmt::format("__device__ constexpr Packed {}(int row) {{\n  return {};\n}}\n", name, list);
  };
  const Scales scales = column_scales(blocks);
  const auto cosine = [](double x) { return std::cos(x); };
  const auto sine = [](double x) { return std::sin(x); };
  return constant_line("Packed inverse_scale", packed_twice(scales.inverse), "times the forward one 1 / blocks") +
         "// Of row r: cos and sin of 2 pi r / (4 blocks), on the way in times the forward scale.\n" +
         values("forward_cosine", scales.forward, cosine) + values("forward_sine", scales.forward, sine) +
         values("inverse_cosine", 1, cosine) + values("inverse_sine", 1, sine);
}

// What a warp takes of a block's share of the columns at a time is a piece.
std::int64_t pieces_of_share(const ClusterPlan& plan) {
  return plan.row_plan.transform_length / plan.columns.length() / piece_samples(plan);
}

std::string column_constants(const ConvConfig& config, const ClusterPlan& plan) {
  std::string text;
  const auto constant = [&](std::string_view name, std::int64_t value, std::string_view comment = {}) {
    text += constant_line(fmt::format("int {}", name), value, comment);
  };
  const std::int64_t row = plan.row_plan.transform_length, rows = (plan.length + row - 1) / row;
  const Scales scales = column_scales(plan.columns.length());
  constant("length", plan.row_length(), "samples of a row that exist");
  constant("alignment", config.row_alignment, "bytes that every row starts at a multiple of");
  constant("sample_rows", rows, "of as many as blocks, with samples that exist");
  constant("unit_warps", plan.columns.warps);
  constant("chunk_words", plan.columns.chunk_words(), "of two samples, that a thread takes of each row at a time");
  text += constant_line("bool others_in_turn", plan.right_angle() && pieces_of_share(plan) % plan.columns.warps != 0,
                        "the last warps take of every other place what is more than a warp's share");
  if (plan.right_angle()) return text + right_angle_constants(plan.columns.length());
  text +=
      constant_line("Packed forward_scale", packed_twice(scales.forward), "powers of two whose product is 1 / blocks");
  text += constant_line("Packed inverse_scale", packed_twice(scales.inverse), "");
  return text;
}

std::string row_frequency(const ClusterPlan& plan) {
  if (plan.right_angle())
    return "  // In quarters: those of k + 1/4. Every row has factors of its own.\n"
           "  const int frequency = 4 * rank + 1, spectrum_row = rank;\n";
  return "  // The row of -frequency is a conjugate and takes the factors of its mirror.\n"
         "  const int frequency = min(rank, blocks - rank), spectrum_row = frequency;\n";
}

std::string items_block(const ClusterPlan& plan) {
  return plan.right_angle() ? "  // This cluster's slice of all rows.\n  const int of_channel = arguments.batch;\n"
                            : "  // This cluster's slice of all pairs of rows.\n"
                              "  const int of_channel = (arguments.batch + 1) / 2;\n";
}

std::string entry_of(const std::string& name) {
  return kernel_entry("__cluster_dims__(blocks, 1, 1) __launch_bounds__(threads, 1)", name, "ConvArguments arguments");
}

// What a function of the columns carries out, of the list's first statement or its last one. What comes back from the
// rows is exchanged where it is fetched.
std::string steps_line(const ClusterPlan& plan, const Statement& columns) {
  std::vector<std::size_t> steps = steps_within(columns.body);
  if (columns.inverse)
    for (const std::size_t exchange : outer_exchanges(plan, true)) steps.push_back(exchange);
  return step_comment(steps, "of a block's columns.") + "\n";
}

GeneratedKernel emit_kernel(const ConvConfig& config, const ClusterPlan& plan, EmittedHalf& rows) {
  GeneratedKernel kernel;
  kernel.name = kernel_name(config, plan);
  kernel.options = {"--fmad=false"};
  kernel.threads = split_threads(plan);
  kernel.cluster = plan.columns.length();
  const bool finds = plan.row_plan.takes_tile_powers;
  kernel.shared_bytes = split_shared_bytes(plan) + (finds ? plan.row_plan.shared.pairs * piece_words_bytes(plan) : 0);
  const std::vector<Statement> statements = lower_cluster(config, plan);
  Blocks blocks = {{"header", header_comment(config, plan, kernel.name)},
                   {"steps_in", steps_line(plan, statements.front())},
                   {"steps_back", steps_line(plan, statements.back())},
                   {"constants", constants_of(plan)},
                   {"column_constants", column_constants(config, plan)},
                   {"items", items_block(plan)},
                   {"row_frequency", row_frequency(plan)},
                   {"entry", entry_of(kernel.name)}};
  blocks["spectrum_power"] = as_it_stands;
  if (plan.row_plan.spectrum_lacks_power)
    blocks["spectrum_power"] = "    const Packed spectrum_power = power_of(arguments, channel);\n";
  blocks.merge(cluster_blocks(config, plan));
  blocks.merge(rows.blocks);
  Substitutes substitutes = std::move(rows.substitutes);
  substitutes["column_butterfly.cuh"] = fmt::format("butterfly{}.cuh", plan.columns.length());
  if (plan.right_angle()) substitutes["cluster_pairs.cuh"] = "cluster_quarters.cuh";
  if (plan.most_delay == 0) substitutes["delayed_words.cuh"] = "";
  if (!finds) substitutes["cluster_powers.cuh"] = substitutes["item_shifts.cuh"] = "";
  put_storage(substitutes, config);
  put_report(substitutes, config);
  if (!reports(config)) substitutes["met_words.cuh"] = "";
  kernel.source = assemble("cluster_conv.cu.in", blocks, substitutes);
  kernel.tables = std::move(rows.tables);
  return kernel;
}

}  // namespace

Generated generate_cluster(const ConvConfig& config, ClusterPlan plan) {
  plan.row_plan.spectrum_lacks_power = split_spectrum_lacks_power(config, plan, {});
  plan.row_plan.takes_tile_powers = config.scaling == Scaling::found;
  EmittedHalf rows =
      emit_inner_rows(row_config(config, plan), plan.row_plan, lower_inner_row(config, plan, plan.row_count()));
  Generated result;
  result.config = config;
  result.name = kernel_name(config, plan);
  result.packing = plan.packing;
  result.conv = emit_kernel(config, plan, rows);
  put_split_filter(result, plan, row_layout(config, plan, {}, rows.gain));
  result.groups_per_block = plan.row_plan.geometry.groups;
  return result;
}

}  // namespace ffc
