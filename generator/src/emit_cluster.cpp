// Emission of a cluster's kernel: columns in registers, rows as the tiled family's.
#include <fmt/format.h>

#include "cluster_plan.hpp"
#include "emit.hpp"
#include "split_plan.hpp"
#include "text.hpp"
#include "tiled_stages.hpp"

namespace ffc {
namespace {

// Powers of two, as halves, whose product with R is 1: rows of frequencies are no larger than rows of samples.
struct Scales {
  std::string_view forward, inverse;
};

Scales column_scales(int length) {
  constexpr std::string_view one = "0x3c003c00u", half = "0x38003800u", quarter = "0x34003400u";
  return length == 2 ? Scales{half, one} : length == 4 ? Scales{half, half} : Scales{quarter, half};
}

int spectrum_rows(const Plan& plan) { return plan.columns.length() / 2 + 1; }

std::string constants_of(const Plan& plan) {
  std::string text;
  const auto constant = [&](std::string_view name, std::int64_t value, std::string_view comment = {}) {
    text += constant_line(fmt::format("int {}", name), value, comment);
  };
  const Plan& rows = *plan.row_plan;
  constant("transform_length", plan.transform_length);
  constant("column_length", plan.columns.length(), "rows of frequencies, and blocks of a cluster");
  constant("row_length", rows.transform_length);
  text += constant_line("long long spectrum_channel_bytes",
                        split_spectrum_bytes(spectrum_rows(plan), rows.transform_length),
                        "the last 16 begin with the scale");
  constant("column_threads", plan.columns.threads(), "of a block: the first");
  constant("threads", split_threads(plan), "of a block: the others work on rows");
  constant("ring", rows.geometry.ring, "pairs of rows in a block's shared memory, from its beginning on");
  constant("barriers_offset", rows.shared.barriers_offset, "where the barriers of each of their places begin");
  return text;
}

std::string column_constants(const ConvConfig& config, const Plan& plan) {
  std::string text;
  const auto constant = [&](std::string_view name, std::int64_t value, std::string_view comment = {}) {
    text += constant_line(fmt::format("int {}", name), value, comment);
  };
  const std::int64_t row = plan.row_plan->transform_length, rows = (plan.length + row - 1) / row;
  const Scales scales = column_scales(plan.columns.length());
  constant("length", plan.length, "samples of a row that exist");
  constant("alignment", config.row_alignment, "bytes that every row starts at a multiple of");
  constant("sample_rows", rows, "of the column_length, with samples that exist");
  text += constant_line("bool all_exist", plan.length == rows * row, "of the samples of those rows");
  constant("unit_warps", plan.columns.warps);
  constant("chunk_words", chunk_words(plan), "of two samples, that a thread takes of each row at a time");
  text += constant_line("Packed forward_scale", scales.forward, "powers of two whose product is 1 / column_length");
  text += constant_line("Packed inverse_scale", scales.inverse, "");
  return text;
}

std::string forward_butterfly(const Plan& plan) {
  const bool padded = 2 * plan.length <= plan.transform_length && plan.columns.length() % 2 == 0;
  return fmt::format("  butterfly{}<false>(re, im);\n", padded ? "_padded" : "");
}

void open_words(TextWriter& out) {
  out.unroll().open("for (int row = 0; row < sample_rows; ++row)");
  out.unroll().open("for (int w = 0; w < chunk_words; ++w) {");
}

void close_words(TextWriter& out) { out.close(); }

void emit_gate(TextWriter& out, std::string_view name) {
  out.line(fmt::format("const Chunks gate = read_chunks(arguments.{0}, arguments.{0}_batch_stride,", name));
  out.line(fmt::format("                                slice.channel * arguments.{}_channel_stride, pair,", name));
  out.line("                                2 * pair + 1 == arguments.batch, column);");
}

std::string to_packed(const ConvConfig& config) {
  const bool gated = has_in_gate(config.gating);
  if (!gated && config.dtype == DataType::fp16 && config.input_exponent == 0)
    return "  (void)arguments, (void)slice, (void)pair, (void)column;\n";
  TextWriter out(1);
  if (config.input_exponent != 0) out.line(fmt::format("const float input_scale = exp2f({});", config.input_exponent));
  if (gated)
    emit_gate(out, "w");
  else
    out.line("(void)arguments, (void)slice, (void)pair, (void)column;");
  open_words(out);
  for (const std::string_view part : {"re", "im"}) {
    const std::string word = fmt::format("x.{}[row].word[w]", part);
    out.line(fmt::format("{} = {};", word, packed_sample(config, word, fmt::format("gate.{}[row].word[w]", part))));
  }
  close_words(out);
  return out.take();
}

std::string to_stored(const ConvConfig& config) {
  const bool gated = has_out_gate(config.gating);
  TextWriter out(1);
  if (gated) emit_gate(out, "v");
  open_words(out);
  for (const std::string_view part : {"re", "im"}) {
    const std::string word = fmt::format("x.{}[row].word[w]", part);
    out.line(gated ? fmt::format("{0} = to_stored_gated({0}, scale, gate.{1}[row].word[w]);", word, part)
                   : fmt::format("{0} = to_stored({0}, scale);", word));
  }
  close_words(out);
  return out.take();
}

std::string entry_of(const std::string& name) {
  return fmt::format(
      "extern \"C\" __global__ void __cluster_dims__(column_length, 1, 1) __launch_bounds__(threads, 1)\n"
      "    {}(const ConvArguments arguments) {{\n",
      name);
}

GeneratedKernel emit_kernel(const ConvConfig& config, const Plan& plan, EmittedHalf& rows) {
  GeneratedKernel kernel;
  kernel.name = kernel_name(config, plan);
  kernel.options = {"--fmad=false"};
  kernel.threads = split_threads(plan);
  kernel.cluster = plan.columns.length();
  kernel.shared_bytes = split_shared_bytes(plan);
  Blocks blocks = {{"header", header_comment(config, plan, kernel.name)},
                   {"constants", constants_of(plan)},
                   {"column_constants", column_constants(config, plan)},
                   {"forward_butterfly", forward_butterfly(plan)},
                   {"to_packed", to_packed(config)},
                   {"to_stored", to_stored(config)},
                   {"entry", entry_of(kernel.name)}};
  blocks.merge(rows.blocks);
  Substitutes substitutes = std::move(rows.substitutes);
  substitutes["column_butterfly.cuh"] = fmt::format("butterfly{}.cuh", plan.columns.length());
  if (config.dtype == DataType::bf16) substitutes["storage_fp16.cuh"] = "storage_bf16.cuh";
  kernel.source = assemble("cluster_conv.cu.in", blocks, substitutes);
  kernel.tables = std::move(rows.tables);
  return kernel;
}

}  // namespace

Generated generate_cluster(const ConvConfig& config, const Plan& plan) {
  EmittedHalf rows = emit_inner_rows(row_config(config, plan), *plan.row_plan);
  Generated result;
  result.config = config;
  result.name = kernel_name(config, plan);
  result.conv = emit_kernel(config, plan, rows);
  put_split_filter(result, plan, rows.gain);
  result.groups_per_block = plan.row_plan->geometry.groups;
  return result;
}

}  // namespace ffc
