// Plans of clusters: a row of frequencies in each block, columns in registers.
#include "cluster_plan.hpp"

#include <algorithm>
#include <memory>

#include "column_digits.hpp"
#include "ffc/generator/arch.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "outer_digits.hpp"
#include "place_rows.hpp"
#include "split_plan.hpp"
#include "split_shape.hpp"
#include "split_steps.hpp"
#include "threads.hpp"
#include "tile_powers.hpp"
#include "tiled_plan.hpp"

namespace ffc {
namespace {

constexpr int row_tile = 8;  // the digit that goes down a row's own columns

// Rows that share a block's memory with those of other pairs.
Geometry row_geometry(int rows) {
  Geometry geometry;
  geometry.warps_per_group = rows <= 16 ? 4 : 8;
  geometry.groups = measured::cluster_row_warps / geometry.warps_per_group;
  geometry.whole_rows = true;
  geometry.twiddle = Placement::steps;
  geometry.spectrum = Placement::global;
  return geometry;
}

std::optional<InBlockPlan> row_plan(const ConvConfig& rows, OuterDigits outer, int column_length, const Arch& arch) {
  if (outer.tile != row_tile || outer.butterfly < 2) return std::nullopt;
  const Geometry geometry = row_geometry(outer.butterfly * outer.tile);
  for (int pairs = measured::most_places; pairs >= geometry.groups + measured::spare_places; --pairs) {
    std::optional<InBlockPlan> plan = cluster_row_plan(rows, outer, arch, geometry, column_length, pairs);
    if (plan && plan->shared.total + ClusterShape::barrier_bytes(pairs) <= arch.shared_per_block) return plan;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ClusterShape> cluster_shape(int length) {
  if (!cluster_digits(length)) return std::nullopt;
  return ClusterShape{length, measured::cluster_column_warps};
}

std::vector<ClusterShape> cluster_shapes(std::int64_t transform_length) {
  std::vector<ClusterShape> shapes;
  for (const int length : cluster_lengths())
    if (transform_length % length == 0 && !outer_digits(transform_length / length, RowsOf::columns).empty())
      shapes.push_back(*cluster_shape(length));
  return shapes;
}

std::optional<ClusterPlan> cluster_plan(const ConvConfig& config, std::int64_t transform_length,
                                        const ClusterShape& shape, const Arch& arch, Packing packing) {
  if (!arch.has_clusters() || !config.mask.empty() || config.pass == Pass::backward) return std::nullopt;
  ClusterPlan plan;
  plan.packing = packing;
  plan.transform_length = transform_length;
  place_rows(plan, config, transform_length, Overhang::none, 4 * shape.chunk_words());
  plan.columns = shape;
  plan.accumulation = config.accumulation == Accumulation::fp32 ? Accumulation::fp32 : Accumulation::fp16;
  const ConvConfig rows = row_config(config, transform_length / shape.length(), shape.radices().size());
  // A piece of every block's share, for each warp of columns.
  const std::int64_t at_once = std::int64_t{piece_samples(plan)} * shape.length();
  if (rows.fft_length % at_once != 0 || rows.fft_length < at_once * shape.warps) return std::nullopt;
  const std::vector<OuterDigits> outers = rows.radices.empty() ? outer_digits(rows.fft_length, RowsOf::columns)
                                                               : outer_digits(rows.radices, RowsOf::columns);
  bool found = false;
  for (const OuterDigits& outer : outers)
    if (std::optional<InBlockPlan> row = row_plan(rows, outer, shape.length(), arch)) {
      row->packing = packing;
      plan.row_plan = *std::move(row);
      found = true;
    }
  if (!found) return std::nullopt;
  plan.digits = split_digits(shape.radices(), plan.row_plan);
  plan.steps = split_steps(plan, 0, Level::cluster);
  return plan;
}

std::optional<ClusterPlan> cluster_right_angle_plan(const ConvConfig& config, std::int64_t points,
                                                    const ClusterShape& shape, const Arch& arch) {
  if (!allows_right_angle(config, points)) return std::nullopt;
  return cluster_plan(config, points, shape, arch, Packing::right_angle);
}

}  // namespace ffc
