// Where sums are, and how they are added up.
#include "gradient_sums.hpp"

#include <fmt/format.h>

#include "ffc/generator/plan.hpp"
#include "statement.hpp"
#include "text.hpp"
#include "tiled_pieces.hpp"
#include "tiled_shape.hpp"

namespace ffc {

namespace {

bool has_lone_row(const InBlockPlan& plan) { return plan.rows() % 2 == 0; }

bool keeps_sums_in_registers(const InBlockPlan& plan) {
  return !has_columns(plan) || plan.geometry.sums == Placement::registers;
}

// Sums that a warp keeps in registers.
int sums_per_warp(const InBlockPlan& plan) {
  return has_columns(plan) ? plan.couples_per_warp() + (has_lone_row(plan) ? 1 : 0) : plan.factor_rows();
}

// Some of a warp's sums are in shared memory, the others in global memory.
bool splits_sums(const InBlockPlan& plan) { return plan.shared.resident_couples > 0; }

// Where the sums of row `row` are, outside registers, as the first argument of load_sums and store_sums.
std::string sums_address(const InBlockPlan& plan, std::string_view row) {
  if (plan.geometry.sums == Placement::shared) return fmt::format("shared + sums_offset + ({}) * sums_bytes", row);
  return fmt::format("sums_row + ({}) * (sums_bytes / 16)", row);
}

// The sums of row `row`, the `index`-th of this warp, outside registers.
std::string loaded_sums(const InBlockPlan& plan, std::string_view index, std::string_view row) {
  return splits_sums(plan) ? fmt::format("load_own_sums({}, {})", index, row)
                           : fmt::format("load_sums({}, lane)", sums_address(plan, row));
}

std::string store_of_sums(const InBlockPlan& plan, std::string_view index, std::string_view row,
                          std::string_view sums) {
  return splits_sums(plan) ? fmt::format("store_own_sums({}, {}, {});", index, row, sums)
                           : fmt::format("store_sums({}, lane, {});", sums_address(plan, row), sums);
}

// `body(index, row)` for the sums that a warp has: of its couples, and of rows / 2, which goes with row 0.
template <class Body>
void each_own_row(TextWriter& out, const InBlockPlan& plan, Body body) {
  open_loop(out, "i", "0", "couples_per_warp");
  out.line("const int row = warp * couples_per_warp + i;");
  if (plan.couples() % plan.geometry.warps_per_group != 0) out.line("if (row >= couples) break;");
  body("i", "row");
  out.close();
  if (!has_lone_row(plan)) return;
  out.open("if (warp == 0) {");
  body("couples_per_warp", "rows / 2");
  out.close();
}

// Declares what finds the sums that are in two places.
void emit_own_sums(TextWriter& out) {
  out.line("// Those of this warp's first couples are in shared memory, the others where all of them go in the end.");
  out.line("const SharedAddress own_sums = shared + sums_offset + warp * resident_couples * sums_bytes;");
  out.open("const auto load_own_sums = [&](int i, int row) {");
  out.line("return i < resident_couples ? load_sums(own_sums + i * sums_bytes, lane)");
  out.line("                            : load_sums(sums_row + row * (sums_bytes / 16), lane);");
  out.close("};");
  out.open("const auto store_own_sums = [&](int i, int row, const Sums& s) {");
  out.line("if (i < resident_couples)");
  out.line("  store_sums(own_sums + i * sums_bytes, lane, s);");
  out.line("else");
  out.line("  store_sums(sums_row + row * (sums_bytes / 16), lane, s);");
  out.close("};");
}

}  // namespace

void emit_sums_setup(TextWriter& out, const InBlockPlan& plan) {
  if (!plan.backward.sums) return;
  out.line("");
  out.line("// Sums over this block's pairs of conj(Z) G, those of a row and of its mirror in one.");
  out.line("float4* const sums_row = static_cast<float4*>(arguments.sums) +");
  out.line("    (static_cast<long long>(channel) * gridDim.y + blockIdx.y) * (factor_rows * sums_bytes / 16);");
  if (keeps_sums_in_registers(plan)) {
    out.line(fmt::format("Sums sums[{}];", sums_per_warp(plan)));
    return;
  }
  if (splits_sums(plan)) emit_own_sums(out);
  each_own_row(out, plan, [&](std::string_view index, std::string_view row) {
    out.line(store_of_sums(plan, index, row, "Sums()"));
  });
}

void emit_couple_sums(TextWriter& out, const InBlockPlan& plan) {
  if (keeps_sums_in_registers(plan)) return;
  out.line(fmt::format("Sums sum = {};", loaded_sums(plan, "first + b", "row")));
}

void emit_add_product(TextWriter& out, const InBlockPlan& plan, std::string_view z, std::string_view g,
                      std::string_view scale) {
  const std::string product = fmt::format("{}, {}{}{}", z, g, scale.empty() ? "" : ", ", scale);
  if (!has_columns(plan)) {
    out.line(fmt::format("add_product(sums[{}], {});", plan.rows() > plan.factor_rows() ? "row" : "a", product));
    return;
  }
  const bool in_registers = keeps_sums_in_registers(plan);
  const std::string_view sum = in_registers ? "sums[first + b]" : "sum";
  if (!has_lone_row(plan)) {
    out.line(
        fmt::format("if (side == 0 || conjugates) add_product({}, {});  // row 0 has no second side", sum, product));
    return;
  }
  if (in_registers) {
    out.line("if (side == 1 && first + b == 0 && !conjugates)");
    out.line(fmt::format("  add_product(sums[couples_per_warp], {});", product));
    out.line("else");
    out.line(fmt::format("  add_product(sums[first + b], {});", product));
    return;
  }
  out.open("if (side == 1 && first + b == 0 && !conjugates) {");
  out.line(store_of_sums(plan, "first + b", "row", "sum"));
  out.line(fmt::format("sum = {};", loaded_sums(plan, "couples_per_warp", "rows / 2")));
  out.close();
  out.line(fmt::format("add_product(sum, {});", product));
}

std::string_view sums_scale(const Statement& accumulation) {
  return accumulation.operand == Operand::scale ? "sums_scale" : "";
}

void emit_store_couple_sums(TextWriter& out, const InBlockPlan& plan, std::string_view guard) {
  if (keeps_sums_in_registers(plan)) return;
  const std::string_view row = has_lone_row(plan) ? "conjugates ? row : rows / 2" : "row";
  const std::string_view index = has_lone_row(plan) ? "conjugates ? first + b : couples_per_warp" : "first + b";
  const std::string store = store_of_sums(plan, index, row, "sum");
  out.line(guard.empty() ? store : fmt::format("if ({}) {}", guard, store));
}

namespace {

void emit_own_sums_out(TextWriter& out, const InBlockPlan& plan) {
  each_own_row(out, plan, [&](std::string_view index, std::string_view row) {
    const std::string sum =
        keeps_sums_in_registers(plan) ? fmt::format("sums[{}]", index) : loaded_sums(plan, index, row);
    out.line(fmt::format("store_sums(sums_row + ({}) * (sums_bytes / 16), lane, {});", row, sum));
  });
}

// Those of a warp's first couples. The others are there.
void emit_resident_sums_out(TextWriter& out, const InBlockPlan& plan) {
  open_loop(out, "i", "0", "resident_couples");
  out.line("const int row = warp * couples_per_warp + i;");
  if (plan.couples() % plan.geometry.warps_per_group != 0) out.line("if (row >= couples) break;");
  out.line("store_sums(sums_row + row * (sums_bytes / 16), lane, load_own_sums(i, row));");
  out.close();
}

// Warps that hold whole pairs, each with sums of its own: added up in the order of the groups.
void emit_sums_of_groups(TextWriter& out) {
  out.line("block_barrier();  // the rows of all groups have been used");
  out.unroll().open("for (int turn = 0; turn < groups; ++turn) {");
  out.open("if (group == turn) {");
  open_loop(out, "row", "0", "factor_rows");
  out.line("const SharedAddress at = shared + row * sums_bytes;");
  out.line("if (turn > 0) add(sums[row], load_sums(at, lane));");
  out.line("if (turn == groups - 1)");
  out.line("  store_sums(sums_row + row * (sums_bytes / 16), lane, sums[row]);");
  out.line("else");
  out.line("  store_sums(at, lane, sums[row]);");
  out.close().close();
  out.line("block_barrier();");
  out.close();
}

}  // namespace

std::string backward_sums(const InBlockPlan& plan) {
  TextWriter out(1);
  if (!plan.backward.sums) return {};
  if (has_columns(plan) && plan.geometry.sums == Placement::global && !splits_sums(plan)) {
    out.line("// The sums are where the filter's gradient is made from them.");
    return out.take();
  }
  out.line("// The sums, to where the filter's gradient is made from them.");
  if (!has_columns(plan))
    emit_sums_of_groups(out);
  else if (splits_sums(plan))
    emit_resident_sums_out(out, plan);
  else
    emit_own_sums_out(out, plan);
  return out.take();
}

}  // namespace ffc
