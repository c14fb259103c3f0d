// Emission of a split plan's columns: R = 16 x butterfly, there and back.
#include "emit_columns.hpp"

#include <fmt/format.h>

#include "assemble.hpp"
#include "column_access.hpp"
#include "column_shares.hpp"
#include "column_tables.hpp"
#include "columns_in.hpp"
#include "columns_text.hpp"
#include "emitted.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "gradient_results.hpp"
#include "kept_digits.hpp"
#include "report_text.hpp"
#include "row_access.hpp"
#include "row_source.hpp"
#include "split_gradient_columns.hpp"
#include "split_shape.hpp"
#include "text.hpp"
#include "tile_words_text.hpp"
#include "tiled_chunks.hpp"
#include "tiled_copies.hpp"
#include "tiled_magnitudes.hpp"
#include "tiled_shape.hpp"
#include "turn_text.hpp"

namespace ffc {
namespace {

std::string constants_of(const ConvConfig& config, const FourStepPlan& plan, std::int64_t forward,
                         std::int64_t inverse) {
  std::string text;
  const auto constant = [&](std::string_view name, std::int64_t value, std::string_view comment = {}) {
    text += constant_line(fmt::format("int {}", name), value, comment);
  };
  constant("length", plan.row_length(), "samples of a row that exist");
  constant("alignment", config.row_alignment, "bytes that every row starts at a multiple of");
  constant("butterflies", plan.columns.butterfly, "radix of the digit in the register index");
  constant("columns", columns_of_place(plan), "complex ones");
  constant("tile_chunks", plan.columns.chunks, "of 8 samples, of a row at a time");
  constant("units", plan.columns.units, "each with tiles of its own");
  constant("unit_warps", plan.columns.warps);
  constant("tiles", plan.columns.tiles, "of a unit: the pair that leaves and the one that comes at once, or in turn");
  const measured::CopyPace pace = copy_pace(plan);
  constant("loads_at_once", pace.loads, "of a thread's chunks");
  constant("stores_at_once", pace.stores);
  constant("first_barrier", 9, "of the units");
  constant("forward_matrices", forward, "where in the tables, in 16 bytes");
  constant("inverse_matrices", inverse);
  if (columns_left(plan) == ColumnsLeft::one_product)
    constant("sections_at_once", halves_samples(plan) ? 2 : 1, "of samples, in a product");
  if (plan.columns.shared_matrices)
    constant("matrices_bytes", 2 * 16 * (inverse - forward), "of both, in shared memory");
  return text;
}

constexpr std::string_view slot_order =
    "  slot ^= (slot >> 4 ^ slot >> 7) & 7;  // second products take slots 16 apart, or 16 butterflies\n";

constexpr std::string_view shared_matrices =
    R"(using ColumnMatrices = SharedAddress;

__device__ __forceinline__ ColumnMatrix read_column_matrix(ColumnMatrices tables, int b, int lane) {
  const SharedAddress at = tables + 16 * (64 * b + lane);
  return {load_shared(at), load_shared(at + 16 * 32)};
}
)";
constexpr std::string_view copied_matrices =
    R"(  // Behind the units' tiles. All units copy the same, and need not wait for each other; their warps meet before they use
  // it, when samples have come.
  const ColumnMatrices forward = tile + (units - unit) * unit_bytes;
  const ColumnMatrices inverse = forward + 16 * (inverse_matrices - forward_matrices);
  for (int i = thread; i < matrices_bytes / 16; i += unit_threads)
    store_shared(forward + 16 * i, load_constant(tables + forward_matrices + i));
)";

constexpr std::string_view read_beside =
    "    Columns x = load_columns(at + tile_plane_bytes);  // where imaginary parts will be\n";

constexpr std::string_view load_samples_of_part =
    R"(__device__ __forceinline__ void load_samples(const ConvArguments& arguments, const Pair& at, int first_column,
                                             SharedAddress tile, int part, int thread) {
)";
constexpr std::string_view store_samples_of_part =
    R"(__device__ __forceinline__ void store_samples(const ConvArguments& arguments, const Pair& at, int first_column,
                                              SharedAddress tile, int part, int thread) {
)";
constexpr std::string_view load_in_of_part =
    R"(__device__ __forceinline__ void load_in(const SplitArguments& split, const Turn& turn, SharedAddress tile, int part,
                                        int thread) {
  if (turn.in.exists) load_samples(split.conv, turn.in, turn.first_column, tile, part, thread);
}
)";

constexpr std::string_view no_mirrors =
    "// At frequencies k + 1/4 no row of frequencies is the conjugate of another.\n"
    "__device__ constexpr bool is_mirrored(int, int) { return false; }\n";

// Opens the loop over the two rows of a pair, or over both halves of a single one.
void open_parts(TextWriter& out, const RowAccess& access) {
  out.line("const int chunk = thread % tile_chunks;");
  open_planes(out, access);
  emit_plane(out, access);
}

// The powers of two of the tile's real parts and imaginary ones, which may be of two rows.
std::string tile_scales(const ConvConfig& config, const FourStepPlan& plan) {
  if (!converts_in_tile(config, plan)) return {};
  if (config.scaling == Scaling::found) return "  const float tile_scale = scale_to_one(exponent);\n";
  if (plan.is_backward()) return tile_scales_of_gradients(config, plan);
  TextWriter out(1);
  emit_input_scale(out, config, magnitude_of(plan, "0"));
  if (config.scaling == Scaling::given && !are_alone(plan.packing))
    emit_row_scale(out, config, "input", magnitude_of(plan, "1"), "second_scale");
  return out.take();
}

std::string load_block(const ConvConfig& config, const FourStepPlan& plan) {
  const RowAccess access = column_access(config, plan);
  const auto& [u, gate, scale] = access.source;
  TextWriter out(1);
  open_parts(out, access);
  emit_first_sample(out, plan);
  emit_row_pointer(out, access, u, "const ");
  if (!gate.empty()) emit_row_pointer(out, access, gate, "const ");
  const bool converts = converts_on_way(config, plan), meets = converts && reports(config);
  if (converts) emit_input_scale(out, config, magnitude_of(plan, "part"));
  const std::string_view field = samples_field(Tensor::input);
  const std::string record = record_of(channel_of(plan, "part"), field);
  if (meets) emit_met_again(out, met_of(config, access.source), field, record);
  open_copy_loop(out, plan, loaded_rows(plan), "loads_at_once");
  out.line(fmt::format("const int live = {};", access.loaded.live));
  out.line(fmt::format("const SharedAddress to = {};", tile_chunk(access.loaded)));
  if (converts) {
    emit_read_chunk(out, config, access.source, field, "to", read_chunk(access.loaded, u, "live"),
                    read_chunk(access.loaded, gate, "live"));
  } else {
    out.line(load_chunk(access.loaded, "to", u, "live", {.once = true, .drops = true}));
    if (!gate.empty())
      out.line(load_chunk(access.loaded, gate_place(config, plan, "to"), gate, "live", {.once = true, .drops = true}));
  }
  out.close();
  if (meets) emit_report_again(out, field, record);
  close_planes(out, access);
  out.line("commit_copies();");
  return out.take();
}

constexpr std::string_view store_samples_of_place =
    R"(__device__ __forceinline__ void store_samples(const SplitArguments& split, const Place& place, const Pair& at,
                                              int first_column, SharedAddress tile, int thread) {
  const ConvArguments& arguments = split.conv;
)";

// Products that ask for the row's power of two, or report of it, know which row it is.
std::optional<std::string> contract_samples_block(const ConvConfig& config, const FourStepPlan& plan) {
  if (!products_know_row(config, plan)) return as_it_stands;
  return
      R"(__device__ __forceinline__ void contract_samples([[maybe_unused]] const ConvArguments& arguments,
                                                 [[maybe_unused]] const Pair& at, ColumnMatrices tables,
                                                 SharedAddress tile, int thread) {
)";
}

// The copies of the out gates, which take the place of the in gates in the gates' tile.
std::string gates_out_block(const ConvConfig& config, const FourStepPlan& plan) {
  if (!has_out_gate(config.gating) || !plan.columns.gate_tile) return {};
  TextWriter out(0);
  out.line("");
  out.line("// Starts the copies of a tile's out gates. Every thread reads what it has copied.");
  out.line(
      "__device__ __forceinline__ void load_gates(const ConvArguments& arguments, const Pair& at, int first_column,");
  out.line("                                           SharedAddress tile, int thread) {");
  TextWriter body(1);
  RowAccess access = column_access(config, plan);
  access.parts_take_turns = false;  // gates are copied at once
  const std::string_view gate = access.results.gate;
  open_parts(body, access);
  emit_first_sample(body, plan);
  emit_row_pointer(body, access, gate, "const ");
  open_copy_loop(body, plan, sample_rows(plan), "loads_at_once");
  body.line(fmt::format("const int live = {};", guarded(access, access.stored.live)));
  body.line(load_chunk(access.stored, fmt::format("{} + gate_offset", tile_chunk(access.stored)), gate, "live",
                       {.once = true, .drops = true}));
  body.close();
  close_planes(body, access);
  body.line("commit_copies();");
  return out.take() + body.take() + "}\n";
}

std::string store_block(const ConvConfig& config, const FourStepPlan& plan) {
  const RowAccess access = column_access(config, plan);
  const auto& [y, gate, result_scale] = access.results;
  const ChunkAccess& chunks = access.stored;
  const bool gated = !gate.empty(), gate_tile = plan.columns.gate_tile;
  TextWriter out(1);
  open_parts(out, access);
  emit_leave_absent(out, access);
  out.line(fmt::format("const float scale = scale_of(arguments, {});", channel_of(plan, "part")));
  emit_result_scale(out, config, "input", magnitude_of(plan, "part"));
  if (config.scaling == Scaling::found) out.line("const float result_scale = scale * scale_from_one(exponent);");
  emit_first_sample(out, plan);
  emit_row_pointer(out, access, y, "");
  if (gated && !gate_tile) emit_row_pointer(out, access, gate, "const ");
  const std::string record = record_of(channel_of(plan, "part"), results_field(plan));
  if (reports(config)) emit_met_again(out, Met::samples, results_field(plan), record);
  open_copy_loop(out, plan, sample_rows(plan), "stores_at_once");
  out.line(fmt::format("const SharedAddress from = {};", tile_chunk(chunks)));
  if (gated)
    out.line(gate_tile ? "const uint4 gate = load_shared(from + gate_offset);"
                       : fmt::format("const uint4 gate = {};", read_chunk(chunks, gate, chunks.live)));
  out.line("uint4 value = load_shared(from);");
  emit_stored_chunk(out, gated ? "gate" : "", result_scale);
  emit_meet_results(out, config, results_field(plan), existing(chunks, "value"), chunks.live);
  out.line(write_chunk(chunks, y));
  out.close();
  if (reports(config)) emit_report_again(out, results_field(plan), record);
  close_planes(out, access);
  return out.take();
}

// One product is all that the columns do.
void put_kept_products(EmittedHalf& columns) {
  columns.substitutes["column_products.cuh"] = "column_kept_products.cuh";
  columns.substitutes["load_slots.cuh"] = "load_kept_slots.cuh";
  columns.substitutes["column_butterflies.cuh"] = columns.substitutes["column_butterfly.cuh"] = "";
  for (const char* block : {"forward_butterfly", "inverse_butterfly", "mirrored"}) columns.blocks.erase(block);
}

}  // namespace

EmittedHalf emit_columns(const ConvConfig& config, const FourStepPlan& plan, std::int64_t first_table) {
  const bool second_products = plan.columns.products == 2;
  const ColumnScales scales = column_scales(plan.columns);
  const std::vector<std::uint32_t> forward = column_tables(plan, scales, false),
                                   inverse = column_tables(plan, scales, true);
  EmittedHalf result;
  const bool shares = plan.columns.shared_matrices;
  const auto butterfly = [&](bool is_inverse) {
    return plan.columns.butterfly == 1 ? "" : fmt::format("    butterfly_tiles<{}>(x);\n", is_inverse);
  };
  result.blocks = {
      {"column_constants",
       constants_of(config, plan, first_table / 4, first_table / 4 + static_cast<std::int64_t>(forward.size()) / 4)},
      {"samples_in", load_block(config, plan)},
      {"samples_out", store_block(config, plan)},
      {"forward_butterfly", butterfly(false)},
      {"inverse_butterfly", butterfly(true)},
      {"contract_samples", contract_samples_block(config, plan)},
      {"sample_scale", tile_scales(config, plan) + met_samples_block(config, plan)},
      {"report_samples", report_samples_block(config, plan)},
      {"read_samples", samples_beside(config, plan) ? std::optional<std::string>(read_beside) : as_it_stands},
      {"to_packed", to_packed_block(config, plan)},
      {"gates_in", ""},
      {"gates_out", gates_out_block(config, plan)},
      {"turn", turn_block(config, plan)},
      {"column_matrices", shares ? std::optional<std::string>(shared_matrices) : as_it_stands},
      {"matrices", shares ? std::optional<std::string>(copied_matrices) : as_it_stands},
      {"slot_order", std::string(second_products ? slot_order : "")},
      {"lone_out", are_alone(plan.packing) ? std::optional<std::string>("") : as_it_stands},
      {"mirrored", plan.right_angle() ? std::optional<std::string>(no_mirrors) : as_it_stands},
      {"turn_at", as_it_stands},
      {"still_open", as_it_stands},
  };
  if (parts_take_turns(plan)) {
    result.blocks["load_samples"] = std::string(load_samples_of_part);
    result.blocks["store_samples"] = std::string(store_samples_of_part);
    result.blocks["load_in"] = std::string(load_in_of_part);
  } else {
    for (const char* block : {"load_samples", "store_samples", "load_in"}) result.blocks[block] = as_it_stands;
  }
  if (plan.backward.returns_sums) {
    result.blocks["store_samples"] = std::string(store_samples_of_place);
  }
  put_tile_words(result, config, plan);
  if (plan.is_backward()) {
    put_gradient_columns(result.blocks, config, plan);
    result.substitutes["columns_apart.cuh"] = "column_tile.cuh";
  }
  result.substitutes["column_butterfly.cuh"] =
      plan.columns.butterfly == 1 ? "" : fmt::format("butterfly{}.cuh", plan.columns.butterfly);
  if (!computes_anew(config, plan)) result.substitutes["compute_anew.cuh"] = "";
  if (plan.most_delay == 0) result.substitutes["delayed_chunks.cuh"] = "";
  if (second_products) result.substitutes["column_butterflies.cuh"] = "column_second_products.cuh";
  if (columns_left(plan) == ColumnsLeft::one_product)
    put_kept_products(result);
  else if (plan.right_angle() || halves_samples(plan))
    result.substitutes["column_products.cuh"] = "column_narrow_products.cuh";
  if (plan.right_angle()) result.substitutes["column_half_samples.cuh"] = "column_real_samples.cuh";
  result.tables = forward;
  result.tables.insert(result.tables.end(), inverse.begin(), inverse.end());
  const double scale = scales.first * scales.second;
  result.gain = 1.0 / (plan.columns.length() * scale * scale);
  return result;
}

}  // namespace ffc
