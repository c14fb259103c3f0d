// The three kernels of a split plan, as one list of steps.
#include "split_plan.hpp"

#include "cost_model.hpp"
#include "tiled_plan.hpp"

namespace ffc {
namespace {

constexpr int tile = 16;
constexpr std::int64_t longest_row = 32768;
constexpr int butterflies[] = {1, 2, 3, 4, 5, 6, 7, 8, 16, 32};

// Measured best on an H200: no more warps than have registers for their columns.
ColumnShape shape_of(int butterfly) {
  ColumnShape shape;
  shape.butterfly = butterfly;
  shape.warps = butterfly <= 16 ? 4 : 8;
  shape.preload = butterfly <= 8;
  shape.blocks_per_sm = butterfly <= 4 ? 6 : butterfly <= 16 ? 3 : 1;
  return shape;
}

// Narrower tiles and fewer blocks where shared memory asks for it.
void fit(ColumnShape& shape, const Arch& arch) {
  const auto bytes = [&] { return shape.tile_bytes() * (shape.preload ? 2 : 1); };
  if (bytes() > arch.shared_per_block) shape.preload = false;
  if (bytes() > arch.shared_per_block) shape.chunks = 4;
  while (shape.blocks_per_sm > 1 && shape.blocks_per_sm * (bytes() + 1024) > arch.shared_per_sm) --shape.blocks_per_sm;
}

Step exchange(bool inverse) {
  Step step;
  step.kind = StepKind::exchange;
  step.inverse = inverse;
  step.grid = true;
  return step;
}

// The steps of a row between its load and its store, its digits behind those of the columns.
void append_rows(std::vector<Step>& steps, const Plan& rows, int first_digit) {
  for (Step step : rows.steps) {
    if (step.kind == StepKind::load || step.kind == StepKind::store) continue;
    if (step.digit >= 0) step.digit += first_digit;
    for (int& digit : step.done) digit += first_digit;
    for (int& digit : step.open) digit += first_digit;
    steps.push_back(std::move(step));
  }
}

std::vector<Step> split_steps(const Plan& plan) {
  const bool has_butterfly = plan.columns.butterfly > 1;
  const int first_row_digit = has_butterfly ? 2 : 1;
  std::vector<int> column_digits, row_digits;
  for (int digit = 0; digit < static_cast<int>(plan.digits.size()); ++digit)
    (digit < first_row_digit ? column_digits : row_digits).push_back(digit);
  const auto columns = [&](bool inverse) {
    std::vector<Step> steps = {{StepKind::contract, inverse, 0, Role::b, {}, {}}};
    if (has_butterfly) {
      steps.push_back({StepKind::twiddle, inverse, -1, Role::b, {0}, {1}});
      steps.push_back({StepKind::butterfly, inverse, 1, Role::b, {}, {}});
    }
    steps.push_back(exchange(inverse));
    steps.push_back({StepKind::twiddle, inverse, -1, Role::b, column_digits, row_digits});
    return steps;
  };
  std::vector<Step> steps = {{StepKind::load, false, -1, Role::b, {}, {}}};
  const std::vector<Step> forward = columns(false), back = columns(true);
  steps.insert(steps.end(), forward.begin(), forward.end());
  append_rows(steps, *plan.row_plan, first_row_digit);
  steps.insert(steps.end(), back.rbegin(), back.rend());
  steps.push_back({StepKind::store, true, -1, Role::b, {}, {}});
  return steps;
}

// The forced radices of the rows: what is left behind those of the columns.
std::vector<int> row_radices(const ConvConfig& config, const ColumnShape& shape) {
  const std::size_t columns = shape.butterfly > 1 ? 2 : 1;
  if (config.radices.size() <= columns) return {};
  return {config.radices.begin() + static_cast<std::ptrdiff_t>(columns), config.radices.end()};
}

}  // namespace

std::vector<ColumnShape> column_shapes(std::int64_t transform_length) {
  std::vector<ColumnShape> shapes;
  for (const int butterfly : butterflies) {
    const ColumnShape shape = shape_of(butterfly);
    if (transform_length % shape.length() != 0) continue;
    const std::int64_t rows = transform_length / shape.length();
    if (rows <= longest_row && !outer_digits(rows).empty()) shapes.push_back(shape);
  }
  return shapes;
}

ConvConfig row_config(const ConvConfig& config, const Plan& plan) {
  ConvConfig rows;
  rows.fft_length = rows.length = rows.filter_length = plan.transform_length / plan.columns.length();
  rows.accumulation = config.accumulation;
  rows.radices = row_radices(config, plan.columns);
  rows.row_alignment = 16;
  rows.arch = config.arch;
  return rows;
}

std::optional<Plan> split_plan(const ConvConfig& config, std::int64_t transform_length, const ColumnShape& wanted,
                               const Arch& arch) {
  ColumnShape shape = wanted;
  fit(shape, arch);
  Plan plan;
  plan.family = Family::split;
  plan.transform_length = transform_length;
  plan.length = config.length;
  plan.columns = shape;
  plan.accumulation = config.accumulation == Accumulation::fp32 ? Accumulation::fp32 : Accumulation::fp16;
  const ConvConfig rows = row_config(config, plan);
  const std::vector<OuterDigits> outers =
      rows.radices.empty() ? outer_digits(rows.fft_length) : outer_digits(rows.radices);
  for (const OuterDigits& outer : outers) {
    std::optional<Plan> candidate = tiled_plan(rows, outer, arch, shape.length());
    if (!candidate) continue;
    candidate->cost = predict_cost(*candidate, rows);
    if (!plan.row_plan || candidate->cost.total < plan.row_plan->cost.total)
      plan.row_plan = std::make_shared<const Plan>(*std::move(candidate));
  }
  if (!plan.row_plan) return std::nullopt;
  std::vector<int> radices = {tile};
  if (shape.butterfly > 1) radices.push_back(shape.butterfly);
  for (const Digit& digit : plan.row_plan->digits) radices.push_back(digit.radix);
  plan.digits = make_digits(radices);
  plan.steps = split_steps(plan);
  plan.geometry.groups = shape.warps;
  plan.geometry.blocks_per_sm = shape.blocks_per_sm;
  return plan;
}

}  // namespace ffc
