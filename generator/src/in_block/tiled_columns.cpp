// The stages down the columns of the tiled family: the outer digits, there and back.
#include "tiled_columns.hpp"

#include <fmt/format.h>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "kept_digits.hpp"
#include "text.hpp"
#include "tiled_pieces.hpp"
#include "tiled_shape.hpp"

namespace ffc {

namespace {

// Names in the text of a column stage, which differ between radix 8, half and whole tiles.
struct ColumnNames {
  std::string_view tile, read, write, matrix, at;
};

ColumnNames column_names(const InBlockPlan& plan, bool half) {
  if (plan.outer_tile == 8) return {"HalfTile", "load_half_rows", "store_half_rows_transposed", "radix8", "columns_at"};
  const std::string_view matrix = shares_radix16(plan) ? "radix16" : "column_matrix";
  if (half) return {"HalfTile", "load_half_rows", "store_half_rows_transposed", matrix, "half_columns_at"};
  return {"Tile", "load_rows", "store_rows_transposed", matrix, "columns_at"};
}

// Of rows that come in and go out as real parts alone.
ColumnNames real_names(const InBlockPlan& plan) {
  return {"RealTile", "load_real_rows", "store_real_rows_transposed", column_names(plan, false).matrix, "columns_at"};
}

// The text of one column stage, forward or inverse.
class ColumnStage {
 public:
  ColumnStage(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, std::string_view rows)
      : out_(out), config_(config), plan_(plan), rows_(rows) {}

  void emit(bool inverse) {
    half_ = inverse ? half_results(plan_) : half_columns(plan_);
    open(inverse);
    if (plan_.tile_first())
      inverse ? tile_last() : tile_first();
    else
      inverse ? butterfly_last() : butterfly_first();
    out_.close();
  }

 private:
  [[nodiscard]] std::string at(const ColumnNames& names, bool beside = false) const {
    return fmt::format("{}{} + ({} ^ swizzled(2 * (first + b))){}", rows_, beside ? " + plane_bytes" : "", names.at,
                       has_butterfly(plan_) ? " + a * slot_stride * row_bytes" : "");
  }

  void open(bool inverse) {
    const std::string work = has_butterfly(plan_) ? fmt::format("products of {} and butterflies of {}",
                                                                plan_.outer_tile, plan_.outer_butterfly)
                                                  : fmt::format("products of {}", plan_.outer_tile);
    out_.line(fmt::format("// {}: {} down the columns; each warp does its own columns, 16 an item.",
                          inverse ? "Last stage, inverse" : "First stage, forward", work));
    keep_matrices(inverse ? "inverse" : "forward");
    out_.unroll().open("for (int first = 0; first < columns_per_warp / 2; first += items_at_once) {");
  }

  // `body` for every tile of every item in flight, tiles `begin` to `end`.
  template <class Body>
  void each_tile(int begin, int end, Body body) {
    open_loop(out_, "b", "0", "items_at_once");
    open_butterfly_loop(out_, begin, end);
    body();
    out_.close().close();
  }

  // Values of the butterfly digit that are frequencies, and that a mask drops: nothing is kept of them on the way in,
  // and they are zero on the way back.
  [[nodiscard]] bool drops_butterflies() const {
    for (int a = 0; a < plan_.outer_butterfly; ++a)
      if (!keeps_butterfly(plan_, a)) return true;
    return false;
  }
  void skip_dropped() {
    if (drops_butterflies()) out_.line("if (drops_butterfly(a)) continue;");
  }
  void zero_dropped(std::string_view tile) {
    if (!drops_butterflies()) return;
    out_.open("if (drops_butterfly(a)) {");
    out_.line(fmt::format("{} = {{}};", tile)).line("continue;").close();
  }

  void declare(std::string_view name, const ColumnNames& names) {
    out_.line(fmt::format("{} {}[items_at_once][{}];", names.tile, name, plan_.outer_butterfly));
  }

  void load(std::string_view name, const ColumnNames& names, int end, bool input) {
    const std::string tile = fmt::format("{}[b][a]", name);
    each_tile(0, end, [&] {
      if (!input) zero_dropped(tile);
      out_.line(fmt::format("{} = {}({});", tile, names.read, at(names, input && loads_beside(config_, plan_))));
      if (input) convert_input(out_, config_, plan_, names.tile == "HalfTile", tile, at(names));
      if (input && !plan_.untangles()) emit_shift(out_, plan_, "multiply_columns", tile);
    });
    if (input && plan_.untangles()) take_apart();
  }

  // Values of the butterfly digit and those half of the digit further on.
  void each_couple(std::string_view function, std::string_view more = "") {
    const int half = plan_.outer_butterfly / 2;
    each_tile(0, half, [&] { out_.line(fmt::format("{}(x[b][a], x[b][a + {}]{});", function, half, more)); });
  }

  // Frequencies and the conjugates of their mirrors, to the halves of a row.
  void take_apart() {
    out_.open("if (is_own_mirror(frequency)) {");
    each_couple("make_mirrors", ", frequency");
    out_.close();
    each_couple("take_apart");
    each_tile(0, plan_.outer_butterfly, [&] { emit_shift(out_, plan_, "multiply_columns", "x[b][a]"); });
  }

  void put_together() {
    each_tile(0, plan_.outer_butterfly, [&] { emit_shift(out_, plan_, "multiply_columns_conj", "x[b][a]"); });
    each_couple("put_together");
  }

  void store(std::string_view name, const ColumnNames& names, int end, bool output = false) {
    if (output && plan_.untangles()) put_together();
    each_tile(0, end, [&] {
      if (!output) skip_dropped();
      if (!output && !dropped_tile_values(plan_).empty())
        out_.line(
            fmt::format("zero_dropped({}[b][a], dropped_values({}), lane);", name, has_butterfly(plan_) ? "a" : "0"));
      if (output && !plan_.untangles()) emit_shift(out_, plan_, "multiply_columns_conj", fmt::format("{}[b][a]", name));
      out_.line(fmt::format("{}({}, {}[b][a]);", names.write, at(names), name));
    });
  }

  void twiddle(std::string_view function) {
    if (has_butterfly(plan_)) out_.line(fmt::format("if (a > 0) {}(x[b][a], column_twiddle(a));", function));
  }

  // The rows of the stage: the same lanes, in slots of their own.
  void load_staged() {
    const bool both = plan_.geometry.staged_rows == 2;
    const std::string offset = "(columns_at ^ swizzled(2 * (first + b))) + a * slot_stride * row_bytes";
    each_tile(0, plan_.outer_butterfly, [&] {
      if (right_angle_rows(plan_)) {
        out_.line(fmt::format("real[b][a] = load_real_rows(shared + stage_offset + {});", offset));
        convert_input(out_, config_, plan_, false, "real[b][a]", "");
      } else if (both && half_) {
        out_.line("half[b][a] = load_staged_half(first + b, a);");
        convert_input(out_, config_, plan_, true, "half[b][a]", "");
      } else {
        out_.line(fmt::format("const SharedAddress offset = {};", offset));
        out_.line("x[b][a] = load_rows_apart(shared + stage_offset + offset, rows_at + plane_bytes + offset);");
        convert_input(out_, config_, plan_, false, "x[b][a]", "");
      }
    });
  }

  template <class Body>
  void each_item(Body body) {
    if (!has_butterfly(plan_)) return;
    open_loop(out_, "b", "0", "items_at_once");
    body();
    out_.close();
  }

  // Matrices are read once a stage where they are few.
  void keep_matrices(std::string_view way) {
    if (!keeps_column_matrices(plan_)) return;
    out_.line(plan_.outer_butterfly == 1
                  ? fmt::format("const MatrixB {0}_matrices[] = {{{0}_matrix(0)}};", way)
                  : fmt::format("const MatrixB {0}_matrices[] = {{{0}_matrix(0), {0}_matrix(1)}};", way));
  }
  // The matrix of butterfly value `a`, forward or inverse; `alone` is what serves where there is no butterfly.
  [[nodiscard]] std::string matrix_of(std::string_view way, const std::string& alone) const {
    if (keeps_column_matrices(plan_)) return fmt::format("{}_matrices[a]", way);
    if (has_column_factors(plan_)) return fmt::format("{}_matrix(a)", way);
    return makes_column_matrices(plan_) ? "column_matrix" : alone;
  }

  // Tiles of samples, which may be half of those of frequencies, and what they are called.
  [[nodiscard]] bool narrow() const { return half_ || right_angle_rows(plan_); }
  [[nodiscard]] std::string_view samples() const { return half_ ? "half" : narrow() ? "real" : "x"; }
  [[nodiscard]] ColumnNames sample_names() const {
    return right_angle_rows(plan_) ? real_names(plan_) : column_names(plan_, half_);
  }

  void tile_first() {
    const ColumnNames whole = column_names(plan_, false);
    const ColumnNames input = sample_names();
    declare("x", whole);
    if (narrow()) declare(samples(), input);
    if (plan_.geometry.staged_rows > 0)
      load_staged();
    else
      load(samples(), input, plan_.outer_butterfly, true);
    if (plan_.wide_columns) {
      if (!narrow()) declare("y", whole);
      const std::string_view result = narrow() ? "x" : "y";
      each_item([&] {
        out_.line(fmt::format("contract_and_butterfly(forward_block, {}[b], {}[b]);  // in fp32, rounded once",
                              samples(), result));
      });
      store(result, whole, plan_.outer_butterfly);
      return;
    }
    const std::string matrix =
        matrix_of("forward", half_ ? std::string("half_matrix") : fmt::format("{}.b", whole.matrix));
    each_tile(0, plan_.outer_butterfly, [&] {
      out_.line(narrow() ? fmt::format("x[b][a] = contract_{0}_input({1}, {0}[b][a]);", samples(), matrix)
                         : fmt::format("x[b][a] = contract_as_a<false>({}, x[b][a]);", matrix));
    });
    each_item([&] { out_.line("butterfly_tiles<false>(x[b]);"); });
    store("x", whole, plan_.outer_butterfly);
  }

  void tile_last() {
    const ColumnNames whole = column_names(plan_, false);
    const ColumnNames output = sample_names();
    declare("x", whole);
    if (narrow()) declare(samples(), output);
    load("x", whole, plan_.outer_butterfly, false);
    each_item([&] { out_.line("butterfly_tiles<true>(x[b]);"); });
    const std::string matrix = matrix_of("inverse", fmt::format("{}.b", whole.matrix));
    each_tile(0, plan_.outer_butterfly, [&] {
      out_.line(narrow() ? fmt::format("{0}[b][a] = contract_{0}_output({1}, x[b][a]);", samples(), matrix)
                         : fmt::format("x[b][a] = contract_as_a<true>({}, x[b][a]);", matrix));
    });
    store(samples(), output, plan_.outer_butterfly, true);
  }

  void butterfly_first() {
    ColumnNames names = column_names(plan_, false);
    declare("x", names);
    load("x", names, plan_.live_butterflies(), true);
    each_item([&] { emit_forward_butterfly(out_, plan_, "x[b]"); });
    each_tile(0, plan_.outer_butterfly, [&] {
      skip_dropped();
      twiddle("multiply_columns");
      out_.line(fmt::format("x[b][a] = contract_as_b<false>({}, x[b][a]);", names.matrix));
    });
    // Role B has made the new digit the rows: they go back as they lie.
    names.write = "store_half_rows";
    if (spares_moves(plan_)) names.write = "store_products", names.at = "products_at";
    store("x", names, plan_.outer_butterfly);
  }

  void butterfly_last() {
    const ColumnNames names = column_names(plan_, false);
    declare("x", names);
    load("x", names, plan_.outer_butterfly, false);
    each_tile(0, plan_.outer_butterfly, [&] {
      skip_dropped();
      out_.line(fmt::format("x[b][a] = contract_as_a<true>({}, x[b][a]);", names.matrix));
      twiddle("multiply_columns_conj");
    });
    each_item([&] { out_.line("butterfly_tiles<true>(x[b]);"); });
    store("x", names, plan_.stored_butterflies(), true);
  }

  TextWriter& out_;
  const ConvConfig& config_;
  const InBlockPlan& plan_;
  std::string_view rows_;
  bool half_ = false;  // of this stage's tiles half is not there
};

}  // namespace

void emit_columns_stage(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, bool inverse,
                        std::string_view rows) {
  ColumnStage(out, config, plan, rows).emit(inverse);
}

}  // namespace ffc
