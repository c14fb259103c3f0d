// Which plans find powers of two on the way, and what they keep of them.
#include "tile_powers.hpp"

#include "ffc/generator/arch.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "kept_digits.hpp"
#include "split_shape.hpp"
#include "tiled_magnitudes.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

// Rows alone in bf16, of which nobody reports and nothing is taken from elsewhere.
bool may_find_powers(const ConvConfig& config, const ColumnsAndRowsPlan& plan) {
  return config.scaling == Scaling::found && config.dtype == DataType::bf16 && !reports(config) && !config.history &&
         plan.right_angle();
}

// A warp's columns of a row lie in one column of tiles, and lanes have whole pairs of them down it. Or a warp has the
// row, and a word has the exponents of each line of it.
bool rows_take_powers(const FourStepPlan& plan) {
  const InBlockPlan& rows = plan.row_plan;
  if (!rows.kept_rows.empty() || (plan.is_backward() && plan.backward.tensors() != 2)) return false;
  if (!has_columns(rows)) return plan.columns.chunks == 8;
  if (has_shifts(rows) && rows.outer_tile != 8) return false;
  if (plan.is_backward() && rows.resident_tensors() != 2) return false;
  const int chunks_of_warp = 32 / rows.geometry.warps_per_group;
  return rows.rows() <= 64 && chunks_of_warp >= 2 && plan.columns.chunks % chunks_of_warp == 0 &&
         32 % plan.columns.chunks == 0;
}

}  // namespace

bool finds_tile_powers(const ConvConfig& config, const FourStepPlan& plan) {
  if (!may_find_powers(config, plan) || converts_on_way(config, plan)) return false;
  if (plan.most_delay > 0 || !plan.kept_columns.empty() || columns_left(plan) != ColumnsLeft::all) return false;
  return rows_take_powers(plan) &&
         split_shared_bytes(plan) + tile_words(plan, true).shared <= find_arch(config.arch).shared_per_block;
}

bool finds_piece_powers(const ConvConfig& config, const ClusterPlan& plan) {
  if (!may_find_powers(config, plan) || !config.mask.empty()) return false;
  const InBlockPlan& rows = plan.row_plan;
  const int chunks = piece_samples(plan) / 8;
  return shares_shifts(rows) && rows.outer_tile == 8 && rows.kept_rows.empty() &&
         32 / rows.geometry.warps_per_group <= chunks &&
         split_shared_bytes(plan) + rows.shared.pairs * piece_words_bytes(plan) <=
             find_arch(config.arch).shared_per_block;
}

int piece_words_bytes(const ClusterPlan& plan) {
  const int pieces = static_cast<int>(plan.row_plan.transform_length) / piece_samples(plan);
  return pieces + 16 + 4 * pieces;
}

int exponents_bytes(const InBlockPlan& rows) {
  if (column_matrix(rows) == ColumnMatrix::made)
    return 16 * rows.outer_butterfly;  // a matrix contracts 16 lines or less
  return ((has_columns(rows) ? 1 : 4) * rows.rows() + 15) / 16 * 16;
}

int exponents_of_place(const FourStepPlan& plan) {
  return (has_columns(plan.row_plan) ? 256 / plan.columns.columns() : 1) * exponents_bytes(plan.row_plan);
}

TileWords tile_words(const FourStepPlan& plan, bool finds_powers) {
  if (!finds_powers && !plan.backward.returns_sums) return {};
  constexpr int words_of_rounds = 48;
  const Geometry& rows = plan.row_plan.geometry;
  TileWords words;
  words.of_unit = 128;  // a line, of which warps have two words each and the row that leaves four
  if (finds_powers)
    words.of_rows = (exponents_bytes(plan.row_plan) + 32) * rows.groups * rows.buffers * rows.warps_per_group;
  words.shared = words.of_unit * plan.columns.units + words.of_rows;
  words.place = words_of_rounds + exponents_of_place(plan);
  return words;
}

}  // namespace ffc
