// The tensor stays where it is: position p holds the digits with p = sum of value * stride, contracted in place.
#include "ffc/generator/interpreter.hpp"

#include <fmt/format.h>

#include <numbers>
#include <optional>
#include <stdexcept>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "left_out.hpp"
#include "lower_cluster.hpp"
#include "lower_general.hpp"
#include "lower_split.hpp"
#include "lower_tiled.hpp"
#include "statement.hpp"

namespace ffc {
namespace {

using Complex = std::complex<double>;

enum class Phase { empty, forward, inverse };

// A row under way.
struct Row {
  std::vector<Complex> data;
  std::vector<bool> contracted;  // per digit: already k, or still n
  Phase phase = Phase::empty;
  bool stored = false;

  [[nodiscard]] bool all(bool state) const {
    for (const bool digit : contracted)
      if (digit != state) return false;
    return true;
  }
};

class Interpreter {
 public:
  Interpreter(const Plan& plan, const std::vector<Complex>& row, const std::vector<Complex>& gradient,
              const std::vector<Complex>& spectrum)
      : family_(plan), plan_(*plan), spectrum_(spectrum) {
    check_sizes(row.size());
    check_sizes(gradient.size());
    check_digits();
    const std::vector<bool> none(plan_.digits.size(), false);
    row_of(Tensor::input) = {row, none};
    row_of(Tensor::gradient) = {gradient, none};
    // Those of sums begin as frequencies.
    const std::vector<bool> all(plan_.digits.size(), true);
    row_of(Tensor::taps) = {std::vector<Complex>(row.size()), all, Phase::forward};
  }

  std::vector<Complex> run() {
    execute_all();
    require(row_of(Tensor::input).stored, "the list ends without a store");
    return std::move(row_of(Tensor::input).data);
  }

  InterpretedGradients run_backward() {
    execute_all();
    InterpretedGradients result;
    if (row_of(Tensor::input).stored) result.input = std::move(row_of(Tensor::input).data);
    if (row_of(Tensor::gradient).stored) result.gradient = std::move(row_of(Tensor::gradient).data);
    if (row_of(Tensor::taps).stored) result.taps = std::move(row_of(Tensor::taps).data);
    result.sums = std::move(sums_);
    require(!result.input.empty() || !result.gradient.empty() || !result.sums.empty(),
            "the list ends without a store or sums");
    return result;
  }

 private:
  [[nodiscard]] Row& row_of(Tensor tensor) { return rows_[static_cast<std::size_t>(tensor)]; }

  // In the order of the statements that are emitted.
  void execute_all() {
    family_.visit([&](const auto& plan) { execute_plan(plan); });
    at_ = plan_.steps.size();
  }

  void execute_plan(const MixedRadixPlan& plan) { execute_statements(lower_general(plan), drops_nothing); }
  void execute_plan(const InBlockPlan& plan) {
    execute_statements(lower_tiled(ConvConfig{}, plan),
                       [&](const Statement& statement) { return left_out(plan, statement); });
  }
  void execute_plan(const ClusterPlan& plan) { execute_statements(lower_cluster(ConvConfig{}, plan), drops_nothing); }
  void execute_plan(const FourStepPlan& plan) {
    for (const Statement& stage : lower_split(ConvConfig{}, plan))
      execute_statements({stage}, [&](const Statement& statement) {
        return stage.operation == Operation::columns ? left_out_of_columns(plan, statement)
                                                     : left_out_of_rows(plan, statement);
      });
  }

  static std::vector<bool> drops_nothing(const Statement& /*statement*/) { return {}; }

  // Of a config without gates, which are no steps. `left_out_by` says what a mask drops.
  template <class LeftOut>
  void execute_statements(const std::vector<Statement>& statements, const LeftOut& left_out_by) {
    each_statement(statements, [&](const Statement& statement) {
      for (const std::size_t step : statement.steps) execute_at(step);
      if (statement.operation == Operation::put && statement.operand == Operand::parked)
        parked_ = row_of(Tensor::input);
      drop(statement, left_out_by(statement));
    });
  }

  void drop(const Statement& statement, const std::vector<bool>& dropped) {
    std::vector<Complex>& data = row_of(statement.tensor).data;
    for (std::size_t position = 0; position < dropped.size(); ++position)
      if (dropped[position]) data[position] = 0;
  }

  void execute_at(std::size_t step) {
    at_ = step;
    execute(plan_.steps[step]);
  }

  void check_sizes(std::size_t row_size) const {
    const std::int64_t length = plan_.transform_length;
    if (length < 1 || plan_.length < 0 || plan_.length > length)
      throw std::logic_error(
          fmt::format("plan has length {} and transform length {}; need 0 <= length <= transform length, at least 1",
                      plan_.length, length));
    for (const std::size_t size : {row_size, spectrum_.size()})
      if (size != static_cast<std::size_t>(length))
        throw std::invalid_argument(fmt::format("row and spectrum need {} values; one has {}", length, size));
  }

  // Every position must be one combination of digit values: then strides and weights are as in make_digits.
  void check_digits() const {
    std::int64_t weight = 1;
    for (const Digit& digit : plan_.digits) {
      if (digit.radix < 1 || digit.weight != weight ||
          digit.stride * digit.radix * digit.weight != plan_.transform_length)
        throw std::logic_error(fmt::format("digit with radix {}, stride {}, weight {} does not fit length {}",
                                           digit.radix, digit.stride, digit.weight, plan_.transform_length));
      weight *= digit.radix;
    }
    if (weight != plan_.transform_length)
      throw std::logic_error(fmt::format("digits have the product {}, not {}", weight, plan_.transform_length));
  }

  void require(bool condition, std::string_view what) const {
    if (condition) return;
    const std::string step = at_ < plan_.steps.size() ? describe_safely(plan_.steps[at_]) : "end";
    throw std::logic_error(fmt::format("step {} ({}): {}", at_, step, what));
  }

  // `describe` looks the digit up, which may be what is wrong.
  [[nodiscard]] std::string describe_safely(const Step& step) const {
    const bool names_digit = step.kind == StepKind::contract || step.kind == StepKind::butterfly;
    return names_digit && !exists(step.digit) ? fmt::format("sum over digit {}", step.digit) : describe(plan_, step);
  }

  [[nodiscard]] bool exists(int digit) const {
    return digit >= 0 && static_cast<std::size_t>(digit) < plan_.digits.size();
  }

  void execute(const Step& step) {
    if (step.kind == StepKind::accumulate) return accumulate();
    row_ = &row_of(step.tensor);
    require(!row_->stored, "nothing may follow the store");
    if (step.kind == StepKind::load) return load();
    require(row_->phase != Phase::empty, "nothing is loaded yet");
    if (step.kind == StepKind::pointwise) return pointwise(step);
    if (step.kind == StepKind::take_sums) return take_sums();
    if (step.kind == StepKind::store) return store();
    require(step.inverse == (row_->phase == Phase::inverse),
            "forward steps stand before the pointwise one, inverse ones after");
    if (step.kind == StepKind::contract || step.kind == StepKind::butterfly) contract(step);
    if (step.kind == StepKind::twiddle) twiddle(step);
    // An exchange moves values between threads and changes none.
  }

  void load() {
    require(row_->phase == Phase::empty, "a list loads once, first");
    row_->phase = Phase::forward;
    for (std::size_t n = static_cast<std::size_t>(plan_.loaded_length()); n < row_->data.size(); ++n) row_->data[n] = 0;
    turn_right_angle(false);
  }

  void store() {
    require(row_->phase == Phase::inverse, "the spectrum was not multiplied in");
    require(row_->all(false), "a digit is still a frequency");
    turn_right_angle(true);
    row_->stored = true;
    row_->data.resize(static_cast<std::size_t>(plan_.length));
  }

  // Frequencies k + 1/4 are those of samples that turn with them.
  void turn_right_angle(bool inverse) {
    if (!plan_.right_angle()) return;
    for (std::size_t n = 0; n < row_->data.size(); ++n)
      row_->data[n] *= root(static_cast<std::int64_t>(n), plan_.frequency_parts() * plan_.transform_length, inverse);
  }

  // u's frequencies may have been put by, and its row be back by now.
  void accumulate() {
    const Row& input = parked_ ? *parked_ : row_of(Tensor::input);
    for (const Row* const row : {&input, static_cast<const Row*>(&row_of(Tensor::gradient))})
      require(row->phase == Phase::forward && row->all(true),
              "both rows must be frequencies, before the pointwise step");
    sums_.resize(input.data.size());
    for (std::size_t p = 0; p < sums_.size(); ++p)
      sums_[static_cast<std::size_t>(frequency_at(p))] += std::conj(input.data[p]) * row_of(Tensor::gradient).data[p];
  }

  void take_sums() {
    require(row_->phase == Phase::forward && row_->all(true), "sums take the place of frequencies");
    require(!sums_.empty(), "nothing has been added to the sums");
    row_->phase = Phase::inverse;
    for (std::size_t p = 0; p < row_->data.size(); ++p)
      row_->data[p] = sums_[static_cast<std::size_t>(frequency_at(p))];
  }

  void pointwise(const Step& step) {
    require(row_->phase == Phase::forward, "the spectrum is multiplied in once");
    require(row_->all(true), "a digit is not contracted yet");
    row_->phase = Phase::inverse;
    for (std::size_t p = 0; p < row_->data.size(); ++p) {
      const Complex factor = spectrum_[static_cast<std::size_t>(frequency_at(p))];
      row_->data[p] *= step.tensor == Tensor::gradient ? std::conj(factor) : factor;
    }
  }

  void contract(const Step& step) {
    require(exists(step.digit), "there is no such digit");
    const auto index = static_cast<std::size_t>(step.digit);
    require(row_->contracted[index] == step.inverse,
            step.inverse ? "the digit is no frequency" : "the digit is contracted already");
    row_->contracted[index] = !step.inverse;

    const Digit& digit = plan_.digits[index];
    std::vector<Complex> result(row_->data.size());
    for (std::size_t p = 0; p < row_->data.size(); ++p) {
      const std::int64_t to = value_at(p, digit);
      const std::size_t first = p - static_cast<std::size_t>(to * digit.stride);
      Complex sum = 0;
      for (std::int64_t from = 0; from < digit.radix; ++from)
        sum += row_->data[first + static_cast<std::size_t>(from * digit.stride)] *
               root(from * to, digit.radix, step.inverse);
      result[p] = step.inverse ? sum / static_cast<double>(digit.radix) : sum;
    }
    row_->data = std::move(result);
  }

  void twiddle(const Step& step) {
    for (const int digit : step.done) {
      require(exists(digit), "there is no such done digit");
      require(row_->contracted[static_cast<std::size_t>(digit)], "a done digit is not contracted");
    }
    for (const int digit : step.open) {
      require(exists(digit), "there is no such open digit");
      require(!row_->contracted[static_cast<std::size_t>(digit)], "an open digit is contracted");
    }
    for (std::size_t p = 0; p < row_->data.size(); ++p) {
      std::int64_t k = 0;
      std::int64_t n = 0;
      for (const int digit : step.done) k += value_at(p, digit_at(digit)) * digit_at(digit).weight;
      for (const int digit : step.open) n += value_at(p, digit_at(digit)) * digit_at(digit).stride;
      row_->data[p] *= root(k * n, plan_.transform_length, step.inverse);
    }
  }

  [[nodiscard]] const Digit& digit_at(int index) const { return plan_.digits[static_cast<std::size_t>(index)]; }

  [[nodiscard]] std::int64_t frequency_at(std::size_t position) const {
    std::int64_t frequency = 0;
    for (const Digit& digit : plan_.digits) frequency += value_at(position, digit) * digit.weight;
    return frequency;
  }

  [[nodiscard]] static std::int64_t value_at(std::size_t position, const Digit& digit) {
    return static_cast<std::int64_t>(position) / digit.stride % digit.radix;
  }

  // exp(-2 pi i numerator / denominator), conjugate for the inverse.
  [[nodiscard]] static Complex root(std::int64_t numerator, std::int64_t denominator, bool inverse) {
    const double turns = static_cast<double>(numerator % denominator) / static_cast<double>(denominator);
    return std::polar(1.0, (inverse ? 2.0 : -2.0) * std::numbers::pi * turns);
  }

  const Plan& family_;
  const Transform& plan_;  // what all families have of it
  const std::vector<Complex>& spectrum_;
  Row rows_[3];                // of u, of dy, of dk
  Row* row_ = &rows_[0];       // that the step works on
  std::optional<Row> parked_;  // of u, at frequencies
  std::vector<Complex> sums_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<Complex> interpret(const Plan& plan, const std::vector<Complex>& row,
                               const std::vector<Complex>& spectrum) {
  return Interpreter(plan, row, row, spectrum).run();
}

InterpretedGradients interpret_backward(const Plan& plan, const std::vector<Complex>& input,
                                        const std::vector<Complex>& gradient, const std::vector<Complex>& spectrum) {
  return Interpreter(plan, input, gradient, spectrum).run_backward();
}

}  // namespace ffc
