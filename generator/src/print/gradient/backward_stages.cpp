// Stages of a backward kernel as text: both tensors through those of a convolution, and the sums between them.
#include "backward_stages.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "backward_copies.hpp"
#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "lower_chains.hpp"
#include "lower_tiled.hpp"
#include "measure_rows.hpp"
#include "statement.hpp"
#include "step_numbers.hpp"
#include "text.hpp"
#include "tiled_columns.hpp"
#include "tiled_copies.hpp"
#include "tiled_magnitudes.hpp"
#include "tiled_pieces.hpp"
#include "tiled_rows.hpp"
#include "tiled_shape.hpp"
#include "tiled_stages.hpp"
#include "tiled_warp_rows.hpp"

namespace ffc {
namespace {

class GradientStages {
 public:
  GradientStages(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan)
      : out_(out), config_(config), plan_(plan) {}

  // Stages of one kind that follow each other are those of the tensors.
  void print_all(const std::vector<Statement>& statements) {
    for (std::size_t first = 0, end = 0; first < statements.size(); first = end) {
      const Operation operation = statements[first].operation;
      for (end = first + 1; end < statements.size() && statements[end].operation == operation;) ++end;
      const std::span<const Statement> run(&statements[first], end - first);
      if (operation == Operation::columns)
        print_columns(run);
      else if (operation == Operation::measure)
        print_measuring(run);
      else if (operation == Operation::rows)
        print_rows(run);
      else if (statements[first].loop != Loop::last)  // behind all pairs
        for (const Statement& statement : run) print(statement);
    }
  }

 private:
  void print(const Statement& statement) {
    switch (statement.operation) {
      case Operation::load:
      case Operation::store:
        return;  // blocks of their own
      case Operation::ahead:
        return print_copies(statement);
      case Operation::wait:
        out_.line(fmt::format("wait_copies<{}>();",
                              turn_ == Turn::together && plan_.geometry.buffers > 1 ? plan_.backward.tensors() : 0));
        return print_drops();
      case Operation::barrier:
        out_.line(barrier_text(statement));
        return;
      case Operation::scale:
        return print_scales();
      case Operation::turn:
        return print_turn(statement);
      default:
        throw std::logic_error("no gradients have such a statement between their stages");
    }
  }

  // What came ahead of the rows that have come. Where dy's take the places of u's frequencies, nothing has.
  void print_drops() {
    if (!plan_.geometry.in_turn)
      for (const Tensor tensor : tensors_of(plan_, Turn::together)) emit_drop(out_, config_, plan_, tensor);
    else if (turn_ == Turn::together)
      emit_drop(out_, config_, plan_, Tensor::input);
    else if (!refills_rows(plan_))
      emit_drop(out_, config_, plan_, Tensor::gradient);
  }

  // Tensors whose rows come together are measured together. Where they take turns a thread remembers u's.
  void print_measuring(std::span<const Statement> tensors) {
    if (turn_ == Turn::together) out_.line("Largest largest;");
    emit_find_largest(out_, config_, plan_, tensors);
  }

  void print_scales() {
    if (!has_sums_unit(config_, plan_)) {
      out_.line(fmt::format("const FoundScales found = {};", found_scales(plan_)));
      return;
    }
    out_.line(fmt::format("const Packed largest_of_pair = {};", shared_largest(plan_)));
    out_.line("FoundScales found = scales_of(largest_of_pair);");
    out_.line("sums_unit.take(found, largest_of_pair, sums);");
  }

  void print_rows(std::span<const Statement> stages) {
    if (scales_products(config_, plan_) && turn_ != Turn::input)
      out_.line("const float sums_scale = product_scale(found);");
    if (has_columns(plan_))
      emit_rows(out_, plan_, turn_, stages.front());
    else
      emit_warp_rows(out_, config_, plan_, turn_, {stages.begin(), stages.end()});
  }

  void print_copies(const Statement& copies) {
    const std::string_view rows = copies.tensor == Tensor::input ? "u" : "dy";
    if (turn_ == Turn::gradient) {
      out_.line(adds_in_turns(plan_) ? "load_dy(channel, pair, 0);" : "load_dy(pair, 0);");
    } else if (plan_.geometry.buffers > 1) {
      // Groups of copies are counted, so those of a pair that does not exist are closed, too.
      out_.line(call_for_next(plan_, fmt::format("load_{}", rows), ", (buffer + 1) % buffers"));
      out_.line("else commit_copies();");
    } else {
      out_.line(fmt::format("// {}'s rows have been used: those of the next pair come in.", rows));
      out_.line(call_for_next(plan_, fmt::format("load_{}", rows), ", 0"));
    }
  }

  void print_turn(const Statement& turn) {
    turn_ = turn.tensor == Tensor::input ? Turn::input : Turn::gradient;
    if (turn_ == Turn::input) {
      if (measures_in_shared(config_, plan_)) out_.line("Largest largest;");
      out_.line("// First u's rows. Their frequencies wait in memory for dy's.");
      out_.open("{");
      print_all(turn.body);
      emit_gradient_store(out_, config_, plan_, turn_);
      out_.close();
    } else {
      out_.line("// Then dy's, in the same place.");
      if (refills_rows(plan_)) out_.line("commit_copies();");
      print_all(turn.body);
    }
  }

  // Those of all tensors that are resident have the same text.
  void print_columns(std::span<const Statement> stages) {
    const auto scale_of = [&](const Statement& stage) { return tensor_scale(config_, plan_, stage.tensor); };
    if (plan_.resident_tensors() == 1)
      return emit_columns_stage(out_, config_, plan_, stages.front(), "rows_at", scale_of(stages.front()));
    const auto index = [](const Statement& stage) { return stage.tensor == Tensor::input ? 0 : 1; };
    out_.line("#pragma unroll 1");
    out_.open(fmt::format("for (int tensor = {}; tensor < {}; ++tensor) {{", index(stages.front()),
                          index(stages.back()) + 1));
    out_.line("const SharedAddress tensor_at = rows_at + tensor * buffer_bytes;");
    std::string_view scale = scale_of(stages.front());
    if (!scale.empty() && !stages.front().inverse && stages.size() > 1) {
      out_.line(fmt::format("const float row_scale = tensor == 0 ? {} : {};", scale, scale_of(stages.back())));
      scale = "row_scale";
    }
    Statement stage = stages.front();
    if (stages.size() > 1)
      each_statement(stage.body,
                     [&](Statement& statement) { statement.steps = of_both_tensors(plan_, statement.steps); });
    emit_columns_stage(out_, config_, plan_, stage, of_either_tensor, scale);
    out_.close();
  }

  TextWriter& out_;
  const ConvConfig& config_;
  const InBlockPlan& plan_;
  Turn turn_ = Turn::together;
};

}  // namespace

std::string backward_stages(const ConvConfig& config, const InBlockPlan& plan) {
  TextWriter out(2);
  GradientStages(out, config, plan).print_all(lower_tiled(config, plan));
  return out.take();
}

}  // namespace ffc
