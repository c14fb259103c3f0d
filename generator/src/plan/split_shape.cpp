// Sizes of columns and rows, and how they are copied.
#include "split_shape.hpp"

#include <algorithm>

#include "choices.hpp"
#include "column_shares.hpp"
#include "ffc/generator/arch.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "kept_digits.hpp"
#include "tile_powers.hpp"
#include "tiled_shape.hpp"

namespace ffc {

namespace {

// The forced radices of the rows: what is left behind those of the columns.
std::vector<int> row_radices(const ConvConfig& config, std::size_t columns) {
  if (config.radices.size() <= columns) return {};
  return {config.radices.begin() + static_cast<std::ptrdiff_t>(columns), config.radices.end()};
}

}  // namespace

bool pairs_chunks(const ColumnShape& columns) {
  return columns.chunks / std::max(1, columns.warps / columns.sections()) % 2 == 0;
}

ConvConfig row_config(const ConvConfig& config, const ColumnsAndRowsPlan& plan) {
  return row_config(config, plan.row_plan.transform_length, plan.column_digits());
}

ConvConfig row_config(const ConvConfig& config, std::int64_t row_length, std::size_t column_digits) {
  ConvConfig rows;
  rows.fft_length = rows.length = rows.filter_length = row_length;
  rows.accumulation = config.accumulation;
  rows.radices = row_radices(config, column_digits);
  rows.row_alignment = 16;
  rows.arch = config.arch;
  rows.scaling = Scaling::fixed;  // what comes to them has its power of two
  return rows;
}

std::int64_t columns_of_place(const FourStepPlan& plan) {
  return plan.transform_length / plan.columns.length() / (plan.packing == Packing::half_length ? 2 : 1);
}

bool halves_samples(const FourStepPlan& plan) {
  return !plan.right_angle() && 2 * plan.length <= plan.transform_length && pairs_chunks(plan.columns);
}

int split_threads(const FourStepPlan& plan) { return plan.columns.threads() + plan.row_plan.geometry.threads(); }

int split_threads(const ClusterPlan& plan) { return plan.columns.threads() + plan.row_plan.geometry.threads(); }

int split_shared_bytes(const FourStepPlan& plan) { return plan.columns.shared_bytes() + plan.row_plan.shared.total; }

int split_shared_bytes(const ClusterPlan& plan) {
  const SharedMap& rows = plan.row_plan.shared;
  return rows.total + ClusterShape::barrier_bytes(rows.pairs);
}

bool parts_take_turns(const FourStepPlan& plan) {
  const ColumnShape& columns = plan.columns;
  return columns.tiles == 1 && !are_alone(plan.packing) && columns.registers == 0;
}

bool samples_beside(const ConvConfig& config, const FourStepPlan& plan) {
  return plan.right_angle() && (plan.is_backward() || config.gating == Gating::none);
}

// Of gradients, products with a gate that one of two tensors has alone would ask which one comes. Through registers is
// up to 5% faster, but no unit sees its whole tile there: MEASURED.md, "Powers of two of rows".
static InGates gates_of_gradients(const ConvConfig& config, const FourStepPlan& plan) {
  const BackwardWork& work = plan.backward;
  if (config.gating == Gating::none) return InGates::none;
  const bool all = (!work.transforms_input || has_in_gate(config.gating)) &&
                   (!work.transforms_gradient || has_out_gate(config.gating));
  return all && plan.right_angle() && config.scaling == Scaling::found ? InGates::beside : InGates::on_way;
}

InGates in_gates(const ConvConfig& config, const FourStepPlan& plan) {
  if (plan.is_backward()) return gates_of_gradients(config, plan);
  if (!has_in_gate(config.gating)) return InGates::none;
  if (plan.columns.gate_tile) return InGates::tile;
  return plan.right_angle() ? InGates::beside : InGates::on_way;
}

bool converts_in_tile(const ConvConfig& config, const FourStepPlan& plan) {
  const bool scales = scales_input(config) || (plan.is_backward() && scales_gradient(config));
  const bool converts = in_gates(config, plan) != InGates::none || config.dtype == DataType::bf16 || scales;
  return converts && !converts_on_way(config, plan);
}

// Of all groups, of a row of frequencies.
static int sums_of_groups(const FourStepPlan& plan) {
  return plan.row_plan.geometry.groups * static_cast<int>(row_sums_bytes(plan.row_plan));
}

static int shared_without_sums(const ConvConfig& config, const FourStepPlan& plan) {
  return split_shared_bytes(plan) + tile_words(plan, config.scaling == Scaling::found).shared;
}

int held_sums(const ConvConfig& config, const FourStepPlan& plan) {
  if (!plan.backward.sums) return 0;
  const int rows = static_cast<int>(spectrum_columns(plan).size()), blocks = measured::usual_blocks;
  const int room = find_arch(config.arch).shared_per_block - shared_without_sums(config, plan);
  return std::min(room / sums_of_groups(plan), (rows + blocks - 1) / blocks);
}

int kernel_shared_bytes(const ConvConfig& config, const FourStepPlan& plan) {
  return shared_without_sums(config, plan) + held_sums(config, plan) * sums_of_groups(plan);
}

int loaded_rows(const FourStepPlan& plan) {
  return halves_samples(plan) ? plan.columns.length() / 2 : plan.columns.length();
}

int sample_rows(const FourStepPlan& plan) {
  const std::int64_t row_length = plan.transform_length / plan.columns.length();
  return static_cast<int>((plan.length + row_length - 1) / row_length);
}

int copied_rows(const FourStepPlan& plan) { return 32 * plan.columns.warps / plan.columns.chunks; }

measured::CopyPace copy_pace(const FourStepPlan& plan) {
  const bool few = plan.columns.registers > 0;
  if (plan.columns.rows_share <= measured::rows_light_for_copies)
    return few ? measured::pace_of_few_registers : measured::pace_beside_light_rows;
  if (plan.is_backward()) return measured::pace_of_gradients;
  if (!are_alone(plan.packing)) return measured::pace_of_pairs;
  if (plan.columns.units > 2) return measured::pace_of_many_units;
  return plan.right_angle() ? measured::pace_of_real_rows : measured::pace_of_rows;
}

bool computes_anew(const ConvConfig& config, const FourStepPlan& plan) {
  const ColumnShape& columns = plan.columns;
  if (plan.is_backward() && config.gating != Gating::none) return true;
  if (columns.registers == 0) return false;
  if (columns_left(plan) == ColumnsLeft::one_product) return true;
  return !plan.is_backward() && !are_alone(plan.packing) && columns.registers <= measured::few_registers &&
         columns.butterfly > measured::few_values;
}

}  // namespace ffc
