// The middle stage of the tiled family: rows of 256 = 16 x 16, from samples to the spectrum and back.
//
// Row f holds the frequencies f + rows k. The filter is real, so its spectrum at -(f + rows k) is the conjugate of that
// at f + rows k, and so is every twiddle: the conjugate of row -f takes the factors of row f, and gives the conjugate
// of its result. A row and its mirror are a couple; the factors of rows 0 to rows / 2 are all that is kept. In the rows
// of a split plan the filter is complex, and at frequencies k + 1/4 the mirrors are elsewhere: there each row stands
// alone with its own factors.
#include "tiled_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "ffc/generator/plan.hpp"
#include "gradient_copies.hpp"
#include "gradient_results.hpp"
#include "gradient_sums.hpp"
#include "kept_digits.hpp"
#include "row_chain.hpp"
#include "text.hpp"
#include "tiled_pieces.hpp"
#include "tiled_shape.hpp"
#include "tiled_stages.hpp"

namespace ffc {

namespace {}  // namespace

namespace {

// How many rows stand alone, in the text.
std::string_view row_count(const InBlockPlan& plan) { return plan.kept_rows.empty() ? "rows" : "factor_rows"; }

// Factors that come from global memory are asked for one couple ahead.
bool prefetches(const InBlockPlan& plan, std::string_view name, Placement placement) {
  // Beside a pair's two tensors there are registers for them where one group of warps has them all and one goes back.
  if (plan.is_backward() && !plan.real_filter() && (plan.geometry.groups > 1 || plan.backward.inverts_input))
    return false;
  return placement == Placement::global && plan.geometry.couples_at_once == 1 && !is_made(plan, name);
}

void emit_row_address(TextWriter& out, const InBlockPlan& plan) {
  if (plan.fractional_rows) {
    out.open("const auto samples_address = [&](int row, int odd) {");
    out.line(fmt::format("const int slot = {};", slot_of_row(plan, "row")));
    out.line("return rows_at + slot * row_bytes + (samples_lane ^ ((slot & 7) << 4) ^ swizzled(2 * odd));");
    out.close("};");
  }
  out.open("const auto row_address = [&](int row) {");
  out.line(fmt::format("const int slot = {};", slot_of_row(plan, "row")));
  out.line("return rows_at + slot * row_bytes + (row_lane ^ ((slot & 7) << 4));");
  out.close("};");
}

// The row that a warp is at: its number among those that are kept, and where some are dropped its frequency.
void emit_row(TextWriter& out, const InBlockPlan& plan, const std::string& place) {
  if (plan.kept_rows.empty()) {
    // Named by most stages; a row that none names shapes the order of what is computed all the same.
    out.line(fmt::format("[[maybe_unused]] const int row = {};", place));
  } else {
    out.line(fmt::format("[[maybe_unused]] const int place = {};", place));
    out.line("[[maybe_unused]] const int row = kept_row(place);");
  }
}

// The factors of row `row` as tiles; `row_of(index)` is the one of which `index` a warp comes to.
template <class RowOf>
void emit_factors(TextWriter& out, const InBlockPlan& plan, bool with_spectrum, const RowOf& row_of,
                  std::string_view count) {
  each_factor(plan, with_spectrum, [&](std::string_view name, Placement placement) {
    if (prefetches(plan, name, placement)) {
      out.line(fmt::format("{1} {0} = next_{0};", name, tile_type(plan, name)));
      out.line(fmt::format("if (first + 1 < {}) next_{} = {};", count, name,
                           row_factor(plan, name, placement, row_of("first + 1"), "")));
    } else {
      if (placement == Placement::staged) out.line(fmt::format("wait_copies<{}>();", copies_behind_row(plan) - 1));
      out.line(fmt::format("{} {} = {};", tile_type(plan, name), name,
                           row_factor(plan, name, placement, plan.kept_rows.empty() ? "row" : "place", "first + b")));
    }
  });
}

// The text of the stage where rows live in slots of shared memory, one tile each, and stand alone.
class RowStage {
 public:
  RowStage(TextWriter& out, const InBlockPlan& plan, Turn turn)
      : out_(out),
        plan_(plan),
        turn_(turn),
        tensors_(row_tensors(plan, turn)),
        guarded_(plan.couples() % plan.geometry.warps_per_group != 0) {}

  void emit() {
    out_.line("// Middle stage: rows of 256 = 16 x 16 from samples to samples; each warp its own.");
    emit_row_address(out_, plan_);
    if (fills_registers(plan_)) out_.line(fmt::format("const Halves radix16 = {};", read_halves("load_here")));
    const bool back =
        std::any_of(tensors_.begin(), tensors_.end(), [](const RowTensor& tensor) { return tensor.back; });
    each_factor(plan_, back, [&](std::string_view name, Placement placement) {
      if (prefetches(plan_, name, placement))
        out_.line(fmt::format("{} next_{} = {};", tile_type(plan_, name), name,
                              row_factor(plan_, name, placement, row_of_warp(plan_, "0"), "")));
    });
    // Two tensors' chains are twice the text and more: unrolled, they would not fit registers and instruction cache.
    out_.line(tensors_.size() > 1 ? "#pragma unroll 1" : "#pragma unroll");
    out_.open("for (int first = 0; first < rows_per_warp; first += tile_rows_at_once) {");
    for (const RowTensor& tensor : tensors_) out_.line(fmt::format("Tile {}[tile_rows_at_once];", tensor.tile));
    each_row([&] {
      for (const RowTensor& tensor : tensors_)
        out_.line(plan_.fractional_rows
                      ? fmt::format("{}[b] = load_row_samples(samples_address(row, 0), samples_address(row, 1));",
                                    tensor.tile)
                      : fmt::format("{}[b] = load_rows(row_address(row){});", tensor.tile, tensor.offset));
    });
    each_row([&] {
      emit_factors(
          out_, plan_, back, [&](std::string_view next) { return row_of_warp(plan_, next); }, "rows_per_warp");
      const std::string exists = fmt::format("warp * rows_per_warp + first + b < {}", row_count(plan_));
      emit_row_chain(out_, plan_, turn_, tensors_, {"[b]", "row", "first + b", guarded_ ? exists : ""});
    });
    if (back) each_row([&] { store(); });
    out_.close();
  }

 private:
  void store() {
    if (guarded_) out_.line(fmt::format("if (warp * rows_per_warp + first + b >= {}) break;", row_count(plan_)));
    for (const RowTensor& tensor : tensors_)
      if (tensor.back)
        out_.line(fmt::format("store_rows_transposed(row_address(row){}, {}[b]);", tensor.offset, tensor.tile));
  }

  template <class Body>
  void each_row(Body body) {
    open_loop(out_, "b", "0", "tile_rows_at_once");
    emit_row(out_, plan_, row_of_warp(plan_, "first + b"));
    body();
    out_.close();
  }

  TextWriter& out_;
  const InBlockPlan& plan_;
  Turn turn_;
  std::vector<RowTensor> tensors_;
  bool guarded_;  // some rows are none: they compute what another warp stores
};

// Of gradients a couple is twice the text or more: many of them would not fit the instruction cache. Measured at 32768:
// two, four or eight at once differ by 3% without gates; with gates four take 1.5 times as long as two.
std::string_view couples_unroll(const InBlockPlan& plan) {
  if (!plan.is_backward() || plan.couples_per_warp() <= 4) return "#pragma unroll";
  return plan.geometry.gate_at_load ? "#pragma unroll 2" : "#pragma unroll 4";
}

// The text of the stage where rows live in slots of shared memory and share their factors with their mirrors.
class CoupleStage {
 public:
  CoupleStage(TextWriter& out, const InBlockPlan& plan, Turn turn)
      : out_(out),
        plan_(plan),
        turn_(turn),
        tensors_(row_tensors(plan, turn)),
        guarded_(plan.couples() % plan.geometry.warps_per_group != 0) {}

  void emit() {
    out_.line(
        "// Middle stage: rows of 256 = 16 x 16 from samples to samples, each with its mirror; each warp its own.");
    emit_row_address(out_, plan_);
    each_factor(plan_, goes_back(), [&](std::string_view name, Placement placement) {
      if (prefetches(plan_, name, placement))
        out_.line(fmt::format("{} next_{} = {};", tile_type(plan_, name), name,
                              row_factor(plan_, name, placement, couple("0"), "")));
    });
    out_.line(couples_unroll(plan_));
    out_.open("for (int first = 0; first < couples_per_warp; first += couples_at_once) {");
    for (const RowTensor& tensor : tensors_) out_.line(fmt::format("Tile {}[couples_at_once][2];", tensor.tile));
    if (takes_parked(plan_, turn_)) out_.line("Tile x[couples_at_once][2];");
    each_couple([&] {
      for (const RowTensor& tensor : tensors_)
        for (const auto& [side, row] : sides())
          out_.line(fmt::format("{}[b][{}] = load_rows(row_address({}){});", tensor.tile, side, row, tensor.offset));
      if (takes_parked(plan_, turn_))
        for (const auto& [side, row] : sides())
          out_.line(fmt::format("x[b][{}] = parked_tile(parked + {} * (tile_bytes / 16), lane);", side, row));
    });
    if (turn_ == Turn::input && refills_rows(plan_)) {
      out_.line("warp_barrier();  // every lane has read its rows: those of dy come in");
      each_couple([&] { out_.line("refill_row(pair, row);").line("refill_row(pair, mirror_row(row));"); });
    }
    each_couple([&] { chains(); });
    if (goes_back()) each_couple([&] { store(); });
    out_.close();
  }

 private:
  [[nodiscard]] std::string couple(std::string_view index) const {
    const std::string row = fmt::format("warp * couples_per_warp + {}", index);
    return guarded_ ? fmt::format("min({}, couples - 1)", row) : row;
  }

  static std::array<std::pair<int, std::string_view>, 2> sides() {
    return {std::pair{0, "row"}, std::pair{1, "mirror_row(row)"}};
  }

  [[nodiscard]] bool goes_back() const {
    return std::any_of(tensors_.begin(), tensors_.end(), [](const RowTensor& tensor) { return tensor.back; });
  }

  template <class Body>
  void each_couple(Body body) {
    open_loop(out_, "b", "0", "couples_at_once");
    emit_row(out_, plan_, couple("first + b"));
    body();
    out_.close();
  }

  // Those that are none compute a row once more, whose results may have replaced its samples by then: nothing that
  // they make may reach memory.
  static std::string exists() { return "warp * couples_per_warp + first + b < couples"; }

  void store() {
    if (guarded_) out_.line("if (warp * couples_per_warp + first + b >= couples) break;");
    for (const RowTensor& tensor : tensors_)
      for (const auto& [side, row] : sides())
        if (tensor.back)
          out_.line(fmt::format("store_rows_transposed(row_address({}){}, {}[b][{}]);", row, tensor.offset, tensor.tile,
                                side));
  }

  void chains() {
    emit_factors(
        out_, plan_, goes_back(), [&](std::string_view next) { return couple(next); }, "couples_per_warp");
    const bool self_mirrors = keeps_row(plan_, 0);
    if (self_mirrors) out_.line("// Rows 0 and rows / 2 are their own mirrors: two of one couple, but not conjugates.");
    out_.line(self_mirrors ? "const bool conjugates = first + b > 0 || warp > 0;"
                           : "constexpr bool conjugates = true;");
    if (sums()) emit_couple_sums(out_, plan_);
    open_loop(out_, "side", "0", "2");
    if (plan_.rows() % 2 == 0 && self_mirrors) {
      // Every warp takes them anew, which only one needs: a branch would keep the two chains apart.
      out_.open("if (side == 1 && first + b == 0) {");
      each_factor(plan_, goes_back(), [&](std::string_view name, Placement placement) {
        out_.line(fmt::format(
            "{} = {};", name,
            row_factor(plan_, name, placement,
                       plan_.kept_rows.empty() ? "conjugates ? row : rows / 2" : "conjugates ? place : factor_rows - 1",
                       "couples_per_warp")));
      });
      out_.close();
    }
    out_.line("const Packed signs = side == 1 && conjugates ? both_signs : 0;");
    flip(false);
    if (plan_.is_backward())
      gradients();
    else
      RowChain(out_, plan_, "x[b][side]").emit();
    flip(true);
    out_.close();
    if (sums()) emit_store_couple_sums(out_, plan_, guarded_ ? exists() : "");
  }

  // The products of u's and dy's frequencies are added up in this turn.
  [[nodiscard]] bool sums() const { return plan_.backward.sums && turn_ != Turn::input; }

  void flip(bool behind) {
    for (const RowTensor& tensor : tensors_)
      if (!behind || tensor.back) out_.line(fmt::format("flip({}[b][side].im, signs);", tensor.tile));
  }

  void gradients() {
    const auto tile_of = [](const RowTensor& tensor) { return fmt::format("{}[b][side]", tensor.tile); };
    for (const RowTensor& tensor : tensors_) RowChain(out_, plan_, tile_of(tensor)).to_frequencies("");
    if (parks(plan_, turn_)) {
      const std::string_view park =
          "park_tile(parked + (side == 0 ? row : mirror_row(row)) * (tile_bytes / 16), lane, x[b][side]);";
      out_.line(guarded_ ? fmt::format("if ({}) {}", exists(), park) : std::string(park));
    }
    if (sums()) emit_add_product(out_, plan_, "x[b][side]", "g[b][side]");
    for (const RowTensor& tensor : tensors_) {
      if (!tensor.back) continue;
      RowChain chain(out_, plan_, tile_of(tensor));
      chain.times_spectrum(tensor.conjugate);
      chain.to_samples();
    }
  }

  TextWriter& out_;
  const InBlockPlan& plan_;
  Turn turn_;
  std::vector<RowTensor> tensors_;
  bool guarded_;  // some couples are none: they compute what another warp stores
};

}  // namespace

void emit_rows(TextWriter& out, const InBlockPlan& plan, Turn turn) {
  if (plan.mirrors_rows())
    CoupleStage(out, plan, turn).emit();
  else
    RowStage(out, plan, turn).emit();
}

}  // namespace ffc
