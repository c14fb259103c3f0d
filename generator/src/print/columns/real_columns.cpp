// The stages down the columns of a real row as text.
#include "real_columns.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "gradient_results.hpp"
#include "report_text.hpp"
#include "stage_report.hpp"
#include "statement.hpp"
#include "step_text.hpp"
#include "text.hpp"
#include "tiled_pieces.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

class RealColumnStage {
 public:
  RealColumnStage(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, bool inverse,
                  std::string_view rows, std::string_view scale)
      : out_(out),
        config_(config),
        plan_(plan),
        inverse_(inverse),
        rows_(rows),
        scale_(scale),
        address_(fmt::format("{} + (columns_at ^ swizzled(2 * (first + b))) + a * slot_stride * row_bytes", rows)) {}

  void print_stage(const Statement& stage) {
    out_.line(step_comment(
        steps_within(stage.body),
        fmt::format("{}: {}products of {} down the columns; each warp does its own columns, 16 an item.",
                    inverse_ ? "last stage, inverse" : "first stage, forward", butterflies(), plan_.outer_tile)));
    const bool meets = stage.body.back().operation == Operation::report;
    if (meets) emit_met(out_, met_of(config_, source_of(config_, stage.tensor)), stage_field(rows_, stage.tensor));
    print_turns(stage.body.front());
    if (meets) emit_stage_report(out_, rows_, stage.tensor);
  }

 private:
  [[nodiscard]] std::string butterflies() const {
    return has_butterfly(plan_) ? fmt::format("butterflies of {} real numbers and ", plan_.outer_butterfly) : "";
  }

  void print_turns(const Statement& turns) {
    out_.unroll().open("for (int first = 0; first < columns_per_warp / 2; first += items_at_once) {");
    out_.line(fmt::format("RealTile real[items_at_once][{}];", plan_.outer_butterfly));
    if (has_butterfly(plan_)) out_.line(fmt::format("Tile x[items_at_once][{}];", plan_.frequency_butterflies()));
    for (const Statement& loop : turns.body) print_loop(loop);
    out_.close();
  }

  // One product alone has no loop over values of the butterfly digit, and none has no text.
  void print_loop(const Statement& loop) {
    const bool values = loop.loop == Loop::tiles && !is_of_ends(loop.body.back());
    if (values && loop.begin == loop.end) return;
    open_loop(out_, "b", "0", "items_at_once");
    if (values) open_butterfly_loop(out_, loop.begin, loop.end);
    for (const Statement& statement : loop.body) print(statement);
    if (values) out_.close();
    out_.close();
  }

  // Frequencies 0 and half of the butterfly, together, or those of real numbers alone.
  static bool is_of_ends(const Statement& statement) {
    return statement.operation == Operation::contract && (statement.from == Shape::real || statement.to == Shape::real);
  }

  void print(const Statement& statement) {
    switch (statement.operation) {
      case Operation::fetch:
        return print_fetch(statement);
      case Operation::put:
        out_.line(statement.to == Shape::real ? fmt::format("store_real_rows_transposed({}, real[b][a]);", address_)
                                              : fmt::format("store_rows_transposed({}, x[b][a]);", address_));
        return;
      case Operation::meet:
        return emit_meeting(out_, config_, plan_, statement.tensor, "real[b][a]", stage_field(rows_, statement.tensor));
      case Operation::convert:
        return emit_conversion(out_, config_, plan_, false, "real[b][a]", scale_);
      case Operation::butterfly:
        out_.line(with_steps(fmt::format("butterfly_real_tiles<{}>(real[b]);", inverse_), statement));
        return;
      case Operation::contract:
        return print_product(statement);
      default:
        throw std::logic_error("no stage down the columns of a real row has such a statement");
    }
  }

  void print_fetch(const Statement& fetch) {
    if (fetch.operand == Operand::gate) return emit_gate(out_, plan_, false, address_);
    if (fetch.operand != Operand::none) return;  // named where it is used
    if (fetch.from != Shape::real) {
      out_.line(fmt::format("x[b][a] = load_rows({});", address_));
      return;
    }
    out_.line(fmt::format("real[b][a] = load_real_rows({});", address_));
    if (!inverse_ && has_slots_between(plan_)) out_.line("drop_between(real[b][a].re, lane);");
  }

  void print_product(const Statement& product) {
    if (!has_butterfly(plan_)) {
      const std::string_view function = inverse_ ? "contract_to_row" : "contract_row";
      const std::string_view matrix = inverse_ ? "inverse_matrix" : "forward_matrix";
      out_.line(with_steps(fmt::format("real[b][0] = {}({}(0), real[b][0]);", function, matrix), product));
      return;
    }
    const int radix = plan_.outer_butterfly;
    const bool ends = is_of_ends(product);
    const std::string first = ends ? "real[b][0]" : "real[b][a]";
    const std::string second =
        fmt::format("real[b][{}]", ends ? std::to_string(radix / 2) : fmt::format("{} - a", radix));
    const std::string_view value = ends ? "0" : "a", lane = ends ? "" : ", lane", what = ends ? "ends" : "between";
    out_.line(with_steps(inverse_ ? fmt::format("contract_to_{}(inverse_matrix({}), x[b][{}], {}, {}{});", what, value,
                                                value, first, second, lane)
                                  : fmt::format("x[b][{}] = contract_{}(forward_matrix({}), {}, {}{});", value, what,
                                                value, first, second, lane),
                         product));
  }

  TextWriter& out_;
  const ConvConfig& config_;
  const InBlockPlan& plan_;
  bool inverse_;
  std::string_view rows_, scale_;
  std::string address_;
};

}  // namespace

void emit_real_columns_stage(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, const Statement& stage,
                             std::string_view rows, std::string_view scale) {
  RealColumnStage(out, config, plan, stage.inverse, rows, scale).print_stage(stage);
}

}  // namespace ffc
