// The way back of a channel's sums, in the rows' place in shared memory.
#include "block_taps.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "gradient_sums.hpp"
#include "lower_tiled.hpp"
#include "row_chain.hpp"
#include "statement.hpp"
#include "step_text.hpp"
#include "text.hpp"
#include "tiled_columns.hpp"
#include "tiled_pieces.hpp"
#include "tiled_rows.hpp"
#include "tiled_shape.hpp"
#include "tiled_stages.hpp"
#include "tiled_tables.hpp"
#include "tiled_warp_rows.hpp"

namespace ffc {

namespace {

constexpr double largest_fp16 = 65504;

// What a transform multiplies its sums by, either way.
double transform_scale(const InBlockPlan& plan) {
  return std::sqrt(1 / (static_cast<double>(plan.transform_length) * tiled_gain(plan)));
}

// The part of a plan's statements that is carried out once a channel.
std::vector<Statement> once_a_channel(const ConvConfig& config, const InBlockPlan& plan) {
  for (Statement& statement : lower_tiled(config, plan))
    if (statement.loop == Loop::last) return std::move(statement.body);
  throw std::logic_error("a plan that ends in taps has nothing to do once a channel");
}

class BlockTaps {
 public:
  BlockTaps(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan)
      : out_(out), config_(config), plan_(plan) {}

  void print(const Statement& statement) {
    switch (statement.operation) {
      case Operation::rows:
        return has_columns(plan_) ? print_rows(statement) : print_warp_rows(statement);
      case Operation::columns:
        return emit_columns_stage(out_, config_, plan_, statement);
      case Operation::barrier:
        out_.line(barrier_text(statement));
        return;
      case Operation::store:
        return print_store(statement);
      default:
        throw std::logic_error("no taps have such a statement between their stages");
    }
  }

 private:
  void print_largest() {
    out_.line("const SharedAddress rows_at = shared;");
    out_.line("float largest = 0.0f;");
    each_own_sums(out_, plan_, [&](const OwnSums& own) {
      out_.line(fmt::format("largest = fmaxf(largest, largest_of({}));", own.sums));
    });
  }

  void print_warp_rows(const Statement& stage) {
    print_largest();
    out_.line("const TapsRange range(__uint_as_float(largest_of_warp(__float_as_uint(largest))));");
    emit_warp_rows(out_, config_, plan_, Turn::together, {stage});
  }

  void print_rows(const Statement& stage) {
    print_largest();
    out_.line("const TapsRange range(largest_of_block(largest, rows_at));");
    out_.line("block_barrier();  // all threads know it: rows come to its place");
    out_.line(step_comment(steps_within(stage.body), "back along the rows; each warp its own."));
    emit_row_address(out_, plan_);
    each_own_sums(out_, plan_, [&](const OwnSums& own) {
      for (const Statement& statement : stage.body) print_of_row(statement, own);
    });
  }

  void print_of_row(const Statement& statement, const OwnSums& own) {
    switch (statement.operation) {
      case Operation::fetch:
        out_.line(fmt::format("const {} {} = {};", factor_type(plan_, statement), factor_name(statement.operand),
                              row_factor(plan_, statement, own.row, own.index)));
        return;
      case Operation::take_sums:
        out_.line(with_steps(fmt::format("Tile x = range.tile({});", own.sums), statement));
        return;
      case Operation::put:
        out_.line(fmt::format("store_rows_transposed(row_address({}), x);", own.row));
        return;
      default:
        return emit_chain_statement(out_, plan_, statement, "x", own.row);
    }
  }

  void print_store(const Statement& store) {
    out_.line(step_comment(store.steps, "store the taps, one a lane, scaled."));
    const bool scaled = config_.scaling == Scaling::given;
    out_.line("const BlockTaps to(arguments, channel);");
    if (scaled) out_.line("const UndoneScales unscaled(arguments, channel);");
    out_.line("#pragma unroll 4");
    out_.open(has_columns(plan_) ? "for (int tap = thread; tap < taps; tap += group_threads) {"
                                 : "for (int tap = lane; tap < taps; tap += 32) {");
    out_.line("const int row = tap / row_samples, chunk = tap % row_samples / 8;");
    out_.line(fmt::format("const Packed two = load_shared4(rows_at + chunk_offset({}, chunk) + tap % 8 / 2 * 4);",
                          slot_of_samples(plan_, "row")));
    out_.line("const float value = (tap % 2 == 0 ? low_half(two) : high_half(two)) * taps_gain * range.out;");
    out_.line(fmt::format("to.store(tap, {});", scaled ? "unscaled(value)" : "value"));
    out_.close();
  }

  TextWriter& out_;
  const ConvConfig& config_;
  const InBlockPlan& plan_;
};

}  // namespace

std::string block_taps_constants(const ConvConfig& config, const InBlockPlan& plan) {
  if (!plan.backward.ends_in_taps) return {};
  const double scale = transform_scale(plan);
  // Both parts of all frequencies may come together in one sample.
  const double growth = 2 * static_cast<double>(plan.transform_length) * scale;
  const double gain = std::ldexp(tiled_gain(plan) / scale, -config.input_exponent - config.gradient_exponent);
  return constant_line("int taps", config.filter_length, "of the filter") +
         constant_line("int taps_exponent", static_cast<int>(std::floor(std::log2(largest_fp16 / growth))) - 1,
                       "of the largest sum: with it no sample leaves the range of fp16") +
         constant_line("float taps_gain", float_literal(gain), "of taps over samples");
}

std::string block_taps(const ConvConfig& config, const InBlockPlan& plan) {
  if (!plan.backward.ends_in_taps) return {};
  TextWriter out(1);
  out.line("// Where this block has all rows of its channel it makes taps of their sums.");
  out.open("if (arguments.makes_taps != 0) {");
  BlockTaps taps(out, config, plan);
  for (const Statement& statement : once_a_channel(config, plan)) taps.print(statement);
  out.line("return;");
  out.close();
  return out.take();
}

}  // namespace ffc
