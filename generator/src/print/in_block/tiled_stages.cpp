// What stands between load and store of a tiled kernel, as text.
#include "tiled_stages.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "drop_ahead.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "measure_rows.hpp"
#include "row_chain.hpp"
#include "statement.hpp"
#include "step_text.hpp"
#include "text.hpp"
#include "tiled_columns.hpp"
#include "tiled_copies.hpp"
#include "tiled_pieces.hpp"
#include "tiled_rows.hpp"
#include "tiled_shape.hpp"
#include "tiled_warp_rows.hpp"
#include "tiled_windows.hpp"

namespace ffc {

std::string read_halves(std::string_view load) {
  return fmt::format("make_halves({0}(halves), {0}(halves + 32), {0}(halves + 64))", load);
}

std::string barrier_text(const Statement& barrier, std::string_view comment) {
  return with_steps(barrier.scope == Scope::group ? "group_barrier<group_threads>(group);" : "warp_barrier();", barrier,
                    comment);
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
        if (statement.early) {
          out_.line("wait_copies<0>();");
          return;
        }
        out_.line(fmt::format("wait_copies<{}>();", copies_behind_row(plan_)));
        if (!drops_from_tiles(config_, plan_)) emit_drop(out_, config_, plan_);
        return;
      case Operation::cut:
        return emit_cut_at_reach(out_, config_, plan_);
      case Operation::measure:
        return print_measure(statement);
      case Operation::scale:
        out_.line(fmt::format("const FoundScales found = {};", found_scales(plan_)));
        return;
      case Operation::barrier:
        out_.line(barrier_text(statement));
        return;
      case Operation::columns:
        if (plan_.takes_tile_powers && !statement.inverse) print_powers();
        return emit_columns_stage(out_, config_, plan_, statement);
      case Operation::rows:
        print_spectrums_order();
        return has_columns(plan_) ? emit_rows(out_, plan_, Turn::together, statement)
                                  : emit_warp_rows(out_, config_, plan_, Turn::together, {statement});
      default:
        throw std::logic_error("no convolution has such a statement between its stages");
    }
  }

 private:
  // Of a cluster's item they are in its shifts.
  void print_powers() {
    if (!plan_.in_cluster()) return emit_row_powers(out_, "powers", "buffer");
    out_.line("put_item_shifts(shared, exponents_of(shared, slot), unit_thread % group_threads);");
    out_.line("group_barrier<group_threads>(group);");
    out_.line("const SharedAddress item_shifts = item_shifts_of(exponents_of(shared, slot), warp);");
  }

  void print_measure(const Statement& measure) {
    if (!measure.early) return emit_find_largest(out_, config_, plan_);
    out_.line("// The next pair has come: all warps know how large it is behind the next barrier.");
    out_.line(fmt::format("if ({}) measure_pair((buffer + 1) % buffers);", next_exists(plan_)));
  }

  // Not before rows want them: till then they are on their way.
  void print_spectrums_order() {
    if (!keeps_spectrum(plan_) || !fills_registers(plan_)) return;
    out_.open("if (comes) {");
    emit_spectrums_order(out_, plan_);
    out_.close();
  }

  // A channel's, until another one comes.
  void print_held_spectrum(const Statement& spectrum) {
    if (fills_registers(plan_)) out_.line("const bool comes = channel != held_channel;  // another one's spectrum");
    out_.open(fills_registers(plan_) ? "if (comes) {" : "if (channel != held_channel) {");
    out_.line("held_channel = channel;");
    out_.unroll().line("for (int i = 0; i < rows_per_warp; ++i)");
    out_.line(fmt::format("  spectrums[i] = {};", row_factor(plan_, spectrum, row_of_warp(plan_, "i"), "")));
    out_.close();
  }

  void print_copies(const Statement& copies) {
    if (copies.operand == Operand::spectrum) {
      out_.line(fmt::format("stage_spectrum(spectrum_tiles, {});", copies.begin));
    } else if (copies.operand == Operand::gate) {
      out_.line(fmt::format("copy_out_gate({}pair);  // the in gate has been used",
                            plan_.geometry.walks_channels ? "channel, " : ""));
    } else if (copies.placement == Placement::staged) {
      out_.line("// The stage has been read: the next pair's rows come in while this one computes.");
      out_.line(call_for_next(plan_, "stage_pair"));
    } else if (plan_.real_filter()) {
      out_.line(call_for_next(plan_, "load_pair", ", (buffer + 1) % buffers"));
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

std::string tiled_stages(const ConvConfig& config, const InBlockPlan& plan, const std::vector<Statement>& statements) {
  TextWriter out(plan.real_filter() || plan.in_cluster() ? 2 : 3);
  Stages stages(out, config, plan);
  for (const Statement& statement : statements) stages.print(statement);
  return out.take();
}

namespace {

// Of a split plan: roots of the samples outside a row's 16 x 16, by column of a tile and value of the butterfly digit.
void emit_shifts(TextWriter& out, const InBlockPlan& plan) {
  const bool tile8 = plan.outer_tile == 8;
  out.unroll().open(fmt::format("for (int a = 0; a < {}; ++a) {{", plan.outer_butterfly));
  if (!has_columns(plan)) {
    out.line("const PackedRoots root = split_shift(frequency, a, 0);");
    out.line("shifts[a] = make_uint4(root.re, root.re, root.im, root.im);");
  } else if (tile8) {
    out.line("const PackedRoots roots = split_shift(frequency, 8 * a + 2 * (lane % 4), 1);");
    out.line("shifts[a] = make_uint2(roots.re, roots.im);");
  } else {
    const int step = plan.outer_butterfly;
    out.line(fmt::format("const int row = {} * (lane % 4) + a;", 2 * step));
    out.line(fmt::format("const PackedRoots left = split_shift(frequency, row, {});", step));
    out.line(fmt::format("const PackedRoots right = split_shift(frequency, row + {}, {});", 8 * step, step));
    out.line("shifts[a] = make_uint4(left.re, right.re, left.im, right.im);");
  }
  out.close();
}

void emit_shared_shifts(TextWriter& out) {
  out.open("for (int i = unit_thread; i < 8 * butterflies; i += block_threads) {");
  out.line("const PackedRoots roots = split_shift(frequency, 8 * (i / 8) + 2 * (i / 2 % 4), 1);");
  out.line("store_shared4(shared + shifts_offset + 4 * i, i % 2 == 0 ? roots.re : roots.im);");
  out.close();
}

void emit_shared_twiddles(TextWriter& out, const InBlockPlan& plan) {
  out.line("for (int row = unit_thread / 32; row < factor_rows; row += block_threads / 32)");
  out.line(fmt::format("  store_tile({} + outer_twiddle_offset + row * tile_bytes, lane,", factors_of(plan)));
  out.line(fmt::format("             split_twiddle(frequency + frequency_step * {}, lane));",
                       plan.kept_rows.empty() ? "row" : "kept_row(row)"));
}

void emit_shared_matrices(TextWriter& out, const InBlockPlan& plan) {
  out.line("for (int i = unit_thread / 32; i < 2 * butterflies; i += block_threads / 32)");
  out.line(fmt::format("  store_matrix_b({} + column_twiddle_offset + i * tile_bytes, lane,", factors_of(plan)));
  out.line("                 split_matrix(frequency, i / 2, i % 2 != 0, lane));");
}

// A cluster's block keeps its frequency: rows of one warp are a step apart, and so are their twiddles.
std::string cluster_frequency() {
  TextWriter out(1);
  out.line("for (int i = unit_thread / 32; i < rows_per_warp; i += block_threads / 32)");
  out.line(
      "  store_tile(shared + outer_twiddle_offset + i * tile_bytes, lane, split_twiddle(frequency_step * i, lane));");
  emit_shared_shifts(out);
  out.line("unit_barrier();");
  out.line("const Tile first_twiddle = split_twiddle(frequency + frequency_step * warp * rows_per_warp, lane);");
  out.open("const auto row_twiddle = [&](int i) {");
  out.line("Tile twiddle = load_tile(shared + outer_twiddle_offset + i * tile_bytes, lane);");
  out.line("multiply(twiddle, first_twiddle);");
  out.line("return twiddle;");
  out.close("};");
  return out.take();
}

}  // namespace

namespace {

// Where a block has no more frequencies than it keeps, their factors are there.
std::string kept_frequency(const InBlockPlan& plan) {
  TextWriter out(3);
  out.open("if (keeps_factors(course)) {");
  out.line("factors = shared + slot_of(course, at) * factors_bytes;");
  out.otherwise();
  out.line("unit_barrier();  // nobody needs those of the frequency before");
  out.line("make_factors(frequency);");
  out.line("unit_barrier();");
  out.close();
  if (shares_column_matrix(plan)) out.line("column_matrix = load_matrix_b(factors + column_twiddle_offset, lane);");
  return out.take();
}

}  // namespace

std::string tiled_kept_factors(const InBlockPlan& plan) {
  if (plan.geometry.frequencies == 1) return {};
  TextWriter out(1);
  out.open("const auto make_factors = [&](int frequency) {");
  emit_shared_twiddles(out, plan);
  if (has_butterfly(plan)) emit_shared_matrices(out, plan);
  if (shares_column_matrix(plan)) {
    out.line("if (unit_thread < 32)");
    out.line("  store_matrix_b(factors + column_twiddle_offset, lane, split_matrix(frequency, 0, false, lane));");
  }
  out.close("};");
  out.open("for (int slot = 0; keeps_factors(course) && slot < 2; ++slot) {");
  out.line("factors = shared + slot * factors_bytes;");
  out.line("make_factors(frequency_of(number_of(course, slot)));");
  out.close();
  out.line("factors = shared;");
  out.line("unit_barrier();");
  return out.take();
}

std::string tiled_frequency(const InBlockPlan& plan) {
  if (plan.in_cluster()) return cluster_frequency();
  if (plan.geometry.frequencies > 1) return kept_frequency(plan);
  TextWriter out(3);
  if (keeps_spectrum(plan)) out.line("held_channel = -1;");
  if (plan.geometry.twiddle == Placement::steps)
    out.line("first_twiddle = fine_twiddle(frequency + frequency_step * warp * rows_per_warp, lane);");
  const bool makes_matrices = column_matrix(plan) == ColumnMatrix::made;
  const bool shares = plan.geometry.twiddle == Placement::shared || shares_shifts(plan) || shares_column_factors(plan);
  if (shares) out.line("unit_barrier();  // nobody needs those of the frequency before");
  if (plan.geometry.twiddle == Placement::shared) emit_shared_twiddles(out, plan);
  if (shares_shifts(plan)) emit_shared_shifts(out);
  if (makes_matrices && has_butterfly(plan)) emit_shared_matrices(out, plan);
  if (shares) out.line("unit_barrier();");
  if (makes_matrices && !has_butterfly(plan)) out.line("column_matrix = split_matrix(frequency, 0, false, lane);");
  if (has_shifts(plan) && !shares_shifts(plan)) emit_shifts(out, plan);
  return out.take();
}

}  // namespace ffc
