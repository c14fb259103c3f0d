// The only stage of kernels whose warps hold whole pairs, or rows alone: a butterfly over rows of 256 in registers
// around their chains. Of gradients both tensors, one after the other.
#include "tiled_warp_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "drop_ahead.hpp"
#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "gradient_results.hpp"
#include "gradient_sums.hpp"
#include "lower_rows.hpp"
#include "report_text.hpp"
#include "row_access.hpp"
#include "row_chain.hpp"
#include "statement.hpp"
#include "step_text.hpp"
#include "text.hpp"
#include "tiled_pieces.hpp"
#include "tiled_shape.hpp"
#include "wrapped_ends.hpp"

namespace ffc {
namespace {

// Where tensors take turns in other kernels, their rows come one by one and are summed as those of long rows are.
bool sums_in_block(const InBlockPlan& plan) { return plan.is_backward() && plan.real_filter(); }

class WarpRows {
 public:
  WarpRows(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, Turn turn)
      : out_(out), config_(config), plan_(plan), turn_(turn) {}

  void print_stages(const std::vector<Statement>& stages) {
    if (sums_in_block(plan_)) declare_tiles();
    for (const Statement& stage : stages) {
      out_.line(step_comment(steps_within(stage.body), comment(stage)));
      if (!sums_in_block(plan_)) declare_tiles();
      if (plan_.takes_tile_powers) print_powers();
      for (const Statement& statement : stage.body)
        if (statement.operation == Operation::report)
          emit_met(out_, met_of(config_, source_of(config_, stage.tensor)), samples_field(stage.tensor));
      for (const Statement& statement : stage.body) print(statement);
    }
  }

 private:
  void declare_tiles() {
    if (plan_.holds_row_alone()) out_.line(fmt::format("RealTile samples[{}];", plan_.outer_butterfly));
    out_.line(fmt::format("Tile x[{}];", plan_.outer_butterfly));
  }

  // Those of u are known before dy's; products want both.
  void print_powers() {
    emit_row_powers(out_, "powers", "buffer");
    if (!plan_.scales_row_sums) return;
    if (turn_ == Turn::input) out_.line("largest_of_u = powers.largest;");
    if (turn_ == Turn::gradient)
      out_.line(fmt::format("const float sums_scale = {};", scale_of_products("largest_of_u", "powers.largest")));
  }

  [[nodiscard]] std::string comment(const Statement& stage) const {
    if (!sums_in_block(plan_))
      return fmt::format("one stage: a warp holds the {}, {}rows of 256 = 16 x 16.",
                         plan_.holds_row_alone() ? "row" : "pair",
                         plan_.outer_butterfly > 1 ? fmt::format("butterflies of {} over ", plan_.outer_butterfly)
                                                   : std::string("its "));
    if (stage.tensor == Tensor::taps) return "back along the rows, which this warp holds.";
    if (stage.inverse) return "the frequencies of u, and back.";
    if (stage.tensor == Tensor::gradient) return "the rows of dy, added up with those of u at every frequency.";
    return fmt::format(
        "a warp holds the {}. Its rows of u{}.", plan_.holds_row_alone() ? "row" : "pair",
        plan_.backward.tensors() > 1 ? ": their frequencies wait in the place of the samples" : " and back");
  }

  void print(const Statement& statement) {
    switch (statement.operation) {
      case Operation::repeat:
        return print_values(statement);
      case Operation::fetch:
        return print_fetch(statement);
      case Operation::meet:
        return emit_meeting(out_, config_, plan_, statement.tensor, samples(), samples_field(statement.tensor));
      case Operation::report:
        return emit_report(out_, samples_field(statement.tensor), "channel");
      case Operation::convert:
        return emit_conversion(out_, config_, plan_, false, samples(), tensor_scale(config_, plan_, statement.tensor));
      case Operation::butterfly:
        return print_butterfly(statement);
      case Operation::wrap:
        return print_wrap(statement);
      case Operation::barrier:
        out_.line(plan_.is_backward() ? fmt::format("warp_barrier();  // every lane has read {}",
                                                    statement.inverse ? "what lies there" : "its samples")
                                      : "warp_barrier();");
        return;
      case Operation::ahead:
        if (statement.operand != Operand::gate) return emit_chain_statement(out_, plan_, statement, "x[a]", "a");
        out_.line("copy_out_gate(pair);  // every lane has used the in gate");
        return;
      case Operation::mirror:
        out_.line("flip(x[a].im, signs);");
        return;
      case Operation::accumulate:
        return print_sum(statement);
      case Operation::take_sums:
        out_.line(with_steps("x[a] = range.tile(sums[a]);", statement));
        return;
      case Operation::put:
        return print_put(statement);
      case Operation::multiply:
        if (statement.operand == Operand::shift)
          return emit_shift(out_, plan_, statement.inverse ? "multiply_columns_conj" : "multiply_columns", "x[a]",
                            statement);
        [[fallthrough]];
      default:
        return emit_chain_statement(out_, plan_, statement, "x[a]", "a");
    }
  }

  void print_values(const Statement& loop) {
    open_butterfly_loop(out_, loop.begin, loop.end);
    if (loop.turns == Turns::kept) {
      out_.open("if (drops_row(a)) {");
      out_.line("x[a] = {};").line("continue;").close();
    }
    if (mirrors() && transforms(loop)) {
      out_.line("const int row = min(a, rows - a);  // the conjugate of row rows - a takes the factors of row a");
      out_.line("const Packed signs = row < a ? both_signs : 0;");
    }
    for (const Statement& statement : loop.body) print(statement);
    out_.close();
    if (drops_from_tiles(config_, plan_) && fetches_samples(loop))
      emit_drop_from_tiles(out_, row_access(config_, plan_));
  }

  static bool fetches_samples(const Statement& loop) {
    return std::any_of(loop.body.begin(), loop.body.end(), [](const Statement& statement) {
      return statement.operation == Operation::fetch && statement.operand == Operand::none;
    });
  }

  // Some rows take the factors of others.
  [[nodiscard]] bool mirrors() const { return plan_.mirrors_rows() && plan_.rows() > 2; }

  // The samples of a value, which of a row alone are real.
  [[nodiscard]] std::string_view samples() const { return plan_.holds_row_alone() ? "samples[a]" : "x[a]"; }

  void print_butterfly(const Statement& butterfly) {
    if (!plan_.holds_row_alone())
      return butterfly.inverse ? void(out_.line(with_steps("butterfly_tiles<true>(x);", butterfly)))
                               : emit_forward_butterfly(out_, plan_, "x", butterfly);
    if (butterfly.inverse) return void(out_.line(with_steps("turned_butterfly_tiles_back(x, samples);", butterfly)));
    if (const int live = plan_.live_butterflies(); live < plan_.outer_butterfly) {
      open_butterfly_loop(out_, live, plan_.outer_butterfly);
      out_.line("samples[a] = {};  // padding").close();
    }
    out_.line(with_steps("turned_butterfly_tiles(samples, x);", butterfly));
  }

  void print_wrap(const Statement& wrap) {
    const Turn turn = wrap.tensor == Tensor::input ? Turn::input : Turn::gradient;
    if (wrap.inverse)
      emit_store_ends(out_, config_, plan_, turn);
    else
      emit_add_ends(out_, config_, plan_, turn, tensor_scale(config_, plan_, wrap.tensor));
  }

  static bool transforms(const Statement& loop) {
    for (const Statement& statement : loop.body)
      if (statement.operation == Operation::mirror) return true;
    return false;
  }

  [[nodiscard]] std::string at(Tensor tensor) const {
    return fmt::format("rows_at + a * row_bytes + (row_lane ^ ((a & 7) << 4)){}", rows_offset(plan_, tensor));
  }

  void print_fetch(const Statement& fetch) {
    switch (fetch.operand) {
      case Operand::none:
        if (fetch.from == Shape::real)
          return void(out_.line(fmt::format("samples[a] = load_real_rows({});", at(fetch.tensor))));
        out_.line(plan_.takes_tile_powers
                      ? fmt::format("x[a] = times_powers(load_rows({}), powers.of[a]);", at(fetch.tensor))
                      : fmt::format("x[a] = load_rows({});", at(fetch.tensor)));
        return;
      case Operand::gate:
        return emit_gate(out_, plan_, false, at(fetch.tensor));
      case Operand::shift:
        return;
      case Operand::parked:
        // Those that meet dy's are read where they are multiplied.
        if (fetch.tensor == Tensor::input) out_.line("x[a] = load_tile(rows_at + a * tile_bytes, lane);");
        return;
      default:
        return print_factor(fetch);
    }
  }

  void print_factor(const Statement& factor) {
    if (plan_.fractional_rows && factor.operand != Operand::spectrum)
      return emit_chain_statement(out_, plan_, factor, "x[a]", "a");
    const std::string row = mirrors() ? "row" : "a";
    const std::string place = plan_.kept_rows.empty() ? row : fmt::format("factor_place({})", row);
    const bool by_frequency = is_made(plan_, factor.operand) && factor.placement == Placement::global;
    const bool in_order = !comes_out_of_order(plan_, factor);
    out_.line(fmt::format("{}{} {} = {};", in_order ? "const " : "", factor_type(plan_, factor),
                          factor_name(factor.operand), row_factor(plan_, factor, by_frequency ? row : place, place)));
    if (!in_order) out_.line("put_even_first(spectrum);");
  }

  void print_sum(const Statement& sum) {
    out_.line(step_comment(sum.steps, "added to the sums."));
    if (sums_in_block(plan_))
      emit_add_product(out_, plan_, "load_tile(rows_at + a * tile_bytes, lane)", "x[a]", sums_scale(sum));
    else
      emit_row_sums(out_, plan_, sum, "", "a", turn_ == Turn::gradient ? "parked[a]" : "x[a]", "x[a]");
  }

  void print_put(const Statement& put) {
    if (put.operand != Operand::parked)
      out_.line(fmt::format("store_{}rows_transposed({}, {});", put.to == Shape::real ? "real_" : "", at(put.tensor),
                            samples()));
    else
      out_.line(sums_in_block(plan_) ? "store_tile(rows_at + a * tile_bytes, lane, x[a]);" : "parked[a] = x[a];");
  }

  TextWriter& out_;
  const ConvConfig& config_;
  const InBlockPlan& plan_;
  Turn turn_;
};

}  // namespace

void emit_warp_rows(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, Turn turn,
                    const std::vector<Statement>& stages) {
  WarpRows(out, config, plan, turn).print_stages(stages);
}

}  // namespace ffc
