// Statements of rows whose gradients are taken as text, and their copies, counts and pointers.
#include "split_gradient_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "assemble.hpp"
#include "emit_tiled.hpp"
#include "emitted.hpp"
#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "gradient_results.hpp"
#include "lower_chains.hpp"
#include "statement.hpp"
#include "text.hpp"
#include "tiled_columns.hpp"
#include "tiled_results.hpp"
#include "tiled_rows.hpp"
#include "tiled_shape.hpp"
#include "tiled_stages.hpp"
#include "tiled_warp_rows.hpp"

namespace ffc {
namespace {

// The number of a tensor's place among a pair's.
int index_of(const InBlockPlan& plan, Tensor tensor) {
  return tensor == Tensor::input ? 0 : plan.backward.tensors() - 1;
}

bool is_alone(const InBlockPlan& plan) { return plan.packing == Packing::right_angle; }

// Which magnitudes are a pair's, in arguments of UndoneRow.
std::string_view pair_rows(const InBlockPlan& plan) {
  return is_alone(plan) ? "mine.channel, mine.pair"
                        : "mine.channel, 2 * mine.pair, 2 * mine.pair + 1 < split.conv.batch";
}

class GradientRowsText {
 public:
  GradientRowsText(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan)
      : out_(out),
        config_(config),
        plan_(plan),
        together_(plan.resident_tensors() > 1),
        buffered_(plan.geometry.buffers > 1) {}

  void print_all(const std::vector<Statement>& statements) {
    if (together_) {
      print_magnitudes();
      out_.line("const SharedAddress rows_at = shared + group * buffers * buffer_bytes;");
      out_.line(fmt::format("const SharedAddress {} = rows_at + buffer_bytes;", gradient_rows));
      out_.line("// The row of u, then that of dy.");
    }
    for (const Statement& statement : statements) print(statement);
  }

 private:
  void print(const Statement& statement) {
    switch (statement.operation) {
      case Operation::load:
        return;  // a block of its own
      case Operation::turn:
        return print_turn(statement);
      case Operation::ahead:
        return print_copies(index_of(plan_, statement.tensor));
      case Operation::wait:
        out_.line(fmt::format("wait_copies<{}>();", together_   ? 1 - index_of(plan_, statement.tensor)
                                                    : buffered_ ? 1
                                                                : 0));
        return;
      case Operation::barrier:
        return print_barrier(statement);
      case Operation::count:
        return print_free_place(index_of(plan_, statement.tensor));
      case Operation::columns:
        return print_columns(statement);
      case Operation::rows:
        rows_are_done_ = true;
        print_product_scales();
        return has_columns(plan_) ? emit_rows(out_, plan_, turn_, statement)
                                  : emit_warp_rows(out_, config_, plan_, turn_, {statement});
      case Operation::store:
        return print_store(index_of(plan_, statement.tensor));
      default:
        throw std::logic_error("no rows of gradients have such a statement between their stages");
    }
  }

  // One tensor's row, from the workspace and back.
  void print_turn(const Statement& turn) {
    const bool of_u = turn.tensor == Tensor::input;
    turn_ = of_u ? Turn::input : Turn::gradient;
    rows_are_done_ = false;
    out_.line(of_u ? "// The row of u." : "// The row of dy.");
    out_.open("{");
    out_.line("const SharedAddress rows_at = shared + (group * buffers + buffer) * buffer_bytes;");
    for (const Statement& statement : turn.body)
      // What is copied behind a store stands with it.
      if (statement.operation != Operation::ahead || buffered_ || !is_inverted(plan_, turn.tensor)) print(statement);
    if (buffered_) out_.line("buffer = (buffer + 1) % buffers;");
    out_.close();
  }

  // What brings products back to the rows as they came is read well ahead of these; where tensors take turns, whose
  // frequencies wait in registers, ahead of both.
  void print_magnitudes() {
    if (plan_.scales_row_sums && !plan_.takes_tile_powers)
      out_.line(fmt::format("const UndoneRow undone(split.conv, {});", pair_rows(plan_)));
  }

  // Where tiles of columns have powers of two, the largest are known behind the first stages of both.
  void print_product_scales() {
    if (plan_.scales_row_sums && together_)
      out_.line(fmt::format("const float sums_scale = {};", plan_.takes_tile_powers
                                                                ? "scale_of_products(scale_from_one(powers.largest), "
                                                                  "scale_from_one(gradient_powers.largest))"
                                                                : "undone.scale()"));
    if (!plan_.backward.correlates) return;
    out_.line("const int of_products =");
    out_.line(fmt::format(
        "    products_exponent(split, mine.place.slot, {}, lane);",
        plan_.takes_tile_powers ? "powers.largest, gradient_powers.largest" : "exponent_of_one, exponent_of_one"));
    out_.line("if (thread == 0 && frequency == 1) tell_products_exponent(split, mine.place, of_products);");
    out_.line("const float products_power = power_of_two(of_products);");
    out_.line("const Packed products_scale = pack(products_power, products_power);");
  }

  [[nodiscard]] std::string next_copies(int index) const {
    if (together_) return fmt::format("load_behind(side, {});", index);
    return fmt::format("load_behind(side, {}, {});", index, buffered_ ? "(buffer + 1) % buffers" : "buffer");
  }

  void print_copies(int index) { out_.line(next_copies(index)); }

  void print_barrier(const Statement& barrier) {
    const bool read = !together_ && rows_are_done_ && !barrier.inverse && barrier.scope == Scope::group;
    out_.line(barrier_text(barrier, read ? "the row has been read" : ""));
  }

  // Columns of the next pair may come there once the last of a tensor's two rows is read.
  void print_free_place(int index) {
    out_.line("// Nothing of it comes back: with the last of its rows the next pair's columns may have its place.");
    out_.line("if (thread == 0 && side + 1 == mine.sides)");
    out_.line(fmt::format("  add_reads_to_count(rows_done(split, place_of_tensor(mine, {})), 2 * mine.sides);", index));
  }

  // Of rows that are there together, dy's have their buffer behind u's.
  void print_columns(const Statement& stage) {
    const bool behind = together_ && index_of(plan_, stage.tensor) > 0;
    if (together_ && stage.inverse) {
      out_.open("{");
      if (behind) out_.line(fmt::format("const SharedAddress rows_at = {};", gradient_rows));
    }
    if (plan_.takes_tile_powers && !stage.inverse)
      out_.line(fmt::format("const RowPowers {} = row_powers(words_of({}), mine.place.round, lane);",
                            stage.tensor == Tensor::input ? "powers" : "gradient_powers",
                            index_of(plan_, stage.tensor)));
    emit_columns_stage(out_, config_, plan_, stage, behind && !stage.inverse ? gradient_rows : "rows_at");
  }

  void print_store(int index) {
    out_.line(fmt::format("const long long offset = offset_of(mine, {}, frequency, side);", index));
    emit_store(out_, config_, plan_, together_ ? "" : next_copies(index));
    if (together_) out_.close();
  }

  static constexpr std::string_view gradient_rows = "gradient_rows_at";

  TextWriter& out_;
  const ConvConfig& config_;
  const InBlockPlan& plan_;
  bool together_, buffered_;
  bool rows_are_done_ = false;
  Turn turn_ = Turn::together;
};

bool meets_sums(const std::vector<Statement>& statements) {
  bool meets = false;
  each_statement(statements, [&](const Statement& statement) { meets = meets || statement.meets; });
  return meets;
}

std::string stages_block(const ConvConfig& config, const InBlockPlan& plan, const std::vector<Statement>& statements) {
  TextWriter out(3);
  if (plan.backward.sums) out.line("const bool joins = side > 0 || mine.pair >= split.slices;  // else sums begin");
  if (plan.backward.sums && plan.resident_tensors() == 1)
    out.line(fmt::format("Tile parked[{}];  // frequencies of u, which wait for those of dy",
                         has_columns(plan) ? "rows_per_warp" : std::to_string(plan.outer_butterfly)));
  const bool meets = meets_sums(statements);
  if (meets) out.line("MetSums met_sums;");
  GradientRowsText(out, config, plan).print_all(statements);
  if (meets) out.line("report_unless_finite(&split.conv.report[mine.channel].gradients, met_sums);");
  return out.take();
}

// Copies of rows that are there together: each tensor has its buffer. Where u's places are free ahead of dy's, its
// columns come ahead too, and each tensor is asked for by itself; else both at once.
std::string copies_together(const InBlockPlan& plan, bool by_itself) {
  TextWriter out(2);
  // Whose rows, which of them, and where.
  const auto load_row = [&](std::string_view rows, std::string_view number, int side) {
    return fmt::format("load_row(offset_of({0}, tensor, {1}, {2}), {3}tensor);", rows, number, side,
                       plan.takes_tile_powers ? fmt::format("{}.place.slot + tensor, ", rows) : "");
  };
  if (by_itself) {
    out.unroll().open("for (int tensor = 0; tensor < tensors; ++tensor) {");
    out.line("if (ahead[tensor]) continue;");
    out.line("wait_until_there(split, mine, tensor);");
    out.line(load_row("mine", "frequency", 0));
  } else {
    out.open("if (!ahead) {");
    out.line("for (int tensor = 0; tensor < tensors; ++tensor) wait_until_there(split, mine, tensor);");
    out.line(fmt::format("for (int tensor = 0; tensor < tensors; ++tensor) {}", load_row("mine", "frequency", 0)));
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
  out.line("  " + load_row("mine", "frequency", 1));
  out.line(fmt::format("else if ({})", by_itself ? "ahead[tensor]" : "ahead"));
  out.line("  " + load_row("next", "frequency_of(next_at.number)", 0));
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
      out.line(
          fmt::format("if (thread == 0) add_to_count(rows_done(split, place_of_tensor(mine, {})), 2 * mine.sides);",
                      index_of(plan, tensor)));
  return out.take();
}

void put_copies(Blocks& blocks, const InBlockPlan& plan) {
  const bool together = plan.resident_tensors() > 1;
  const bool by_itself = together && !is_inverted(plan, Tensor::input);
  blocks["ahead"] = as_it_stands;
  if (together) blocks["ahead"] = "  bool ahead = false;  // the first row is on its way already\n";
  if (by_itself) blocks["ahead"] = "  bool ahead[tensors] = {};  // their first rows are on their way already\n";
  blocks["copies"] = as_it_stands;
  if (together) blocks["copies"] = copies_together(plan, by_itself);
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
    out.line("float4* const sums_row = static_cast<float4*>(split.conv.sums) +");
    out.line("    (static_cast<long long>(mine.channel * split.slices + mine.pair % split.slices) * spectrum_rows +");
    out.line(fmt::format("     {}) * (row_sums_bytes / 16);", row));
    if (plan.scales_row_sums && plan.resident_tensors() == 1)
      out.line(fmt::format("const float sums_scale = UndoneRow(split.conv, {}).scale();", pair_rows(plan)));
  }
  return out.take();
}

}  // namespace

EmittedHalf emit_gradient_rows(const ConvConfig& config, const InBlockPlan& plan,
                               const std::vector<Statement>& statements) {
  EmittedHalf result = emit_inner_rows(config, plan, statements);
  for (const char* block : {"store", "count_done", "count"}) result.blocks.erase(block);
  result.blocks["stages"] = stages_block(config, plan, statements);
  result.blocks["row_pointers"] = pointers_block(plan);
  put_sides(result.blocks, plan);
  put_copies(result.blocks, plan);
  result.blocks["count"] = count_block(plan);
  if (plan.backward.sums)
    result.blocks["row_constants"].value() +=
        constant_line("int row_sums_bytes", row_sums_bytes(plan), "of the sums of a row of frequencies");
  else
    result.substitutes["row_sums.cuh"] = "";
  const std::vector<Tensor> tensors = tensors_of(plan, Turn::together);
  if (std::all_of(tensors.begin(), tensors.end(), [&](Tensor tensor) { return is_inverted(plan, tensor); }))
    result.substitutes["progress_of_reads.cuh"] = "";
  return result;
}

}  // namespace ffc
