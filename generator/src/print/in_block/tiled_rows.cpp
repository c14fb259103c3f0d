// The middle stage of the tiled family: rows of 256 = 16 x 16, from samples to the spectrum and back.
//
// Row f holds the frequencies f + rows k. The filter is real, so its spectrum at -(f + rows k) is the conjugate of that
// at f + rows k, and so is every twiddle: the conjugate of row -f takes the factors of row f, and gives the conjugate
// of its result. A row and its mirror are a couple; the factors of rows 0 to rows / 2 are all that is kept. In the rows
// of a split plan the filter is complex, and at frequencies k + 1/4 the mirrors are elsewhere: there each row stands
// alone with its own factors.
#include "tiled_rows.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "choices.hpp"
#include "ffc/generator/plan.hpp"
#include "gradient_sums.hpp"
#include "kept_digits.hpp"
#include "lower_chains.hpp"
#include "row_chain.hpp"
#include "statement.hpp"
#include "step_text.hpp"
#include "text.hpp"
#include "tile_counts.hpp"
#include "tiled_pieces.hpp"
#include "tiled_shape.hpp"
#include "tiled_stages.hpp"

namespace ffc {

void emit_row_address(TextWriter& out, const InBlockPlan& plan) {
  if (plan.fractional_rows) {
    out.open("const auto samples_address = [&](int row, int odd) {");
    out.line(fmt::format("const int slot = {};", slot_of_row(plan, "row")));
    out.line("return rows_at + slot * row_bytes + (samples_lane ^ ((slot & 7) << 4) ^ swizzled(2 * odd));");
    out.close("};");
  }
  out.open("const auto row_address = [&](int row) {");
  out.line(fmt::format("const int slot = {};", slot_of_row(plan, "row")));
  out.line("return rows_at + slot * row_bytes + (row_lane ^ ((slot & 7) << 4));");
  out.close("};");
}

namespace {

// The row that a warp is at: its number among those that are kept, and where some are dropped its frequency.
void emit_row(TextWriter& out, const InBlockPlan& plan, const std::string& place) {
  if (plan.kept_rows.empty()) {
    // Named by most stages; a row that none names shapes the order of what is computed all the same.
    out.line(fmt::format("[[maybe_unused]] const int row = {};", place));
  } else {
    out.line(fmt::format("[[maybe_unused]] const int place = {};", place));
    out.line("[[maybe_unused]] const int row = kept_row(place);");
  }
}

// Of gradients a couple is twice the text or more.
std::string couples_unroll(const InBlockPlan& plan) {
  if (adds_in_turns(plan)) return "#pragma unroll part_tiles";
  if (!plan.is_backward() || plan.couples_per_warp() <= measured::most_unrolled_couples) return "#pragma unroll";
  return plan.geometry.gate_at_load ? "#pragma unroll 2" : "#pragma unroll 4";
}

// The text of the stage where rows live in slots of shared memory, one tile each, alone or as couples with their
// mirrors.
class RowStage {
 public:
  RowStage(TextWriter& out, const InBlockPlan& plan, Turn turn)
      : out_(out),
        plan_(plan),
        turn_(turn),
        mirrors_(ffc::sides(plan) == 2),
        name_(rows_name(plan)),
        guarded_(plan.couples() % plan.geometry.warps_per_group != 0) {}

  void print_stage(const Statement& stage) {
    out_.line(
        step_comment(steps_within(stage.body),
                     fmt::format("middle stage: rows of 256 = 16 x 16 from samples to samples{}; each warp its own.",
                                 mirrors_ ? ", each with its mirror" : "")));
    emit_row_address(out_, plan_);
    for (const Statement& statement : stage.body) {
      if (statement.operation == Operation::repeat)
        print_turns(statement);
      else if (statement.operand == Operand::matrix)
        out_.line(fmt::format("const Halves radix16 = {};", read_halves("load_here")));
      else
        out_.line(fmt::format("{} next_{} = {};", factor_type(plan_, statement), factor_name(statement.operand),
                              row_factor(plan_, statement, row_of_warp(plan_, "0"), "")));
    }
  }

 private:
  void print_turns(const Statement& turns) {
    const std::vector<Tensor> tensors = tensors_of(plan_, turn_);
    // Two tensors' chains are twice the text and more: unrolled, they would not fit registers and instruction cache.
    out_.line(mirrors_ || plan_.real_filter() ? couples_unroll(plan_)
              : tensors.size() > 1            ? "#pragma unroll 1"
                                              : "#pragma unroll");
    const std::string_view at_once = mirrors_ ? "couples_at_once" : "tile_rows_at_once";
    out_.open(fmt::format("for (int first = 0; first < {}_per_warp{}; first += {}) {{", name_,
                          plan_.half_spectrum() ? " + 1" : "", at_once));
    if (plan_.half_spectrum()) {
      out_.line("if (first == rows_per_warp && warp > 0) break;  // the first one's row rows / 2");
      out_.line("const bool lone = first == rows_per_warp, real = lone || (first == 0 && warp == 0);");
    }
    for (const Tensor tensor : tensors) declare(tile_name(tensor), at_once);
    if (takes_parked(plan_, turn_) && plan_.real_filter()) declare("x", at_once);
    for (const Statement& statement : turns.body)
      statement.operation == Operation::repeat ? print_rows(statement) : print_refill();
    out_.close();
  }

  void declare(std::string_view name, std::string_view at_once) {
    out_.line(fmt::format("Tile {}[{}]{};", name, at_once, mirrors_ ? "[2]" : ""));
  }

  template <class Body>
  void each_row(Body body) {
    open_loop(out_, "b", "0", mirrors_ ? "couples_at_once" : "tile_rows_at_once");
    emit_row(out_, plan_, row_of_warp(plan_, "first + b"));
    body();
    out_.close();
  }

  void print_refill() {
    out_.line("warp_barrier();  // every lane has read its rows: those of dy come in");
    each_row([&] {
      out_.line(adds_in_turns(plan_) ? "refill_row(channel, pair, row);" : "refill_row(pair, row);");
      if (mirrors_) out_.line("refill_row(pair, mirror_row(row));");
    });
  }

  void print_rows(const Statement& loop) {
    each_row([&] {
      if (loop.turns == Turns::own && guarded_)
        out_.line(fmt::format("if (warp * {}_per_warp + first + b >= {}) break;", name_, row_count(plan_)));
      bool declared = !mirrors_;
      for (const Statement& statement : loop.body) {
        // Behind the factors.
        const bool of_sides = statement.operation == Operation::repeat || statement.operand == Operand::sums;
        if (!std::exchange(declared, declared || of_sides) && of_sides) declare_conjugates();
        print(statement);
      }
    });
  }

  // Rows 0 and rows / 2.
  void declare_conjugates() {
    const bool self_mirrors = keeps_row(plan_, 0);
    if (self_mirrors) out_.line("// Rows 0 and rows / 2 are their own mirrors: two of one couple, but not conjugates.");
    out_.line(self_mirrors ? "const bool conjugates = first + b > 0 || warp > 0;"
                           : "constexpr bool conjugates = true;");
  }

  void print(const Statement& statement) {
    switch (statement.operation) {
      case Operation::repeat:
        return statement.loop == Loop::last ? print_last(statement) : print_sides(statement);
      case Operation::fetch:
        return print_fetch(statement);
      case Operation::put:
        return print_put(statement);
      case Operation::wait:
        out_.line(fmt::format("wait_copies<{}>();", copies_behind_row(plan_) - 1));
        return;
      case Operation::mirror:
        out_.line(fmt::format("flip({}.im, signs);", tile(statement.tensor)));
        return;
      case Operation::accumulate:
        return print_sum(statement);
      case Operation::take_sums:
        return print_taking(statement);
      default:
        return emit_chain_statement(out_, plan_, statement, tile(statement.tensor));
    }
  }

  // Of a couple the one that the loop over its sides is at.
  [[nodiscard]] std::string tile(Tensor tensor) const {
    return fmt::format("{}[b]{}", tile_name(tensor), mirrors_ ? "[side]" : "");
  }

  static std::array<std::pair<int, std::string_view>, 2> sides() {
    return {std::pair{0, "row"}, std::pair{1, "mirror_row(row)"}};
  }

  void print_fetch(const Statement& fetch) {
    if (fetch.operand == Operand::none) return print_load(fetch.tensor);
    if (fetch.operand == Operand::parked) return print_parked();
    if (fetch.operand == Operand::sums) return emit_couple_sums(out_, plan_);
    if (fetch.operand == Operand::inner_twiddle || (plan_.fractional_rows && fetch.operand == Operand::outer_twiddle))
      return emit_chain_statement(out_, plan_, fetch, tile(fetch.tensor));
    const std::string_view type = factor_type(plan_, fetch), name = factor_name(fetch.operand);
    if (!fetch.early) {
      out_.line(fmt::format("{} {} = {};", type, name,
                            row_factor(plan_, fetch, plan_.kept_rows.empty() ? "row" : "place", "first + b")));
      put_in_order(fetch);
      return;
    }
    out_.line(fmt::format("{1} {0} = next_{0};", name, type));
    put_in_order(fetch);
    const std::string_view also = plan_.half_spectrum() ? " || (first + 1 == rows_per_warp && warp == 0)" : "";
    out_.line(fmt::format("if (first + 1 < {}_per_warp{}) next_{} = {};", name_, also, name,
                          row_factor(plan_, fetch, row_of_warp(plan_, "first + 1"), "")));
  }

  // A row's spectrum, when it is wanted: what was read for it may still be on its way before.
  void put_in_order(const Statement& fetch) {
    if (comes_out_of_order(plan_, fetch)) out_.line("put_even_first(spectrum);");
  }

  void print_load(Tensor tensor) {
    const std::string_view x = tile_name(tensor), offset = rows_offset(plan_, tensor);
    if (mirrors_) {
      for (const auto& [side, row] : sides())
        out_.line(fmt::format("{}[b][{}] = load_rows(row_address({}){});", x, side, row, offset));
    } else if (plan_.half_spectrum()) {
      out_.line(fmt::format("{}[b] = load_frequencies(row_address(row){}, real, lone);", x, offset));
    } else if (plan_.fractional_rows) {
      out_.line(fmt::format("{}[b] = load_row_samples(samples_address(row, 0), samples_address(row, 1));", x));
    } else {
      out_.line(fmt::format("{}[b] = load_rows(row_address(row){});", x, offset));
    }
  }

  void print_parked() {
    if (!mirrors_) {
      out_.line("x[b] = parked_tile(parked + row * (tile_bytes / 16), lane);");
      return;
    }
    for (const auto& [side, row] : sides())
      out_.line(fmt::format("x[b][{}] = parked_tile(parked + {} * (tile_bytes / 16), lane);", side, row));
  }

  // Those that are none compute a row once more, whose results may have replaced its samples by then: nothing that
  // they make may reach memory.
  [[nodiscard]] std::string exists() const {
    return guarded_ ? fmt::format("warp * {}_per_warp + first + b < {}", name_, row_count(plan_)) : "";
  }

  void print_put(const Statement& put) {
    const std::string_view x = tile_name(put.tensor), offset = rows_offset(plan_, put.tensor);
    if (put.operand == Operand::sums) return emit_store_couple_sums(out_, plan_, exists());
    if (put.operand == Operand::parked) return print_parking();
    if (plan_.half_spectrum()) {
      out_.line(fmt::format("store_frequencies(row_address(row){}, {}[b], real, lone);", offset, x));
      return;
    }
    if (!mirrors_) {
      out_.line(fmt::format("store_rows_transposed(row_address(row){}, {}[b]);", offset, x));
      return;
    }
    for (const auto& [side, row] : sides())
      out_.line(fmt::format("store_rows_transposed(row_address({}){}, {}[b][{}]);", row, offset, x, side));
  }

  // u's frequencies wait for dy's: in memory, or, of a split plan's rows, in registers.
  void print_parking() {
    if (!plan_.real_filter()) {
      out_.line(fmt::format("parked[first + b] = {};", tile(Tensor::input)));
      return;
    }
    out_.line(fmt::format("{}park_tile(parked + {} * (tile_bytes / 16), lane, {});",
                          guarded_ ? fmt::format("if ({}) ", exists()) : "",
                          mirrors_ ? "(side == 0 ? row : mirror_row(row))" : "row", tile(Tensor::input)));
  }

  void print_sum(const Statement& sum) {
    out_.line(step_comment(sum.steps, "added to the sums."));
    std::string z = tile(Tensor::input);
    const std::string g = tile(Tensor::gradient);
    if (plan_.half_spectrum()) z = fmt::format("weighed({}, real)", z);
    if (plan_.real_filter()) return emit_add_product(out_, plan_, z, g, sums_scale(sum));
    std::string guard = exists();
    if (plan_.backward.returns_sums) guard += guard.empty() ? "!sums.last" : " && !sums.last";
    emit_row_sums(out_, plan_, sum, guard, "row", turn_ == Turn::gradient ? "parked[first + b]" : z, g);
  }

  // Products of two rows whose frequencies have the same phase have none.
  void print_taking(const Statement& taking) {
    const std::string z = tile(Tensor::input);
    if (guarded_) out_.line(fmt::format("if ({})", exists()));
    out_.line(with_steps(
        fmt::format("{3}{0} = returned_sums(sums, row, lane, {1}, sums_power, {0}, {2});", z,
                    plan_.scales_row_sums ? "sums_scale" : "1.0f", tile(Tensor::gradient), guarded_ ? "  " : ""),
        taking));
    if (column_matrix(plan_) == ColumnMatrix::made)
      out_.line(fmt::format("give_phase({}, column_phase(frequency, row));", z));
  }

  void print_last(const Statement& last) {
    out_.open("if (sums.last) {");
    for (const Statement& statement : last.body) print(statement);
    out_.close();
  }

  void print_sides(const Statement& loop) {
    open_loop(out_, "side", "0", "2");
    bool declared = false;
    for (const Statement& statement : loop.body) {
      if (statement.loop == Loop::lone) {
        print_lone(statement);
        continue;
      }
      if (!std::exchange(declared, true)) out_.line("const Packed signs = side == 1 && conjugates ? both_signs : 0;");
      print(statement);
    }
    out_.close();
  }

  // Every warp takes them anew, which only one needs: a branch would keep the two chains apart.
  void print_lone(const Statement& lone) {
    out_.open("if (side == 1 && first + b == 0) {");
    for (const Statement& factor : lone.body)
      out_.line(fmt::format(
          "{} = {};", factor_name(factor.operand),
          row_factor(plan_, factor,
                     plan_.kept_rows.empty() ? "conjugates ? row : rows / 2" : "conjugates ? place : factor_rows - 1",
                     "couples_per_warp")));
    out_.close();
  }

  TextWriter& out_;
  const InBlockPlan& plan_;
  Turn turn_;
  bool mirrors_;           // couples of a row and its mirror, which share their factors
  std::string_view name_;  // of what a warp takes, in the text
  bool guarded_;           // some are none: they compute what another warp stores
};

}  // namespace

void emit_rows(TextWriter& out, const InBlockPlan& plan, Turn turn, const Statement& stage) {
  RowStage(out, plan, turn).print_stage(stage);
}

}  // namespace ffc
