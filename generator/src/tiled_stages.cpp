// Stages of the tiled family: the text of each step between load and store.
#include "tiled_stages.hpp"

#include <fmt/format.h>

#include "backward_stages.hpp"
#include "kept_digits.hpp"
#include "tiled_windows.hpp"

namespace ffc {

std::string slot_of_samples(const Plan& plan, std::string_view row) {
  if (!has_columns(plan) || !has_butterfly(plan)) return std::string(row);
  if (plan.tile_first()) return fmt::format("{0} % butterflies * slot_stride + {0} / butterflies", row);
  return std::string(row);  // radix 8 fills its blocks of slots
}

std::string slot_of_row(const Plan& plan, std::string_view row) {
  if (!has_columns(plan) || !has_butterfly(plan)) return std::string(row);
  if (!plan.tile_first()) return fmt::format("{0} % butterflies * slot_stride + {0} / butterflies", row);
  if (plan.slot_stride() == plan.outer_tile) return std::string(row);
  return fmt::format("{0} / {1} * slot_stride + {0} % {1}", row, plan.outer_tile);
}

void open_loop(TextWriter& out, std::string_view index, std::string_view first, std::string_view end) {
  out.unroll().open(fmt::format("for (int {0} = {1}; {0} < {2}; ++{0}) {{", index, first, end));
}

RowSource input_source(const ConvConfig& config) {
  return {"u", has_in_gate(config.gating) ? "w" : "", config.input_exponent != 0 ? "input_scale" : ""};
}

std::string packed_sample(const ConvConfig& config, std::string_view sample, std::string_view gate) {
  return packed_sample(input_source(config), sample, gate);
}

std::string packed_sample(const RowSource& source, std::string_view sample, std::string_view gate) {
  const bool gated = !source.gate.empty(), scaled = !source.scale.empty();
  return fmt::format("to_packed{}{}({}{}{})", gated ? "_gated" : "", scaled ? "_scaled" : "", sample,
                     gated ? fmt::format(", {}", gate) : "", scaled ? fmt::format(", {}", source.scale) : "");
}

namespace {

// Input needs work between shared memory and the first stage: a gate, another type, or a power of two.
bool converts_input(const ConvConfig& config, const Plan& plan) {
  if (plan.geometry.gate_at_load) return false;
  return config.dtype == DataType::bf16 || has_in_gate(config.gating) || config.input_exponent != 0;
}

}  // namespace

void convert_input(TextWriter& out, const ConvConfig& config, const Plan& plan, bool half_tile, std::string_view name,
                   std::string_view address) {
  if (!converts_input(config, plan)) return;
  const std::string_view type = half_tile ? "HalfTile" : "Tile";
  const std::string_view reader = half_tile ? "load_half_rows" : "load_rows";
  if (has_in_gate(config.gating)) out.line(fmt::format("const {} gate = {}({} + gate_offset);", type, reader, address));
  out.unroll().open(fmt::format("for (int e = 0; e < {}; ++e) {{", half_tile ? 2 : 4));
  for (const std::string_view part : {"re", "im"}) {
    const std::string register_e = fmt::format("{}.{}[e]", name, part);
    out.line(fmt::format("{0} = {1};", register_e, packed_sample(config, register_e, fmt::format("gate.{}[e]", part))));
  }
  out.close();
}

void emit_shift(TextWriter& out, const Plan& plan, std::string_view function, std::string_view tile) {
  if (plan.real_filter() || plan.rows() == 1) return;
  // Without a tile digit the first value's samples have the root 1.
  out.line(fmt::format("{}{}({}, shifts[a]);", has_columns(plan) ? "" : "if (a > 0) ", function, tile));
}

void open_butterfly_loop(TextWriter& out, int first, int end) {
  open_loop(out, "a", std::to_string(first), std::to_string(end));
}

void emit_forward_butterfly(TextWriter& out, const Plan& plan, std::string_view tiles) {
  const int live = plan.live_butterflies();
  if (plan.outer_butterfly == 1) return;
  if (half_butterfly(plan)) {
    out.line(fmt::format("butterfly_tiles_padded<false>({});  // the upper half is padding", tiles));
    return;
  }
  if (live < plan.outer_butterfly) {
    open_butterfly_loop(out, live, plan.outer_butterfly);
    out.line(fmt::format("{}[a] = {{}};  // padding", tiles)).close();
  }
  out.line(fmt::format("butterfly_tiles<false>({});", tiles));
}

namespace {

// Names in the text of a column stage, which differ between radix 8, half and whole tiles.
struct ColumnNames {
  std::string_view tile, read, write, matrix, at;
};

ColumnNames column_names(const Plan& plan, bool half) {
  if (plan.outer_tile == 8) return {"HalfTile", "load_half_rows", "store_half_rows_transposed", "radix8", "columns_at"};
  const std::string_view matrix = shares_radix16(plan) ? "radix16" : "column_matrix";
  if (half) return {"HalfTile", "load_half_rows", "store_half_rows_transposed", matrix, "half_columns_at"};
  return {"Tile", "load_rows", "store_rows_transposed", matrix, "columns_at"};
}

// The text of one column stage, forward or inverse.
class ColumnStage {
 public:
  ColumnStage(TextWriter& out, const ConvConfig& config, const Plan& plan, std::string_view rows)
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
  [[nodiscard]] std::string at(const ColumnNames& names) const {
    return fmt::format("{} + ({} ^ swizzled(2 * (first + b))){}", rows_, names.at,
                       has_butterfly(plan_) ? " + a * slot_stride * row_bytes" : "");
  }

  void open(bool inverse) {
    const std::string work = has_butterfly(plan_) ? fmt::format("products of {} and butterflies of {}",
                                                                plan_.outer_tile, plan_.outer_butterfly)
                                                  : fmt::format("products of {}", plan_.outer_tile);
    out_.line(fmt::format("// {}: {} down the columns; each warp does its own columns, 16 an item.",
                          inverse ? "Last stage, inverse" : "First stage, forward", work));
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
      out_.line(fmt::format("{} = {}({});", tile, names.read, at(names)));
      if (input) convert_input(out_, config_, plan_, names.tile == "HalfTile", tile, at(names));
      if (input) emit_shift(out_, plan_, "multiply_columns", tile);
    });
  }

  void store(std::string_view name, const ColumnNames& names, int end, bool output = false) {
    each_tile(0, end, [&] {
      if (!output) skip_dropped();
      if (!output && !dropped_tile_values(plan_).empty())
        out_.line(
            fmt::format("zero_dropped({}[b][a], dropped_values({}), lane);", name, has_butterfly(plan_) ? "a" : "0"));
      if (output) emit_shift(out_, plan_, "multiply_columns_conj", fmt::format("{}[b][a]", name));
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
      if (both && half_) {
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

  void tile_first() {
    const ColumnNames whole = column_names(plan_, false);
    const ColumnNames input = column_names(plan_, half_);
    declare("x", whole);
    if (half_) declare("half", input);
    if (plan_.geometry.staged_rows > 0)
      load_staged();
    else
      load(half_ ? "half" : "x", input, plan_.outer_butterfly, true);
    if (plan_.wide_columns) {
      if (!half_) declare("y", whole);
      each_item([&] {
        out_.line(half_ ? "contract_and_butterfly(forward_block, half[b], x[b]);  // in fp32, rounded once"
                        : "contract_and_butterfly(forward_block, x[b], y[b]);  // in fp32, rounded once");
      });
      store(half_ ? "x" : "y", whole, plan_.outer_butterfly);
      return;
    }
    const std::string matrix = has_butterfly(plan_) ? std::string("forward_matrix(a)")
                               : half_              ? std::string("half_matrix")
                                                    : fmt::format("{}.b", whole.matrix);
    each_tile(0, plan_.outer_butterfly, [&] {
      out_.line(half_ ? fmt::format("x[b][a] = contract_half_input({}, half[b][a]);", matrix)
                      : fmt::format("x[b][a] = contract_as_a<false>({}, x[b][a]);", matrix));
    });
    each_item([&] { out_.line("butterfly_tiles<false>(x[b]);"); });
    store("x", whole, plan_.outer_butterfly);
  }

  void tile_last() {
    const ColumnNames whole = column_names(plan_, false);
    const ColumnNames output = column_names(plan_, half_);
    declare("x", whole);
    if (half_) declare("half", output);
    load("x", whole, plan_.outer_butterfly, false);
    each_item([&] { out_.line("butterfly_tiles<true>(x[b]);"); });
    const std::string matrix =
        has_butterfly(plan_) ? std::string("inverse_matrix(a)") : fmt::format("{}.b", whole.matrix);
    each_tile(0, plan_.outer_butterfly, [&] {
      out_.line(half_ ? fmt::format("half[b][a] = contract_half_output({}, x[b][a]);", matrix)
                      : fmt::format("x[b][a] = contract_as_a<true>({}, x[b][a]);", matrix));
    });
    store(half_ ? "half" : "x", output, plan_.outer_butterfly, true);
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
  const Plan& plan_;
  std::string_view rows_;
  bool half_ = false;  // of this stage's tiles half is not there
};

}  // namespace

void emit_columns_stage(TextWriter& out, const ConvConfig& config, const Plan& plan, bool inverse,
                        std::string_view rows) {
  ColumnStage(out, config, plan, rows).emit(inverse);
}

std::string tiled_stages(const ConvConfig& config, const Plan& plan) {
  TextWriter out(plan.real_filter() ? 2 : 4);
  const std::string_view own_barrier =
      copies_whole_rows(plan) ? "group_barrier<group_threads>(group);" : "warp_barrier();";
  if (plan.geometry.buffers > 1) {
    if (plan.real_filter()) {
      out.line("if (pair + groups < end_pair) load_pair(pair + groups, (buffer + 1) % buffers);");
      out.line("else commit_copies();");
    } else {
      out.line("load_behind(side, (buffer + 1) % buffers);");
    }
    out.line("wait_copies<1>();");
  } else {
    out.line("wait_copies<0>();");
  }
  emit_cut_at_reach(out, config, plan);
  out.line(own_barrier);
  if (has_columns(plan)) {
    emit_columns_stage(out, config, plan, false);
    out.line("group_barrier<group_threads>(group);");
    if (copies_out_gate(config, plan)) out.line("copy_out_gate(pair);  // the in gate has been used");
    if (plan.geometry.staged_rows > 0) {
      out.line("// The stage has been read: the next pair's rows come in while this one computes.");
      out.line("if (pair + groups < end_pair) stage_pair(pair + groups);");
    }
    emit_rows(out, plan, Turn::together);
    out.line("group_barrier<group_threads>(group);");
    emit_columns_stage(out, config, plan, true);
  } else {
    emit_warp_rows(out, config, plan);
  }
  out.line(own_barrier);
  return out.take();
}

}  // namespace ffc
