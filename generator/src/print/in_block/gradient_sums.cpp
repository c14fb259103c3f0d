// Where sums are, and how they are added up.
#include "gradient_sums.hpp"

#include <fmt/format.h>

#include <functional>
#include <string>
#include <string_view>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "report_text.hpp"
#include "row_chain.hpp"
#include "statement.hpp"
#include "text.hpp"
#include "tile_counts.hpp"
#include "tiled_magnitudes.hpp"
#include "tiled_pieces.hpp"
#include "tiled_shape.hpp"

namespace ffc {

namespace {

// Where a warp's sums are while it walks over pairs.
enum class SumsIn {
  warps,      // registers of warps that hold whole pairs, each with sums of all rows
  registers,  // of its couples
  shared,
  global,  // where all of them go in the end
  both,    // those of its first couples in shared memory, the others there
  turns    // the last of each of its block's turns in shared memory, the others there, of the whole cluster
};

SumsIn sums_in(const InBlockPlan& plan) {
  if (!has_columns(plan)) return SumsIn::warps;
  if (plan.geometry.sums == Placement::registers) return SumsIn::registers;
  if (adds_in_turns(plan)) return SumsIn::turns;
  if (plan.shared.resident_couples > 0) return SumsIn::both;
  return plan.geometry.sums == Placement::shared ? SumsIn::shared : SumsIn::global;
}

// The sums of a backward kernel, of which each function of the header writes a part.
class SumsText {
 public:
  SumsText(TextWriter& out, const InBlockPlan& plan)
      : out_(out), plan_(plan), in_(sums_in(plan)), has_lone_row_(plan.mirrors_rows() && plan.rows() % 2 == 0) {}

  void setup();
  void open_couple() {
    if (!in_registers()) out_.line(fmt::format("Sums sum{};", begun("first + b", "row")));
  }
  void add_product(std::string_view operands);
  void close_couple(std::string_view guard);
  void join_groups();
  void meet();
  void finish(bool meets);
  // Of rows without mirrors.
  void each(const std::function<void(const OwnSums&)>& body) {
    if (in_registers())
      return each_own_row([&](std::string_view index, std::string_view row) { body({index, row, own(index, row)}); });
    open_own_rows(per_warp(), false);
    body({"i", "row", own("i", "row")});
    out_.close();
  }

 private:
  [[nodiscard]] bool in_registers() const { return sums_in_registers(plan_); }

  // What a warp has, in the text.
  [[nodiscard]] std::string_view per_warp() const { return sides(plan_) == 2 ? "couples_per_warp" : "rows_per_warp"; }

  // Sums that a warp keeps in registers.
  [[nodiscard]] int of_warp() const {
    return in_ == SumsIn::warps ? plan_.factor_rows() : plan_.couples_per_warp() + (has_lone_row_ ? 1 : 0);
  }

  // Where the sums of row `row` are, outside registers, as the first argument of load_sums and store_sums.
  [[nodiscard]] std::string address(std::string_view row) const {
    return fmt::format(fmt::runtime(in_ == SumsIn::shared ? "shared + sums_offset + ({}) * sums_bytes"
                                                          : "sums_row + ({}) * (sums_bytes / 16)"),
                       row);
  }

  // The sums of row `row`, the `index`-th of this warp, outside registers.
  [[nodiscard]] std::string loaded(std::string_view index, std::string_view row) const {
    const std::string there = fmt::format("load_sums({}, lane)", address(row));
    return in_ == SumsIn::both
               ? fmt::format("{0} < resident_couples ? load_sums(own_sums + {0} * sums_bytes, lane) : {1}", index,
                             there)
               : there;
  }
  // The same, wherever they are.
  [[nodiscard]] std::string own(std::string_view index, std::string_view row) const {
    return in_registers() ? fmt::format("sums[{}]", index) : loaded(index, row);
  }
  void put_zeros(std::string_view index, std::string_view row) {
    const std::string there = fmt::format("store_sums({}, lane, Sums());", address(row));
    if (in_ == SumsIn::both) {
      out_.line(fmt::format("if ({} < resident_couples)", index));
      out_.line(fmt::format("  store_sums(own_sums + {} * sums_bytes, lane, Sums());", index)).line("else");
    }
    out_.line(in_ == SumsIn::both ? "  " + there : there);
  }

  // What a pair's products are added to, and where that goes: memory adds by itself.
  [[nodiscard]] std::string begun(std::string_view index, std::string_view row) const {
    if (in_ == SumsIn::global) return {};
    if (in_ == SumsIn::turns) return fmt::format(" = turns.begun({})", index);
    return in_ == SumsIn::both ? fmt::format(" = own_sums_of({})", index) : fmt::format(" = {}", loaded(index, row));
  }
  [[nodiscard]] std::string done(std::string_view index, std::string_view row) const {
    if (in_ == SumsIn::turns) return fmt::format("turns.put({}, sum);", index);
    if (in_ == SumsIn::both) return fmt::format("put_own_sums({}, {}, sum);", index, row);
    return fmt::format("{}({}, lane, sum);", in_ == SumsIn::global ? "join_sums" : "store_sums", address(row));
  }

  // Unrolled where registers are named by their number.
  void open_own_rows(std::string_view count, bool unrolled = true);
  template <class Body>
  void each_own_row(Body body);
  void declare_row();
  void declare_own();
  void own_out();
  void resident_out();

  TextWriter& out_;
  const InBlockPlan& plan_;
  SumsIn in_;
  bool has_lone_row_;  // row rows / 2, which goes with row 0
};

// The loop over the first of a warp's couples.
void SumsText::open_own_rows(std::string_view count, bool unrolled) {
  if (unrolled)
    open_loop(out_, "i", "0", count);
  else
    out_.line("#pragma unroll 2").open(fmt::format("for (int i = 0; i < {}; ++i) {{", count));
  out_.line(fmt::format("const int row = warp * {} + i;", per_warp()));
  if (plan_.couples() % plan_.geometry.warps_per_group != 0)
    out_.line(fmt::format("if (row >= {}) break;", row_count(plan_)));
}

// `body(index, row)` for the sums that a warp has: of its couples, and of the lone row.
template <class Body>
void SumsText::each_own_row(Body body) {
  if (in_ == SumsIn::warps) {
    open_loop(out_, "row", "0", "factor_rows");
    body("row", "row");
    out_.close();
    return;
  }
  open_own_rows(per_warp());
  body("i", "row");
  out_.close();
  if (!has_lone_row_) return;
  out_.open("if (warp == 0) {");
  body(per_warp(), "rows / 2");
  out_.close();
}

// Declares what finds the sums that are in two places.
void SumsText::declare_own() {
  out_.line(
      "// Those of this warp's first couples are in shared memory; to the others, which are where all of them go in");
  out_.line("// the end, the memory adds.");
  out_.line("const SharedAddress own_sums = shared + sums_offset + warp * resident_couples * sums_bytes;");
  out_.open("const auto own_sums_of = [&](int i) {");
  out_.line("return i < resident_couples ? load_sums(own_sums + i * sums_bytes, lane) : Sums();");
  out_.close("};");
  out_.open("const auto put_own_sums = [&](int i, int row, const Sums& s) {");
  out_.line("if (i < resident_couples)");
  out_.line("  store_sums(own_sums + i * sums_bytes, lane, s);");
  out_.line("else");
  out_.line("  join_sums(sums_row + row * (sums_bytes / 16), lane, s);");
  out_.close("};");
}

void SumsText::declare_row() {
  out_.line("float4* const sums_row = static_cast<float4*>(arguments.sums) +");
  out_.line("    (static_cast<long long>(channel) * gridDim.y + blockIdx.y) * (factor_rows * sums_bytes / 16);");
}

void SumsText::setup() {
  out_.line("");
  out_.line(sides(plan_) == 2 ? "// Sums over this block's pairs of conj(Z) G, those of a row and of its mirror in one."
            : in_ == SumsIn::turns ? "// Sums over the cluster's rows of conj(Z) G, or over those of this block alone."
                                   : "// Sums over this block's rows of conj(Z) G.");
  if (!holds_sums(plan_)) declare_row();
  if (in_registers()) {
    out_.line(fmt::format("Sums sums[{}];", of_warp()));
    return;
  }
  if (in_ == SumsIn::turns) {
    out_.line("turns.begin_channel(sums_row + warp * rows_per_warp * (sums_bytes / 16));");
    return;
  }
  if (in_ == SumsIn::both) declare_own();
  each_own_row([&](std::string_view index, std::string_view row) { put_zeros(index, row); });
}

void SumsText::add_product(std::string_view operands) {
  if (in_ == SumsIn::warps) {
    out_.line(fmt::format("add_product(sums[{}], {});", plan_.rows() > plan_.factor_rows() ? "row" : "a", operands));
    return;
  }
  const std::string_view sum = in_registers() ? "sums[first + b]" : "sum";
  if (sides(plan_) == 1) {
    out_.line(fmt::format("add_product({}, {});", sum, operands));
    return;
  }
  if (!has_lone_row_) {
    out_.line(
        fmt::format("if (side == 0 || conjugates) add_product({}, {});  // row 0 has no second side", sum, operands));
    return;
  }
  if (in_registers()) {
    out_.line("if (side == 1 && first + b == 0 && !conjugates)");
    out_.line(fmt::format("  add_product(sums[couples_per_warp], {});", operands));
    out_.line("else");
    out_.line(fmt::format("  add_product(sums[first + b], {});", operands));
    return;
  }
  out_.open("if (side == 1 && first + b == 0 && !conjugates) {");
  out_.line(done("first + b", "row"));
  const std::string lone = begun("couples_per_warp", "rows / 2");
  out_.line(fmt::format("sum{};", lone.empty() ? " = Sums()" : lone));
  out_.close();
  out_.line(fmt::format("add_product(sum, {});", operands));
}

void SumsText::close_couple(std::string_view guard) {
  if (in_registers()) return;
  const std::string back = has_lone_row_ && sides(plan_) == 2
                               ? done("conjugates ? first + b : couples_per_warp", "conjugates ? row : rows / 2")
                               : done("first + b", "row");
  out_.line(guard.empty() ? back : fmt::format("if ({}) {}", guard, back));
}

void SumsText::own_out() {
  each_own_row([&](std::string_view index, std::string_view row) {
    out_.line(fmt::format("store_sums(sums_row + ({}) * (sums_bytes / 16), lane, {});", row, own(index, row)));
  });
}

// Those of a warp's first couples. The others are there.
void SumsText::resident_out() {
  open_own_rows("resident_couples");
  out_.line("store_sums(sums_row + row * (sums_bytes / 16), lane, load_sums(own_sums + i * sums_bytes, lane));");
  out_.close();
}

// Warps that hold whole pairs, each with sums of its own: added up in the order of the groups. What follows is left to
// the last one.
void SumsText::join_groups() {
  if (in_ != SumsIn::warps) return;
  out_.line("// The sums of all groups come together in the last one.");
  out_.line("block_barrier();  // the rows of all groups have been used");
  out_.unroll().open("for (int turn = 0; turn < groups; ++turn) {");
  out_.open("if (group == turn) {");
  open_loop(out_, "row", "0", "factor_rows");
  out_.line("const SharedAddress at = shared + row * sums_bytes;");
  out_.line("if (turn > 0) add(sums[row], load_sums(at, lane));");
  out_.line("if (turn < groups - 1) store_sums(at, lane, sums[row]);");
  out_.close().close();
  out_.line("block_barrier();");
  out_.close();
  out_.line("if (group < groups - 1) return;").line("");
}

void SumsText::meet() {
  if (in_ == SumsIn::turns) return;  // behind the last turn
  out_.line("MetSums met_sums;");
  each_own_row([&](std::string_view index, std::string_view row) {
    out_.line(fmt::format("met_sums.add_sums({});", own(index, row)));
  });
}

void SumsText::finish(bool meets) {
  if (in_ == SumsIn::global) {
    out_.line("// The sums are where the filter's gradient is made from them.");
    return;
  }
  if (in_ == SumsIn::turns) {
    if (!meets) return;
    out_.line("MetSums met_sums;");
    out_.line("turns.each_tile([&](const Sums& s) { met_sums.add_sums(s); });");
    return;
  }
  out_.line("// The sums, to where the filter's gradient is made from them.");
  if (holds_sums(plan_)) declare_row();
  in_ == SumsIn::both ? resident_out() : own_out();
}

}  // namespace

void emit_sums_setup(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan) {
  if (plan.backward.sums) SumsText(out, plan).setup();
  if (has_sums_unit(config, plan)) out.line("SumsUnit sums_unit;");
}

void each_own_sums(TextWriter& out, const InBlockPlan& plan, const std::function<void(const OwnSums&)>& body) {
  SumsText(out, plan).each(body);
}

std::string_view sums_scale(const Statement& accumulation) {
  return accumulation.operand == Operand::scale ? "sums_scale" : "";
}

void emit_couple_sums(TextWriter& out, const InBlockPlan& plan) { SumsText(out, plan).open_couple(); }
void emit_add_product(TextWriter& out, const InBlockPlan& plan, std::string_view z, std::string_view g,
                      std::string_view scale) {
  SumsText(out, plan).add_product(scale.empty() ? fmt::format("{}, {}", z, g) : fmt::format("{}, {}, {}", z, g, scale));
}
void emit_store_couple_sums(TextWriter& out, const InBlockPlan& plan, std::string_view guard) {
  SumsText(out, plan).close_couple(guard);
}

std::string backward_sums(const ConvConfig& config, const InBlockPlan& plan, std::string_view taps) {
  TextWriter out(1);
  if (!plan.backward.sums) return {};
  SumsText sums(out, plan);
  const bool meets = reports(config);
  constexpr std::string_view report = "report_unless_finite(&arguments.report[channel].gradients, met_sums);";
  if (has_sums_unit(config, plan)) out.line("sums_unit.settle(sums);");
  sums.join_groups();
  if (meets) sums.meet();
  if (meets && !taps.empty()) out.line(report);
  if (!taps.empty()) out.lines(taps).line("");
  sums.finish(meets);
  if (meets && taps.empty()) out.line(report);
  return out.take();
}

}  // namespace ffc
