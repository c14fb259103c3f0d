// The stages down the columns of the tiled family as text.
#include "tiled_columns.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "gradient_results.hpp"
#include "real_columns.hpp"
#include "report_text.hpp"
#include "stage_report.hpp"
#include "statement.hpp"
#include "step_text.hpp"
#include "text.hpp"
#include "tiled_pieces.hpp"
#include "tiled_shape.hpp"
#include "wrapped_ends.hpp"

namespace ffc {
namespace {

// A tile in the text of a column stage: its type, how it comes and goes, and where it lies.
struct TileText {
  std::string_view name, type, read, write, at;
};

TileText tile_text(const InBlockPlan& plan, Shape shape) {
  // Products of 8 have half a tile of both parts to begin with.
  if (plan.outer_tile == 8) return {"x", "HalfTile", "load_half_rows", "store_half_rows_transposed", "columns_at"};
  switch (shape) {
    case Shape::half:
      return {"half", "HalfTile", "load_half_rows", "store_half_rows_transposed", "half_columns_at"};
    case Shape::real:
      return {"real", "RealTile", "load_real_rows", "store_real_rows_transposed", "columns_at"};
    case Shape::whole:
      break;
  }
  return {"x", "Tile", "load_rows", "store_rows_transposed", "columns_at"};
}

// The text of one column stage, forward or inverse.
class ColumnStage {
 public:
  ColumnStage(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, const Statement& stage,
              std::string_view rows, std::string_view scale)
      : out_(out),
        config_(config),
        plan_(plan),
        inverse_(stage.inverse),
        of_gradient_(plan.is_backward() && stage.tensor == Tensor::gradient),
        rows_(rows),
        scale_(scale) {
    each_statement(stage.body, [&](const Statement& statement) {
      for (const Shape shape : {statement.from, statement.to})
        if (shape != Shape::whole) samples_ = shape;
    });
    const std::string work = has_butterfly(plan_) ? fmt::format("products of {} and butterflies of {}",
                                                                plan_.outer_tile, plan_.outer_butterfly)
                                                  : fmt::format("products of {}", plan_.outer_tile);
    out_.line(step_comment(steps_within(stage.body),
                           fmt::format("{}: {} down the columns; each warp does its own columns, 16 an item.",
                                       inverse_ ? "last stage, inverse" : "first stage, forward", work)));
    if (takes_powers() && column_matrix(plan_) == ColumnMatrix::made && !has_butterfly(plan_))
      out_.line(fmt::format("const MatrixB {} = times_powers(column_matrix, {});", powered_matrix(), powers()));
    if (meets(stage)) emit_met(out_, met_of(config_, source_of(config_, stage.tensor)), field(stage));
    for (const Statement& statement : stage.body)
      statement.operation == Operation::fetch ? keep_matrices() : print(statement);
  }

 private:
  // What comes from each tile of columns is brought to one power of two by the factors of columns that come first.
  [[nodiscard]] bool takes_powers() const { return plan_.takes_tile_powers && !inverse_; }
  [[nodiscard]] std::string_view powers() const { return of_gradient_ ? "gradient_powers" : "powers"; }
  [[nodiscard]] std::string_view powered_matrix() const {
    return of_gradient_ ? "gradient_powered_matrix" : "powered_matrix";
  }

  [[nodiscard]] Turn turn_of(const Statement& statement) const {
    if (rows_ == of_either_tensor) return Turn::together;
    return statement.tensor == Tensor::input ? Turn::input : Turn::gradient;
  }

  static bool meets(const Statement& stage) { return stage.body.back().operation == Operation::report; }

  [[nodiscard]] std::string_view field(const Statement& statement) const {
    return stage_field(rows_, statement.tensor);
  }

  void print(const Statement& statement) {
    switch (statement.operation) {
      case Operation::meet:
        return emit_meeting(out_, config_, plan_, statement.tensor, tile(), field(statement));
      case Operation::report:
        return emit_stage_report(out_, rows_, statement.tensor);
      case Operation::repeat:
        return print_loop(statement);
      case Operation::fetch:
        return print_fetch(statement);
      case Operation::convert:
        return emit_conversion(out_, config_, plan_, tile_.type == "HalfTile", tile(), scale_);
      case Operation::wrap:
        return inverse_ ? emit_store_ends(out_, config_, plan_, turn_of(statement))
                        : emit_add_ends(out_, config_, plan_, turn_of(statement), scale_);
      case Operation::untangle:
        return print_untangling(statement);
      case Operation::contract:
        return print_product(statement);
      case Operation::butterfly:
        return print_butterfly(statement);
      case Operation::multiply:
        return print_factor(statement);
      case Operation::clear:
        out_.line(fmt::format("zero_dropped({}, dropped_values({}), lane);", tile(), has_butterfly(plan_) ? "a" : "0"));
        return;
      case Operation::put:
        out_.line(fmt::format("{}({}, {});", tile_.write, address(), tile()));
        return;
      default:
        throw std::logic_error("no stage down the columns has such a statement");
    }
  }

  void print_butterfly(const Statement& butterfly) {
    if (butterfly.inverse)
      out_.line(with_steps("butterfly_tiles<true>(x[b]);", butterfly));
    else
      emit_forward_butterfly(out_, plan_, "x[b]", butterfly);
  }

  void print_all(const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) print(statement);
  }

  void print_loop(const Statement& loop) {
    if (loop.loop == Loop::turns) {
      out_.unroll().open("for (int first = 0; first < columns_per_warp / 2; first += items_at_once) {");
      declare("x", Shape::whole);
      if (samples_ != Shape::whole) declare(tile_text(plan_, samples_).name, samples_);
      print_all(loop.body);
      out_.close();
      return;
    }
    if (declares_products(loop)) declare("y", Shape::whole);
    open_loop(out_, "b", "0", "items_at_once");
    if (loop.loop == Loop::tiles) open_butterfly_loop(out_, loop.begin, loop.end);
    if (loop.turns == Turns::kept) print_dropped(loop.body.front());
    print_all(loop.body);
    if (loop.loop == Loop::tiles) out_.close();
    out_.close();
  }

  void declare(std::string_view name, Shape shape) {
    out_.line(fmt::format("{} {}[items_at_once][{}];", tile_text(plan_, shape).type, name, plan_.outer_butterfly));
  }

  // Sums in fp32 go to tiles of their own where samples lie in whole ones.
  [[nodiscard]] bool declares_products(const Statement& loop) const {
    return samples_ == Shape::whole && !loop.body.empty() && loop.body.back().wide;
  }

  // Values of the butterfly digit that are frequencies, and that a mask drops: nothing is kept of them on the way in,
  // and they are zero on the way back.
  void print_dropped(const Statement& first) {
    if (first.operation != Operation::fetch || first.operand != Operand::none) {
      out_.line("if (drops_butterfly(a)) continue;");
      return;
    }
    out_.open("if (drops_butterfly(a)) {");
    out_.line("x[b][a] = {};").line("continue;").close();
  }

  [[nodiscard]] std::string tile() const { return fmt::format("{}[b][a]", tile_.name); }

  [[nodiscard]] std::string offset(std::string_view at) const {
    return fmt::format("({} ^ swizzled(2 * (first + b))){}", at,
                       has_butterfly(plan_) ? " + a * slot_stride * row_bytes" : "");
  }
  [[nodiscard]] std::string address(bool beside = false) const {
    return fmt::format("{}{} + {}", rows_, beside ? " + plane_bytes" : "", offset(tile_.at));
  }

  // Matrices are read once a stage where they are few.
  void keep_matrices() {
    const std::string_view way = inverse_ ? "inverse" : "forward";
    out_.line(plan_.outer_butterfly == 1
                  ? fmt::format("const MatrixB {0}_matrices[] = {{{0}_matrix(0)}};", way)
                  : fmt::format("const MatrixB {0}_matrices[] = {{{0}_matrix(0), {0}_matrix(1)}};", way));
  }

  // What else is fetched is named where it is used.
  void print_fetch(const Statement& fetch) {
    if (fetch.operand == Operand::gate) return emit_gate(out_, plan_, tile_.type == "HalfTile", address());
    if (fetch.operand != Operand::none) return;
    tile_ = tile_text(plan_, fetch.from);
    if (!inverse_ && plan_.geometry.staged_rows > 0) return print_staged();
    out_.line(fmt::format("{} = {}({});", tile(), tile_.read, address(!inverse_ && loads_beside(config_, plan_))));
    if (inverse_ || !has_slots_between(plan_)) return;
    for (const std::string_view part : {"re", "im"})
      if (part == "re" || fetch.from == Shape::whole)
        out_.line(fmt::format("drop_between({}.{}, lane);", tile(), part));
  }

  // The rows of the stage: the same lanes, in slots of their own.
  void print_staged() {
    const std::string_view offset = "(columns_at ^ swizzled(2 * (first + b))) + a * slot_stride * row_bytes";
    if (samples_ == Shape::real) {
      out_.line(fmt::format("{} = load_real_rows(shared + stage_offset + {});", tile(), offset));
    } else if (samples_ == Shape::half) {
      out_.line(fmt::format("{} = load_staged_half(first + b, a);", tile()));
    } else {
      out_.line(fmt::format("const SharedAddress offset = {};", offset));
      out_.line(
          fmt::format("{} = load_rows_apart(shared + stage_offset + offset, rows_at + plane_bytes + offset);", tile()));
    }
  }

  // Values of the butterfly digit and those half of the digit further on.
  void print_couples(std::string_view function, std::string_view more = "") {
    const int half = plan_.outer_butterfly / 2;
    open_loop(out_, "b", "0", "items_at_once");
    open_butterfly_loop(out_, 0, half);
    out_.line(fmt::format("{}(x[b][a], x[b][a + {}]{});", function, half, more));
    out_.close().close();
  }

  // Frequencies and the conjugates of their mirrors, to the halves of a row.
  void print_untangling(const Statement& untangling) {
    if (untangling.inverse) return print_couples("put_together");
    out_.open("if (is_own_mirror(frequency)) {");
    print_couples("make_mirrors", ", frequency");
    out_.close();
    print_couples("take_apart");
  }

  void print_factor(const Statement& factor) {
    const std::string_view function = factor.inverse ? "multiply_columns_conj" : "multiply_columns";
    if (factor.operand == Operand::shift)
      return emit_shift(out_, plan_, function, tile(), factor, takes_powers() ? powers() : "");
    if (plan_.tile_first()) throw std::logic_error("a column twiddle stands behind no product");
    if (has_butterfly(plan_))
      out_.line(with_steps(fmt::format("if (a > 0) {}(x[b][a], column_twiddle(a));", function), factor));
  }

  // The matrix of butterfly value `a`; without a twiddle all values share one.
  [[nodiscard]] std::string matrix() const {
    if (has_column_factors(plan_)) {
      const std::string of_value = fmt::format("{}_{}", inverse_ ? "inverse" : "forward",
                                               keeps_column_matrices(plan_) ? "matrices[a]" : "matrix(a)");
      return takes_powers() ? fmt::format("times_powers({}, {}, a)", of_value, powers()) : of_value;
    }
    const ColumnMatrix products = column_matrix(plan_);
    if (products == ColumnMatrix::made) return std::string(takes_powers() ? powered_matrix() : "column_matrix");
    if (!inverse_ && samples_ == Shape::half) return "half_matrix";
    return products == ColumnMatrix::radix16 ? "radix16.b" : "column_matrix.b";
  }

  void print_product(const Statement& product) {
    const TileText whole = tile_text(plan_, Shape::whole), from = tile_text(plan_, product.from);
    if (product.wide) {
      tile_ = whole;
      if (samples_ == Shape::whole) tile_.name = "y";
      out_.line(with_steps(fmt::format("contract_and_butterfly(forward_block, {}[b], {}[b]);", from.name, tile_.name),
                           product, "in fp32, rounded once"));
    } else if (!plan_.tile_first()) {
      out_.line(with_steps(
          fmt::format("x[b][a] = contract_as_{}<{}>(radix8, x[b][a]);", product.role == Role::a ? 'a' : 'b', inverse_),
          product));
      if (product.role == Role::b) turn_rows();
    } else {
      tile_ = tile_text(plan_, product.to);
      const std::string_view samples = tile_text(plan_, samples_).name;
      const std::string text =
          samples_ == Shape::whole ? fmt::format("{0} = contract_as_a<{1}>({2}, {0});", tile(), inverse_, matrix())
          : inverse_               ? fmt::format("{} = contract_{}_output({}, x[b][a]);", tile(), samples, matrix())
                                   : fmt::format("x[b][a] = contract_{0}_input({1}, {0}[b][a]);", samples, matrix());
      out_.line(with_steps(text, product));
    }
  }

  // Role B has made the new digit the rows: they go back as they lie.
  void turn_rows() {
    tile_.write = "store_half_rows";
    if (spares_moves(plan_)) tile_.write = "store_products", tile_.at = "products_at";
  }

  TextWriter& out_;
  const ConvConfig& config_;
  const InBlockPlan& plan_;
  bool inverse_, of_gradient_;
  std::string_view rows_, scale_;
  Shape samples_ = Shape::whole;  // of their tiles, where they are not whole ones
  TileText tile_;                 // that the text is at
};

}  // namespace

void emit_columns_stage(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, const Statement& stage,
                        std::string_view rows, std::string_view scale) {
  if (plan.half_spectrum()) return emit_real_columns_stage(out, config, plan, stage, rows, scale);
  ColumnStage(out, config, plan, stage, rows, scale);
}

}  // namespace ffc
