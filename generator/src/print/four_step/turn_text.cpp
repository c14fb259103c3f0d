// Statements of a unit's turn as text. What is of the tile that comes or of the one that leaves is done where there is
// one.
#include "turn_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "columns_in.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "lower_turn.hpp"
#include "plan_steps.hpp"
#include "split_shape.hpp"
#include "statement.hpp"
#include "step_text.hpp"
#include "text.hpp"
#include "tile_words_text.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

bool has(const std::vector<Statement>& statements, Operation operation, Operand operand = Operand::none) {
  return std::any_of(statements.begin(), statements.end(), [&](const Statement& statement) {
    return statement.operation == operation && statement.operand == operand;
  });
}

// A pass is of samples where its products are down the first digit.
bool is_of_samples(const Statement& pass) {
  return std::any_of(pass.body.begin(), pass.body.end(), [](const Statement& statement) {
    return statement.operation == Operation::contract && statement.digit == 0;
  });
}

class TurnText {
 public:
  TurnText(const ConvConfig& config, const FourStepPlan& plan)
      : config_(config),
        plan_(plan),
        turn_(lower_turn(config, plan)),
        turn_of_dy_(lower_turn(config, plan, Tensor::gradient)),
        both_(plan.columns.tiles > 1),
        beside_(samples_beside(config, plan)),
        finds_(config.scaling == Scaling::found),
        comes_in_(both_ ? "next" : "tile"),
        out_(1) {}

  std::string take() {
    if (finds_ || plan_.backward.returns_sums) line("const SharedAddress words = tile + unit_words_offset;");
    if (both_)
      line(fmt::format("{}SharedAddress next = tile + tile_bytes;  // {}", swaps() ? "" : "const ",
                       swaps() ? "of the row that comes, in turn with the other" : "of the pair that comes"));
    line("Turn turn = turn_at(split, index);");
    print_opening(false);
    out_.open("while (turn.exists) {");
    if (computes_anew(config_, plan_)) line("compute_anew(thread);");
    for (const Statement& statement : turn_.body) print(statement);
    line("turn = turn_at(split, index += step);");
    if (swaps()) {
      line("const SharedAddress of_results = tile;");
      line("tile = next, next = of_results;");
    }
    print_opening(has(turn_.body, Operation::ahead));
    out_.close();
    return out_.take();
  }

 private:
  // The tile that leaves takes in the samples of the next turn, and is that of the row that comes then.
  [[nodiscard]] bool swaps() const { return both_ && beside_; }

  void line(std::string_view text) { out_.line(text); }

  // Where a turn has asked for the samples of the next one, only frequencies are left.
  void print_opening(bool asked) {
    out_.open("if (turn.exists) {");
    for (const Statement& statement : turn_.opening)
      if (statement.inverse)
        print(statement);
      else if (!asked)
        line(fmt::format("load_in(split, turn, {}, thread);", comes_in_), loads());
    out_.close();
  }

  void print(const Statement& statement) {
    switch (statement.operation) {
      case Operation::wait:
        return line("wait_copies<0>();");
      case Operation::measure:
        return print_measure(statement);
      case Operation::barrier:
        return line("unit_barrier(unit);");
      case Operation::await:
        return line("wait_until_open(split, turn, unit, thread);", outer_exchanges(plan_, true));
      case Operation::load:
        if (statement.operand == Operand::gate)
          return come("load_in_gates(split.conv, turn.in, turn.first_column, tile, thread)", {});
        return statement.inverse ? line(fmt::format("load_out(split, turn, tile, {}thread);", finds_ ? "words, " : ""))
                                 : print_load("turn");
      case Operation::ahead:
        return statement.operand == Operand::gate
                   ? leave("load_gates(split.conv, turn.out, turn.first_column, tile, thread)", {})
                   : print_load("turn_at(split, index + step)");
      case Operation::untangle:
        return line("if (turn.out.exists && is_lone(split.conv, turn.out)) join_rows(tile, unit, thread);");
      case Operation::repeat:
        return statement.loop == Loop::parts ? print_parts(statement) : print_pass(statement);
      case Operation::store:
        return statement.inverse ? leave(fmt::format("store_samples({})", of_leaving()), steps_of_both(statement))
                                 : print_store(statement);
      case Operation::count:
        line("// Another warp than the one that asks for rows.");
        return line("if (turn.in.exists && thread == 32) add_to_count(columns_done(split, turn.place), 1);",
                    steps_of_both(statement));
      case Operation::fetch:
        return;  // by the function that uses it
      default:
        throw std::logic_error("no turn of a unit of columns has such a statement");
    }
  }

  void line(std::string_view text, const std::vector<std::size_t>& steps) {
    out_.line(with_steps(text, {.steps = steps}));
  }

  void print_measure(const Statement& measure) {
    if (measure.early) {
      line("// Samples were asked for long before the frequencies.");
      line("turn.out.exists ? wait_copies<1>() : wait_copies<0>();");
    }
    come(fmt::format("measure_samples({}, words, thread)", comes_in_), {});
  }

  void print_store(const Statement& store) {
    come(fmt::format("store_frequencies(split, turn.place, turn.in, turn.first_column, {}, thread)", comes_in_),
         steps_of_both(store));
    if (finds_)
      come("tell_exponent(split, turn.place, turn.first_column, words, thread)", {});
    else if (plan_.backward.returns_sums)
      come("tell_squares(split, turn.place, words, thread)", {});
  }

  // Of what stands in the place of `statement` in either tensor's turn.
  [[nodiscard]] std::vector<std::size_t> steps_of_both(const Statement& statement) const {
    std::vector<Statement> found;
    for (const ColumnTurn* const turn : {&turn_, &turn_of_dy_})
      each_statement(turn->body, [&](const Statement& other) {
        if (other.operation == statement.operation && other.inverse == statement.inverse &&
            other.loop == statement.loop && is_of_samples(other) == is_of_samples(statement))
          found.push_back(other);
      });
    return steps_within(found);
  }

  void come(std::string_view call, const std::vector<std::size_t>& steps) {
    line(fmt::format("if (turn.in.exists) {};", call), steps);
  }
  void leave(std::string_view call, const std::vector<std::size_t>& steps) {
    line(fmt::format("if (turn.out.exists) {};", call), steps);
  }

  [[nodiscard]] std::string of_leaving() const {
    return fmt::format("{}, turn.out, {}turn.first_column, tile, {}thread",
                       plan_.backward.returns_sums ? "split, before(turn.place)" : "split.conv",
                       finds_ ? fmt::format("{}, ", exponent_of_out) : "", in_parts_ ? "part, " : "");
  }

  [[nodiscard]] std::vector<std::size_t> loads() const {
    return steps_of(plan_, StepKind::load, false, {Tensor::input, Tensor::gradient});
  }

  void print_load(std::string_view turn) {
    if (in_parts_) return line(fmt::format("load_in(split, {}, tile, part, thread);", turn), loads());
    if (beside_) line("// Imaginary parts have been read: samples come in beside the results.");
    line(fmt::format("load_in(split, {}, {}, thread);", turn, beside_ ? "tile" : comes_in_), loads());
  }

  void print_parts(const Statement& parts) {
    line("// One part's results leave while the other's samples come, each to where its thread has read results.");
    line("#pragma unroll 1");
    out_.open("for (int part = 0; part < 2; ++part) {");
    in_parts_ = true;
    for (const Statement& statement : parts.body) print(statement);
    in_parts_ = false;
    out_.close();
  }

  // Products that ask for the row's power of two, report of it or add up its squares know which row it is.
  [[nodiscard]] std::string row_of_products() const {
    if (finds_) return fmt::format("{}, words, ", exponent_of_in);
    if (plan_.backward.returns_sums) return "split.conv, turn.in, words, ";
    return products_know_row(config_, plan_) ? "split.conv, turn.in, " : "";
  }

  void print_pass(const Statement& pass) {
    const std::string_view tile = pass.inverse ? "tile" : comes_in_, way = pass.inverse ? "inverse" : "forward";
    const std::string row = pass.inverse || !is_of_samples(pass) ? "" : row_of_products();
    const std::string arguments =
        fmt::format("{}{}{}, thread", row,
                    has(pass.body, Operation::fetch, Operand::matrix) ? fmt::format("{}, ", way) : std::string(), tile);
    if (pass.inverse)
      leave(fmt::format("{}({})", is_of_samples(pass) ? "contract_frequencies" : "from_frequencies", arguments),
            steps_of_both(pass));
    else
      come(fmt::format("{}({})", is_of_samples(pass) ? "contract_samples" : "to_frequencies", arguments),
           steps_of_both(pass));
  }

  const ConvConfig& config_;
  const FourStepPlan& plan_;
  ColumnTurn turn_, turn_of_dy_;  // of the same text
  bool both_, beside_;
  bool finds_;  // units find the powers of two of their tiles
  bool in_parts_ = false;
  std::string_view comes_in_;
  TextWriter out_;
};

}  // namespace

std::string turn_block(const ConvConfig& config, const FourStepPlan& plan) { return TurnText(config, plan).take(); }

}  // namespace ffc
