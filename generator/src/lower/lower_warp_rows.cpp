// What a warp does with the pair that it holds.
#include "lower_warp_rows.hpp"

#include <utility>
#include <vector>

#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "lower_chains.hpp"
#include "lower_columns.hpp"
#include "lower_rows.hpp"
#include "statement.hpp"
#include "tile_counts.hpp"
#include "tiled_magnitudes.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

class WarpRows {
 public:
  WarpRows(const ConvConfig& config, const InBlockPlan& plan)
      : config_(config), plan_(plan), rows_(transformed_rows(plan)) {}

  // A tensor there and, where it is inverted, back.
  std::vector<Statement> run(Turn turn) {
    begin(Tensor::input, false);
    const Tensor tensor = tensors_of(plan_, turn).front();
    const bool back = is_inverted(plan_, tensor);
    load(tensor);
    if (copies_out_gate(config_, plan_)) {
      add({.operation = Operation::barrier, .scope = Scope::warp});
      add(copy_of_out_gate(plan_));
    }
    butterfly(tensor, false);
    wrap(tensor, false);
    each_row(tensor, true, back, lower_chains(plan_, turn, rows_));
    if (back) store(tensor, false);
    return std::move(stages_);
  }

  // Both tensors, or one of them.
  std::vector<Statement> gradients() {
    const BackwardWork& work = plan_.backward;
    const bool waits = work.tensors() > 1;
    if (work.transforms_input) {
      begin(Tensor::input, false);
      there(Tensor::input);
      if (waits) add({.operation = Operation::barrier, .scope = Scope::warp});
      std::vector<Statement> chain = lower_chain(plan_, Tensor::input, Way::there, rows_);
      if (waits)
        chain.push_back({.operation = Operation::put, .operand = Operand::parked, .times = rows_});
      else
        append(chain, lower_chain(plan_, Tensor::input, Way::back, rows_));
      each_row(Tensor::input, true, !waits, std::move(chain));
      if (!waits) store(Tensor::input, true);
    }
    if (work.transforms_gradient) {
      begin(Tensor::gradient, false);
      there(Tensor::gradient);
      std::vector<Statement> chain = lower_chain(plan_, Tensor::gradient, Way::there, rows_);
      if (work.sums) {
        chain.push_back(fetch_parked(Tensor::gradient));
        chain.push_back(accumulation(plan_, rows_));
      }
      if (work.inverts_gradient) append(chain, lower_chain(plan_, Tensor::gradient, Way::back, rows_));
      each_row(Tensor::gradient, true, work.inverts_gradient, std::move(chain));
      if (work.inverts_gradient) store(Tensor::gradient, true);
    }
    if (waits && work.inverts_input) {
      begin(Tensor::input, true);
      std::vector<Statement> chain = {fetch_parked(Tensor::input)};
      append(chain, lower_chain(plan_, Tensor::input, Way::back, rows_));
      each_row(Tensor::input, false, true, std::move(chain));
      store(Tensor::input, true);
    }
    return std::move(stages_);
  }

  // A channel's sums back to samples.
  std::vector<Statement> taps() {
    begin(Tensor::taps, true);
    each_row(Tensor::taps, false, false, lower_chain(plan_, Tensor::taps, Way::back, rows_));  // without the spectrum
    store(Tensor::taps, false);
    return std::move(stages_);
  }

 private:
  void begin(Tensor tensor, bool inverse) {
    stages_.push_back({.operation = Operation::rows, .inverse = inverse, .tensor = tensor});
  }

  void add(Statement statement) { stages_.back().body.push_back(std::move(statement)); }

  // Those of u, for the products with dy's or to go on with.
  [[nodiscard]] Statement fetch_parked(Tensor tensor) const {
    return {.operation = Operation::fetch, .operand = Operand::parked, .tensor = tensor, .times = rows_};
  }

  // Of samples: those of a row alone are real.
  [[nodiscard]] Shape samples() const { return plan_.holds_row_alone() ? Shape::real : Shape::whole; }
  [[nodiscard]] double samples_size() const { return plan_.holds_row_alone() ? 0.5 : 1; }

  static Statement values(int end, Turns turns = Turns::all) {
    return {.operation = Operation::repeat, .loop = Loop::values, .end = end, .turns = turns};
  }

  void load(Tensor tensor) {
    const int live = plan_.live_butterflies();
    Statement loop = values(live);
    const Statement fetch{.operation = Operation::fetch,
                          .tensor = tensor,
                          .from = samples(),
                          .size = samples_size(),
                          .times = static_cast<double>(live)};
    loop.body.push_back(fetch);
    append(loop.body, lower_input(config_, plan_, fetch));
    append(loop.body, lower_shift(plan_, tensor, false, live));
    add(std::move(loop));
    if (reports_in_stage(config_, plan_)) add({.operation = Operation::report, .tensor = tensor});
  }

  void there(Tensor tensor) {
    load(tensor);
    butterfly(tensor, false);
    wrap(tensor, false);
  }

  // Of delayed rows, what lies behind the last point: at frequencies. Taps are not delayed.
  void wrap(Tensor tensor, bool inverse) {
    if (plan_.most_wrapped > 0 && tensor != Tensor::taps)
      add({.operation = Operation::wrap, .inverse = inverse, .tensor = tensor, .times = 1});
  }

  // Of a row alone it makes complex numbers of real ones, at frequencies k + 1/4, and is there without a digit of its
  // own, too.
  void butterfly(Tensor tensor, bool inverse) {
    const std::vector<std::size_t> steps = outer_steps(plan_, tensor, inverse);
    if (steps.empty() && !plan_.holds_row_alone()) return;
    add({.operation = Operation::butterfly,
         .inverse = inverse,
         .digit = steps.empty() ? -1 : plan_.steps[steps.front()].digit,
         .steps = steps,
         .tensor = tensor,
         .from = inverse ? Shape::whole : samples(),
         .to = inverse ? samples() : Shape::whole});
  }

  // The conjugates of rows that take the factors of others.
  [[nodiscard]] Statement mirror(Tensor tensor, bool inverse) const {
    return {.operation = Operation::mirror, .inverse = inverse, .tensor = tensor, .times = rows_};
  }

  void each_row(Tensor tensor, bool to_frequencies, bool to_samples, std::vector<Statement> chain) {
    Statement loop = values(plan_.outer_butterfly, plan_.kept_rows.empty() ? Turns::all : Turns::kept);
    loop.tensor = tensor;
    const bool mirrors = plan_.mirrors_rows() && plan_.rows() > 2;
    if (mirrors && to_frequencies) loop.body.push_back(mirror(tensor, false));
    append(loop.body, row_factors(plan_, to_samples, rows_));
    append(loop.body, std::move(chain));
    if (mirrors && to_samples) loop.body.push_back(mirror(tensor, true));
    add(std::move(loop));
  }

  void store(Tensor tensor, bool waits) {
    wrap(tensor, true);
    butterfly(tensor, true);
    // Every lane has read what lies there.
    if (waits) add({.operation = Operation::barrier, .inverse = true, .scope = Scope::warp});
    const int stored = plan_.stored_butterflies();
    Statement loop = values(stored);
    append(loop.body, lower_shift(plan_, tensor, true, stored));
    loop.body.push_back({.operation = Operation::put,
                         .tensor = tensor,
                         .to = samples(),
                         .size = samples_size(),
                         .times = static_cast<double>(stored)});
    add(std::move(loop));
  }

  const ConvConfig& config_;
  const InBlockPlan& plan_;
  double rows_;
  std::vector<Statement> stages_;
};

}  // namespace

std::vector<Statement> lower_warp_taps(const ConvConfig& config, const InBlockPlan& plan) {
  return WarpRows(config, plan).taps();
}

std::vector<Statement> lower_warp_rows(const ConvConfig& config, const InBlockPlan& plan, Turn turn) {
  WarpRows rows(config, plan);
  return plan.is_backward() && plan.real_filter() ? rows.gradients() : rows.run(turn);
}

}  // namespace ffc
