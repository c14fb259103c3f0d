// A row of u and the same row of dy go through the stages of a convolution, together or in turn. Their tiles lie in the
// same lanes, so that u's frequencies meet dy's without an exchange.
#include "split_gradient_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "assemble.hpp"
#include "emit_tiled.hpp"
#include "emitted.hpp"
#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "gradient_results.hpp"
#include "text.hpp"
#include "tiled_columns.hpp"
#include "tiled_copies.hpp"
#include "tiled_results.hpp"
#include "tiled_rows.hpp"
#include "tiled_shape.hpp"
#include "tiled_warp_rows.hpp"

namespace ffc {
namespace {

bool are_together(const InBlockPlan& plan) { return plan.backward.tensors() > 1 && !plan.geometry.in_turn; }

}  // namespace

namespace {

std::string_view own_barrier(const InBlockPlan& plan) {
  return copies_whole_rows(plan) ? "group_barrier<group_threads>(group);" : "warp_barrier();";
}

bool goes_back(const InBlockPlan& plan, Tensor tensor) {
  return tensor == Tensor::input ? plan.backward.inverts_input : plan.backward.inverts_gradient;
}

// A tensor that goes through the rows, and the number of its place among a pair's.
struct Transformed {
  Tensor which;
  int index;
};

std::vector<Transformed> transformed_tensors(const InBlockPlan& plan) {
  std::vector<Transformed> tensors;
  if (plan.backward.transforms_input) tensors.push_back({Tensor::input, 0});
  if (plan.backward.transforms_gradient) tensors.push_back({Tensor::gradient, plan.backward.tensors() - 1});
  return tensors;
}

// Where nothing of a tensor comes back, for columns to take, its place is free once the last of its two rows is read.
void emit_free_place(TextWriter& out, const InBlockPlan& plan, const Transformed& tensor) {
  if (goes_back(plan, tensor.which)) return;
  out.line("// Nothing of it comes back: with the last of its rows the next pair's columns may have its place.");
  out.line("if (thread == 0 && side + 1 == mine.sides)");
  out.line(
      fmt::format("  add_reads_to_count(rows_done(split, place_of_tensor(mine, {})), 2 * mine.sides);", tensor.index));
}

void emit_stages(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, Turn turn, bool back) {
  if (!has_columns(plan)) return emit_warp_rows(out, config, plan, turn);
  emit_columns_stage(out, config, plan, false);
  out.line("group_barrier<group_threads>(group);");
  emit_rows(out, plan, turn);
  if (!back) return;
  out.line("group_barrier<group_threads>(group);");
  emit_columns_stage(out, config, plan, true);
}

void emit_offset(TextWriter& out, int tensor) {
  out.line(fmt::format("const long long offset = offset_of(mine, {}, frequency, side);", tensor));
}

// One tensor's row, from the workspace and back.
void emit_turn(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, const Transformed& tensor) {
  const auto [which, index] = tensor;
  const bool buffered = plan.geometry.buffers > 1, back = goes_back(plan, which);
  out.line(which == Tensor::input ? "// The row of u." : "// The row of dy.");
  out.open("{");
  out.line("const SharedAddress rows_at = shared + (group * buffers + buffer) * buffer_bytes;");
  if (buffered) out.line(fmt::format("load_behind(side, {}, (buffer + 1) % buffers);", index));
  out.line(fmt::format("wait_copies<{}>();", buffered ? 1 : 0));
  out.line(own_barrier(plan));
  emit_stages(out, config, plan, which == Tensor::input ? Turn::input : Turn::gradient, back);
  const std::string next_copies = fmt::format("load_behind(side, {}, buffer);", index);
  if (back) {
    out.line(own_barrier(plan));
    emit_offset(out, index);
    emit_store(out, config, plan, next_copies);
  } else {
    out.line(has_columns(plan) ? "group_barrier<group_threads>(group);  // the row has been read" : "warp_barrier();");
    emit_free_place(out, plan, tensor);
    if (!buffered) out.line(next_copies);
  }
  if (buffered) out.line("buffer = (buffer + 1) % buffers;");
  out.close();
}

// The way back of one of two rows that are there together, and the copies of the row that follows it.
void emit_way_back(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, const Transformed& tensor,
                   std::string_view rows) {
  if (goes_back(plan, tensor.which)) {
    out.open("{");
    if (tensor.index > 0) out.line(fmt::format("const SharedAddress rows_at = {};", rows));
    emit_columns_stage(out, config, plan, true);
    out.line(own_barrier(plan));
    emit_offset(out, tensor.index);
    emit_store(out, config, plan, "");
    out.close();
  }
  out.line(fmt::format("load_behind(side, {});", tensor.index));
}

// Both rows, which meet in the middle stage.
void emit_together(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan) {
  const std::string_view gradient_rows = "gradient_rows_at";
  out.line("const SharedAddress rows_at = shared + group * buffers * buffer_bytes;");
  out.line(fmt::format("const SharedAddress {} = rows_at + buffer_bytes;", gradient_rows));
  out.line("// The row of u, then that of dy.");
  const std::vector<Transformed> tensors = transformed_tensors(plan);
  for (const Transformed& tensor : tensors) {
    out.line(fmt::format("wait_copies<{}>();", 1 - tensor.index));
    out.line(own_barrier(plan));
    if (copies_whole_rows(plan)) emit_free_place(out, plan, tensor);
    emit_columns_stage(out, config, plan, false, tensor.index == 0 ? "rows_at" : gradient_rows);
  }
  out.line("group_barrier<group_threads>(group);");
  if (!copies_whole_rows(plan))
    for (const Transformed& tensor : tensors) emit_free_place(out, plan, tensor);
  emit_rows(out, plan, Turn::together);
  out.line("group_barrier<group_threads>(group);");
  for (const Transformed& tensor : tensors) emit_way_back(out, config, plan, tensor, gradient_rows);
}

std::string stages_block(const ConvConfig& config, const InBlockPlan& plan) {
  const BackwardWork& work = plan.backward;
  TextWriter out(4);
  if (work.sums) out.line("const bool joins = side > 0 || mine.pair >= split.slices;  // else sums begin");
  if (are_together(plan)) {
    emit_together(out, config, plan);
    return out.take();
  }
  if (work.sums)
    out.line(fmt::format("Tile parked[{}];  // frequencies of u, which wait for those of dy",
                         has_columns(plan) ? "rows_per_warp" : std::to_string(plan.outer_butterfly)));
  for (const Transformed& tensor : transformed_tensors(plan)) emit_turn(out, config, plan, tensor);
  return out.take();
}

// Copies of rows that are there together: each tensor has its buffer. Where u's places are free ahead of dy's, its
// columns come ahead too, and each tensor is asked for by itself; else both at once.
std::string copies_together(bool by_itself) {
  TextWriter out(3);
  if (by_itself) {
    out.unroll().open("for (int tensor = 0; tensor < tensors; ++tensor) {");
    out.line("if (ahead[tensor]) continue;");
    out.line("wait_until_there(split, mine, tensor);");
    out.line("load_row(offset_of(mine, tensor, frequency, 0), tensor);");
  } else {
    out.open("if (!ahead) {");
    out.line("for (int tensor = 0; tensor < tensors; ++tensor) wait_until_there(split, mine, tensor);");
    out.line(
        "for (int tensor = 0; tensor < tensors; ++tensor) load_row(offset_of(mine, tensor, frequency, 0), tensor);");
  }
  out.close();
  out.line(
      "// Starts the copies of a tensor's next row: of the mirror, or that of another pair whose columns are there "
      "already.");
  if (by_itself) out.line("// They are waited for in the order of tensors: none goes ahead alone of those before it.");
  out.open("const auto load_behind = [&](int side, int tensor) {");
  out.line("const bool has_mirror = side + 1 < mine.sides;");
  out.line("const Rows next = has_mirror ? mine : rows_of(split, frequency, behind(at), group);");
  if (by_itself) {
    out.line("const bool may_go = keeps_frequency && next.sides > 0 && (tensor == 0 || ahead[0]);");
    out.line("if (!has_mirror) ahead[tensor] = may_go && is_there(split, next, tensor);");
  } else {
    out.open("if (!has_mirror && tensor == 0) {");
    out.line("ahead = keeps_frequency && next.sides > 0;");
    out.line("for (int each = 0; each < tensors; ++each) ahead = ahead && is_there(split, next, each);");
    out.close();
  }
  out.line(fmt::format("if (has_mirror || {})", by_itself ? "ahead[tensor]" : "ahead"));
  out.line("  load_row(offset_of(next, tensor, frequency, has_mirror ? 1 : 0), tensor);");
  out.line("else");
  out.line("  commit_copies();");
  out.close("};");
  return out.take();
}

// Says that the rows of what goes back to the workspace are done.
std::string count_block(const InBlockPlan& plan) {
  TextWriter out(3);
  for (const auto& [which, index] : transformed_tensors(plan))
    if (goes_back(plan, which))
      out.line(fmt::format(
          "if (thread == 0) add_to_count(rows_done(split, place_of_tensor(mine, {})), 2 * mine.sides);", index));
  return out.take();
}

void put_copies(Blocks& blocks, const InBlockPlan& plan) {
  const bool by_itself = are_together(plan) && !goes_back(plan, Tensor::input);
  blocks["ahead"] = as_it_stands;
  if (are_together(plan)) blocks["ahead"] = "  bool ahead = false;  // the first row is on its way already\n";
  if (by_itself) blocks["ahead"] = "  bool ahead[tensors] = {};  // their first rows are on their way already\n";
  blocks["copies"] = as_it_stands;
  if (are_together(plan)) blocks["copies"] = copies_together(by_itself);
}

bool is_alone(const InBlockPlan& plan) { return plan.packing == Packing::right_angle; }

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
  TextWriter out(3);
  if (plan.backward.needs_spectrum()) {
    out.line("const uint4* const spectrum_tiles = reinterpret_cast<const uint4*>(");
    out.line("    static_cast<const unsigned char*>(split.conv.spectrum) + mine.channel * spectrum_channel_bytes +");
    out.line(fmt::format("    {} * (4LL * row_length));", row));
  }
  if (plan.backward.sums) {
    out.line("float4* const sums_row = static_cast<float4*>(split.conv.sums) +");
    out.line("    (static_cast<long long>(mine.channel * split.slices + mine.pair % split.slices) * spectrum_rows +");
    out.line(fmt::format("     {}) * (row_sums_bytes / 16);", row));
  }
  return out.take();
}

}  // namespace

EmittedHalf emit_gradient_rows(const ConvConfig& config, const InBlockPlan& plan) {
  EmittedHalf result = emit_inner_rows(config, plan);
  for (const char* block : {"store", "count_done", "count"}) result.blocks.erase(block);
  result.blocks["stages"] = stages_block(config, plan);
  result.blocks["row_pointers"] = pointers_block(plan);
  put_sides(result.blocks, plan);
  put_copies(result.blocks, plan);
  result.blocks["count"] = count_block(plan);
  if (plan.backward.sums)
    result.blocks["row_constants"].value() +=
        constant_line("int row_sums_bytes", row_sums_bytes(plan), "of the sums of a row of frequencies");
  else
    result.substitutes["row_sums.cuh"] = "";
  const std::vector<Transformed> tensors = transformed_tensors(plan);
  if (std::all_of(tensors.begin(), tensors.end(),
                  [&](const Transformed& tensor) { return goes_back(plan, tensor.which); }))
    result.substitutes["progress_of_reads.cuh"] = "";
  return result;
}

}  // namespace ffc
