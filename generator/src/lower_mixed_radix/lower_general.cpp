// One pass over the steps. An exchange is the barrier in front of the next product; a factor behind it that belongs to
// the product in front of it is applied there, since an exchange moves values and changes none.
#include "lower_general.hpp"

#include <stdexcept>
#include <utility>

#include "ffc/generator/plan.hpp"
#include "statement.hpp"

namespace ffc {
namespace {

class Lowering {
 public:
  explicit Lowering(const MixedRadixPlan& plan) : plan_(plan) {}

  std::vector<Statement> run() {
    for (at_ = 0; at_ < plan_.steps.size(); ++at_) take(plan_.steps[at_]);
    return std::move(statements_);
  }

 private:
  void take(const Step& step) {
    switch (step.kind) {
      case StepKind::load:
        return begin(Operation::load, step);
      case StepKind::contract:
        return begin(Operation::contract, step);
      case StepKind::store:
        return begin(Operation::store, step);
      case StepKind::exchange:
        return waiting_.push_back(at_);
      case StepKind::twiddle:
        return multiply(step, Operand::twiddle, step.done.empty() ? -1 : step.done.back());
      case StepKind::butterfly:
        throw std::logic_error("a general plan has no butterflies");
      case StepKind::pointwise:
      case StepKind::accumulate:
      case StepKind::take_sums:
        return multiply(step, Operand::spectrum, -1);
    }
  }

  // A statement; one that reads what others have written stands behind their barrier.
  void begin(Operation operation, const Step& step) {
    if (!waiting_.empty())
      statements_.push_back(
          {.operation = Operation::barrier, .inverse = step.inverse, .steps = std::exchange(waiting_, {})});
    statements_.push_back({.operation = operation, .inverse = step.inverse, .digit = step.digit, .steps = {at_}});
  }

  void multiply(const Step& step, Operand operand, int twiddled) {
    if (statements_.empty() || statements_.back().operation != Operation::contract ||
        statements_.back().operand != Operand::none) {
      begin(Operation::multiply, step);
      statements_.back().operand = operand, statements_.back().twiddled = twiddled;
      return;
    }
    Statement& product = statements_.back();
    product.operand = operand, product.twiddled = twiddled;
    product.steps.push_back(at_);
  }

  const MixedRadixPlan& plan_;
  std::size_t at_ = 0;
  std::vector<Statement> statements_;
  std::vector<std::size_t> waiting_;  // exchanges that the next barrier is
};

}  // namespace

std::vector<Statement> lower_general(const MixedRadixPlan& plan) { return Lowering(plan).run(); }

}  // namespace ffc
