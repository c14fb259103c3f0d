// The tensor stays where it is: position p holds the digits with p = sum of value * stride, contracted in place.
#include "ffc/generator/interpreter.hpp"

#include <fmt/format.h>

#include <numbers>
#include <stdexcept>

namespace ffc {
namespace {

using Complex = std::complex<double>;

class Interpreter {
 public:
  Interpreter(const Plan& plan, const std::vector<Complex>& row, const std::vector<Complex>& spectrum)
      : plan_(plan), spectrum_(spectrum), data_(row), contracted_(plan.digits.size(), false) {
    check_sizes(row.size());
    check_digits();
  }

  std::vector<Complex> run() {
    for (; at_ < plan_.steps.size(); ++at_) execute(plan_.steps[at_]);
    require(stored_, "the list ends without a store");
    return std::move(data_);
  }

 private:
  enum class Phase { empty, forward, inverse };

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
    return digit >= 0 && static_cast<std::size_t>(digit) < contracted_.size();
  }

  [[nodiscard]] bool all(bool state) const {
    for (const bool contracted : contracted_)
      if (contracted != state) return false;
    return true;
  }

  void execute(const Step& step) {
    require(!stored_, "nothing may follow the store");
    if (step.kind == StepKind::load) return load();
    require(phase_ != Phase::empty, "nothing is loaded yet");
    if (step.kind == StepKind::pointwise) return pointwise();
    if (step.kind == StepKind::store) return store();
    require(step.inverse == (phase_ == Phase::inverse),
            "forward steps stand before the pointwise one, inverse ones after");
    if (step.kind == StepKind::contract || step.kind == StepKind::butterfly) contract(step);
    if (step.kind == StepKind::twiddle) twiddle(step);
    // An exchange moves values between threads and changes none.
  }

  void load() {
    require(phase_ == Phase::empty, "a list loads once, first");
    phase_ = Phase::forward;
    for (std::size_t n = static_cast<std::size_t>(plan_.loaded_length()); n < data_.size(); ++n) data_[n] = 0;
  }

  void store() {
    require(phase_ == Phase::inverse, "the spectrum was not multiplied in");
    require(all(false), "a digit is still a frequency");
    stored_ = true;
    data_.resize(static_cast<std::size_t>(plan_.length));
  }

  void pointwise() {
    require(phase_ == Phase::forward, "the spectrum is multiplied in once");
    require(all(true), "a digit is not contracted yet");
    phase_ = Phase::inverse;
    for (std::size_t p = 0; p < data_.size(); ++p) {
      std::int64_t frequency = 0;
      for (const Digit& digit : plan_.digits) frequency += value_at(p, digit) * digit.weight;
      data_[p] *= spectrum_[static_cast<std::size_t>(frequency)];
    }
  }

  void contract(const Step& step) {
    require(exists(step.digit), "there is no such digit");
    const auto index = static_cast<std::size_t>(step.digit);
    require(contracted_[index] == step.inverse,
            step.inverse ? "the digit is no frequency" : "the digit is contracted already");
    contracted_[index] = !step.inverse;

    const Digit& digit = plan_.digits[index];
    std::vector<Complex> result(data_.size());
    for (std::size_t p = 0; p < data_.size(); ++p) {
      const std::int64_t to = value_at(p, digit);
      const std::size_t first = p - static_cast<std::size_t>(to * digit.stride);
      Complex sum = 0;
      for (std::int64_t from = 0; from < digit.radix; ++from)
        sum +=
            data_[first + static_cast<std::size_t>(from * digit.stride)] * root(from * to, digit.radix, step.inverse);
      result[p] = step.inverse ? sum / static_cast<double>(digit.radix) : sum;
    }
    data_ = std::move(result);
  }

  void twiddle(const Step& step) {
    for (const int digit : step.done) {
      require(exists(digit), "there is no such done digit");
      require(contracted_[static_cast<std::size_t>(digit)], "a done digit is not contracted");
    }
    for (const int digit : step.open) {
      require(exists(digit), "there is no such open digit");
      require(!contracted_[static_cast<std::size_t>(digit)], "an open digit is contracted");
    }
    for (std::size_t p = 0; p < data_.size(); ++p) {
      std::int64_t k = 0;
      std::int64_t n = 0;
      for (const int digit : step.done) k += value_at(p, digit_at(digit)) * digit_at(digit).weight;
      for (const int digit : step.open) n += value_at(p, digit_at(digit)) * digit_at(digit).stride;
      data_[p] *= root(k * n, plan_.transform_length, step.inverse);
    }
  }

  [[nodiscard]] const Digit& digit_at(int index) const { return plan_.digits[static_cast<std::size_t>(index)]; }

  [[nodiscard]] static std::int64_t value_at(std::size_t position, const Digit& digit) {
    return static_cast<std::int64_t>(position) / digit.stride % digit.radix;
  }

  // exp(-2 pi i numerator / denominator), conjugate for the inverse.
  [[nodiscard]] static Complex root(std::int64_t numerator, std::int64_t denominator, bool inverse) {
    const double turns = static_cast<double>(numerator % denominator) / static_cast<double>(denominator);
    return std::polar(1.0, (inverse ? 2.0 : -2.0) * std::numbers::pi * turns);
  }

  const Plan& plan_;
  const std::vector<Complex>& spectrum_;
  std::vector<Complex> data_;
  std::vector<bool> contracted_;  // per digit: already k, or still n
  Phase phase_ = Phase::empty;
  bool stored_ = false;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<Complex> interpret(const Plan& plan, const std::vector<Complex>& row,
                               const std::vector<Complex>& spectrum) {
  return Interpreter(plan, row, spectrum).run();
}

}  // namespace ffc
