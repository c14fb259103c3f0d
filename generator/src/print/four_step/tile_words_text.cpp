// Functions of columns that take a unit's words, or a tile's exponent, beside what they take elsewhere.
#include "tile_words_text.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

#include "assemble.hpp"
#include "column_access.hpp"
#include "columns_in.hpp"
#include "columns_text.hpp"
#include "split_shape.hpp"
#include "text.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

// With the tile's own exponent.
constexpr std::string_view contract_samples_of_exponent =
    R"(__device__ __forceinline__ void contract_samples(unsigned int exponent, [[maybe_unused]] SharedAddress words,
                                                 ColumnMatrices tables, SharedAddress tile, int thread) {
)";
constexpr std::string_view store_samples_of_exponent =
    R"(__device__ __forceinline__ void store_samples(const ConvArguments& arguments, const Pair& at, unsigned int exponent,
                                              int first_column, SharedAddress tile, int thread) {
)";
constexpr std::string_view store_samples_of_place_and_exponent =
    R"(__device__ __forceinline__ void store_samples(const SplitArguments& split, const Place& place, const Pair& at,
                                              unsigned int exponent, int first_column, SharedAddress tile, int thread) {
  const ConvArguments& arguments = split.conv;
)";

// With the words that squares go to.
constexpr std::string_view contract_samples_to_words =
    R"(__device__ __forceinline__ void contract_samples([[maybe_unused]] const ConvArguments& arguments,
                                                 [[maybe_unused]] const Pair& at, SharedAddress words,
                                                 ColumnMatrices tables, SharedAddress tile, int thread) {
)";
constexpr std::string_view sum_of_squares =
    R"(    for (int i = 0; i < 2; ++i) squares = add_squares(add_squares(squares, x.re[i]), x.im[i]);
)";
constexpr std::string_view tell_squares = "  put_tile_norm(split, place, exponent, squares_of_tile(words));\n";

constexpr std::string_view load_frequencies_and_largest =
    R"(__device__ __forceinline__ void load_frequencies(const SplitArguments& split, const Place& place, int first_column,
                                                 SharedAddress tile, SharedAddress words, int thread) {
)";
constexpr std::string_view load_out_and_largest =
    R"(__device__ __forceinline__ void load_out(const SplitArguments& split, const Turn& turn, SharedAddress tile,
                                         SharedAddress words, int thread) {
  if (!turn.out.exists) return;
  load_frequencies(split, turn.place, turn.first_column, tile, words, thread);
}
)";

// What a thread has copied of a tile.
std::string measured_block(const ConvConfig& config, const FourStepPlan& plan) {
  TextWriter out(1);
  open_copy_loop(out, plan, loaded_rows(plan), "loads_at_once");
  if (copies_in_gates(config, plan)) {
    out.line("const SharedAddress at = chunk_at(tile, 0, slot_of_sample(row), chunk);");
    out.line(fmt::format("largest.add_gated(0, load_shared({}), load_shared({}));", samples_place(config, plan, "at"),
                         gate_place(config, plan, "at")));
  } else {
    out.line(fmt::format("largest.add(0, load_shared({}));", tile_chunk(column_access(config, plan).loaded)));
  }
  out.close();
  return out.take();
}

// Rows that a warp has by itself want them one after the other; matrices those of the lines that each contracts.
std::optional<std::string> place_of_tile(const InBlockPlan& rows) {
  if (!has_columns(rows)) return "  return first_column / tile_columns;\n";
  if (rows.outer_butterfly == 1 || column_matrix(rows) != ColumnMatrix::made) return as_it_stands;
  return fmt::format(
      "  const int line = first_column / 256, contracted = line % {0} * 16 + line / {0};\n"
      "  return first_column % 256 / tile_columns * {1} + place_in_line(contracted, {1});\n",
      rows.outer_butterfly, 16 * rows.outer_butterfly);
}

void put_squares(Blocks& blocks) {
  blocks["contract_samples"] = std::string(contract_samples_to_words);
  blocks["sample_scale"].value() += "  float squares = 0;\n";
  blocks["to_packed"].value() += sum_of_squares;
  blocks["report_samples"].value() += "  put_squares(words, thread, squares);\n";
}

}  // namespace

void put_tile_words(EmittedHalf& columns, const ConvConfig& config, const FourStepPlan& plan) {
  const bool finds = config.scaling == Scaling::found, correlates = plan.backward.returns_sums;
  Blocks& blocks = columns.blocks;
  const auto put = [&](const char* name, std::string_view text) {
    blocks[name] = finds ? std::optional<std::string>(text) : as_it_stands;
  };
  put("load_frequencies", load_frequencies_and_largest);
  put("load_out", load_out_and_largest);
  put("leaving", "  if (thread == 0) copy_largest(split, place.slot, words + leaving_at);\n");
  if (!finds && !correlates) {
    columns.substitutes["measured_tile.cuh"] = columns.substitutes["tile_exponents.cuh"] = "";
    return;
  }
  if (correlates) put_squares(blocks);
  put("measured", finds ? measured_block(config, plan) : "");
  blocks["squares"] = correlates ? as_it_stands : std::optional<std::string>("");
  blocks["tell_squares"] = std::string(correlates ? tell_squares : "");
  blocks["place_of_tile"] = place_of_tile(plan.row_plan);
  if (!finds) return;
  blocks["contract_samples"] = std::string(contract_samples_of_exponent);
  blocks["store_samples"] = std::string(correlates ? store_samples_of_place_and_exponent : store_samples_of_exponent);
}

}  // namespace ffc
