// Butterflies over real tiles first, then products that make half of the frequencies.
#include "lower_real_columns.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "lower_chains.hpp"
#include "lower_columns.hpp"
#include "statement.hpp"
#include "tile_counts.hpp"
#include "tiled_magnitudes.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

class RealColumns {
 public:
  RealColumns(const ConvConfig& config, const InBlockPlan& plan, Tensor tensor, bool inverse)
      : config_(config), plan_(plan), tensor_(tensor), inverse_(inverse) {
    for (const std::size_t at : outer_steps(plan, tensor, inverse))
      (plan.steps[at].kind == StepKind::butterfly ? butterfly_ : product_).push_back(at);
  }

  Statement run() {
    Statement stage{.operation = Operation::columns, .inverse = inverse_, .tensor = tensor_};
    std::vector<Statement> passes = {samples(), ends(), frequencies()};
    if (has_butterfly(plan_)) passes = {samples(), butterflies(), ends(), between(), frequencies()};
    if (inverse_) std::reverse(passes.begin(), passes.end());
    stage.body.push_back(
        {.operation = Operation::repeat, .inverse = inverse_, .loop = Loop::turns, .body = std::move(passes)});
    if (!inverse_ && reports_in_stage(config_, plan_))
      stage.body.push_back({.operation = Operation::report, .tensor = tensor_});
    return stage;
  }

 private:
  [[nodiscard]] int tiles() const { return plan_.frequency_butterflies(); }

  [[nodiscard]] Statement loop_over(int begin, int end, std::vector<Statement> body) const {
    return {.operation = Operation::repeat,
            .inverse = inverse_,
            .loop = Loop::tiles,
            .begin = begin,
            .end = end,
            .body = std::move(body)};
  }

  [[nodiscard]] Statement samples() const {
    const int count = plan_.outer_butterfly;
    Statement tile{.operation = inverse_ ? Operation::put : Operation::fetch,
                   .inverse = inverse_,
                   .tensor = tensor_,
                   .size = 0.5,
                   .times = static_cast<double>(column_items) * count};
    (inverse_ ? tile.to : tile.from) = Shape::real;
    std::vector<Statement> body = {tile};
    if (!inverse_) append(body, lower_input(config_, plan_, tile));
    return loop_over(0, count, std::move(body));
  }

  [[nodiscard]] Statement butterflies() const {
    return {.operation = Operation::repeat,
            .inverse = inverse_,
            .loop = Loop::items,
            .body = {{.operation = Operation::butterfly,
                      .inverse = inverse_,
                      .digit = 0,
                      .steps = butterfly_,
                      .times = column_items}}};
  }

  // Of two frequencies of the butterfly that are real, together; or of real numbers alone, which as many become.
  [[nodiscard]] Statement ends() const {
    Statement product = product_of(Shape::real);
    if (!has_butterfly(plan_)) product.from = product.to = Shape::real;
    product.steps = product_;
    return loop_over(0, 1, {matrix(1), std::move(product)});
  }

  [[nodiscard]] Statement between() const {
    Statement product = product_of(Shape::whole);
    product.times *= tiles() - 1;
    return loop_over(1, tiles(), {matrix(tiles() - 1), std::move(product)});
  }

  // Without a butterfly their real and imaginary parts are where samples were.
  [[nodiscard]] Statement frequencies() const {
    Statement tile{.operation = inverse_ ? Operation::fetch : Operation::put,
                   .inverse = inverse_,
                   .times = static_cast<double>(column_items) * tiles()};
    if (!has_butterfly(plan_)) tile.size = 0.5, (inverse_ ? tile.from : tile.to) = Shape::real;
    return loop_over(0, tiles(), {std::move(tile)});
  }

  [[nodiscard]] Statement matrix(double count) const {
    return {.operation = Operation::fetch,
            .inverse = inverse_,
            .operand = Operand::column_twiddle,
            .placement = plan_.geometry.column_factors,
            .times = static_cast<double>(column_items) * count};
  }

  [[nodiscard]] Statement product_of(Shape samples) const {
    return {.operation = Operation::contract,
            .inverse = inverse_,
            .digit = 1,
            .operand = Operand::column_twiddle,
            .role = Role::a,
            .applied = Applied::in_matrix,
            .from = inverse_ ? Shape::whole : samples,
            .to = inverse_ ? samples : Shape::whole,
            .times = column_items};
  }

  const ConvConfig& config_;
  const InBlockPlan& plan_;
  Tensor tensor_;
  bool inverse_;
  std::vector<std::size_t> butterfly_, product_;  // the steps of each
};

}  // namespace

Statement lower_real_columns(const ConvConfig& config, const InBlockPlan& plan, Tensor tensor, bool inverse) {
  return RealColumns(config, plan, tensor, inverse).run();
}

}  // namespace ffc
