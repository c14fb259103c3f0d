// What a tiled kernel reads or makes once: matrices, factors, tables in shared memory, lane addresses.
#include "tiled_setup.hpp"

#include <fmt/format.h>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "gradient_results.hpp"
#include "report_text.hpp"
#include "row_chain.hpp"
#include "row_source.hpp"
#include "text.hpp"
#include "tiled_magnitudes.hpp"
#include "tiled_shape.hpp"
#include "tiled_stages.hpp"
#include "tiled_tables.hpp"

namespace ffc {
namespace {

// The kept frequencies of the second last digit: matrices and twiddles there and back.
void emit_kept_inner(TextWriter& out, const TiledTables& tables) {
  const auto entry = [&](int at) { return fmt::format("tables + {}", tables.kept_matrix + at); };
  out.line(fmt::format("const KeptRows kept = {{load_constant({} + lane)}};", entry(kept_to)));
  out.line(fmt::format("const KeptInputs kept_back = {{load_constant({} + lane), load_constant({} + lane)}};",
                       entry(kept_back), entry(kept_back + 32)));
  out.line(fmt::format("const HalfTile inner_twiddle = read_half_tile({}, lane);", entry(kept_twiddle)));
  out.line(fmt::format("const HalfTile inner_twiddle_back = read_half_tile({}, lane);", entry(kept_twiddle_back)));
}

void emit_matrices(TextWriter& out, const InBlockPlan& plan, const TiledTables& tables) {
  out.line("// Constants of the whole batch, in fragment order.");
  if (plan.fractional_rows) {
    out.line(fmt::format("const uint4* const halves = tables + {} + lane;", tables.radix16));
    if (!fills_registers(plan)) out.line(fmt::format("const Halves radix16 = {};", read_halves("load_constant")));
    return;
  }
  out.line(fmt::format("const Matrix radix16 = read_matrix(tables + {}, lane);", tables.radix16));
  if (!plan.kept_inner.empty()) {
    emit_kept_inner(out, tables);
  } else if (has_wide_twiddle(plan)) {
    out.line(fmt::format("const WideTile inner_twiddle = read_wide_tile(tables + {}, lane);", tables.inner_twiddle));
  } else {
    out.line(fmt::format("const Tile inner_twiddle = read_tile(tables + {}, lane);", tables.inner_twiddle));
  }
  if (!plan.kept_last.empty())
    out.line(fmt::format(
        "const KeptColumns kept = {{load_constant(tables + {} + lane), load_constant(tables + {} + lane)}};",
        tables.kept_matrix + kept_to, tables.kept_matrix + kept_back));
  const ColumnMatrix products = column_matrix(plan);
  if (products == ColumnMatrix::radix8) {
    out.line(fmt::format("const uint4 matrix8 = load_constant(tables + {} + lane);", tables.column_matrix));
    out.line(fmt::format("const Matrix8 radix8 = {{matrix8.x, matrix8.y, {}}};",
                         spares_moves(plan) ? "matrix8.z, matrix8.w" : "neg(matrix8.y), matrix8.x"));
  } else if (products == ColumnMatrix::own) {
    out.line(fmt::format("const Matrix column_matrix = read_matrix(tables + {}, lane);", tables.column_matrix));
  }
  if (half_columns(plan)) {
    out.line(
        fmt::format("const HalfMatrix half_matrix = "
                    "make_half_matrix(load_constant(tables + {0} + lane), load_constant(tables + {0} + 32 + lane));",
                    tables.half_matrix));
  }
}

// The threads that make what is shared: those of the block, or those of it that work on rows.
std::string_view thread_name(const InBlockPlan& plan) { return plan.real_filter() ? "threadIdx.x" : "unit_thread"; }
std::string_view barrier_name(const InBlockPlan& plan) { return plan.real_filter() ? "block_barrier" : "unit_barrier"; }

// Copies `count` times 16 bytes from global to shared memory, all threads together.
void emit_copy_in(TextWriter& out, const InBlockPlan& plan, std::string_view to, std::string_view from,
                  std::string_view count) {
  out.line(fmt::format("for (int i = {}; i < {}; i += block_threads)", thread_name(plan), count));
  out.line(fmt::format("  store_shared(shared + {} + 16 * i, load_constant({} + i));", to, from));
}

void emit_zero(TextWriter& out, const InBlockPlan& plan, std::string_view offset) {
  out.line(fmt::format("for (int i = {}; i < groups * buffers * {}buffer_bytes / 16; i += block_threads)",
                       thread_name(plan), plan.is_backward() && plan.real_filter() ? "tensors * " : ""));
  out.line(fmt::format("  store_shared(shared + {}16 * i, make_uint4(0, 0, 0, 0));", offset));
}

// Tables and zeros in shared memory; every block has at least the barrier that other warps' reads need.
void emit_shared_constants(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan,
                           const TiledTables& tables) {
  const Geometry& geometry = plan.geometry;
  bool any = false;
  const auto copy_in = [&](bool wanted, std::string_view to, const std::string& from, const std::string& count) {
    if (wanted) emit_copy_in(out, plan, to, from, count);
    any = any || wanted;
  };
  copy_in(plan.has_outer_twiddle() && plan.real_filter() && geometry.twiddle == Placement::shared,
          plan.fractional_rows ? "row_factors_offset" : "outer_twiddle_offset",
          fmt::format("tables + {}", tables.outer_twiddle),
          plan.fractional_rows ? "factor_rows * (row_factor_bytes / 16)" : "factor_rows * (tile_bytes / 16)");
  if (puts_spectrum_in_order(plan)) {
    out.line("for (int row = threadIdx.x / 32; row < factor_rows; row += block_threads / 32)");
    out.line("  store_tile(shared + spectrum_offset + row * tile_bytes, lane,");
    out.line("             read_tile_of_fours(spectrum_tiles + row * (tile_bytes / 16), lane));");
    any = true;
  }
  copy_in(has_spectrum(plan) && geometry.spectrum == Placement::shared && !puts_spectrum_in_order(plan),
          "spectrum_offset", "spectrum_tiles",
          halves_rows(plan) ? "factor_rows * (spectrum_tile_bytes / 16)" : "factor_rows * (tile_bytes / 16)");
  copy_in(shares_column_factors(plan) && column_matrix(plan) != ColumnMatrix::made, "column_twiddle_offset",
          fmt::format("tables + {}", tables.column_twiddle),
          plan.right_angle() || plan.half_spectrum()
              ? std::to_string(column_twiddle_entries(plan) * column_factors(plan))
              : fmt::format("{} * (butterflies - 1)", column_twiddle_entries(plan)));
  if (has_slots_between(plan)) {
    out.line("// Slots between rows are read as part of tiles, times zero: they must be finite.");
    emit_zero(out, plan, "");
    if (gates_in_shared(config, plan)) emit_zero(out, plan, "gate_offset + ");
    any = true;
  }
  if (any) out.line(fmt::format("{}();", barrier_name(plan)));
}

void emit_inverse_matrix(TextWriter& out, std::string_view matrix) {
  out.open("const auto inverse_matrix = [&](int a) {");
  out.line(fmt::format(
      "return a == 0 ? {}.b : load_matrix_b(shared + column_twiddle_offset + (2 * a - 1) * tile_bytes, lane);",
      matrix));
  out.close("};");
}

void emit_shift_of(TextWriter& out) {
  out.line("// The twiddles of the samples 256 apart.");
  out.open("const auto shift = [&](int a) {");
  out.line("return load_shared8(shared + shifts_offset + 8 * (4 * a + lane % 4));");
  out.close("};");
}

// Every value of the butterfly digit has a matrix of its own each way: at frequencies k + 1/4, of a real row, and those
// that a block makes.
void emit_own_matrices(TextWriter& out, const InBlockPlan& plan, const TiledTables& tables) {
  const auto function = [&](std::string_view declared, std::string_view result) {
    out.open(fmt::format("const auto {} {{", declared)).line(result).close("};");
  };
  const auto matrix = [&](std::string_view place) {
    return shares_column_factors(plan)
               ? fmt::format("return load_matrix_b({} + column_twiddle_offset + {} * tile_bytes, lane);",
                             factors_of(plan), place)
               : fmt::format("return read_matrix_b(tables + {} + {} * (tile_bytes / 16), lane);", tables.column_twiddle,
                             place);
  };
  if (plan.wide_columns)
    function("forward_block = [&](int a, int j)",
             fmt::format("return load_matrix_block({} + column_twiddle_offset + 2 * a * tile_bytes, lane, j);",
                         factors_of(plan)));
  else
    function("forward_matrix = [&](int a)", matrix("2 * a"));
  function("inverse_matrix = [&](int a)", matrix("(2 * a + 1)"));
}

// What the butterfly digit's values need in the column stages, as functions of the value.
void emit_column_factors(TextWriter& out, const InBlockPlan& plan, const TiledTables& tables) {
  const ColumnMatrix products = column_matrix(plan);
  if (products == ColumnMatrix::radix8) {
    out.open("const auto column_twiddle = [&](int a) {");
    out.line("const uint4 factor = load_shared(shared + column_twiddle_offset + 64 * (a - 1) + 16 * (lane % 4));");
    out.line("return make_uint2(factor.x, factor.y);");
    out.close("};");
    return;
  }
  if (products == ColumnMatrix::between || products == ColumnMatrix::made || products == ColumnMatrix::halves)
    return emit_own_matrices(out, plan, tables);
  const std::string_view matrix = products == ColumnMatrix::radix16 ? "radix16" : "column_matrix";
  const std::string_view at = "shared + column_twiddle_offset + (2 * a - {}) * tile_bytes";
  if (plan.wide_columns) {
    const std::string_view half = half_columns(plan) ? "half_" : "";
    out.open("const auto forward_block = [&](int a, int j) {");
    out.line(fmt::format("return a == 0 ? block_of({}, j) : load_{}matrix_block({}, lane, j);",
                         half_columns(plan) ? "half_matrix" : fmt::format("{}.b", matrix), half,
                         fmt::format(fmt::runtime(at), 2)));
    out.close("};");
    emit_inverse_matrix(out, matrix);
    return;
  }
  out.open("const auto forward_matrix = [&](int a) {");
  out.line(fmt::format("return a == 0 ? {} : {}({}, lane);",
                       half_columns(plan) ? "half_matrix" : fmt::format("{}.b", matrix),
                       half_columns(plan) ? "load_half_matrix" : "load_matrix_b", fmt::format(fmt::runtime(at), 2)));
  out.close("};");
  emit_inverse_matrix(out, matrix);
}

void emit_lane_addresses(TextWriter& out, const InBlockPlan& plan, const TiledTables& tables) {
  out.line(fmt::format("// Lane addresses: in a row, blocks run over n2{}; down the columns, over 8 rows of a chunk.",
                       plan.fractional_rows ? ", even ones first" : ""));
  if (plan.fractional_rows) {
    // Even n2 before odd ones: of samples in two loads of both planes, of results in one store of each plane.
    if (!real_rows(plan) || has_columns(plan))
      out.line("const SharedAddress samples_lane = swizzled(4 * (lane % 8) + lane / 16) + lane / 8 % 2 * plane_bytes;");
    out.line("const SharedAddress row_lane = swizzled(2 * (2 * (lane % 8) + lane / 16) + lane / 8 % 2);");
  } else {
    out.line("const SharedAddress row_lane = swizzled(2 * (lane % 8 + lane / 16 * 8) + lane / 8 % 2);");
  }
  if (!has_columns(plan)) return;
  if (plan.outer_tile == 8 || half_results(plan)) {
    out.line(fmt::format("const SharedAddress {} = lane / 16 * plane_bytes +",
                         plan.outer_tile == 8 ? "columns_at" : "half_columns_at"));
    out.line("    chunk_offset(lane % 8, warp * columns_per_warp + lane / 8 % 2);");
  }
  if (spares_moves(plan)) {
    out.line("const SharedAddress products_at = lane / 8 % 2 * plane_bytes +");
    out.line("    chunk_offset(lane % 8, warp * columns_per_warp + lane / 16);");
  }
  if (plan.outer_tile != 8) {
    out.line("const SharedAddress columns_at =");
    out.line("    chunk_offset(lane % 8 + lane / 16 * 8, warp * columns_per_warp + lane / 8 % 2);");
  }
  if (plan.geometry.staged_rows == 2 && half_columns(plan)) {
    out.line("const SharedAddress stage_at = shared + stage_offset + lane / 16 * stage_plane_bytes +");
    out.line("    chunk_offset(lane % 8, warp * columns_per_warp + lane / 8 % 2);");
    out.open("const auto load_staged_half = [&](int item, int a) {");
    out.line("return load_half_rows((stage_at ^ swizzled(2 * item)) + a * 8 * row_bytes);");
    out.close("};");
  }
  if (has_column_factors(plan)) emit_column_factors(out, plan, tables);
}

}  // namespace

namespace {

// Of the block's channel: where blocks walk over channels those that are given are each item's, and where they share
// them each load's.
void emit_scales(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan) {
  if (config.scaling == Scaling::given && plan.geometry.walks_channels) return;
  if (scales_in_load(plan)) return;
  if (!plan.is_backward() || plan.backward.transforms_input) emit_input_scale(out, config, "channel");
  if (!plan.is_backward()) emit_result_scale(out, config, "input", "channel");
}

}  // namespace

void emit_spectrum_power(TextWriter& out) {
  out.line("const Packed spectrum_power =  // which it lacks");
  out.line("    load_constant(reinterpret_cast<const Packed*>(spectrum_row + spectrum_row_bytes - 12));");
}

void emit_channel_setup(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan) {
  emit_scales(out, config, plan);
  if (!plan.real_filter() || !has_spectrum(plan) || plan.geometry.walks_channels) return;
  out.line("const uint4* const spectrum_tiles = reinterpret_cast<const uint4*>(spectrum_row);");
  if (plan.spectrum_lacks_power) emit_spectrum_power(out);
}

std::string tiled_setup(const ConvConfig& config, const InBlockPlan& plan, const TiledTables& tables) {
  TextWriter out(1);
  emit_matrices(out, plan, tables);
  if (!adds_in_turns(plan)) emit_channel_setup(out, config, plan);
  if (plan.has_outer_twiddle() && plan.real_filter() && plan.geometry.twiddle != Placement::shared)
    out.line(fmt::format("constexpr int outer_twiddle_table = {};", tables.outer_twiddle));
  emit_shared_constants(out, config, plan, tables);
  if (plan.real_filter() && !keeps_spectrum(plan)) emit_register_factors(out, plan);
  out.line("");
  if (plan.geometry.frequencies > 1)
    out.line("SharedAddress factors = shared;  // of the frequency at hand; the other's are factors_bytes away");
  emit_lane_addresses(out, plan, tables);
  const bool steps = plan.geometry.twiddle == Placement::steps;
  if (steps && !plan.in_cluster()) emit_twiddle_steps(out);
  if (stages_spectrum(plan)) emit_staged_spectrum(out, plan);
  if (keeps_spectrum(plan))
    out.line("Tile spectrums[rows_per_warp];  // of the channel whose rows come one after the other")
        .line("int held_channel = -1;");
  if (column_matrix(plan) == ColumnMatrix::made && !has_butterfly(plan))
    out.line("MatrixB column_matrix;  // with the twiddles of the samples 256 apart");
  if (shares_shifts(plan))
    emit_shift_of(out);
  else if (has_shifts(plan))
    out.line(fmt::format("{} shifts[{}];  // the twiddles of the samples 256 apart",
                         plan.outer_tile == 8 ? "uint2" : "uint4", plan.outer_butterfly));
  if (plan.takes_tile_powers && !plan.in_cluster()) {
    const bool shares = has_columns(plan);  // a row among warps
    out.line("// The tiles of columns that this warp's come from, and where it has their exponents.");
    out.line(fmt::format("const int word_of_lane = copied_word({}, lane);",
                         shares ? "warp * columns_per_warp / outer_columns::tile_chunks" : "0"));
    out.open("const auto words_of = [&](int buffer) {");
    out.line(shares ? "const int copy = (group * buffers + buffer) * group_warps + warp;"
                    : "const int copy = group * buffers + buffer;");
    out.line("return shared + row_words_offset + copy * warp_words_bytes;");
    out.close("};");
  }
  if (reports_behind_pairs(config, plan)) {
    out.line("// What this block's pairs meet.");
    emit_met(out, met_of(config, source_of(config, Tensor::input)), samples_field(Tensor::input));
    emit_met_results(out, config, results_field(plan));
  }
  return out.take();
}

}  // namespace ffc
