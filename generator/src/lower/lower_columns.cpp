// One pass over the outer digits' steps, between a load of tiles and a store. Where the tile digit comes first, its
// matrices carry the twiddle; else it is multiplied in.
#include "lower_columns.hpp"

#include <utility>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "kept_digits.hpp"
#include "lower_chains.hpp"
#include "lower_real_columns.hpp"
#include "statement.hpp"
#include "tile_counts.hpp"
#include "tiled_magnitudes.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

// How often a pair's warps read a matrix of the butterfly digit, either way.
double matrix_reads(const InBlockPlan& plan) {
  return keeps_column_matrices(plan) ? plan.geometry.warps_per_group : column_items;
}

class Columns {
 public:
  Columns(const ConvConfig& config, const InBlockPlan& plan, Tensor tensor, bool inverse)
      : config_(config), plan_(plan), tensor_(tensor), inverse_(inverse) {}

  Statement run() {
    Statement stage{.operation = Operation::columns, .inverse = inverse_, .tensor = tensor_};
    if (keeps_column_matrices(plan_)) stage.body.push_back(fetch_matrices());
    inverse_ ? fetch_frequencies() : fetch_samples();
    for (const std::size_t at : outer_steps(plan_, tensor_, inverse_)) take(plan_.steps[at], at);
    inverse_ ? put_samples() : put_frequencies();
    stage.body.push_back(
        {.operation = Operation::repeat, .inverse = inverse_, .loop = Loop::turns, .body = std::move(passes_)});
    if (!inverse_ && reports_in_stage(config_, plan_))
      stage.body.push_back({.operation = Operation::report, .tensor = tensor_});
    return stage;
  }

 private:
  [[nodiscard]] int butterflies() const { return plan_.outer_butterfly; }

  // Opens a loop over tiles of the values from 0 to `end`; what is added next is its body.
  void open_tiles(int end, bool frequencies) {
    const bool drops = frequencies && kept_butterflies(plan_, butterflies()) < butterflies();
    times_ = column_items * (frequencies ? kept_butterflies(plan_, end) : end);
    passes_.push_back({.operation = Operation::repeat,
                       .inverse = inverse_,
                       .tensor = tensor_,
                       .loop = Loop::tiles,
                       .end = end,
                       .turns = drops ? Turns::kept : Turns::all});
  }

  void open_items() {
    times_ = column_items;
    passes_.push_back({.operation = Operation::repeat, .inverse = inverse_, .loop = Loop::items, .end = butterflies()});
  }

  Statement& add(Operation operation) {
    passes_.back().body.push_back({.operation = operation, .inverse = inverse_, .tensor = tensor_, .times = times_});
    return passes_.back().body.back();
  }

  void add_all(std::vector<Statement> statements) {
    for (Statement& statement : statements) passes_.back().body.push_back(std::move(statement));
  }

  // Of the samples, which may be half of the frequencies; those of products of 8 are half a tile to begin with.
  [[nodiscard]] Shape samples() const {
    if (inverse_ ? half_results(plan_) : half_columns(plan_)) return Shape::half;
    return right_angle_rows(plan_) ? Shape::real : Shape::whole;
  }
  [[nodiscard]] double size_of(Shape shape) const {
    return (plan_.outer_tile <= 8 ? 0.5 : 1) * (shape == Shape::whole ? 1 : 0.5);
  }

  void fetch_samples() {
    open_tiles(plan_.live_butterflies(), false);
    Statement& tile = add(Operation::fetch);
    tile.from = samples(), tile.size = size_of(samples());
    add_all(lower_input(config_, plan_, Statement(tile)));
    if (plan_.untangles()) {
      passes_.push_back({.operation = Operation::untangle, .tensor = tensor_});
      open_tiles(butterflies(), false);
    }
    if (plan_.geometry.staged_rows == 0) add_all(lower_shift(plan_, tensor_, false, times_));
  }

  void fetch_frequencies() {
    open_tiles(butterflies(), true);
    add(Operation::fetch).size = size_of(Shape::whole);
    wrap();
  }

  // Taps are not delayed.
  void wrap() {
    if (plan_.most_wrapped > 0 && tensor_ != Tensor::taps)
      passes_.push_back({.operation = Operation::wrap, .inverse = inverse_, .tensor = tensor_, .times = 1});
  }

  void put_frequencies() {
    wrap();
    open_tiles(butterflies(), true);
    if (!dropped_tile_values(plan_).empty()) add(Operation::clear);
    add(Operation::put).size = size_of(Shape::whole);
  }

  void put_samples() {
    for (const std::size_t twiddle : std::exchange(waiting_, {})) multiply_twiddle(twiddle);
    if (plan_.untangles()) {
      open_tiles(butterflies(), false);
      add_all(lower_shift(plan_, tensor_, true, times_));
      passes_.push_back({.operation = Operation::untangle, .inverse = true, .tensor = tensor_});
    }
    open_tiles(plan_.stored_butterflies(), false);
    if (!plan_.untangles()) add_all(lower_shift(plan_, tensor_, true, times_));
    Statement& tile = add(Operation::put);
    tile.to = samples(), tile.size = size_of(samples());
  }

  void take(const Step& step, std::size_t at) {
    if (step.kind == StepKind::contract) return contract(step, at);
    if (step.kind == StepKind::twiddle) return twiddle(at);
    // The butterfly, which a wide product does with its own sums.
    Statement* const product = last();
    if (product != nullptr && product->wide) return product->steps.push_back(at);
    open_items();
    Statement& butterfly = add(Operation::butterfly);
    butterfly.digit = step.digit;
    butterfly.steps = {at};
  }

  // The statement that the one behind it may join.
  [[nodiscard]] Statement* last() { return passes_.back().body.empty() ? nullptr : &passes_.back().body.back(); }

  void contract(const Step& step, std::size_t at) {
    const bool wide = !inverse_ && plan_.wide_columns;
    // A factor of its own stands in front of its product, on the way in.
    const bool joins = last() != nullptr && last()->operand == Operand::column_twiddle && !inverse_;
    if (wide)
      open_items();
    else if (!joins)
      open_tiles(butterflies(), !plan_.tile_first());
    if (plan_.tile_first() && has_column_factors(plan_) && !keeps_column_matrices(plan_))
      passes_.back().body.push_back(fetch_matrices());
    Statement& product = add(Operation::contract);
    product.digit = step.digit, product.role = step.role, product.wide = wide;
    product.from = inverse_ ? Shape::whole : samples(), product.to = inverse_ ? samples() : Shape::whole;
    if (wide) product.times *= butterflies();
    product.steps = std::exchange(waiting_, {});
    if (!product.steps.empty()) carry_twiddle(product);
    product.steps.push_back(at);
  }

  static void carry_twiddle(Statement& product) {
    product.operand = Operand::column_twiddle, product.applied = Applied::in_matrix;
  }

  void twiddle(std::size_t at) {
    Statement* const product = last();
    if (plan_.tile_first() && inverse_) {
      // One alone: another would be none that the matrix carries.
      for (const std::size_t before : std::exchange(waiting_, {})) multiply_twiddle(before);
      return waiting_.push_back(at);
    }
    if (plan_.tile_first() && product != nullptr && product->operation == Operation::contract &&
        product->operand == Operand::none) {
      carry_twiddle(*product);
      return product->steps.push_back(at);
    }
    multiply_twiddle(at);
  }

  void multiply_twiddle(std::size_t at) {
    if (!inverse_ || last() == nullptr || last()->operation != Operation::contract) open_tiles(butterflies(), true);
    const double own = column_items * (kept_butterflies(plan_, butterflies()) - (keeps_butterfly(plan_, 0) ? 1 : 0));
    Statement& entries = add(Operation::fetch);
    entries.operand = Operand::column_twiddle, entries.placement = plan_.geometry.column_factors;
    entries.size = plan_.outer_tile == 8 ? 0.5 : 1, entries.times = own;
    Statement& factor = add(Operation::multiply);
    factor.operand = Operand::column_twiddle, factor.times = own;
    factor.steps = {at};
  }

  [[nodiscard]] Statement fetch_matrices() const {
    return {.operation = Operation::fetch,
            .inverse = inverse_,
            .operand = Operand::column_twiddle,
            .placement = plan_.geometry.column_factors,
            .times = matrix_reads(plan_) * column_factors(plan_)};
  }

  const ConvConfig& config_;
  const InBlockPlan& plan_;
  Tensor tensor_;
  bool inverse_;
  double times_ = 0;
  std::vector<Statement> passes_;
  std::vector<std::size_t> waiting_;  // a twiddle that the next product's matrix carries
};

}  // namespace

Statement lower_columns(const ConvConfig& config, const InBlockPlan& plan, Tensor tensor, bool inverse) {
  if (plan.half_spectrum()) return lower_real_columns(config, plan, tensor, inverse);
  return Columns(config, plan, tensor, inverse).run();
}

std::vector<Statement> lower_input(const ConvConfig& config, const InBlockPlan& plan, const Statement& samples) {
  const bool meets = meets_in_tiles(config, plan), converts = converts_input(config, plan);
  std::vector<Statement> statements;
  const auto add = [&](Operation operation) {
    statements.push_back(
        {.operation = operation, .tensor = samples.tensor, .from = samples.from, .times = samples.times});
  };
  if (converts && has_in_gate(config.gating)) {
    statements.push_back(samples);
    statements.back().operand = Operand::gate;
  }
  if (meets && !meets_packed(config)) add(Operation::meet);
  if (converts) add(Operation::convert);
  if (meets && meets_packed(config)) add(Operation::meet);
  return statements;
}

Statement copy_of_out_gate(const InBlockPlan& plan) {
  return {.operation = Operation::ahead, .operand = Operand::gate, .size = tiles_stored(plan), .times = 1};
}

std::vector<Statement> lower_shift(const InBlockPlan& plan, Tensor tensor, bool inverse, double times) {
  if (!has_shifts(plan)) return {};
  std::vector<Statement> statements;
  const auto add = [&](Operation operation, double size) {
    statements.push_back({.operation = operation,
                          .inverse = inverse,
                          .operand = Operand::shift,
                          .tensor = tensor,
                          .size = size,
                          .times = times});
  };
  if (shares_shifts(plan)) add(Operation::fetch, 0.25);
  add(Operation::multiply, 1);
  return statements;
}

}  // namespace ffc
