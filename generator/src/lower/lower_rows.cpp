// Loads of tiles, factors, chains and stores, in the loops that a warp takes them in.
#include "lower_rows.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/plan.hpp"
#include "lower_chains.hpp"
#include "statement.hpp"
#include "tile_counts.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

// Tiles of the matrix that a row's products of 8 share, and of a row's sums.
constexpr double halves_size = 1.5, sums_size = 2;

// Factors that come from global memory are asked for one row ahead.
bool is_early(const InBlockPlan& plan, const Statement& factor) {
  // Beside a pair's two tensors there are registers for them where one group of warps has them all and one goes back.
  if (plan.is_backward() && !plan.real_filter() && (plan.geometry.groups > 1 || is_inverted(plan, Tensor::input)))
    return false;
  return factor.placement == Placement::global && plan.geometry.couples_at_once == 1 && !is_made(plan, factor.operand);
}

class Rows {
 public:
  Rows(const InBlockPlan& plan, Turn turn)
      : plan_(plan), turn_(turn), rows_(transformed_rows(plan)), fetched_(fetched_rows(plan)) {}

  Statement run() {
    Statement stage{.operation = Operation::rows};
    if (fills_registers(plan_))
      stage.body.push_back({.operation = Operation::fetch,
                            .operand = Operand::matrix,
                            .placement = Placement::global,
                            .size = halves_size,
                            .times = warps()});
    for (Statement& factor : row_factors(plan_, any_inverted(plan_, turn_), warps())) {
      factor.early = is_early(plan_, factor);
      if (factor.early) stage.body.push_back(std::move(factor));
    }
    Statement turns{.operation = Operation::repeat, .loop = Loop::turns};
    turns.body.push_back(fetch_rows());
    if (turn_ == Turn::input && refills_rows(plan_))
      turns.body.push_back({.operation = Operation::ahead, .tensor = Tensor::gradient});
    turns.body.push_back(transform());
    if (any_inverted(plan_, turn_)) turns.body.push_back(put_rows());
    stage.body.push_back(std::move(turns));
    return stage;
  }

 private:
  [[nodiscard]] double warps() const { return plan_.geometry.warps_per_group; }

  static Statement each_row(Turns turns = Turns::all) {
    return {.operation = Operation::repeat, .loop = Loop::rows, .turns = turns};
  }

  [[nodiscard]] Statement fetch_rows() const {
    Statement loop = each_row();
    for (const Tensor tensor : tensors_of(plan_, turn_))
      loop.body.push_back({.operation = Operation::fetch, .tensor = tensor, .times = fetched_});
    if (takes_parked(plan_, turn_) && plan_.real_filter())
      loop.body.push_back(
          {.operation = Operation::fetch, .operand = Operand::parked, .placement = Placement::global, .times = rows_});
    return loop;
  }

  [[nodiscard]] Statement put_rows() const {
    Statement loop = each_row(Turns::own);
    for (const Tensor tensor : tensors_of(plan_, turn_))
      if (is_inverted(plan_, tensor))
        append(loop.body,
               of_pair(plan_, tensor,
                       {{.operation = Operation::put, .tensor = tensor, .times = stored_rows_of_couples(plan_)}}));
    return loop;
  }

  [[nodiscard]] Statement transform() const {
    Statement loop = each_row();
    append(loop.body, factors());
    // Past one block a function of the text does, wherever they are.
    const bool fetches_sums = adds_products(plan_, turn_) && plan_.real_filter();
    if (fetches_sums) loop.body.push_back(sums(Operation::fetch));
    if (sides(plan_) == 2)
      loop.body.push_back(both_sides());
    else
      append(loop.body, lower_chains(plan_, turn_, rows_));
    if (fetches_sums) loop.body.push_back(sums(Operation::put));
    return loop;
  }

  // Each warp takes those of its couples, some of them a couple ahead.
  [[nodiscard]] std::vector<Statement> factors() const {
    std::vector<Statement> all;
    for (Statement& factor : row_factors(plan_, any_inverted(plan_, turn_), factored_couples(plan_))) {
      factor.early = is_early(plan_, factor);
      if (factor.early) factor.times -= warps();
      if (factor.placement == Placement::staged) all.push_back({.operation = Operation::wait});
      all.push_back(std::move(factor));
    }
    return all;
  }

  [[nodiscard]] Statement both_sides() const {
    Statement loop{.operation = Operation::repeat, .loop = Loop::sides};
    // Every warp takes them anew, which only one needs: a branch would keep the two chains apart.
    if (has_lone_couple(plan_))
      loop.body.push_back({.operation = Operation::repeat,
                           .loop = Loop::lone,
                           .body = row_factors(plan_, any_inverted(plan_, turn_), warps())});
    for (const Tensor tensor : tensors_of(plan_, turn_))
      loop.body.push_back({.operation = Operation::mirror, .tensor = tensor, .times = rows_ / 2});
    append(loop.body, lower_chains(plan_, turn_, rows_));
    for (const Tensor tensor : tensors_of(plan_, turn_))
      if (is_inverted(plan_, tensor))
        loop.body.push_back({.operation = Operation::mirror, .inverse = true, .tensor = tensor, .times = rows_ / 2});
    return loop;
  }

  // Those of a couple, there and back; some of those in global memory are in shared memory meanwhile.
  [[nodiscard]] Statement sums(Operation operation) const {
    const bool resident = plan_.shared.resident_couples > 0;
    const double couples =
        resident ? plan_.shared.resident_couples * warps() : plan_.couples() + (has_lone_couple(plan_) ? 1 : 0);
    return {.operation = operation,
            .operand = Operand::sums,
            .placement = resident ? Placement::shared : plan_.geometry.sums,
            .size = sums_size,
            .times = couples};
  }

  const InBlockPlan& plan_;
  Turn turn_;
  double rows_, fetched_;
};

}  // namespace

bool is_made(const InBlockPlan& plan, Operand factor) {
  return factor == Operand::outer_twiddle && !plan.real_filter();
}

std::vector<Statement> row_factors(const InBlockPlan& plan, bool with_spectrum, double times) {
  std::vector<Statement> factors;
  const auto add = [&](Operand factor, Placement placement, double size) {
    factors.push_back(
        {.operation = Operation::fetch, .operand = factor, .placement = placement, .size = size, .times = times});
  };
  const bool made = is_made(plan, Operand::outer_twiddle) && plan.geometry.twiddle == Placement::global;
  if (plan.has_outer_twiddle() && !plan.fractional_rows)
    add(Operand::outer_twiddle, plan.geometry.twiddle, made ? 0 : 1);
  if (with_spectrum) add(Operand::spectrum, plan.geometry.spectrum, halves_rows(plan) ? 0.5 : 1);
  return factors;
}

Statement lower_rows(const InBlockPlan& plan, Turn turn) { return Rows(plan, turn).run(); }

}  // namespace ffc
