// Stages of a backward kernel: both tensors through those of a convolution, and the sums between them.
#include "backward_stages.hpp"

#include <fmt/format.h>

#include "backward_copies.hpp"
#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "gradient_results.hpp"
#include "gradient_sums.hpp"
#include "row_chain.hpp"
#include "text.hpp"
#include "tiled_columns.hpp"
#include "tiled_pieces.hpp"
#include "tiled_rows.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {}  // namespace

namespace {}  // namespace

namespace {

// The stages down the columns, of each resident tensor from `first` to `end`.
void emit_columns_of_tensors(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, bool inverse,
                             int first, int end) {
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

std::string_view own_barrier(const InBlockPlan& plan) {
  return copies_whole_rows(plan) ? "group_barrier<group_threads>(group);" : "warp_barrier();";
}

void emit_wait(TextWriter& out, const InBlockPlan& plan) {
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
void emit_turn(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, Turn turn) {
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

std::string backward_stages(const ConvConfig& config, const InBlockPlan& plan) {
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
  WarpRows(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan)
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
  const InBlockPlan& plan_;
  bool mirrors_;  // some rows take the factors of others
};

}  // namespace

void emit_warp_gradients(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan) {
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
