// Pairs of a block, and their samples in memory.
#include "general_samples.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "row_source.hpp"
#include "text.hpp"

namespace ffc {

std::string general_walk(const MixedRadixPlan& plan) {
  TextWriter out(1);
  if (plan.outer_digits == 0) {
    out.line("// This block's slice of the batch, in pairs of rows.");
    out.line("const int channel = blockIdx.x;");
    out.line("const int pairs_per_slice = (pairs + gridDim.y - 1) / gridDim.y;");
    out.line("const int end_pair = min((static_cast<int>(blockIdx.y) + 1) * pairs_per_slice, pairs);");
    out.open(
        "for (int first_pair = blockIdx.y * pairs_per_slice; first_pair < end_pair; first_pair += pairs_at_once) {");
    return out.take();
  }
  out.line("// Blocks that have a place in the workspace take the pairs of all channels in turn.");
  out.line("const int blocks = min(static_cast<int>(gridDim.x), all.ring);");
  out.line(
      "const long long turns = static_cast<int>(blockIdx.x) < blocks ? "
      "static_cast<long long>(pairs) * arguments.channels : 0;");
  out.line("unsigned int* const place = all.workspace + static_cast<long long>(blockIdx.x) * rows * points;");
  out.open("for (long long turn = blockIdx.x; turn < turns; turn += blocks) {");
  out.line("const int channel = static_cast<int>(turn / pairs), first_pair = static_cast<int>(turn % pairs);");
  return out.take();
}

std::string general_pair(const RowAccess& access) {
  TextWriter out(2);
  out.line(
      "// Where the samples of a pair are from a position on, in a tensor; a partner that does not exist is zero.");
  out.open("struct PairOfRows {");
  out.line("const unsigned short *first, *second;");
  out.line("bool both;");
  out.close("};");
  out.open(
      "const auto rows_at = [&](const void* tensor, long long batch_stride, long long channel_stride, int pair, int n) "
      "{");
  out.line(access.declared);
  out.line("const unsigned short* const row =");
  out.line(fmt::format("    static_cast<const unsigned short*>(tensor) + {} * batch_stride + {} * channel_stride{};",
                       access.row, access.channel, access.start));
  out.line("return PairOfRows{row, both ? row + batch_stride : row, both};");
  out.close("};");
  out.open("const auto read_pair = [](const PairOfRows& rows, int n) {");
  out.line("const unsigned int second = load_global(rows.second + n);");
  out.line("return load_global(rows.first + n) | (rows.both ? second << 16 : 0u);");
  out.close("};");
  out.open("const auto write_pair = [](const PairOfRows& rows, int n, unsigned int stored) {");
  out.line("store_global(const_cast<unsigned short*>(rows.first) + n, static_cast<unsigned short>(stored));");
  out.line("if (rows.both)");
  out.line("  store_global(const_cast<unsigned short*>(rows.second) + n, static_cast<unsigned short>(stored >> 16));");
  out.close("};");
  return out.take();
}

namespace {

// Declares which pair a position is of, and what sample, and how many of the pair's there are from there on.
void emit_place(TextWriter& out, const MixedRadixPlan& plan) {
  const bool together = plan.pairs_at_once > 1;
  out.line(together ? "const int pair = first_pair + at / points, n = at % points;"
                    : "const int pair = first_pair, n = at;");
  if (together)
    out.line("const int live = pair < end_pair ? length - n : 0;");
  else if (plan.length < plan.transform_length)
    out.line("const int live = length - n;");
}

bool asks_live(const MixedRadixPlan& plan) { return plan.pairs_at_once > 1 || plan.length < plan.transform_length; }

// Declares where a tensor's rows are.
void emit_rows(TextWriter& out, std::string_view name) {
  if (name.empty()) return;
  out.line(
      fmt::format("const PairOfRows {0} = rows_at(arguments.{0}, arguments.{0}_batch_stride, "
                  "arguments.{0}_channel_stride, pair, n);",
                  name));
}

}  // namespace

std::string general_samples(const ConvConfig& config, const MixedRadixPlan& plan, const RowAccess& access) {
  TextWriter out(2);
  const auto read = [](std::string_view tensor) { return fmt::format("read_pair({}, step)", tensor); };
  const RowSource& source = access.source;
  const RowSource& results = access.results;
  if (config.scaling == Scaling::given) emit_input_scale(out, config, "channel");
  emit_result_scale(out, config, "input", "channel");
  out.line("// The points of a pair from a position on.");
  out.open("const auto samples_at = [&](int at) {");
  emit_place(out, plan);
  emit_rows(out, source.rows);
  emit_rows(out, source.gate);
  out.open("return [=](int step) -> Packed {");
  if (asks_live(plan)) out.line("if (step >= live) return 0;");
  if (!source.gate.empty()) out.line(fmt::format("const unsigned int gate = {};", read(source.gate)));
  out.line(fmt::format("const unsigned int sample = {};", read(source.rows)));
  out.line(fmt::format("return {};", packed_sample(source, "sample", "gate")));
  out.close("};");
  out.close("};");
  out.open("const auto results_at = [&](int at) {");
  emit_place(out, plan);
  emit_rows(out, results.rows);
  emit_rows(out, results.gate);
  out.open("return [=](int step, Packed value) {");
  if (asks_live(plan)) out.line("if (step >= live) return;");
  const std::string stored = results.gate.empty()
                                 ? fmt::format("to_stored(value, {})", results.scale)
                                 : fmt::format("to_stored_gated(value, {}, {})", results.scale, read(results.gate));
  out.line(fmt::format("write_pair({}, step, {});", results.rows, stored));
  out.close("};");
  out.close("};");
  return out.take();
}

}  // namespace ffc
