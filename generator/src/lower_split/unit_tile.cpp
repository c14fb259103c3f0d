// Sizes and steps of a tile.
#include "unit_tile.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "kept_digits.hpp"
#include "plan_steps.hpp"
#include "split_shape.hpp"
#include "statement.hpp"
#include "tile_counts.hpp"

namespace ffc {
namespace {

constexpr double bytes_of_point = 4;
constexpr int contracted_slots = 32;  // of the rows of frequencies that one product makes, and of their mirrors

}  // namespace

UnitTile::UnitTile(const ConvConfig& config, const FourStepPlan& plan, Tensor tensor)
    : config_(config), plan_(plan), tensor_(tensor), whole_(columns_left(plan) == ColumnsLeft::one_product) {}

bool UnitTile::copies_in_gates() const { return ffc::copies_in_gates(config_, plan_); }
bool UnitTile::copies_out_gates() const { return has_out_gate(config_.gating) && columns().gate_tile; }

double UnitTile::count() const { return static_cast<double>(plan_.row_plan.transform_length) / columns().columns(); }

Statement UnitTile::statement(Operation operation, bool inverse) const {
  return {.operation = operation, .inverse = inverse, .tensor = tensor_, .times = count()};
}

Shape UnitTile::samples() const {
  return plan_.right_angle() ? Shape::real : halves_samples(plan_) ? Shape::half : Shape::whole;
}

double UnitTile::size_of(double rows) const { return rows * columns().columns() * bytes_of_point / bytes_of_tile; }

double UnitTile::samples_size() const {
  return samples() == Shape::whole ? whole_size() : size_of(columns().length() / 2.0);
}

double UnitTile::results_size() const { return size_of((plan_.right_angle() ? 0.5 : 1) * sample_rows(plan_)); }

double UnitTile::frequencies_size() const {
  if (whole_) return size_of(contracted_slots);
  return columns_left(plan_) == ColumnsLeft::blocks ? size_of(16 * std::popcount(kept_blocks(plan_))) : whole_size();
}

double UnitTile::kept_size() const { return size_of(workspace_rows(plan_)); }

std::vector<std::size_t> UnitTile::steps_of(StepKind kind, bool inverse) const {
  return ffc::steps_of(plan_, kind, inverse, {tensor_});
}

std::vector<std::size_t> UnitTile::exchanges() const {
  return steps_where(plan_, [&](const Step& step) {
    return step.tensor == tensor_ && step.kind == StepKind::exchange && step.level != Level::block && !step.inverse;
  });
}

std::vector<std::size_t> UnitTile::steps_of_product(int digit, bool inverse) const {
  const int digits = static_cast<int>(columns().radices().size());
  return steps_where(plan_, [&](const Step& step) {
    if (step.tensor != tensor_ || step.inverse != inverse) return false;
    if (step.kind == StepKind::contract) return step.digit == digit;
    return step.kind == StepKind::twiddle && step.done == std::vector<int>{digit} &&
           std::all_of(step.open.begin(), step.open.end(), [&](int open) { return open < digits; });
  });
}

std::vector<std::size_t> UnitTile::steps_of_butterfly(bool inverse) const {
  const int digit = columns().products;
  return steps_where(plan_, [&](const Step& step) {
    return step.tensor == tensor_ && step.kind == StepKind::butterfly && step.inverse == inverse && step.digit == digit;
  });
}

}  // namespace ffc
