// Stages of a backward kernel: both tensors through those of a convolution, and the sums between them.
#include "backward_stages.hpp"

#include <fmt/format.h>

#include "tiled_rows.hpp"
#include "tiled_stages.hpp"

namespace ffc {
namespace {

bool has_lone_row(const Plan& plan) { return plan.rows() % 2 == 0; }

bool keeps_sums_in_registers(const Plan& plan) {
  return !has_columns(plan) || plan.geometry.sums == Placement::registers;
}

// Sums that a warp keeps in registers.
int sums_per_warp(const Plan& plan) {
  return has_columns(plan) ? plan.couples_per_warp() + (has_lone_row(plan) ? 1 : 0) : plan.factor_rows();
}

// Some of a warp's sums are in shared memory, the others in global memory.
bool splits_sums(const Plan& plan) { return plan.shared.resident_couples > 0; }

// Where the sums of row `row` are, outside registers, as the first argument of load_sums and store_sums.
std::string sums_address(const Plan& plan, std::string_view row) {
  if (plan.geometry.sums == Placement::shared) return fmt::format("shared + sums_offset + ({}) * sums_bytes", row);
  return fmt::format("sums_row + ({}) * (sums_bytes / 16)", row);
}

// The sums of row `row`, the `index`-th of this warp, outside registers.
std::string loaded_sums(const Plan& plan, std::string_view index, std::string_view row) {
  return splits_sums(plan) ? fmt::format("load_own_sums({}, {})", index, row)
                           : fmt::format("load_sums({}, lane)", sums_address(plan, row));
}
std::string store_of_sums(const Plan& plan, std::string_view index, std::string_view row, std::string_view sums) {
  return splits_sums(plan) ? fmt::format("store_own_sums({}, {}, {});", index, row, sums)
                           : fmt::format("store_sums({}, lane, {});", sums_address(plan, row), sums);
}

// `body(index, row)` for the sums that a warp has: of its couples, and of rows / 2, which goes with row 0.
template <class Body>
void each_own_row(TextWriter& out, const Plan& plan, Body body) {
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

std::vector<RowTensor> row_tensors(const Plan& plan, Turn turn) {
  if (!plan.is_backward()) return {{"x", "", true, false}};
  const BackwardWork& work = plan.backward;
  std::vector<RowTensor> tensors;
  if (work.transforms_input && turn != Turn::gradient) tensors.push_back({"x", "", work.inverts_input, false});
  if (work.transforms_gradient && turn != Turn::input)
    tensors.push_back({"g", plan.resident_tensors() > 1 ? " + buffer_bytes" : "", work.inverts_gradient, true});
  return tensors;
}

void emit_sums_setup(TextWriter& out, const Plan& plan) {
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

void emit_couple_sums(TextWriter& out, const Plan& plan) {
  if (keeps_sums_in_registers(plan)) return;
  out.line(fmt::format("Sums sum = {};", loaded_sums(plan, "first + b", "row")));
}

void emit_add_product(TextWriter& out, const Plan& plan, std::string_view z, std::string_view g) {
  const std::string product = fmt::format("{}, {}", z, g);
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

void emit_store_couple_sums(TextWriter& out, const Plan& plan, std::string_view guard) {
  if (keeps_sums_in_registers(plan)) return;
  const std::string_view row = has_lone_row(plan) ? "conjugates ? row : rows / 2" : "row";
  const std::string_view index = has_lone_row(plan) ? "conjugates ? first + b : couples_per_warp" : "first + b";
  const std::string store = store_of_sums(plan, index, row, "sum");
  out.line(guard.empty() ? store : fmt::format("if ({}) {}", guard, store));
}

namespace {

void emit_own_sums_out(TextWriter& out, const Plan& plan) {
  each_own_row(out, plan, [&](std::string_view index, std::string_view row) {
    const std::string sum =
        keeps_sums_in_registers(plan) ? fmt::format("sums[{}]", index) : loaded_sums(plan, index, row);
    out.line(fmt::format("store_sums(sums_row + ({}) * (sums_bytes / 16), lane, {});", row, sum));
  });
}

// Those of a warp's first couples. The others are there.
void emit_resident_sums_out(TextWriter& out, const Plan& plan) {
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

std::string backward_sums(const Plan& plan) {
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

namespace {

// The stages down the columns, of each resident tensor from `first` to `end`.
void emit_columns_of_tensors(TextWriter& out, const ConvConfig& config, const Plan& plan, bool inverse, int first,
                             int end) {
  if (plan.resident_tensors() == 1) {
    emit_columns_stage(out, config, plan, inverse);
    return;
  }
  out.line("#pragma unroll 1");
  out.open(fmt::format("for (int tensor = {}; tensor < {}; ++tensor) {{", first, end));
  out.line("const SharedAddress tensor_at = rows_at + tensor * buffer_bytes;");
  emit_columns_stage(out, config, plan, inverse, "tensor_at");
  out.close();
}

std::string_view own_barrier(const Plan& plan) {
  return copies_whole_rows(plan) ? "group_barrier<group_threads>(group);" : "warp_barrier();";
}

void emit_wait(TextWriter& out, const Plan& plan) {
  if (plan.geometry.buffers > 1) {
    // Groups of copies are counted, so those of a pair that does not exist are closed, too.
    const auto next = [&](bool wanted, std::string_view rows) {
      if (!wanted) return;
      out.line(fmt::format("if (pair + groups < end_pair) load_{}(pair + groups, (buffer + 1) % buffers);", rows));
      out.line("else commit_copies();");
    };
    next(plan.backward.transforms_input, "u");
    next(plan.backward.transforms_gradient, "dy");
    out.line(fmt::format("wait_copies<{}>();", plan.backward.tensors()));
  } else {
    out.line("wait_copies<0>();");
  }
  out.line(own_barrier(plan));
}

// From a tensor's rows, or both tensors', to results in shared memory.
void emit_turn(TextWriter& out, const ConvConfig& config, const Plan& plan, Turn turn) {
  const std::vector<RowTensor> tensors = row_tensors(plan, turn);
  emit_columns_of_tensors(out, config, plan, false, 0, static_cast<int>(tensors.size()));
  out.line("group_barrier<group_threads>(group);");
  emit_rows(out, plan, turn);
  if (turn != Turn::input || !refills_rows(plan)) out.line("group_barrier<group_threads>(group);");
  const Geometry& geometry = plan.geometry;
  const bool u_has_left = tensors.front().tile == "x" && !tensors.front().back;
  if (turn == Turn::together && u_has_left && geometry.buffers == 1 && !geometry.gate_at_load) {
    out.line("// u's rows have been used: those of the next pair come in.");
    out.line("if (pair + groups < end_pair) load_u(pair + groups, 0);");
  }
  if (tensors.back().back || tensors.front().back) {
    const int end = static_cast<int>(tensors.size()) - (tensors.back().back ? 0 : 1);
    emit_columns_of_tensors(out, config, plan, true, tensors.front().back ? 0 : 1, end);
    out.line(own_barrier(plan));
  }
}

}  // namespace

std::string backward_stages(const ConvConfig& config, const Plan& plan) {
  TextWriter out(2);
  emit_wait(out, plan);
  if (!has_columns(plan)) {
    emit_warp_gradients(out, config, plan);
    out.line(own_barrier(plan));
  } else if (plan.geometry.in_turn) {
    out.line("// First u's rows. Their frequencies wait in memory for dy's.");
    out.open("{");
    emit_turn(out, config, plan, Turn::input);
    emit_gradient_store(out, config, plan, Turn::input);
    out.close();
    out.line("// Then dy's, in the same place.");
    out.line(refills_rows(plan) ? "commit_copies();" : "load_dy(pair, 0);");
    out.line("wait_copies<0>();");
    out.line(refills_rows(plan) ? "group_barrier<group_threads>(group);" : own_barrier(plan));
    emit_turn(out, config, plan, Turn::gradient);
  } else {
    emit_turn(out, config, plan, Turn::together);
  }
  return out.take();
}

namespace {

// One tensor's rows in a warp's registers, tile by tile.
class WarpRows {
 public:
  WarpRows(TextWriter& out, const ConvConfig& config, const Plan& plan)
      : out_(out), config_(config), plan_(plan), mirrors_(plan.rows() > plan.factor_rows()) {}

  void load(std::string_view offset) {
    open_butterfly_loop(out_, 0, plan_.live_butterflies());
    out_.line(fmt::format("x[a] = load_rows({}{});", at(), offset));
    convert_input(out_, config_, plan_, false, "x[a]", at());
    out_.close();
    emit_forward_butterfly(out_, plan_, "x");
  }

  // For every row, `body(chain)`, with its factors in scope, `to_frequencies`, back `to_samples` or both.
  template <class Body>
  void each_row(bool to_frequencies, bool to_samples, Body body) {
    open_butterfly_loop(out_, 0, plan_.outer_butterfly);
    if (mirrors_) {
      out_.line("const int row = min(a, rows - a);  // the conjugate of row rows - a takes the factors of row a");
      out_.line("const Packed signs = row < a ? both_signs : 0;");
      if (to_frequencies) out_.line("flip(x[a].im, signs);");
    }
    each_factor(plan_, to_samples, [&](std::string_view name, Placement placement) {
      const std::string_view row = mirrors_ ? "row" : "a";
      out_.line(fmt::format("const Tile {} = {};", name, row_factor(plan_, name, placement, row, row)));
    });
    RowChain chain(out_, plan_, "x[a]");
    body(chain);
    if (mirrors_ && to_samples) out_.line("flip(x[a].im, signs);");
    out_.close();
  }

  void store(std::string_view offset) {
    if (plan_.outer_butterfly > 1) out_.line("butterfly_tiles<true>(x);");
    out_.line("warp_barrier();  // every lane has read what lies there");
    open_butterfly_loop(out_, 0, plan_.stored_butterflies());
    out_.line(fmt::format("store_rows_transposed({}{}, x[a]);", at(), offset));
    out_.close();
  }

 private:
  static std::string at() { return "rows_at + a * row_bytes + (row_lane ^ ((a & 7) << 4))"; }

  TextWriter& out_;
  const ConvConfig& config_;
  const Plan& plan_;
  bool mirrors_;  // some rows take the factors of others
};

}  // namespace

void emit_warp_gradients(TextWriter& out, const ConvConfig& config, const Plan& plan) {
  const BackwardWork& work = plan.backward;
  const std::string_view parked = "rows_at + a * tile_bytes, lane";
  const bool waits = work.tensors() > 1;
  out.line(fmt::format("Tile x[{}];", plan.outer_butterfly));
  WarpRows rows(out, config, plan);
  if (work.transforms_input) {
    out.line(fmt::format("// A warp holds the pair. Its rows of u{}.",
                         waits ? ": their frequencies wait in the place of the samples" : " and back"));
    rows.load("");
    if (waits) out.line("warp_barrier();  // every lane has read its samples");
    rows.each_row(true, !waits, [&](RowChain& chain) {
      chain.to_frequencies("");
      if (waits) {
        out.line(fmt::format("store_tile({}, x[a]);", parked));
      } else {
        chain.times_spectrum(false);
        chain.to_samples();
      }
    });
    if (!waits) rows.store("");
  }
  if (work.transforms_gradient) {
    const std::string_view offset = waits ? " + buffer_bytes" : "";
    out.line("// The rows of dy, added up with those of u at every frequency.");
    rows.load(offset);
    rows.each_row(true, work.inverts_gradient, [&](RowChain& chain) {
      chain.to_frequencies("");
      if (work.sums) emit_add_product(out, plan, fmt::format("load_tile({})", parked), "x[a]");
      if (!work.inverts_gradient) return;
      chain.times_spectrum(true);
      chain.to_samples();
    });
    if (work.inverts_gradient) rows.store(offset);
  }
  if (waits && work.inverts_input) {
    out.line("// The frequencies of u, and back.");
    rows.each_row(false, true, [&](RowChain& chain) {
      out.line(fmt::format("x[a] = load_tile({});", parked));
      chain.times_spectrum(false);
      chain.to_samples();
    });
    rows.store("");
  }
}

}  // namespace ffc
