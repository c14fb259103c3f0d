// One device function a product; what its results are multiplied by is a function that it is handed.
#include "general_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include "assemble.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "general_tables.hpp"
#include "row_source.hpp"
#include "statement.hpp"
#include "step_text.hpp"
#include "text.hpp"

namespace ffc {
namespace {

class Printer {
 public:
  Printer(const MixedRadixPlan& plan, const GeneralTables& tables, const RowAccess& access)
      : plan_(plan), tables_(tables), access_(access) {}

  Blocks print(const std::vector<Statement>& statements) {
    for (std::size_t i = 0; i < statements.size(); ++i) {
      const bool by_skeleton = statements[i].operation == Operation::barrier && i + 1 < statements.size() &&
                               statements[i + 1].operation != Operation::contract;
      if (!by_skeleton) print(statements[i]);
    }
    return {{"load", load_.take()}, {"stages", stages_.take()}, {"store", store_.take()}};
  }

 private:
  void print(const Statement& statement) {
    switch (statement.operation) {
      case Operation::load:
        return print_load(load_, statement, is_swept(statement));
      case Operation::store:
        return print_store(store_, statement, is_swept(statement));
      case Operation::barrier:
        stages_.line(with_steps("block_barrier();", statement));
        return;
      case Operation::contract:
        return print_product(statement);
      case Operation::multiply:
        throw std::logic_error("a factor of a general plan stands behind no product");
      default:
        throw std::logic_error("no general plan has such a statement");
    }
  }

  // The rows are summed over a digit on their way.
  [[nodiscard]] bool is_swept(const Statement& statement) const {
    return std::any_of(statement.steps.begin(), statement.steps.end(),
                       [&](std::size_t step) { return plan_.steps[step].kind == StepKind::butterfly; });
  }

  [[nodiscard]] const Digit& digit_of(int digit) const { return plan_.digits[static_cast<std::size_t>(digit)]; }
  [[nodiscard]] const DigitTables& tables_of(int digit) const {
    return tables_.digits[static_cast<std::size_t>(digit)];
  }

  // What `value`, the result at position `at`, is handed on as.
  [[nodiscard]] std::string result(const Statement& product) const {
    if (product.operand == Operand::none) return "value";
    if (product.operand == Operand::spectrum)
      return "times(value, to_complex(load_constant(spectrum + sweep * points + at)))";
    const Digit& done = digit_of(product.twiddled);
    const std::string root = fmt::format("root({}, at / {} % {} * (at % {}))", tables_of(product.twiddled).twiddle,
                                         done.stride, done.radix, done.stride);
    return fmt::format(fmt::runtime(product.inverse ? "times(value, conjugate({}))" : "times(value, {})"), root);
  }

  [[nodiscard]] static std::string_view comment(const Statement& product) {
    if (product.inverse)
      return product.operand == Operand::none ? "" : "; then the conjugate twiddle of the digit before it";
    return product.operand == Operand::spectrum ? ", 8 columns a warp; then times the spectrum"
                                                : ", 8 columns a warp; then the twiddle to the digits after it";
  }

  void print_product(const Statement& product) {
    const Digit& digit = digit_of(product.digit);
    stages_.line(
        step_comment(product.steps, fmt::format("{}, radix {} at stride {}{}.", product.inverse ? "inverse" : "forward",
                                                digit.radix, digit.stride, comment(product))));
    stages_.line(
        fmt::format("contract_digit<{}, {}, {}>(words, tables + {}, [&]([[maybe_unused]] int at, float2 value) {{ "
                    "return {}; }});",
                    digit.radix, digit.stride, product.inverse, tables_of(product.digit).matrix, result(product)));
  }

  void print_load(TextWriter& out, const Statement& load, bool swept) const {
    out.line(step_comment(load.steps));
    out.open("for (int n = threadIdx.x; n < points; n += block_threads) {");
    if (!swept) {
      out.line(fmt::format("store_shared4(words + 4 * n, {} ? load_sample(n) : 0);", access_.loaded.live));
    } else {
      out.line("// The sweep's residue of frequencies: what lies `points` apart is added up with its roots of unity.");
      out.line("float2 sum = {0, 0};");
      out.open("for (int sample = n; sample < length; sample += points) {");
      out.line(
          "const float2 term = times(to_complex(load_sample(sample)), root(sweep_table, sweep * sample % (sweeps * "
          "points)));");
      out.line("sum.x += term.x, sum.y += term.y;");
      out.close();
      out.line("store_shared4(words + 4 * n, pack(sum.x, sum.y));");
    }
    out.close();
  }

  void print_store(TextWriter& out, const Statement& store, bool swept) const {
    out.line(step_comment(store.steps));
    out.open("for (int n = threadIdx.x; n < points; n += block_threads) {");
    if (!swept) {
      out.line(fmt::format("if ({}) store_sample(n, load_shared4(words + 4 * n));", access_.stored.live));
    } else {
      out.line(
          "// Sums over the sweeps wait in y, and each thread reads back what it wrote. They wait as unscaled fp16");
      out.line("// whatever the rows' type: bf16 would round them anew in every sweep.");
      out.open("for (int sample = n; sample < length; sample += points) {");
      out.line(
          "float2 value = times(to_complex(load_shared4(words + 4 * n)), conjugate(root(sweep_table, sweep * sample % "
          "(sweeps * "
          "points))));");
      out.open("if (sweep > 0) {");
      out.line(
          "const float2 before = to_complex(read_pair(arguments.y, arguments.y_batch_stride, "
          "arguments.y_channel_stride, sample));");
      out.line("value.x += before.x, value.y += before.y;");
      out.close();
      out.line("const Packed sum = pack(value.x, value.y);");
      out.line("if (sweep < sweeps - 1)");
      out.line("  write_pair(sample, sum);");
      out.line("else");
      out.line("  store_sample(sample, sum);");
      out.close();
    }
    out.close();
  }

  const MixedRadixPlan& plan_;
  const GeneralTables& tables_;
  const RowAccess& access_;
  TextWriter load_{3}, stages_{3}, store_{3};
};

}  // namespace

Blocks general_blocks(const MixedRadixPlan& plan, const std::vector<Statement>& statements, const GeneralTables& tables,
                      const RowAccess& access) {
  return Printer(plan, tables, access).print(statements);
}

std::string general_pair(const RowAccess& access) {
  TextWriter out(2);
  out.line(access.declared);
  out.line("// The two rows of the pair at sample n, side by side; a partner that does not exist is zero.");
  out.open("const auto read_pair = [&](const void* tensor, long long batch_stride, long long channel_stride, int n) {");
  out.line("const unsigned short* const row =");
  out.line(fmt::format("    static_cast<const unsigned short*>(tensor) + {} * batch_stride + {} * channel_stride{};",
                       access.row, access.channel, access.start));
  out.line(fmt::format("return load_global(row) | ({});",
                       guarded(access, "static_cast<unsigned int>(load_global(row + batch_stride)) << 16")));
  out.close("};");
  out.line(fmt::format(
      "unsigned short* const {0} = static_cast<unsigned short*>(arguments.{0}) + {1} * arguments.{0}_batch_stride +",
      access.results.rows, access.row));
  out.line(
      fmt::format("                          {} * arguments.{}_channel_stride;", access.channel, access.results.rows));
  out.open("const auto write_pair = [&](int n, unsigned int stored) {");
  out.line("store_global(y + n, static_cast<unsigned short>(stored));");
  out.line("if (both) store_global(y + arguments.y_batch_stride + n, static_cast<unsigned short>(stored >> 16));");
  out.close("};");
  return out.take();
}

std::string general_samples(const ConvConfig& config, const RowAccess& access) {
  TextWriter out(2);
  const auto read = [](std::string_view tensor) {
    return fmt::format("read_pair(arguments.{0}, arguments.{0}_batch_stride, arguments.{0}_channel_stride, n)", tensor);
  };
  const RowSource& source = access.source;
  const RowSource& results = access.results;
  if (config.scaling == Scaling::given) emit_input_scale(out, config, "channel");
  emit_result_scale(out, config, "input", "channel");
  out.open("const auto load_sample = [&](int n) {");
  if (!source.gate.empty()) out.line(fmt::format("const unsigned int gate = {};", read(source.gate)));
  out.line(fmt::format("const unsigned int sample = {};", read(source.rows)));
  out.line(fmt::format("return {};", packed_sample(source, "sample", "gate")));
  out.close("};");
  out.open("const auto store_sample = [&](int n, Packed value) {");
  if (!results.gate.empty())
    out.line(fmt::format("write_pair(n, to_stored_gated(value, {}, {}));", results.scale, read(results.gate)));
  else
    out.line(fmt::format("write_pair(n, to_stored(value, {}));", results.scale));
  out.close("};");
  return out.take();
}

}  // namespace ffc
