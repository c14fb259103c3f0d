// Stages of the tiled family. Every stage is emitted by the step of the plan that asks for it.
#include "tiled_stages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "text.hpp"

namespace ffc {
namespace {

bool has_columns(const Plan& plan) { return plan.outer_tile > 1; }
bool has_butterfly(const Plan& plan) { return plan.outer_butterfly > 1; }
bool radix8(const Plan& plan) { return plan.outer_tile == 8; }
bool padded_columns(const Plan& plan) { return has_columns(plan) && plan.slot_stride() != plan.outer_tile; }

// Input needs work between shared memory and the first stage: a gate, another type, or a power of two.
bool converts_input(const ConvConfig& config) {
  return config.dtype == DataType::bf16 || has_in_gate(config.gating) || config.input_exponent != 0;
}

// The slot of row `row`: rows are dense in memory, slots come in blocks of 8.
std::string slot_of(const Plan& plan, std::string_view row) {
  if (!padded_columns(plan)) return std::string(row);
  if (!has_butterfly(plan)) return std::string(row);
  return fmt::format("{0} / {1} * slot_stride + {0} % {1}", row, plan.outer_tile);
}

// Lines that turn the tile `name`, read from `address`, into fp16.
void convert_input(TextWriter& out, const ConvConfig& config, bool half_tile, std::string_view name,
                   std::string_view address) {
  if (!converts_input(config)) return;
  const std::string_view type = half_tile ? "HalfTile" : "Tile";
  const std::string_view reader = half_tile ? "load_half_rows" : "load_rows";
  if (has_in_gate(config.gating)) out.line(fmt::format("const {} gate = {}({} + gate_offset);", type, reader, address));
  out.unroll().open(fmt::format("for (int e = 0; e < {}; ++e) {{", half_tile ? 2 : 4));
  for (const std::string_view part : {"re", "im"}) {
    const std::string value = has_in_gate(config.gating)
                                  ? fmt::format("to_packed_gated({0}.{1}[e], gate.{1}[e])", name, part)
                                  : fmt::format("to_packed({}.{}[e])", name, part);
    const std::string scaled =
        config.input_exponent == 0 ? value : fmt::format("mul({}, packed_scale(input_scale))", value);
    out.line(fmt::format("{}.{}[e] = {};", name, part, scaled));
  }
  out.close();
}

void open_loop(TextWriter& out, std::string_view index, std::string_view first, std::string_view end) {
  out.unroll().open(fmt::format("for (int {0} = {1}; {0} < {2}; ++{0}) {{", index, first, end));
}

void open_butterfly_loop(TextWriter& out, int first, int end) {
  open_loop(out, "a", std::to_string(first), std::to_string(end));
}

// Half of the butterfly's inputs being padding saves it a level.
bool half_padded(const Plan& plan) {
  return plan.outer_butterfly % 2 == 0 && 2 * plan.live_butterflies() == plan.outer_butterfly;
}

void emit_forward_butterfly(TextWriter& out, const Plan& plan, std::string_view tiles) {
  const int live = plan.live_butterflies();
  if (plan.outer_butterfly == 1) return;
  if (half_padded(plan)) {
    out.line(fmt::format("butterfly_tiles<false, true>({});  // the upper half is padding", tiles));
    return;
  }
  if (live < plan.outer_butterfly) {
    open_butterfly_loop(out, live, plan.outer_butterfly);
    out.line(fmt::format("{}[a] = {{}};  // padding", tiles)).close();
  }
  out.line(fmt::format("butterfly_tiles<false>({});", tiles));
}

// Names in the text of a column stage, which differ between radix 8 and the others.
struct ColumnNames {
  std::string_view tile, read, write, write_transposed, matrix, factor;
};

ColumnNames column_names(const Plan& plan) {
  if (radix8(plan))
    return {"HalfTile", "load_half_rows", "store_half_rows", "store_half_rows_transposed", "radix8", "uint2"};
  return {"Tile",  "load_rows", "store_rows", "store_rows_transposed", shares_radix16(plan) ? "radix16" : "column_matrix",
          "uint4"};
}

// Stage: butterfly, twiddle and product down the columns, in place; several items in flight to fill the pipes.
void emit_columns(TextWriter& out, const ConvConfig& config, const Plan& plan, bool inverse) {
  const ColumnNames names = column_names(plan);
  const int butterflies = plan.outer_butterfly;
  const int live = plan.live_butterflies();
  const std::string step = has_butterfly(plan) ? " + a * slot_stride * row_bytes" : "";
  const auto at = [&](std::string_view lanes) {
    return fmt::format("rows_at + ({} ^ swizzled(2 * (first + b))){}", lanes, step);
  };
  const auto each_item = [&] { open_loop(out, "b", "0", "items_at_once"); };
  out.line(fmt::format("// {}: {} down the columns, radix {}; each warp does its own columns, 16 an item.",
                       inverse ? "Last stage, inverse" : "First stage, forward",
                       has_butterfly(plan) ? fmt::format("butterflies of {} and a product", butterflies) : "a product",
                       plan.outer_tile));
  out.unroll().open("for (int first = 0; first < columns_per_warp / 2; first += items_at_once) {");
  out.line(fmt::format("{} x[items_at_once][{}];", names.tile, butterflies));
  each_item();
  open_butterfly_loop(out, 0, inverse ? butterflies : live);
  out.line(fmt::format("x[b][a] = {}({});", names.read, at("columns_read")));
  if (!inverse) convert_input(out, config, radix8(plan), "x[b][a]", at("columns_read"));
  out.close().close();
  each_item();
  if (!inverse) emit_forward_butterfly(out, plan, "x[b]");
  open_butterfly_loop(out, 0, butterflies);
  const auto twiddle = [&](std::string_view function) {
    if (has_butterfly(plan)) out.line(fmt::format("if (a > 0) {}(x[b][a], column_twiddle(a));", function));
  };
  if (!inverse) twiddle("multiply_columns");
  out.line(fmt::format("x[b][a] = contract_as_{}<{}>({}, x[b][a]);", inverse ? 'a' : 'b', inverse, names.matrix));
  if (inverse) twiddle("multiply_columns_conj");
  out.close();
  if (inverse && has_butterfly(plan)) out.line("butterfly_tiles<true>(x[b]);");
  out.close();
  each_item();
  open_butterfly_loop(out, 0, inverse ? live : butterflies);
  out.line(fmt::format("{}({}, x[b][a]);", inverse ? names.write_transposed : names.write,
                       at(inverse || radix8(plan) ? "columns_read" : "columns_write")));
  out.close().close().close();
}

// The chain of a row, on the tile named `x` with factors `outer` and `spectrum` in scope.
void emit_row_chain(TextWriter& out, const Plan& plan, std::string_view x, std::string_view outer,
                    std::string_view spectrum) {
  const auto step = [&](std::string text, std::string_view comment) {
    out.line(fmt::format("{}  // {}", text, comment));
  };
  if (plan.rows() > 1) step(fmt::format("multiply({}, {});", x, outer), "twiddle to the outer digits: [n3][n2]");
  step(fmt::format("{0} = contract_as_b<false>(radix16, {0});", x), "n2 to k2: [k2][n3]");
  out.line(fmt::format("multiply({}, inner_twiddle);", x));
  step(fmt::format("{0} = contract_as_a<false>(radix16, {0});", x), "n3 to k3: [k2][k3]");
  out.line(fmt::format("multiply({}, {});", x, spectrum));
  step(fmt::format("{0} = contract_as_b<true>(radix16, {0});", x), "k3 to n3: [n3][k2]");
  out.line(fmt::format("multiply_conj({}, inner_twiddle);", x));
  step(fmt::format("{0} = contract_as_a<true>(radix16, {0});", x), "k2 to n2: [n3][n2]");
  if (plan.rows() > 1) out.line(fmt::format("multiply_conj({}, {});", x, outer));
}

// One constant tile of a row: where it comes from, as an expression.
std::string row_factor(std::string_view name, Placement placement, std::string_view row, std::string_view index) {
  const bool twiddle = name == "outer_twiddle";
  if (placement == Placement::registers) return fmt::format("{}s[{}]", name, index);
  if (placement == Placement::shared)
    return fmt::format("load_tile(shared + {}_offset + ({}) * tile_bytes, lane)", name, row);
  return fmt::format("read_tile({} + ({}) * (tile_bytes / 16), lane)",
                     twiddle ? "tables + outer_twiddle_table" : "spectrum_tiles", row);
}

// Lines that name the outer twiddle and the spectrum tile of a row.
void emit_row_factors(TextWriter& out, const Plan& plan, std::string_view row, std::string_view index) {
  const auto factor = [&](std::string_view name, Placement placement) {
    const std::string_view type = placement == Placement::registers ? "const Tile&" : "const Tile";
    out.line(fmt::format("{} {} = {};", type, name, row_factor(name, placement, row, index)));
  };
  if (plan.rows() > 1) factor("outer_twiddle", plan.geometry.twiddle);
  factor("spectrum", plan.geometry.spectrum);
}

// Stage: rows of 256 that live in slots of shared memory, one tile each.
void emit_rows(TextWriter& out, const Plan& plan) {
  const bool guarded = plan.rows() % plan.geometry.warps_per_group != 0;
  out.line("// Middle stage: rows of 256 = 16 x 16 from samples to samples; each warp does its own rows.");
  out.unroll().open("for (int first = 0; first < rows_per_warp; first += rows_at_once) {");
  out.line("Tile x[rows_at_once];");
  const auto each_row = [&] {
    open_loop(out, "b", "0", "rows_at_once");
    out.line(fmt::format("const int row = {};", guarded ? "min(warp * rows_per_warp + first + b, rows - 1)"
                                                        : "warp * rows_per_warp + first + b"));
  };
  const auto address = [&] {
    out.line(fmt::format("const int slot = {};", slot_of(plan, "row")));
    return "rows_at + slot * row_bytes + (row_lane ^ ((slot & 7) << 4))";
  };
  each_row();
  out.line(fmt::format("x[b] = load_rows({});", address()));
  out.close();
  each_row();
  emit_row_factors(out, plan, "row", "first + b");
  emit_row_chain(out, plan, "x[b]", "outer_twiddle", "spectrum");
  out.close();
  each_row();
  if (guarded) out.line("if (warp * rows_per_warp + first + b >= rows) break;");
  out.line(fmt::format("store_rows_transposed({}, x[b]);", address()));
  out.close().close();
}

// The only stage of a kernel whose warps hold whole pairs: butterfly over rows in registers around the chain.
void emit_warp_rows(TextWriter& out, const ConvConfig& config, const Plan& plan) {
  const int butterflies = plan.outer_butterfly;
  const int live = plan.live_butterflies();
  out.line(fmt::format("// One stage: a warp holds the pair, {}rows of 256 = 16 x 16.",
                       butterflies > 1 ? fmt::format("butterflies of {} over ", butterflies) : std::string("its ")));
  const auto at = [&](std::string_view a) {
    return fmt::format("rows_at + {0} * row_bytes + (row_lane ^ (({0} & 7) << 4))", a);
  };
  out.line(fmt::format("Tile x[{}];", butterflies));
  open_butterfly_loop(out, 0, live);
  out.line(fmt::format("x[a] = load_rows({});", at("a")));
  convert_input(out, config, false, "x[a]", at("a"));
  out.close();
  emit_forward_butterfly(out, plan, "x");
  open_butterfly_loop(out, 0, butterflies);
  emit_row_factors(out, plan, "a", "a");
  emit_row_chain(out, plan, "x[a]", "outer_twiddle", "spectrum");
  out.close();
  if (butterflies > 1) out.line("butterfly_tiles<true>(x);");
  open_butterfly_loop(out, 0, live);
  out.line(fmt::format("store_rows_transposed({}, x[a]);", at("a")));
  out.close();
}

// How a warp (or, for whole rows, a group) goes over the chunks of a pair: `lanes` at a time, chunks of a row first.
struct CopyShape {
  bool whole;
  int chunks_per_row, lanes, rows, iterations;
};

CopyShape copy_shape(const Plan& plan, int rows) {
  const bool whole = plan.geometry.whole_rows && has_columns(plan);
  const int chunks_per_row = whole ? 32 : 32 / plan.geometry.warps_per_group;
  const int lanes = whole ? plan.geometry.group_threads() : 32;
  return {whole, chunks_per_row, lanes, rows, (rows * chunks_per_row + lanes - 1) / lanes};
}

int stored_rows(const Plan& plan) { return static_cast<int>((plan.length + 255) / 256); }

// Opens the loop over the chunks of `rows` rows; `row`, `chunk` and `sample` are in scope inside.
void open_copy_loop(TextWriter& out, const Plan& plan, int rows) {
  const CopyShape shape = copy_shape(plan, rows);
  const int rows_per_copy = shape.lanes / shape.chunks_per_row;
  const std::string_view thread = shape.whole ? "thread" : "lane";
  open_loop(out, "i", "0", std::to_string(shape.iterations));
  out.line(fmt::format("const int row = {} * i + {} / {};", rows_per_copy, thread, shape.chunks_per_row));
  if (rows % rows_per_copy != 0) out.line(fmt::format("if (row >= {}) break;", rows));
  out.line(shape.chunks_per_row == 32 ? fmt::format("const int chunk = {} % 32;", thread)
                                      : fmt::format("const int chunk = warp * columns_per_warp + lane % {};",
                                                    shape.chunks_per_row));
  out.line("const int sample = row * row_samples + chunk * 8;");
}

// The number of samples of a chunk that exist, as an expression; a constant where every chunk of `rows` is whole.
std::string live_samples(const Plan& plan, int rows) {
  if (plan.length >= 256L * rows) return "8";
  return plan.length % 8 == 0 ? "(sample < length ? 8 : 0)" : "(length - sample)";
}

void emit_row_pointer(TextWriter& out, std::string_view name, std::string_view qualifiers) {
  out.line(fmt::format("{1}unsigned short* const {0} = static_cast<{1}unsigned short*>(arguments.{0}) +", name,
                       qualifiers));
  out.line(fmt::format("    (2 * pair + (exists ? part : 0)) * arguments.{0}_batch_stride + "
                       "channel * arguments.{0}_channel_stride;",
                       name));
}

}  // namespace

std::string tiled_setup(const ConvConfig& config, const Plan& plan, const TiledTables& tables) {
  TextWriter out(1);
  const Geometry& geometry = plan.geometry;
  out.line("// Constants of the whole batch, in fragment order.");
  out.line(fmt::format("const Matrix radix16 = make_matrix(__ldg(tables + {0} + lane), __ldg(tables + {0} + 32 + lane));",
                       tables.radix16));
  out.line(fmt::format("const Tile inner_twiddle = read_tile(tables + {}, lane);", tables.inner_twiddle));
  if (has_columns(plan) && radix8(plan)) {
    out.line(fmt::format("const uint4 matrix8 = __ldg(tables + {} + lane);", tables.column_matrix));
    out.line("const Matrix8 radix8 = {matrix8.x, matrix8.y, neg(matrix8.y)};");
  } else if (has_columns(plan) && !shares_radix16(plan)) {
    out.line(fmt::format(
        "const Matrix column_matrix = make_matrix(__ldg(tables + {0} + lane), __ldg(tables + {0} + 32 + lane));",
        tables.column_matrix));
  }
  if (config.input_exponent != 0)
    out.line(fmt::format("const float input_scale = exp2f({});", config.input_exponent));
  out.line("const uint4* const spectrum_tiles = reinterpret_cast<const uint4*>(spectrum_row);");
  bool cooperative = false;
  const auto copy_in = [&](std::string_view to, std::string_view from, std::string_view count) {
    out.line(fmt::format("for (int i = threadIdx.x; i < {}; i += block_threads)", count));
    out.line(fmt::format("  store_shared(shared + {} + 16 * i, __ldg({} + i));", to, from));
    cooperative = true;
  };
  if (plan.rows() > 1) {
    if (geometry.twiddle != Placement::shared)
      out.line(fmt::format("constexpr int outer_twiddle_table = {};", tables.outer_twiddle));
    else
      copy_in("outer_twiddle_offset", fmt::format("tables + {}", tables.outer_twiddle), "rows * (tile_bytes / 16)");
  }
  if (geometry.spectrum == Placement::shared) copy_in("spectrum_offset", "spectrum_tiles", "rows * (tile_bytes / 16)");
  if (has_columns(plan) && has_butterfly(plan))
    copy_in("column_twiddle_offset", fmt::format("tables + {}", tables.column_twiddle), "4 * (butterflies - 1)");
  const auto registers = [&](std::string_view name, std::string_view from) {
    const std::string_view count = has_columns(plan) ? "rows_per_warp" : "rows";
    out.line(fmt::format("Tile {}s[{}];", name, count));
    out.unroll();
    const std::string row = has_columns(plan) ? "min(warp * rows_per_warp + i, rows - 1)" : "i";
    out.line(fmt::format("for (int i = 0; i < {}; ++i)", count));
    out.line(fmt::format("  {}s[i] = read_tile({} + {} * (tile_bytes / 16), lane);", name, from, row));
  };
  if (plan.rows() > 1 && geometry.twiddle == Placement::registers) registers("outer_twiddle", "tables + outer_twiddle_table");
  if (geometry.spectrum == Placement::registers) registers("spectrum", "spectrum_tiles");
  if (has_columns(plan) && plan.slot_stride() != plan.outer_tile) {
    out.line("// Slots between rows are read as part of tiles, times zero: they must be finite.");
    out.line("for (int i = threadIdx.x; i < groups * buffers * buffer_bytes / 16; i += block_threads)");
    out.line("  store_shared(shared + 16 * i, make_uint4(0, 0, 0, 0));");
    if (has_in_gate(config.gating)) {
      out.line("for (int i = threadIdx.x; i < groups * buffers * buffer_bytes / 16; i += block_threads)");
      out.line("  store_shared(shared + gate_offset + 16 * i, make_uint4(0, 0, 0, 0));");
    }
    cooperative = true;
  }
  if (cooperative) out.line("__syncthreads();");
  out.line("");
  out.line("// Lane addresses: in a row, blocks run over n2; down the columns, over 8 rows of a chunk.");
  out.line("const SharedAddress row_lane = swizzled(2 * (lane % 8 + lane / 16 * 8) + lane / 8 % 2);");
  if (has_columns(plan)) {
    if (radix8(plan)) {
      out.line("const SharedAddress columns_read = lane / 16 * plane_bytes +");
      out.line("                                   chunk_offset(lane % 8, warp * columns_per_warp + lane / 8 % 2);");
    } else {
      out.line("const SharedAddress columns_read =");
      out.line("    chunk_offset(lane % 8 + lane / 16 * 8, warp * columns_per_warp + lane / 8 % 2);");
      out.line("const SharedAddress columns_write =");
      out.line("    chunk_offset(lane % 8 + lane / 8 % 2 * 8, warp * columns_per_warp + lane / 16);");
    }
  }
  if (has_columns(plan) && has_butterfly(plan)) {
    out.open("const auto column_twiddle = [&](int a) {");
    out.line("const uint4 factor = load_shared(shared + column_twiddle_offset + 64 * (a - 1) + 16 * (lane % 4));");
    out.line(radix8(plan) ? "return make_uint2(factor.x, factor.y);" : "return factor;");
    out.close("};");
  }
  return out.take();
}

std::string tiled_load(const ConvConfig& config, const Plan& plan) {
  TextWriter out(1);
  const bool whole = plan.geometry.whole_rows && has_columns(plan);
  out.line(fmt::format("// Starts the copies of a pair, {}. Samples that do not exist become zero.",
                       whole ? "whole rows at a time" : "each warp its own columns"));
  out.open("const auto load_pair = [&](int pair, int buffer) {");
  out.line("const SharedAddress to = shared + (group * buffers + buffer) * buffer_bytes;");
  out.unroll().open("for (int part = 0; part < 2; ++part) {");
  out.line("const bool exists = 2 * pair + part < arguments.batch;");
  emit_row_pointer(out, "u", "const ");
  if (has_in_gate(config.gating)) emit_row_pointer(out, "w", "const ");
  open_copy_loop(out, plan, plan.loaded_rows());
  out.line(fmt::format("const int live = exists ? {} : 0;", live_samples(plan, plan.loaded_rows())));
  out.line(fmt::format("const SharedAddress at = to + part * plane_bytes + chunk_offset({}, chunk);",
                       slot_of(plan, "row")));
  out.line("load_chunk<alignment>(at, u + sample, live);");
  if (has_in_gate(config.gating)) out.line("load_chunk<alignment>(at + gate_offset, w + sample, live);");
  out.close().close();
  out.line("commit_copies();");
  out.close("};");
  return out.take();
}

std::string tiled_stages(const ConvConfig& config, const Plan& plan) {
  TextWriter out(2);
  const bool whole = plan.geometry.whole_rows && has_columns(plan);
  const std::string_view own_barrier = whole ? "group_barrier<group_threads>(group);" : "__syncwarp();";
  if (plan.geometry.buffers > 1) {
    out.line("if (pair + groups < end_pair) load_pair(pair + groups, (buffer + 1) % buffers);");
    out.line("else commit_copies();");
    out.line("wait_copies<1>();");
  } else {
    out.line("wait_copies<0>();");
  }
  out.line(own_barrier);
  if (has_columns(plan)) {
    emit_columns(out, config, plan, false);
    out.line("group_barrier<group_threads>(group);");
    emit_rows(out, plan);
    out.line("group_barrier<group_threads>(group);");
    emit_columns(out, config, plan, true);
  } else {
    emit_warp_rows(out, config, plan);
  }
  out.line(own_barrier);
  return out.take();
}

std::string tiled_store(const ConvConfig& config, const Plan& plan) {
  TextWriter out(2);
  const bool gated = has_out_gate(config.gating);
  out.line("// Store: 16 bytes a lane, scaled and in the rows' own type.");
  out.unroll().open("for (int part = 0; part < 2; ++part) {");
  out.line("const bool exists = 2 * pair + part < arguments.batch;");
  out.line("if (!exists) break;");
  emit_row_pointer(out, "y", "");
  if (gated) emit_row_pointer(out, "v", "const ");
  const int rows = stored_rows(plan);
  if (gated) {
    out.line(fmt::format("uint4 gates[{}];", copy_shape(plan, rows).iterations));
    open_copy_loop(out, plan, rows);
    out.line(fmt::format("gates[i] = read_chunk<alignment>(v + sample, {});", live_samples(plan, rows)));
    out.close();
  }
  open_copy_loop(out, plan, rows);
  out.line(fmt::format("uint4 value = load_shared(rows_at + part * plane_bytes + chunk_offset({}, chunk));",
                       slot_of(plan, "row")));
  for (const char word : {'x', 'y', 'z', 'w'})
    out.line(gated ? fmt::format("value.{0} = to_stored_gated(value.{0}, scale, gates[i].{0});", word)
                   : fmt::format("value.{0} = to_stored(value.{0}, scale);", word));
  out.line(fmt::format("write_chunk<alignment>(y + sample, value, {});", live_samples(plan, rows)));
  out.close().close();
  if (plan.geometry.buffers == 1) {
    out.line(plan.geometry.whole_rows && has_columns(plan)
                 ? "// The same threads copy in what they have just copied out: no barrier is needed."
                 : "// A warp's next copies fall on columns that it alone has just read.");
    out.line("if (pair + groups < end_pair) load_pair(pair + groups, 0);");
  }
  return out.take();
}

}  // namespace ffc
