// Counts of a pair's tiles.
#include "tile_counts.hpp"

#include <cstdint>

#include "ffc/generator/plan.hpp"
#include "kept_digits.hpp"
#include "tiled_magnitudes.hpp"
#include "tiled_shape.hpp"

namespace ffc {

double kept_butterflies(const InBlockPlan& plan, int end) {
  double kept = 0;
  for (int a = 0; a < end; ++a) kept += keeps_butterfly(plan, a) ? 1 : 0;
  return kept;
}

int sides(const InBlockPlan& plan) { return plan.mirrors_rows() && !plan.half_spectrum() ? 2 : 1; }

double factored_couples(const InBlockPlan& plan) {
  if (!has_columns(plan)) return plan.rows() - static_cast<double>(dropped_rows(plan).size());
  // Of a real row one warp has row rows / 2, too.
  return static_cast<double>(plan.couples_per_warp()) * plan.geometry.warps_per_group + (plan.half_spectrum() ? 1 : 0);
}

double transformed_rows(const InBlockPlan& plan) {
  return (has_columns(plan) ? sides(plan) : 1) * factored_couples(plan);
}

double fetched_rows(const InBlockPlan& plan) {
  // Of a real row, row rows / 2 is where another has one of its parts, if they share a place.
  return transformed_rows(plan) - (plan.half_spectrum() && plan.outer_tile % 2 == 0 ? 0.5 : 0);
}

double stored_rows_of_couples(const InBlockPlan& plan) { return static_cast<double>(sides(plan)) * plan.couples(); }

double arrivals_of_group(const InBlockPlan& plan) {
  return plan.geometry.warps_per_group > 1 ? plan.geometry.warps_per_group : 0;
}

bool has_lone_couple(const InBlockPlan& plan) {
  return plan.mirrors_rows() && plan.rows() % 2 == 0 && keeps_row(plan, 0);
}

namespace {

// Of a pair's planes, those that there are.
double planes(const InBlockPlan& plan) { return real_rows(plan) ? 0.5 : 1; }

double rows_of(std::int64_t samples) {
  const std::int64_t rows = (samples + 255) / 256;
  return static_cast<double>(rows);
}

}  // namespace

double tiles_loaded(const InBlockPlan& plan) { return planes(plan) * plan.loaded_rows(); }

double tiles_measured(const InBlockPlan& plan) { return planes(plan) * measured_rows(plan); }

double tiles_stored(const InBlockPlan& plan) {
  if (!plan.windows) return planes(plan) * rows_of(plan.length);
  if (plan.right_angle()) return static_cast<double>(plan.windows->step) / 512;
  return rows_of(plan.windows->step);
}

}  // namespace ffc
