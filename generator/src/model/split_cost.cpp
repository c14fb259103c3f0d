// Costs of columns and rows: tables of measured times, by their lengths.
#include "split_cost.hpp"

#include <algorithm>

#include "cost_parts.hpp"
#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/work.hpp"
#include "kept_digits.hpp"
#include "rates.hpp"
#include "split_times.hpp"
#include "tiled_shape.hpp"
#include "up_to.hpp"

namespace ffc {
namespace {

// In times of the plain floor of a pair.
double columns_time(int length) { return measured::look_up(measured::columns_time, length); }
double workspace_rows_time(int rows) { return measured::look_up(measured::workspace_rows_time, rows); }

// Of pairs. What gradients take over convolutions is fitted with theirs.
double columns_time_of(const FourStepPlan& plan) {
  const int length = plan.columns.length();
  return plan.is_backward() ? columns_time(length) : measured::look_up(measured::convolution_columns_time, length);
}

// What rows of convolutions take over those of full tiles.
double uneven_tiles_time(const FourStepPlan& plan) {
  if (plan.is_backward()) return 0;
  const InBlockPlan& rows = plan.row_plan;
  const double time =
      measured::look_up(measured::uneven_tiles_time, rows.outer_tile > 1 ? rows.outer_tile : rows.outer_butterfly);
  if (!plan.right_angle()) return time;
  // Rows alone are as many points as a pair of half their length.
  return 2 * time * measured::look_up(measured::uneven_tiles_alone, rows.rows());
}

double right_angle_rows_time(const FourStepPlan& plan) {
  const int rows = plan.row_plan.rows();
  if (!plan.is_backward()) return measured::look_up(measured::convolution_rows_time, rows) + uneven_tiles_time(plan);
  if (rows >= measured::least_uneven_rows && rows <= measured::most_uneven_rows)
    return measured::uneven_right_angle_rows;
  if (rows < measured::least_right_angle_rows)
    return std::max(measured::short_right_angle_rows, measured::of_pairs * workspace_rows_time(rows));
  return rows > measured::most_right_angle_rows ? workspace_rows_time(rows)
                                                : measured::look_up(measured::right_angle_rows_time, rows);
}

// Of columns of convolutions, over what they take beside short rows.
double slowdown_beside_rows(int columns, const InBlockPlan& plan) {
  const int rows = plan.rows();
  const bool steps = plan.geometry.twiddle == Placement::steps;
  if (columns == 32) return measured::look_up(measured::beside_32_columns, rows);
  if (columns == 48) return measured::look_up(measured::beside_48_columns, rows);
  if (columns == 64) return measured::look_up(measured::beside_64_columns, rows);
  if (columns == 128) return measured::look_up(measured::beside_128_columns, rows);
  if (columns == 256)
    return steps ? measured::look_up(measured::steps_beside_256_columns, rows)
                 : measured::look_up(measured::beside_256_columns, rows);
  if (columns == 512)
    return steps ? measured::steps_beside_512_columns : measured::look_up(measured::beside_512_columns, rows);
  return 1;
}

// Of rows alone.
double right_angle_columns_time(const FourStepPlan& plan) {
  const int columns = plan.columns.length();
  if (plan.row_plan.geometry.frequencies > 1) return measured::beside_shared_rows * columns_time(columns);
  const double slowdown = plan.is_backward() ? 1 : slowdown_beside_rows(columns, plan.row_plan);
  return slowdown * (measured::look_up(measured::right_angle_columns, columns) * columns_time(columns));
}

// In times of the plain floor of a pair. A mask saves rows, and of a row most of its time by those of its 256-sample
// rows that are left.
double columns_and_rows_cost(const FourStepPlan& plan) {
  const InBlockPlan& rows = plan.row_plan;
  const int columns = plan.columns.length();
  const double kept_rows = static_cast<double>(workspace_rows(plan)) / columns;
  const double kept_tiles = 1 - static_cast<double>(dropped_rows(rows).size()) / rows.rows();
  const double share = kept_rows * (1 - measured::beside_copies * (1 - kept_tiles));
  const int row_tiles = rows.rows();
  if (plan.right_angle()) return right_angle_columns_time(plan) + right_angle_rows_time(plan);
  if (plan.packing == Packing::half_length)
    return columns_time(columns) + measured::look_up(measured::half_length_rows_time, row_tiles);
  if (plan.columns.light_rows)
    return measured::look_up(measured::light_columns_time, columns) +
           share * measured::look_up(measured::light_rows_time, row_tiles);
  return columns_time_of(plan) +
         (1 - measured::saved_rows * (1 - share)) * (workspace_rows_time(row_tiles) + uneven_tiles_time(plan));
}

// What gradients take over convolutions, of a transform.
double gradient_slowdown_of(const FourStepPlan& plan) {
  const int rows = plan.row_plan.rows(), columns = plan.columns.length();
  if (plan.right_angle() && plan.row_plan.resident_tensors() > 1)
    return measured::look_up(measured::lone_rows_together, rows) *
           measured::look_up(measured::columns_beside_them, columns);
  const double pairs = measured::look_up(measured::gradient_slowdown, rows);
  const bool few_columns = columns >= measured::least_gradient_columns && columns <= measured::most_gradient_columns;
  if (!plan.right_angle()) return pairs * (few_columns ? measured::look_up(measured::gradient_rows, rows) : 1);
  const double of_columns =
      rows <= measured::most_rows_of_any_columns ? 1 : measured::look_up(measured::lone_gradient_columns, columns);
  return pairs * of_columns * measured::look_up(measured::lone_gradient_slowdown, rows);
}

// What gates on both sides add where all samples exist.
double gates_time(const FourStepPlan& plan) {
  const int columns = plan.columns.length();
  const bool delayed_pairs = plan.most_delay > 0 && !plan.right_angle();
  if (plan.is_backward())
    return measured::look_up(delayed_pairs ? measured::delayed_gradient_gates : measured::gradient_gates, columns);
  return plan.right_angle() ? measured::look_up(measured::lone_column_gates_time, columns)
                            : measured::look_up(measured::column_gates_time, columns);
}

// What clusters take of convolutions that have all their samples.
double cluster_time(const ClusterPlan& plan) {
  const int rows = plan.row_plan.rows();
  if (plan.columns.length() <= 4)
    return plan.right_angle() ? measured::look_up(measured::lone_four_blocks_time, rows)
                              : measured::look_up(measured::four_blocks_time, rows);
  return plan.right_angle() ? measured::look_up(measured::lone_eight_blocks_time, rows)
                            : measured::look_up(measured::eight_blocks_time, rows);
}

// A copy of the pair that is transformed.
double floor_of(const Transform& plan) { return 8 * static_cast<double>(plan.transform_length) / measured::copy_bytes; }

// How much of it are samples.
double live_share(const Transform& plan) {
  return static_cast<double>(plan.length) / static_cast<double>(plan.transform_length) / turns_of_pair(plan);
}

// All but the total.
Cost counted(const Transform& plan, const ConvConfig& config, const Work& work) {
  Cost cost;
  cost.memory = tensors(config) * 2 * 2 * static_cast<double>(plan.length) / measured::copy_bytes;
  cost.matrix = work.matrix_products / measured::matrix_products;
  cost.exchange = work.wavefronts / measured::wavefronts;
  return cost;
}

}  // namespace

Cost split_cost(const FourStepPlan& plan, const ConvConfig& config) {
  Cost cost = counted(plan, config, predict_work(plan, config));
  const double gates = gates_time(plan);
  const double live = live_share(plan);
  cost.total = turns_of_pair(plan) * floor_of(plan) *
               (columns_and_rows_cost(plan) - measured::samples_time * (1 - live) +
                gates * (tensors(config) - 2) / 2 * live + (has_odd_rows(config, plan) ? measured::odd_columns : 0));
  if (plan.is_backward()) {
    const BackwardWork& wanted = plan.backward;
    // Sums go back with one row of a channel.
    const int rows_of_channel = config.batch > 0 ? config.batch : measured::usual_rows;
    const double sums_back = wanted.returns_sums ? 1.0 / rows_of_channel : 0;
    const double back = (wanted.inverts_input ? 1 : 0) + sums_back + (wanted.inverts_gradient ? 1 : 0);
    cost.total *= gradient_slowdown_of(plan) * (wanted.tensors() + back) / 2;
    const auto points = static_cast<double>(plan.transform_length);
    const bool stay = wanted.sums && !wanted.returns_sums;
    if (stay) {
      cost.total += measured::sums_bytes * points / measured::cache_bytes;
      const int rows = config.batch > 0 ? config.batch : measured::usual_rows_of_sums;
      const double to_taps = plan.right_angle() ? measured::lone_sums_to_taps_bytes : measured::sums_to_taps_bytes;
      cost.total += to_taps * points / measured::copy_bytes / (rows / 2.0);
    }
  }
  return cost;
}

Cost cluster_cost(const ClusterPlan& plan, const ConvConfig& config) {
  Cost cost = counted(plan, config, predict_work(plan, config));
  const double live = live_share(plan);
  cost.total = turns_of_pair(plan) * floor_of(plan) *
               (cluster_time(plan) - measured::cluster_samples * (1 - live) +
                measured::cluster_gates * (1 + live) * (tensors(config) - 2) / 2 +
                (plan.most_delay > 0 ? measured::look_up(measured::delayed_cluster, plan.columns.length()) : 0) +
                (has_odd_rows(config, plan) ? measured::odd_cluster : 0));
  return cost;
}

}  // namespace ffc
