// What stands between load and store of a tiled kernel, as text.
#include "tiled_stages.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "lower_tiled.hpp"
#include "row_chain.hpp"
#include "statement.hpp"
#include "text.hpp"
#include "tiled_columns.hpp"
#include "tiled_copies.hpp"
#include "tiled_rows.hpp"
#include "tiled_shape.hpp"
#include "tiled_warp_rows.hpp"
#include "tiled_windows.hpp"

namespace ffc {

std::string read_halves(std::string_view load) {
  return fmt::format("make_halves({0}(halves), {0}(halves + 32), {0}(halves + 64))", load);
}

std::string_view barrier_text(const Statement& barrier) {
  return barrier.scope == Scope::group ? "group_barrier<group_threads>(group);" : "warp_barrier();";
}

namespace {

// The statements of a convolution in one block, or of a row of a longer one.
class Stages {
 public:
  Stages(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan)
      : out_(out), config_(config), plan_(plan) {}

  void print(const Statement& statement) {
    switch (statement.operation) {
      case Operation::load:
      case Operation::store:
        return;  // blocks of their own
      case Operation::fetch:
        if (statement.operand == Operand::spectrum) print_held_spectrum(statement);
        return;
      case Operation::ahead:
        return print_copies(statement);
      case Operation::ask:
        out_.line("const unsigned int count = count_behind();");
        return;
      case Operation::count:
        out_.line("count_done();");
        return;
      case Operation::wait:
        out_.line(fmt::format("wait_copies<{}>();", copies_behind_row(plan_)));
        return;
      case Operation::cut:
        return emit_cut_at_reach(out_, config_, plan_);
      case Operation::measure:
        return emit_find_largest(out_, config_, plan_);
      case Operation::scale:
        out_.line(fmt::format("const FoundScales found = {};", found_scales(plan_)));
        return;
      case Operation::barrier:
        out_.line(barrier_text(statement));
        return;
      case Operation::columns:
        return emit_columns_stage(out_, config_, plan_, statement);
      case Operation::rows:
        return has_columns(plan_) ? emit_rows(out_, plan_, Turn::together, statement)
                                  : emit_warp_rows(out_, config_, plan_, Turn::together, {statement});
      default:
        throw std::logic_error("no convolution has such a statement between its stages");
    }
  }

 private:
  // A channel's, until another one comes.
  void print_held_spectrum(const Statement& spectrum) {
    out_.open("if (channel != held_channel) {");
    out_.line("held_channel = channel;");
    out_.unroll().line("for (int i = 0; i < rows_per_warp; ++i)");
    out_.line(fmt::format("  spectrums[i] = {};", row_factor(plan_, spectrum, row_of_warp(plan_, "i"), "")));
    out_.close();
  }

  void print_copies(const Statement& copies) {
    if (copies.operand == Operand::spectrum) {
      out_.line(fmt::format("stage_spectrum(spectrum_tiles, {});", copies.begin));
    } else if (copies.operand == Operand::gate) {
      out_.line("copy_out_gate(pair);  // the in gate has been used");
    } else if (copies.placement == Placement::staged) {
      out_.line("// The stage has been read: the next pair's rows come in while this one computes.");
      out_.line("if (pair + groups < end_pair) stage_pair(pair + groups);");
    } else if (plan_.real_filter()) {
      out_.line("if (pair + groups < end_pair) load_pair(pair + groups, (buffer + 1) % buffers);");
      out_.line("else commit_copies();");
    } else {
      out_.line(load_behind(plan_, "(buffer + 1) % buffers"));
    }
  }

  TextWriter& out_;
  const ConvConfig& config_;
  const InBlockPlan& plan_;
};

}  // namespace

std::string tiled_stages(const ConvConfig& config, const InBlockPlan& plan) {
  TextWriter out(plan.real_filter() || plan.geometry.ring > 0 ? 2 : 4);
  Stages stages(out, config, plan);
  for (const Statement& statement : lower_tiled(config, plan)) stages.print(statement);
  return out.take();
}

}  // namespace ffc
