// Rows whose gradients are taken as text: their copies, counts and pointers around the stages.
#include "split_gradient_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assemble.hpp"
#include "emit_tiled.hpp"
#include "emitted.hpp"
#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "lower_chains.hpp"
#include "split_gradient_stages.hpp"
#include "statement.hpp"
#include "text.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

bool is_alone(const InBlockPlan& plan) { return plan.packing == Packing::right_angle; }

// Copies of rows that are there together: each tensor has its buffer. Where u's places are free ahead of dy's, its
// columns come ahead too, and each tensor is asked for by itself; else both at once.
std::string copies_together(bool by_itself) {
  TextWriter out(2);
  if (by_itself) {
    out.unroll().open("for (int tensor = 0; tensor < tensors; ++tensor) {");
    out.line("if (ahead[tensor]) continue;");
    out.line("wait_until_there(split, mine, tensor);");
    out.line("load_row(mine, tensor, frequency, 0, tensor);");
  } else {
    out.open("if (!ahead) {");
    out.line("for (int tensor = 0; tensor < tensors; ++tensor) wait_until_there(split, mine, tensor);");
    out.line("for (int tensor = 0; tensor < tensors; ++tensor) load_row(mine, tensor, frequency, 0, tensor);");
  }
  out.close();
  out.line(
      "// Starts the copies of a tensor's next row: of the mirror, or that of another pair whose columns are there "
      "already.");
  if (by_itself) out.line("// They are waited for in the order of tensors: none goes ahead alone of those before it.");
  out.open("const auto load_behind = [&](int side, int tensor) {");
  out.line("const bool has_mirror = side + 1 < mine.sides;");
  if (by_itself) {
    out.line("const bool may_go = next.sides > 0 && (tensor == 0 || ahead[0]);");
    out.line("if (!has_mirror) ahead[tensor] = may_go && is_there(split, next, tensor);");
  } else {
    out.open("if (!has_mirror && tensor == 0) {");
    out.line("ahead = next.sides > 0;");
    out.line("for (int each = 0; each < tensors; ++each) ahead = ahead && is_there(split, next, each);");
    out.close();
  }
  out.line("if (has_mirror)");
  out.line("  load_row(mine, tensor, frequency, 1, tensor);");
  out.line(fmt::format("else if ({})", by_itself ? "ahead[tensor]" : "ahead"));
  out.line("  load_row(next, tensor, frequency_of(next_at.number), 0, tensor);");
  out.line("else");
  out.line("  commit_copies();");
  out.close("};");
  return out.take();
}

// Says that the rows of what goes back to the workspace are done.
std::string count_block(const InBlockPlan& plan) {
  TextWriter out(2);
  for (const Tensor tensor : tensors_of(plan, Turn::together))
    if (is_inverted(plan, tensor))
      out.line(fmt::format(
          "if (thread == 0{}) add_to_count(rows_done(split, place_of_tensor(mine, {})), 2 * mine.sides);",
          plan.backward.returns_sums && tensor == Tensor::input ? " && is_last" : "", index_of(plan, tensor)));
  return out.take();
}

void put_copies(Blocks& blocks, const InBlockPlan& plan) {
  const bool together = plan.resident_tensors() > 1;
  const bool by_itself = together && is_free_early(plan, Tensor::input);
  blocks["ahead"] = as_it_stands;
  if (together) blocks["ahead"] = "  bool ahead = false;  // the first row is on its way already\n";
  if (by_itself) blocks["ahead"] = "  bool ahead[tensors] = {};  // their first rows are on their way already\n";
  blocks["copies"] = as_it_stands;
  if (together) blocks["copies"] = copies_together(by_itself);
}

// Which rows of frequencies there are: at k + 1/4, counted in quarters, none is another's mirror.
void put_sides(Blocks& blocks, const InBlockPlan& plan) {
  blocks["has_mirror"] = blocks["row_of_side"] = as_it_stands;
  if (!is_alone(plan)) return;
  blocks["has_mirror"] = "  constexpr bool has_mirror = false;  // at frequencies k + 1/4\n";
  blocks["row_of_side"] = "  const int row = frequency / 4;  // its one side\n";
}

// Where a pair's factors and sums are.
std::string pointers_block(const InBlockPlan& plan) {
  const std::string_view row = is_alone(plan) ? "frequency / 4" : "frequency";
  TextWriter out(2);
  if (plan.backward.needs_spectrum()) {
    out.line("const uint4* const spectrum_tiles = reinterpret_cast<const uint4*>(");
    out.line("    static_cast<const unsigned char*>(split.conv.spectrum) + mine.channel * spectrum_channel_bytes +");
    out.line(fmt::format("    {} * (4LL * row_length));", row));
    if (plan.spectrum_lacks_power) out.line("const Packed spectrum_power = power_of(split.conv, mine.channel);");
  }
  if (plan.backward.sums) {
    // Those that go back are gone when the channels have had their turn.
    out.line(fmt::format("const int sums_number = ({}) * spectrum_rows + {};",
                         plan.backward.returns_sums ? "mine.channel - at.channel"
                                                    : "mine.channel * split.slices + mine.pair % split.slices",
                         row));
    out.line("const int row_of_block = at.number / blocks;");
    out.line("const bool holds_sums = row_of_block < held_rows && split.slices * split.channels_at_once <= step;");
    out.line("const SharedAddress held_sums =");
    out.line("    holds_sums ? shared + held_sums_offset + (row_of_block * groups + group) * row_sums_bytes : 0;");
    out.line("const bool is_last = mine.pair + split.slices >= pairs_of_channel(split.conv);");
    if (plan.scales_row_sums && plan.resident_tensors() == 1 && !plan.takes_tile_powers)
      out.line(fmt::format("const float sums_scale = UndoneRow(split.conv, {}).scale();", pair_rows(plan)));
  }
  return out.take();
}

// What the walk begins with.
std::string sums_block(const InBlockPlan& plan) {
  TextWriter out(1);
  if (!plan.backward.sums) return {};
  out.line("constexpr int held_chunks = held_rows * groups * row_sums_bytes / 16;");
  out.line("for (int at = unit_thread; at < held_chunks; at += block_threads)");
  out.line("  store_shared(shared + held_sums_offset + 16 * at, make_uint4(0, 0, 0, 0));");
  out.line("unit_barrier();");
  if (plan.backward.returns_sums)
    out.line("int largest_products = 0;  // an exponent, of the pairs that the channel has had");
  return out.take();
}

}  // namespace

EmittedHalf emit_gradient_rows(const ConvConfig& config, const InBlockPlan& plan,
                               const std::vector<Statement>& statements) {
  EmittedHalf result = emit_inner_rows(config, plan, statements);
  for (const char* block : {"store", "count_done", "count"}) result.blocks.erase(block);
  result.blocks["stages"] = gradient_stages(config, plan, statements);
  result.blocks["row_pointers"] = pointers_block(plan);
  put_sides(result.blocks, plan);
  put_copies(result.blocks, plan);
  result.blocks["count"] = count_block(plan);
  result.blocks["sums"] = sums_block(plan);
  if (plan.backward.sums)
    result.blocks["row_sums"] = constant_line("int row_sums_bytes", row_sums_bytes(plan), "of a row of frequencies");
  if (!plan.backward.returns_sums) result.substitutes["returned_sums.cuh"] = plan.backward.sums ? "row_sums.cuh" : "";
  const std::vector<Tensor> tensors = tensors_of(plan, Turn::together);
  if (std::none_of(tensors.begin(), tensors.end(), [&](Tensor tensor) { return is_free_early(plan, tensor); }))
    result.substitutes["progress_of_reads.cuh"] = "";
  return result;
}

}  // namespace ffc
