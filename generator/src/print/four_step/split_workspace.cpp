// Rows of frequencies in the workspace. Dropped ones are neither stored nor read: the others lie without gaps, so that
// a pair takes less of the cache.
#include "split_workspace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "assemble.hpp"
#include "ffc/generator/plan.hpp"
#include "kept_digits.hpp"
#include "split_shape.hpp"
#include "text.hpp"

namespace ffc {
namespace {

// The kept rows in order of place.
constexpr std::string_view kept_out = R"(  const int chunk = thread % tile_chunks;
#pragma unroll
  for (int part = 0; part < 2; ++part)
#pragma unroll 4
    for (int kept = thread / tile_chunks; kept < kept_rows; kept += unit_threads / tile_chunks)
      store_global(reinterpret_cast<uint4*>(workspace + (part * kept_rows + kept) * row_length + 8 * chunk),
                   load_shared(chunk_at(tile, part, row_of_kept(split, kept), chunk)));
)";
// The same where they lie in slots by their places.
constexpr std::string_view placed_out = R"(  const int chunk = thread % tile_chunks;
#pragma unroll
  for (int part = 0; part < 2; ++part)
#pragma unroll
    for (int i = 0; i < kept_slots / copied_rows; ++i) {
      const int kept = thread / tile_chunks + i * copied_rows;
      if (kept >= kept_rows) break;
      store_global(reinterpret_cast<uint4*>(workspace + (part * kept_rows + kept) * row_length + 8 * chunk),
                   load_shared(chunk_at(tile, part, kept, chunk)));
    }
)";
// All rows of the tile: those that are dropped become zero, where others of their block are kept.
constexpr std::string_view kept_block_alone = "      if (!keeps_block(row / 16)) continue;\n";
constexpr std::string_view kept_in =
    R"(      const int held = kept_of_row(split, row);
      load_chunk<16>(chunk_at(tile, part, row, chunk),
                     workspace + (part * kept_rows + max(held, 0)) * row_length + 8 * chunk, held < 0 ? 0 : 8);
)";
// Of lone rows.
constexpr std::string_view kept_apart =
    R"(      const int row = row_of_kept(split, number), mirror_place = last_place - number;
      unsigned short* const plane = workspace + part * kept_rows * row_length + 8 * chunk;
      const int mirror = (column_length - row) % column_length;
)";
constexpr std::string_view placed_apart =
    R"(      const int row = number, mirror_place = last_place - number;
      unsigned short* const plane = workspace + part * kept_rows * row_length + 8 * chunk;
      const int mirror = mirror_place < kept_rows ? mirror_place : row;
)";
// The places of mirrors run from the other end; without row 0, its own mirror, they begin one earlier.
constexpr std::string_view kept_numbers =
    R"(  const auto frequency_of = [&](int number) { return row_of_kept(split, number); };
  // Where a row begins in the workspace: its real part.
  const auto offset_of = [&](const Rows& of, int number, int side) {
    const int place = side == 0 || of.real ? number : last_place - number, plane = of.real ? side : 0;
    return ((2LL * of.place.slot + plane) * kept_rows + place) * row_length;
  };
)";
// At frequencies k + 1/4, which are counted in quarters.
constexpr std::string_view right_angle_numbers =
    "  const auto frequency_of = [](int number) { return 4 * number + 1; };\n";
// Columns neither make nor read blocks of 16 rows of which none is kept.
constexpr std::string_view kept_blocks_out =
    R"(    for (int b = 0; b < butterflies; ++b)
      if (keeps_block(b)) store_columns_transposed(columns_at(tile, b, chunk, lane), x[b]);
)";
constexpr std::string_view kept_blocks_in =
    R"(    for (int b = 0; b < butterflies; ++b)
      x[b] = keeps_block(b) ? load_columns(columns_at(tile, b, chunk, lane)) : Columns{};
)";
constexpr std::string_view join_kept =
    R"(    for (int row = 1 + thread / tile_chunks; row < column_length / 2; row += unit_threads / tile_chunks) {
      if (!keeps_block(row / 16) || !keeps_block((column_length - row) / 16)) continue;
      const SharedAddress at = chunk_at(tile, part, row, chunk);
      const SharedAddress mirror_at = chunk_at(tile, part, column_length - row, chunk);
)";
constexpr std::string_view join_placed =
    R"(    for (int kept = thread / tile_chunks; kept < spectrum_rows; kept += unit_threads / tile_chunks) {
      if (last_place - kept == kept || last_place - kept >= kept_rows) continue;  // its own mirror
      const SharedAddress at = chunk_at(tile, part, kept, chunk);
      const SharedAddress mirror_at = chunk_at(tile, part, last_place - kept, chunk);
)";

void put_kept_blocks(Blocks& blocks, const FourStepPlan& plan) {
  const ColumnsLeft left = columns_left(plan);
  const bool drops = left == ColumnsLeft::blocks, places = left == ColumnsLeft::one_product;
  if (plan.columns.products == 1 && !places) {
    blocks["kept_blocks_out"] = drops ? std::optional<std::string>(kept_blocks_out) : as_it_stands;
    blocks["kept_blocks_in"] = drops ? std::optional<std::string>(kept_blocks_in) : as_it_stands;
  }
  if (!plan.is_backward() && !are_alone(plan.packing)) {
    blocks["joined_rows"] = as_it_stands;
    if (places)
      blocks["joined_rows"] = std::string(join_placed);
    else if (drops)
      blocks["joined_rows"] = std::string(join_kept);
  }
}

std::string keeps_block_function(const FourStepPlan& plan) {
  return fmt::format(
      "\n// Whether the mask keeps any of the rows of frequencies from 16 b to 16 b + 15.\n"
      "__device__ constexpr bool keeps_block(int b) {{ return 0x{:x} >> b & 1; }}\n",
      kept_blocks(plan));
}

}  // namespace

void put_workspace(Blocks& blocks, const FourStepPlan& plan, std::int64_t spectrum_row_elements) {
  const ColumnsLeft left = columns_left(plan);
  const auto put = [&](const char* name, std::string_view kept) {
    blocks[name] = left != ColumnsLeft::all ? std::optional<std::string>(kept) : as_it_stands;
  };
  const bool places = left == ColumnsLeft::one_product;
  put("frequencies_out", places ? placed_out : kept_out);
  if (!places) {
    put("frequencies_in",
        left == ColumnsLeft::blocks ? fmt::format("{}{}", kept_block_alone, kept_in) : std::string(kept_in));
    put("first_in", "");
  }
  if (!plan.is_backward() && !are_alone(plan.packing)) put("rows_apart", places ? placed_apart : kept_apart);
  put_kept_blocks(blocks, plan);
  if (!are_alone(plan.packing)) put("row_offset", "");
  put("frequency_of", kept_numbers);
  put("rows_target",
      "  if (thread < 32) wait_for_count(rows_done(split, turn.place), turn.place.round * (2 * kept_rows));\n");
  if (are_alone(plan.packing) && !plan.is_backward())
    blocks["rows_target"] =
        "  if (thread < 32) wait_for_count(rows_done(split, turn.place), turn.place.round * spectrum_rows);\n";
  if (plan.right_angle()) blocks["frequency_of"] = std::string(right_angle_numbers);
  const bool whole_rows = spectrum_row_elements == plan.row_plan.transform_length;
  blocks["spectrum_row"] =
      whole_rows ? as_it_stands : std::optional<std::string>("          at.number * spectrum_row_bytes);\n");
}

std::string workspace_constants(const FourStepPlan& plan, std::int64_t first_word, std::int64_t spectrum_row_elements) {
  std::string text;
  if (spectrum_row_elements != plan.row_plan.transform_length)
    text += constant_line("long long spectrum_row_bytes", 4 * spectrum_row_elements, "without what the mask drops");
  const ColumnsLeft left = columns_left(plan);
  if (left == ColumnsLeft::all) return text;
  text += constant_line("int kept_rows", workspace_rows(plan), "of the column_length rows of frequencies: the mask's");
  const bool has_zero = plan.kept_columns.front() == 0;
  text += constant_line(
      "int last_place", workspace_rows(plan) - (has_zero ? 0 : 1),
      has_zero ? "less a row's place is its mirror's; row 0 has none" : "less a row's place is its mirror's");
  text += constant_line("int kept_table", first_word, "where in the tables, in words");
  text +=
      "\n// The row of frequencies at place `kept` of the workspace.\n"
      "__device__ __forceinline__ int row_of_kept(const SplitArguments& split, int kept) {\n"
      "  return load_constant(static_cast<const int*>(split.conv.tables) + kept_table + kept);\n"
      "}\n";
  if (left == ColumnsLeft::one_product)
    return text + constant_line("int kept_slots", 32, "of a tile, by place: rows and their mirrors");
  text +=
      "\n// The place of a row of frequencies in the workspace; -1 where the mask drops it.\n"
      "__device__ __forceinline__ int kept_of_row(const SplitArguments& split, int row) {\n"
      "  return load_constant(static_cast<const int*>(split.conv.tables) + kept_table + kept_rows + row);\n"
      "}\n";
  return left == ColumnsLeft::blocks ? text + keeps_block_function(plan) : text;
}

std::vector<std::uint32_t> workspace_table(const FourStepPlan& plan) {
  std::vector<std::uint32_t> words;
  if (plan.kept_columns.empty()) return words;
  for (const int row : plan.kept_columns) words.push_back(static_cast<std::uint32_t>(row));
  int place = 0;
  for (int row = 0; row < plan.columns.length(); ++row) {
    const bool kept = std::binary_search(plan.kept_columns.begin(), plan.kept_columns.end(), row);
    words.push_back(static_cast<std::uint32_t>(kept ? place++ : -1));
  }
  words.resize((words.size() + 3) / 4 * 4);
  return words;
}

}  // namespace ffc
