// Statements of rows whose gradients are taken as text.
#include "split_gradient_stages.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emit_tiled.hpp"
#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "gradient_results.hpp"
#include "lower_chains.hpp"
#include "report_text.hpp"
#include "statement.hpp"
#include "text.hpp"
#include "tiled_columns.hpp"
#include "tiled_pieces.hpp"
#include "tiled_results.hpp"
#include "tiled_rows.hpp"
#include "tiled_shape.hpp"
#include "tiled_stages.hpp"
#include "tiled_warp_rows.hpp"

namespace ffc {

int index_of(const InBlockPlan& plan, Tensor tensor) {
  return tensor == Tensor::input ? 0 : plan.backward.tensors() - 1;
}

std::string_view pair_rows(const InBlockPlan& plan) {
  return plan.packing == Packing::right_angle ? "mine.channel, mine.pair"
                                              : "mine.channel, 2 * mine.pair, 2 * mine.pair + 1 < split.conv.batch";
}

namespace {

class GradientRowsText {
 public:
  GradientRowsText(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan)
      : out_(out),
        config_(config),
        plan_(plan),
        together_(plan.resident_tensors() > 1),
        buffered_(plan.geometry.buffers > 1),
        returns_(plan.backward.returns_sums) {}

  void print_all(const std::vector<Statement>& statements) {
    if (together_) {
      print_magnitudes();
      print_norms();
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
        print_products_scale();
        if (returns_) print_sums_power();
        return has_columns(plan_) ? emit_rows(out_, plan_, turn_, statement)
                                  : emit_warp_rows(out_, config_, plan_, turn_, {statement});
      case Operation::repeat:
        return print_last(statement);
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
  void print_products_scale() {
    if (plan_.scales_row_sums && together_)
      out_.line(fmt::format(
          "const float sums_scale = {};",
          plan_.takes_tile_powers ? scale_of_products("powers.largest", "gradient_powers.largest") : "undone.scale()"));
  }

  // What tiles of columns have told, where it does not come with the rows: asked for ahead of the stages.
  void print_norms() {
    if (!returns_ || plan_.takes_tile_powers) return;
    for (const auto& [name, index] : {std::pair{"u", 0}, std::pair{"dy", 1}})
      out_.line(
          fmt::format("const int norm_of_{} = told_norm(split, mine.place.slot + {}, mine.place.round);", name, index));
  }

  // How large the products of the channel's pairs may be, and the power of two of the sums that go back.
  void print_sums_power() {
    if (plan_.takes_tile_powers)
      for (const auto& [name, index] : {std::pair{"u", 0}, std::pair{"dy", 1}})
        out_.line(fmt::format("const int norm_of_{} = copied_norm(words_of({}), mine.place.round);", name, index));
    // Norms that tiles tell with their own powers of two are those of rows as they came.
    out_.line(fmt::format("const int of_pair = products_exponent(norm_of_u, norm_of_dy){};",
                          plan_.scales_row_sums && !plan_.takes_tile_powers ? " + exponent_of(sums_scale)" : ""));
    out_.line("largest_products = sums.first ? of_pair : max(largest_products, of_pair);");
    out_.line("const int sums_exponent = exponent_of_sums(largest_products, pairs_of_channel(split.conv));");
    out_.line("if (sums.last && thread == 0 && frequency == 1) tell_sums_exponent(split, mine.place, sums_exponent);");
    out_.line("const float sums_power = power_of_two(sums_exponent);");
  }

  // Sums that go back do so with a channel's last pair.
  void print_last(const Statement& last) {
    out_.open("if (sums.last) {");
    for (const Statement& statement : last.body) print(statement);
    out_.close();
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
    out_.line(
        returns_
            ? "// Nothing of it comes back but with the last pair: the next one's columns may have its place."
            : "// Nothing of it comes back: with the last of its rows the next pair's columns may have its place.");
    out_.line(fmt::format("if (thread == 0 && side + 1 == mine.sides{})", returns_ ? " && !sums.last" : ""));
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
      emit_row_powers(out_, stage.tensor == Tensor::input ? "powers" : "gradient_powers",
                      std::to_string(index_of(plan_, stage.tensor)));
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
  bool together_, buffered_, returns_;
  bool rows_are_done_ = false;
  Turn turn_ = Turn::together;
};

bool meets_sums(const std::vector<Statement>& statements) {
  bool meets = false;
  each_statement(statements, [&](const Statement& statement) { meets = meets || statement.meets; });
  return meets;
}

}  // namespace

std::string gradient_stages(const ConvConfig& config, const InBlockPlan& plan,
                            const std::vector<Statement>& statements) {
  TextWriter out(3);
  if (plan.backward.sums) {
    out.line("const RowSums sums = {static_cast<float4*>(split.conv.sums), sums_number, held_sums,");
    out.line("                      mine.pair < split.slices && side == 0, is_last && side + 1 == mine.sides};");
  }
  if (plan.backward.sums && plan.resident_tensors() == 1)
    out.line(fmt::format("Tile parked[{}];  // frequencies of u, which wait for those of dy",
                         has_columns(plan) ? "rows_per_warp" : std::to_string(plan.outer_butterfly)));
  if (plan.takes_tile_powers && plan.scales_row_sums && plan.resident_tensors() == 1)
    out.line("unsigned int largest_of_u = 0;  // exponent, of its tiles");
  const bool meets = meets_sums(statements);
  if (meets) out.line("MetSums met_sums;");
  GradientRowsText(out, config, plan).print_all(statements);
  if (meets) out.line("report_unless_finite(&split.conv.report[mine.channel].gradients, met_sums);");
  return out.take();
}

}  // namespace ffc
