// One device function a pass; where its points come from and go to are functions that it is handed.
#include "general_text.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "general_tables.hpp"
#include "row_source.hpp"
#include "statement.hpp"
#include "step_text.hpp"
#include "text.hpp"

namespace ffc {
namespace {

// Where a pass finds its points, or leaves them.
enum class Place { samples, workspace, words };

class Printer {
 public:
  Printer(const MixedRadixPlan& plan, const GeneralTables& tables) : plan_(plan), tables_(tables) {}

  std::string print(const std::vector<Statement>& statements) {
    // Others may still read the pairs before.
    if (plan_.digits.size() > 1) out_.line("block_barrier();");
    for (const Statement& statement : statements) {
      if (statement.operation == Operation::barrier)
        print_barrier(statement);
      else if (statement.operation == Operation::contract)
        take_product(statement);
      else if (statement.operation == Operation::load)
        steps_of_load_ = statement.steps;
      else if (statement.operation == Operation::store)
        finish(statement);
      else
        throw std::logic_error("a factor of a general plan stands behind no product");
    }
    return out_.take();
  }

 private:
  [[nodiscard]] bool in_workspace() const { return plan_.outer_digits > 0; }
  [[nodiscard]] int last() const { return static_cast<int>(plan_.digits.size()) - 1; }
  [[nodiscard]] bool is_outer(int digit) const { return digit < plan_.outer_digits; }
  [[nodiscard]] const Digit& digit_of(int digit) const { return plan_.digits[static_cast<std::size_t>(digit)]; }
  [[nodiscard]] const DigitTables& tables_of(int digit) const {
    return tables_.digits[static_cast<std::size_t>(digit)];
  }

  // The place between a digit's pass and that of the digit before it; in front of the first are samples.
  [[nodiscard]] Place before(int digit) const {
    return digit == 0 ? Place::samples : is_outer(digit - 1) ? Place::workspace : Place::words;
  }
  [[nodiscard]] Place behind(int digit) const { return before(digit + 1); }

  // A pass is printed when all that it carries out is known: of the last digit its inverse, of the last pass the store.
  void take_product(const Statement& product) {
    pending_.push_back(product);
    const bool turns = product.digit == last() && !product.inverse, ends = product.digit == 0 && product.inverse;
    if (!turns && !ends) flush();
  }

  // The last pass stores what it makes.
  void finish(const Statement& store) {
    if (pending_.empty()) throw std::logic_error("a general plan ends with a product and a store");
    std::vector<std::size_t>& steps = pending_.back().steps;
    steps.insert(steps.end(), store.steps.begin(), store.steps.end());
    flush();
  }

  void flush() {
    std::vector<std::size_t> steps = std::exchange(steps_of_load_, {});
    for (const Statement& product : pending_) steps.insert(steps.end(), product.steps.begin(), product.steps.end());
    out_.line(step_comment(steps, comment()));
    pending_.size() == 1 ? print_pass(pending_.front()) : print_last(pending_.back());
    pending_.clear();
  }

  // Rows of the workspace come to shared memory one after the other between the outer digits' passes.
  void print_barrier(const Statement& barrier) {
    const Step& exchange = plan_.steps[barrier.steps.front()];
    const bool changes = in_workspace() && exchange.level == Level::grid;
    const bool opens = changes && next_digit(barrier) == plan_.outer_digits && !exchange.inverse;
    const bool closes = changes && exchange.inverse && !closed_;
    if (closes) out_.close(), closed_ = true;
    out_.line(with_steps("block_barrier();", barrier));
    if (!opens) return;
    out_.open("for (int row = 0; row < rows; ++row) {");
    if (plan_.shared_bytes > 0) out_.line("block_barrier();");
  }

  // Of a forward half: the digit of the product behind the barrier.
  [[nodiscard]] int next_digit(const Statement& barrier) const {
    for (std::size_t step = barrier.steps.front(); step < plan_.steps.size(); ++step)
      if (plan_.steps[step].kind == StepKind::contract) return plan_.steps[step].digit;
    return -1;
  }

  [[nodiscard]] std::string comment() const {
    const Digit& digit = digit_of(pending_.front().digit);
    if (pending_.size() > 1)
      return fmt::format("radix {} there and back, times the spectrum{}", digit.radix,
                         last() > 0 ? "; then the conjugate twiddle before it" : "");
    const bool inverse = pending_.front().inverse;
    const std::string_view factor = pending_.front().operand == Operand::none ? ""
                                    : inverse ? "; then the conjugate twiddle of the digit before it"
                                              : "; then the twiddle to the digits after it";
    return fmt::format("{}, radix {} at stride {}{}", inverse ? "inverse" : "forward", digit.radix, digit.stride,
                       factor);
  }

  // "position<16, 256>(column, k)", within a row of shared memory or of the workspace.
  [[nodiscard]] std::string at(int digit) const {
    return fmt::format("position<{}, {}>(column, k)", digit_of(digit).radix, digit_of(digit).stride);
  }

  // From one value of a digit to the next, in shared memory.
  [[nodiscard]] std::int64_t padded_stride(int digit) const {
    const std::int64_t stride = digit_of(digit).stride;
    return stride == 1 ? 1 : stride + plan_.padding * stride / digit_of(last()).radix;
  }

  // Declares `name`, where a column is from value k on.
  void print_line(std::string_view name, int digit, Place place) {
    const std::string position = at(digit);
    out_.line(place == Place::samples
                  ? fmt::format("  const auto {} = {}_at({});", name, name == "from" ? "samples" : "results", position)
              : place == Place::workspace
                  ? fmt::format("  unsigned int* const {} = place + {}{};", name,
                                is_outer(digit) ? "" : "row * points + ", position)
                  : fmt::format("  const SharedAddress {} = words + 4 * padded({});", name, position));
  }

  void print_reader(int digit, Place place) {
    out_.open("    [&](int column, int k) {");
    print_line("from", digit, place);
    const std::int64_t stride = digit_of(digit).stride;
    out_.line(fmt::format("  return [=](int step) {{ return {}; }};",
                          place == Place::samples ? fmt::format("from({} * step)", stride)
                          : place == Place::workspace
                              ? fmt::format("load_global(from + {} * step)", stride)
                              : fmt::format("load_shared4(from + 4 * {} * step)", padded_stride(digit))));
    out_.close("    },");
  }

  // Declares where the twiddles of a column are, of a digit that is a frequency and those behind it, and returns that
  // of a step.
  [[nodiscard]] std::string print_twiddles(const Statement& product) {
    const Digit &digit = digit_of(product.digit), &done = digit_of(product.twiddled);
    const DigitTables& tables = tables_of(product.twiddled);
    const bool of_rows = is_outer(product.twiddled) && !is_outer(product.digit);
    const std::string position =
        fmt::format("({}{}) % {}", of_rows ? "row * points + " : "", at(product.digit), done.radix * done.stride);
    if (!tables.in_steps) {
      out_.line(fmt::format("  const unsigned int* const twiddles = roots + {} + {};", tables.twiddle, position));
      return fmt::format("root(twiddles + {} * step)", digit.stride);
    }
    out_.line(fmt::format("  const int start = {}, value_k = start / {}, rest = start % {};", position, done.stride,
                          done.stride));
    return product.inverse
               ? fmt::format("root_in_steps({}, value_k * (rest + {} * step))", tables.twiddle, digit.stride)
               : fmt::format("root_in_steps({}, (value_k + step) * rest)", tables.twiddle);
  }

  void print_writer(const Statement& product, Place place) {
    const int digit = product.digit;
    const std::int64_t stride = digit_of(digit).stride;
    out_.open("    [&](int column, int k) {");
    print_line("to", digit, place);
    const std::string twiddle = product.operand == Operand::twiddle ? print_twiddles(product) : "";
    out_.line("  return [=](int step, float2 value) {");
    if (!twiddle.empty())
      out_.line(fmt::format(
          fmt::runtime(product.inverse ? "    value = times(value, conjugate({}));" : "    value = times(value, {});"),
          twiddle));
    const std::string_view packed = "pack(value.x, value.y)";
    out_.line(place == Place::samples ? fmt::format("    to({} * step, {});", stride, packed)
              : place == Place::workspace
                  ? fmt::format("    store_global(to + {} * step, {});", stride, packed)
                  : fmt::format("    store_shared4(to + 4 * {} * step, {});", padded_stride(digit), packed));
    out_.line("  };");
    out_.close("    });");
  }

  [[nodiscard]] std::int64_t columns(int digit) const {
    return plan_.pairs_at_once * (is_outer(digit) ? plan_.transform_length : plan_.points()) / digit_of(digit).radix;
  }

  void print_pass(const Statement& product) {
    const int digit = product.digit;
    out_.line(fmt::format("contract_digit<{}, {}, {}>(", digit_of(digit).radix, product.inverse, columns(digit)));
    out_.line(fmt::format("    tables + {},", tables_of(digit).matrix));
    print_reader(digit, product.inverse ? behind(digit) : before(digit));
    print_writer(product, product.inverse ? before(digit) : behind(digit));
  }

  void print_last(const Statement& product) {
    const int digit = product.digit;
    out_.line(fmt::format("convolve_digit<{}, {}>(", digit_of(digit).radix, columns(digit)));
    out_.line(fmt::format("    tables + {},", tables_of(digit).matrix));
    print_reader(digit, before(digit));
    out_.open("    [&](int column, int k) {");
    out_.line(fmt::format("  const unsigned int* const from = spectrum + {}{};", at(digit),
                          plan_.pairs_at_once > 1 ? " % points"
                          : in_workspace()        ? " + row * points"
                                                  : ""));
    out_.line("  return [=](int step) { return root(from + step); };");
    out_.close("    },");
    print_writer(product, before(digit));
  }

  const MixedRadixPlan& plan_;
  const GeneralTables& tables_;
  std::vector<Statement> pending_;          // products of the next pass
  std::vector<std::size_t> steps_of_load_;  // that it carries out, too
  bool closed_ = false;                     // the loop over rows
  TextWriter out_{2};
};

}  // namespace

std::string general_stages(const MixedRadixPlan& plan, const std::vector<Statement>& statements,
                           const GeneralTables& tables) {
  return Printer(plan, tables).print(statements);
}

}  // namespace ffc
