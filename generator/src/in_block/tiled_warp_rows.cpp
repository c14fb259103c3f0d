// The only stage of kernels whose warps hold whole pairs: a butterfly over rows of 256 in registers around their
// chains.
#include "tiled_warp_rows.hpp"

#include <fmt/format.h>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "gradient_results.hpp"
#include "row_chain.hpp"
#include "text.hpp"
#include "tiled_pieces.hpp"
#include "tiled_shape.hpp"

namespace ffc {

void emit_warp_rows(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, Turn turn) {
  const int butterflies = plan.outer_butterfly;
  const int live = plan.live_butterflies(), stored = plan.stored_butterflies();
  out.line(fmt::format("// One stage: a warp holds the pair, {}rows of 256 = 16 x 16.",
                       butterflies > 1 ? fmt::format("butterflies of {} over ", butterflies) : std::string("its ")));
  const auto at = [&](std::string_view a) {
    return fmt::format("rows_at + {0} * row_bytes + (row_lane ^ (({0} & 7) << 4))", a);
  };
  out.line(fmt::format("Tile x[{}];", butterflies));
  open_butterfly_loop(out, 0, live);
  out.line(fmt::format("x[a] = load_rows({});", at("a")));
  convert_input(out, config, plan, false, "x[a]", at("a"));
  emit_shift(out, plan, "multiply_columns", "x[a]");
  out.close();
  if (copies_out_gate(config, plan)) {
    out.line("warp_barrier();");
    out.line("copy_out_gate(pair);  // every lane has used the in gate");
  }
  emit_forward_butterfly(out, plan, "x");
  const bool mirrors = plan.real_filter() && plan.rows() > 2;
  open_butterfly_loop(out, 0, butterflies);
  const bool drops = !plan.kept_rows.empty();
  if (drops) {
    out.open("if (drops_row(a)) {");
    out.line("x[a] = {};").line("continue;").close();
  }
  const std::string_view row = mirrors ? "row" : "a";
  const std::string place = drops ? fmt::format("factor_place({})", row) : std::string(row);
  if (mirrors) {
    out.line("const int row = min(a, rows - a);  // the conjugate of row rows - a takes the factors of row a");
    out.line("const Packed signs = row < a ? both_signs : 0;");
    out.line("flip(x[a].im, signs);");
  }
  std::vector<RowTensor> tensors = row_tensors(plan, turn);
  tensors.front().tile = "x";
  const bool back = tensors.front().back;
  each_factor(plan, back, [&](std::string_view name, Placement placement) {
    out.line(fmt::format(
        "const {} {} = {};", tile_type(plan, name), name,
        row_factor(plan, name, placement, is_made(plan, name) && placement == Placement::global ? row : place, place)));
  });
  emit_row_chain(out, plan, turn, tensors, {"[a]", "a", "a", ""});
  if (mirrors) out.line("flip(x[a].im, signs);");
  out.close();
  if (!back) return;
  if (butterflies > 1) out.line("butterfly_tiles<true>(x);");
  open_butterfly_loop(out, 0, stored);
  emit_shift(out, plan, "multiply_columns_conj", "x[a]");
  out.line(fmt::format("store_rows_transposed({}, x[a]);", at("a")));
  out.close();
}

}  // namespace ffc
