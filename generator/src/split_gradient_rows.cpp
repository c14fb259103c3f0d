// A row of u and the same row of dy go through the stages of a convolution in turn. Their tiles lie in the same lanes,
// so that what becomes of u's frequencies meets dy's without an exchange.
#include "split_gradient_rows.hpp"

#include <fmt/format.h>

#include "tiled_rows.hpp"
#include "tiled_stages.hpp"

namespace ffc {
namespace {

constexpr int sums_tile_bytes = 2048;

bool adds_up(const Plan& plan, Turn turn) { return turn == Turn::gradient && plan.backward.sums; }

// The sums of a pair's first row are those of its predecessors: none for the first of all.
void emit_load_sums(TextWriter& out, const RowTile& row) {
  out.line("Sums sum;");
  out.line(
      fmt::format("if (adds) sum = load_sums(sums_row + ({}) * (sums_bytes / 16), lane);", row.row));
}

void emit_store_sums(TextWriter& out, const RowTile& row) {
  out.line(fmt::format("add_product(sum, parked[{}], {});", row.index, row.tile));
  out.line(fmt::format("{}store_sums(sums_row + ({}) * (sums_bytes / 16), lane, sum);",
                       row.exists.empty() ? "" : fmt::format("if ({}) ", row.exists), row.row));
}

}  // namespace

bool goes_back(const Plan& plan, Turn turn) {
  if (!plan.is_backward()) return true;
  return turn == Turn::input ? plan.backward.inverts_input : plan.backward.inverts_gradient;
}

void emit_row_chain(TextWriter& out, const Plan& plan, Turn turn, const RowTile& row) {
  RowChain chain(out, plan, row.tile);
  if (!plan.is_backward()) return chain.emit();
  if (adds_up(plan, turn)) emit_load_sums(out, row);
  chain.to_frequencies("");
  if (parks(plan, turn)) out.line(fmt::format("parked[{}] = {};", row.index, row.tile));
  if (adds_up(plan, turn)) emit_store_sums(out, row);
  if (!goes_back(plan, turn)) return;
  chain.times_spectrum(turn == Turn::gradient);
  chain.to_samples();
}

namespace {

std::string_view own_barrier(const Plan& plan) {
  return copies_whole_rows(plan) ? "group_barrier<group_threads>(group);" : "warp_barrier();";
}

void emit_stages(TextWriter& out, const ConvConfig& config, const Plan& plan, Turn turn) {
  if (!has_columns(plan)) return emit_warp_rows(out, config, plan, turn);
  emit_columns_stage(out, config, plan, false);
  out.line("group_barrier<group_threads>(group);");
  emit_rows(out, plan, turn);
  if (!goes_back(plan, turn)) return;
  out.line("group_barrier<group_threads>(group);");
  emit_columns_stage(out, config, plan, true);
}

// One tensor's row, from the workspace and back.
void emit_turn(TextWriter& out, const ConvConfig& config, const Plan& plan, Turn turn, int tensor) {
  const bool buffered = plan.geometry.buffers > 1;
  out.line(turn == Turn::input ? "// The row of u." : "// The row of dy.");
  out.open("{");
  out.line("const SharedAddress rows_at = shared + (group * buffers + buffer) * buffer_bytes;");
  if (buffered) out.line(fmt::format("load_behind(side, {}, (buffer + 1) % buffers);", tensor));
  out.line(fmt::format("wait_copies<{}>();", buffered ? 1 : 0));
  out.line(own_barrier(plan));
  emit_stages(out, config, plan, turn);
  const std::string next_copies = fmt::format("load_behind(side, {}, buffer);", tensor);
  if (goes_back(plan, turn)) {
    out.line(own_barrier(plan));
    out.line(fmt::format("const long long offset = offset_of(mine.places[{}], frequency, side);", tensor));
    emit_store(out, config, plan, next_copies);
  } else {
    out.line(has_columns(plan) ? "group_barrier<group_threads>(group);  // the row has been read" : "warp_barrier();");
    if (!buffered) out.line(next_copies);
  }
  if (buffered) out.line("buffer = (buffer + 1) % buffers;");
  out.close();
}

std::string stages_block(const ConvConfig& config, const Plan& plan) {
  const BackwardWork& work = plan.backward;
  TextWriter out(4);
  if (work.sums) {
    out.line(fmt::format("Tile parked[{}];  // frequencies of u, which wait for those of dy",
                         has_columns(plan) ? "rows_per_warp" : std::to_string(plan.outer_butterfly)));
    out.line("const bool adds = side > 0 || mine.pair >= split.slices;  // to what is there already");
  }
  if (work.transforms_input) emit_turn(out, config, plan, Turn::input, 0);
  if (work.transforms_gradient) emit_turn(out, config, plan, Turn::gradient, work.tensors() - 1);
  return out.take();
}

// Where a pair's factors and sums are.
std::string pointers_block(const Plan& plan) {
  TextWriter out(3);
  if (plan.backward.needs_spectrum()) {
    out.line("const uint4* const spectrum_tiles = reinterpret_cast<const uint4*>(");
    out.line(
        "    static_cast<const unsigned char*>(split.conv.spectrum) + mine.channel * spectrum_channel_bytes +");
    out.line("    frequency * (4LL * row_length));");
  }
  if (plan.backward.sums) {
    out.line("float4* const sums_row = static_cast<float4*>(split.conv.sums) +");
    out.line("    (static_cast<long long>(mine.channel * split.slices + mine.pair % split.slices) * spectrum_rows +");
    out.line("     frequency) * (row_sums_bytes / 16);");
  }
  return out.take();
}

}  // namespace

std::int64_t row_sums_bytes(const Plan& plan) { return std::int64_t{plan.rows()} * sums_tile_bytes; }

EmittedHalf emit_gradient_rows(const ConvConfig& config, const Plan& plan) {
  EmittedHalf result = emit_inner_rows(config, plan);
  result.blocks.erase("store");
  result.blocks["stages"] = stages_block(config, plan);
  result.blocks["row_pointers"] = pointers_block(plan);
  if (plan.backward.sums)
    result.blocks["row_constants"].value() +=
        constant_line("int row_sums_bytes", row_sums_bytes(plan), "of the sums of a row of frequencies");
  else
    result.substitutes["sums.cuh"] = "";
  return result;
}

}  // namespace ffc
