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
      else if (statement.operation == Operation::load || statement.operation == Operation::store)
        steps_of_copy_ = statement.steps;
      else
        throw std::logic_error("a factor of a general plan stands behind no product");
      if (statement.operation == Operation::store) finish();
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

  void finish() {
    std::vector<std::size_t>& steps = pending_.back().steps;
    steps.insert(steps.end(), steps_of_copy_.begin(), steps_of_copy_.end());
    steps_of_copy_.clear();
    flush();
  }

  void flush() {
    std::vector<std::size_t> steps = std::exchange(steps_of_copy_, {});
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
    const std::string_view factor =
        pending_.front().operand == Operand::none ? ""
        : inverse                                 ? "; then the conjugate twiddle of the digit before it"
                                                  : "; then the twiddle to the digits after it";
    return fmt::format("{}, radix {} at stride {}{}", inverse ? "inverse" : "forward", digit.radix,
                       digit.stride, factor);
  }

  // "position<16, 256>(column, k)", within a row of shared memory or of the workspace.
  [[nodiscard]] std::string at(int digit) const {
    return fmt::format("position<{}, {}>(column, k)", digit_of(digit).radix, digit_of(digit).stride);
  }

  [[nodiscard]] std::string in_place(int digit, std::string_view at) const {
    return fmt::format("place + {}{}", is_outer(digit) ? "" : "row * points + ", at);
  }

  [[nodiscard]] std::string reader(int digit, Place from) const {
    const std::string read = from == Place::samples     ? fmt::format("load_sample({})", at(digit))
                             : from == Place::workspace ? fmt::format("load_global({})", in_place(digit, at(digit)))
                                                        : fmt::format("load_shared4(word_at(words, {}))", at(digit));
    return fmt::format("[&](int column, int k) {{ return {}; }}", read);
  }

  // The root of a twiddle between a digit that is a frequency and those behind it, by where a result is.
  [[nodiscard]] std::string root(const Statement& product) const {
    const Digit& done = digit_of(product.twiddled);
    const std::int64_t block = done.radix * done.stride;
    const bool of_rows = is_outer(product.twiddled) && !is_outer(product.digit);
    const std::int64_t held = of_rows ? plan_.transform_length
                                      : plan_.pairs_at_once * (is_outer(product.digit) ? plan_.transform_length
                                                                                       : plan_.points());
    std::string index = of_rows ? "(row * points + at)" : "at";
    if (block < held) index += fmt::format(" % {}", block);
    const DigitTables& tables = tables_of(product.twiddled);
    if (!tables.in_steps) return fmt::format("root({} + {})", tables.twiddle, index);
    return fmt::format("root_in_steps({}, ({}) / {} * (({}) % {}))", tables.twiddle, index, done.stride, index,
                       done.stride);
  }

  void print_writer(const Statement& product, Place to) {
    const int digit = product.digit;
    out_.open("    [&](int column, int k, float2 value) {");
    out_.line(fmt::format("    const int at = {};", at(digit)));
    if (product.operand == Operand::twiddle)
      out_.line(fmt::format(fmt::runtime(product.inverse ? "    value = times(value, conjugate({}));"
                                                         : "    value = times(value, {});"),
                            root(product)));
    const std::string_view packed = "pack(value.x, value.y)";
    out_.line(to == Place::samples     ? fmt::format("    store_sample(at, {});", packed)
              : to == Place::workspace ? fmt::format("    store_global({}, {});", in_place(digit, "at"), packed)
                                       : fmt::format("    store_shared4(word_at(words, at), {});", packed));
    out_.close("    });");
  }

  [[nodiscard]] std::int64_t columns(int digit) const {
    return plan_.pairs_at_once * (is_outer(digit) ? plan_.transform_length : plan_.points()) / digit_of(digit).radix;
  }

  void print_pass(const Statement& product) {
    const int digit = product.digit;
    out_.line(fmt::format("contract_digit<{}, {}, {}>(", digit_of(digit).radix, product.inverse, columns(digit)));
    out_.line(fmt::format("    tables + {}, {},", tables_of(digit).matrix,
                          reader(digit, product.inverse ? behind(digit) : before(digit))));
    print_writer(product, product.inverse ? before(digit) : behind(digit));
  }

  void print_last(const Statement& product) {
    const int digit = product.digit;
    const std::string_view within = plan_.pairs_at_once > 1 ? " % points" : in_workspace() ? " + row * points" : "";
    out_.line(fmt::format("convolve_digit<{}, {}>(", digit_of(digit).radix, columns(digit)));
    out_.line(fmt::format("    tables + {}, {},", tables_of(digit).matrix, reader(digit, before(digit))));
    out_.line(fmt::format(
        "    [&](int column, int k) {{ return to_complex(load_constant(spectrum + {}{})); }},", at(digit), within));
    print_writer(product, before(digit));
  }

  const MixedRadixPlan& plan_;
  const GeneralTables& tables_;
  std::vector<Statement> pending_;           // products of the next pass
  std::vector<std::size_t> steps_of_copy_;   // that it carries out, too
  bool closed_ = false;                      // the loop over rows
  TextWriter out_{2};
};

}  // namespace

std::string general_stages(const MixedRadixPlan& plan, const std::vector<Statement>& statements,
                           const GeneralTables& tables) {
  return Printer(plan, tables).print(statements);
}

std::string general_walk(const MixedRadixPlan& plan) {
  TextWriter out(1);
  if (plan.outer_digits == 0) {
    out.line("// This block's slice of the batch, in pairs of rows.");
    out.line("const int channel = blockIdx.x;");
    out.line("const int pairs_per_slice = (pairs + gridDim.y - 1) / gridDim.y;");
    out.line("const int end_pair = min((static_cast<int>(blockIdx.y) + 1) * pairs_per_slice, pairs);");
    out.open(
        "for (int first_pair = blockIdx.y * pairs_per_slice; first_pair < end_pair; first_pair += pairs_at_once) {");
    return out.take();
  }
  out.line("// Blocks that have a place in the workspace take the pairs of all channels in turn.");
  out.line("const int blocks = min(static_cast<int>(gridDim.x), all.ring);");
  out.line("const long long turns = static_cast<int>(blockIdx.x) < blocks ? "
           "static_cast<long long>(pairs) * arguments.channels : 0;");
  out.line("unsigned int* const place = all.workspace + static_cast<long long>(blockIdx.x) * rows * points;");
  out.open("for (long long turn = blockIdx.x; turn < turns; turn += blocks) {");
  out.line("const int channel = static_cast<int>(turn / pairs), first_pair = static_cast<int>(turn % pairs);");
  return out.take();
}

std::string general_pair(const RowAccess& access) {
  TextWriter out(2);
  out.line("// The two rows of a pair at sample n, side by side; a partner that does not exist is zero.");
  out.open(
      "const auto read_pair = [&](const void* tensor, long long batch_stride, long long channel_stride, int pair, int n) "
      "{");
  out.line(access.declared);
  out.line("const unsigned short* const row =");
  out.line(fmt::format("    static_cast<const unsigned short*>(tensor) + {} * batch_stride + {} * channel_stride{};",
                       access.row, access.channel, access.start));
  out.line(fmt::format("return load_global(row) | ({});",
                       guarded(access, "static_cast<unsigned int>(load_global(row + batch_stride)) << 16")));
  out.close("};");
  out.open("const auto write_pair = [&](int pair, int n, unsigned int stored) {");
  out.line(access.declared);
  out.line(fmt::format(
      "unsigned short* const {0} = static_cast<unsigned short*>(arguments.{0}) + {1} * arguments.{0}_batch_stride +",
      access.results.rows, access.row));
  out.line(fmt::format("                          {} * arguments.{}_channel_stride{};", access.channel,
                       access.results.rows, access.start));
  out.line("store_global(y, static_cast<unsigned short>(stored));");
  out.line("if (both) store_global(y + arguments.y_batch_stride, static_cast<unsigned short>(stored >> 16));");
  out.close("};");
  return out.take();
}

namespace {

// Declares which pair a position is of, and what sample, and leaves where there is none.
void emit_sample(TextWriter& out, const MixedRadixPlan& plan, std::string_view live, std::string_view absent) {
  const bool together = plan.pairs_at_once > 1;
  out.line(together ? "const int pair = first_pair + at / points, n = at % points;"
                    : "const int pair = first_pair, n = at;");
  std::string condition = together ? "pair >= end_pair" : "";
  if (plan.length < plan.transform_length) condition += fmt::format("{}!({})", together ? " || " : "", live);
  if (!condition.empty()) out.line(fmt::format("if ({}) return{};", condition, absent));
}

}  // namespace

std::string general_samples(const ConvConfig& config, const MixedRadixPlan& plan, const RowAccess& access) {
  TextWriter out(2);
  const auto read = [](std::string_view tensor) {
    return fmt::format("read_pair(arguments.{0}, arguments.{0}_batch_stride, arguments.{0}_channel_stride, pair, n)",
                       tensor);
  };
  const RowSource& source = access.source;
  const RowSource& results = access.results;
  if (config.scaling == Scaling::given) emit_input_scale(out, config, "channel");
  emit_result_scale(out, config, "input", "channel");
  out.line("// The points of a pair at a position.");
  out.open("const auto load_sample = [&](int at) -> Packed {");
  emit_sample(out, plan, access.loaded.live, " 0");
  if (!source.gate.empty()) out.line(fmt::format("const unsigned int gate = {};", read(source.gate)));
  out.line(fmt::format("const unsigned int sample = {};", read(source.rows)));
  out.line(fmt::format("return {};", packed_sample(source, "sample", "gate")));
  out.close("};");
  out.open("const auto store_sample = [&](int at, Packed value) {");
  emit_sample(out, plan, access.stored.live, "");
  if (!results.gate.empty())
    out.line(fmt::format("write_pair(pair, n, to_stored_gated(value, {}, {}));", results.scale, read(results.gate)));
  else
    out.line(fmt::format("write_pair(pair, n, to_stored(value, {}));", results.scale));
  out.close("};");
  return out.take();
}

}  // namespace ffc
