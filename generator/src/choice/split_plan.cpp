// Plans of columns and rows, as one list of steps.
#include "split_plan.hpp"

#include <algorithm>

#include "choices.hpp"
#include "column_digits.hpp"
#include "column_shares.hpp"
#include "cost_model.hpp"
#include "ffc/generator/arch.hpp"
#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "kept_digits.hpp"
#include "outer_digits.hpp"
#include "place_rows.hpp"
#include "plan_limits.hpp"
#include "split_shape.hpp"
#include "split_steps.hpp"
#include "steps.hpp"
#include "tile_powers.hpp"
#include "tiled_plan.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

constexpr std::int64_t longest_right_angle = std::int64_t{1}
                                             << 25;  // in parts of a frequency, as roots and filters reach

constexpr int step_tile = 8;  // the digit down a row's own columns where twiddles can be made of steps
bool is_step_row(std::int64_t length, const ColumnShape& columns) {
  return static_cast<double>(length) >= measured::look_up(measured::least_step_row, columns.length());
}

// Columns and rows that share a block's memory.
struct Halves {
  ColumnShape columns;
  InBlockPlan rows;
};

// What a plan wants of a block beside columns and rows: a tile for gates, a buffer for each of two rows, twiddles made
// of steps and a spectrum that is copied ahead.
struct Wanted {
  bool gate_tile = false, two_rows = false, steps = false;
  double rows_share = 1;        // of the work on rows, what a mask leaves
  bool keeps_spectrum = false;  // in registers, where there is a share for it
  Packing packing = Packing::two_rows;
  bool two_frequencies = false;  // of which a block keeps the factors
  bool one_tile = false;         // units of columns leave room for what they read through the L1 cache
};

// Where the twiddles and the spectrum of rows may be.
struct Factors {
  Placement twiddle, spectrum;
  int frequencies = 1;  // a block keeps those of so many
};

// Rows of one group, so long that half of its warps are enough for what a mask leaves of them.
bool shares_warps(const InBlockPlan& rows) {
  return rows.geometry.warps_per_group == 8 && rows.transform_length <= measured::longest_light_row;
}

// Best first. Steps leave room for what is worth more: a second unit of columns, a tile of gates, whole lines of long
// columns. Then a spectrum that comes through registers would be waited for.
std::vector<Factors> factor_places(const InBlockPlan& rows, const Wanted& wanted) {
  const Geometry& geometry = rows.geometry;
  std::vector<Factors> places;
  if (wanted.steps && rows.outer_tile == step_tile && geometry.whole_rows &&
      rows.rows() % geometry.warps_per_group == 0)
    places.push_back({Placement::steps, Placement::staged});
  places.push_back({geometry.twiddle, geometry.spectrum});
  places.push_back({Placement::global, geometry.spectrum});
  return places;
}

// One way to share a block's memory and warps.
struct Choice {
  Factors factors;
  bool gate_tile;
  measured::Share share;
  int items = 1;
};

bool can_keep(const measured::KeptShare& kept, const InBlockPlan& rows, const ColumnShape& shape,
              const Wanted& wanted) {
  return wanted.keeps_spectrum && shape.products == 1 &&
         (wanted.packing == Packing::right_angle || !kept.right_angle) && shape.butterfly >= kept.least_butterfly &&
         shape.butterfly <= kept.most_butterfly && rows.rows() == kept.rows &&
         kept.rows % rows.geometry.warps_per_group == 0;
}

// Best first. Where a mask leaves the rows little to do, more units of columns are worth more than tables at hand.
std::vector<Choice> choices(const InBlockPlan& rows, const ColumnShape& shape, const Wanted& wanted) {
  std::vector<Choice> all;
  const std::vector<Factors> places = factor_places(rows, wanted);
  if (wanted.two_frequencies && rows.geometry.twiddle == Placement::shared)
    for (const measured::Share& share : measured::shares_of_two_frequencies)
      all.push_back({{Placement::shared, rows.geometry.spectrum, 2}, wanted.gate_tile, share});
  for (const measured::KeptShare& kept : measured::kept_shares)
    if (can_keep(kept, rows, shape, wanted))
      all.push_back({{rows.geometry.twiddle, Placement::registers}, false, kept.share, kept.items});
  const auto add_light = [&](double most, const measured::Share& share) {
    if (wanted.rows_share > most || !shares_warps(rows)) return;
    for (const Factors& factors : places) all.push_back({factors, wanted.gate_tile, share});
  };
  if (wanted.one_tile)
    for (const Factors& factors : places) all.push_back({factors, wanted.gate_tile, measured::share_of_lone_gradients});
  if (shape.few_rows && shape.products == 1 && shape.butterfly > 1)
    add_light(measured::lighter_rows, measured::share_of_few_rows);
  add_light(measured::lightest_rows, measured::share_of_lightest_rows);
  add_light(measured::lighter_rows, measured::share_of_lighter_rows);
  add_light(measured::light_rows, measured::share_of_light_rows);
  for (const Factors& factors : places)
    for (const bool gate_tile : {wanted.gate_tile, false})
      for (const measured::Share& share : measured::shares) all.push_back({factors, gate_tile, share});
  return all;
}

std::optional<Halves> fit(const ConvConfig& rows, OuterDigits outer, ColumnShape shape, Wanted wanted,
                          const Arch& arch) {
  std::optional<InBlockPlan> measured = tiled_plan(rows, outer, arch, shape.length());
  if (!measured) return std::nullopt;
  for (const auto& [factors, gate_tile, share, items] : choices(*measured, shape, wanted)) {
    const bool few = share.registers > 0 && factors.spectrum != Placement::registers;
    if (few && shape.butterfly > measured::most_butterfly_of_few_registers) continue;
    if (share.chunks < 8 && gate_tile) continue;
    if (share.row_buffers < 2 && wanted.two_rows) continue;
    shape.units = share.units, shape.warps = share.warps, shape.tiles = share.tiles, shape.chunks = share.chunks;
    shape.registers = arch.name == "sm_90a" ? share.registers : 0;
    shape.gate_tile = gate_tile;
    shape.light_rows = share.light_rows;
    shape.shared_matrices = false;
    Geometry geometry = measured->geometry;
    geometry.twiddle = factors.twiddle;
    geometry.spectrum = factors.spectrum;
    geometry.frequencies = factors.frequencies;
    geometry.items_at_once = items;
    if (share.light_rows) geometry.warps_per_group /= 2;
    geometry.buffers = wanted.two_rows ? 2 : std::min(geometry.buffers, share.row_buffers);
    std::optional<InBlockPlan> plan = tiled_plan(rows, outer, arch, geometry, shape.length());
    if (!plan || shape.shared_bytes() + plan->shared.total > arch.shared_per_block) continue;
    shape.shared_matrices = shape.units <= measured::most_units_with_matrices &&
                            shape.shared_bytes() + shape.matrices_bytes() + plan->shared.total <= arch.shared_per_block;
    return Halves{shape, *std::move(plan)};
  }
  return std::nullopt;
}

// Whether many blocks are left without rows of frequencies where each has a block or several. Causal rows keep to the
// transform that is best for their gradients, which share its spectrum.
bool leaves_blocks_over(const ConvConfig& config, const ColumnShape& shape, Packing packing) {
  const int rows = spectrum_rows(shape.length(), packing), blocks = measured::usual_blocks;
  return config.mask.empty() && config.padding == Padding::circular &&
         shape.butterfly >= measured::least_butterfly_of_two_frequencies && rows <= blocks &&
         blocks % rows > measured::most_blocks_left * blocks;
}

// The same for a convolution or for gradients: these are gated on the way to shared memory and from it, and where rows
// have columns of their own, those of both tensors are best there together.
std::optional<Halves> fit_pass(const ConvConfig& config, const ConvConfig& rows, OuterDigits outer,
                               const ColumnShape& shape, const BackwardWork& work, Packing packing, const Arch& arch) {
  const bool backward = work.tensors() > 0, together = work.tensors() > 1 && outer.tile > 1;
  // A mask's rows are no steps apart.
  const bool whole = !backward && config.mask.empty(), steps = whole && is_step_row(rows.fft_length, shape);
  const bool keeps_spectrum =
      whole && config.gating == Gating::none && config.accumulation != Accumulation::fp32 && arch.name == "sm_90a";
  const bool one_tile = backward && packing == Packing::right_angle;
  std::optional<Halves> halves;
  if (together) halves = fit(rows, outer, shape, {.two_rows = true, .one_tile = one_tile}, arch);
  const bool in_turn = !halves;
  if (in_turn)
    halves = fit(rows, outer, shape,
                 {.gate_tile = config.gating != Gating::none && !backward,
                  .steps = steps,
                  .rows_share = backward ? 1 : shape.rows_share,
                  .keeps_spectrum = keeps_spectrum,
                  .packing = packing,
                  .two_frequencies = !backward && leaves_blocks_over(config, shape, packing),
                  .one_tile = one_tile},
                 arch);
  if (!halves) return std::nullopt;
  halves->rows.cost = predict_cost(halves->rows, rows);
  halves->rows.backward = work;
  if (backward) halves->rows.steps = backward_steps(halves->rows);
  halves->rows.geometry.in_turn = backward && in_turn;
  return halves;
}

// Of rows that differ in their outer digits. Long ones have those of twiddles made of steps, which leave room
// for what is worth more than the rows' own cost; those of gradients too, so that one spectrum serves both passes.
// Where a spectrum is in registers there are no steps, and whole tiles take the twiddles into their matrices.
// Gradients of rows alone are better off with both tensors there together, whatever a row by itself takes.
bool is_better(const InBlockPlan& rows, const InBlockPlan& others, const ColumnShape& columns, Packing packing) {
  if (packing == Packing::right_angle && rows.geometry.in_turn != others.geometry.in_turn)
    return !rows.geometry.in_turn;
  if (is_step_row(rows.transform_length, columns) && (rows.outer_tile == step_tile) != (others.outer_tile == step_tile))
    return (rows.outer_tile == step_tile) != (keeps_spectrum(rows) && keeps_spectrum(others));
  return rows.cost.total < others.cost.total;
}

}  // namespace

std::optional<ColumnShape> column_shape(int length) {
  const std::optional<ColumnDigits> digits = column_digits(length);
  if (!digits) return std::nullopt;
  ColumnShape shape;
  shape.products = digits->products;
  shape.butterfly = digits->butterfly;
  return shape;
}

std::vector<ColumnShape> column_shapes(std::int64_t transform_length) {
  std::vector<ColumnShape> shapes;
  for (const int length : column_lengths()) {
    if (transform_length % length != 0) continue;
    const std::int64_t rows = transform_length / length;
    if (rows <= longest_tiled && !outer_digits(rows).empty()) shapes.push_back(*column_shape(length));
  }
  return shapes;
}

namespace {

// Rows one by one begin with a butterfly over halves, which lie in different registers then, and whose copies do.
bool can_untangle(const InBlockPlan& rows) {
  return rows.outer_tile == step_tile && rows.outer_butterfly % 2 == 0 &&
         rows.rows() / 2 % rows.geometry.warps_per_group == 0;
}

// Whether sums can go back to taps with the rows, beside du's and in the place of dv's, where a launch would read and
// write them for it.
bool may_return_sums(const ConvConfig& config, const FourStepPlan& plan) {
  const Gradients& wanted = config.gradients;
  return plan.packing == Packing::right_angle && config.padding == Padding::causal &&
         config.filter_length <= config.length && wanted.k && (wanted.u || wanted.w) && !wanted.v &&
         config.accumulation != Accumulation::fp32 && config.report == Report::none &&
         plan.transform_length <= measured::longest_returned;
}

// Those of rows of steps are worth what their butterflies cost in accuracy.
std::vector<OuterDigits> digits_of_rows(const ConvConfig& rows, const ColumnShape& columns, bool masked) {
  if (!rows.radices.empty()) return outer_digits(rows.radices, RowsOf::columns);
  const bool steps = !masked && is_step_row(rows.fft_length, columns);
  return outer_digits(rows.fft_length, steps ? RowsOf::columns : RowsOf::block);
}

std::optional<FourStepPlan> split_plan_of(FourStepPlan plan, const BackwardWork& work, const ConvConfig& config,
                                          const ColumnShape& wanted, const Arch& arch) {
  plan.columns = wanted;
  plan.backward = work;
  plan.accumulation = config.accumulation == Accumulation::fp32 ? Accumulation::fp32 : Accumulation::fp16;
  const ConvConfig rows = row_config(config, plan.transform_length / wanted.length(), wanted.radices().size());
  const std::vector<OuterDigits> outers = digits_of_rows(rows, wanted, !config.mask.empty());
  bool found = false;
  for (const OuterDigits& outer : outers) {
    std::optional<Halves> halves = fit_pass(config, rows, outer, wanted, work, plan.packing, arch);
    if (!halves || (plan.packing == Packing::half_length && !can_untangle(halves->rows))) continue;
    // A row of u whose frequencies wait for dy's has given its buffer away.
    if (work.returns_sums && halves->rows.geometry.in_turn) continue;
    halves->rows.packing = plan.packing;
    if (found && !is_better(halves->rows, plan.row_plan, wanted, plan.packing)) continue;
    found = true;
    plan.columns = halves->columns;
    plan.row_plan = std::move(halves->rows);
  }
  if (!found) return std::nullopt;
  if (split_shared_bytes(plan) + tile_words(plan, false).shared > arch.shared_per_block) {
    if (!plan.columns.shared_matrices) return std::nullopt;
    plan.columns.shared_matrices = false;
  }
  plan.digits = split_digits(plan.columns.radices(), plan.row_plan);
  plan.steps = split_steps(plan, plan.columns.products, Level::grid);
  if (plan.is_backward()) plan.steps = gradient_steps(plan.steps, plan.backward);
  return plan;
}

}  // namespace

std::optional<FourStepPlan> split_plan(const ConvConfig& config, std::int64_t transform_length,
                                       const ColumnShape& wanted, const Arch& arch, Packing packing) {
  FourStepPlan plan;
  plan.packing = packing;
  plan.transform_length = transform_length;
  place_rows(plan, config, transform_length);
  const BackwardWork work = backward_work(config);
  if (!work.sums || !may_return_sums(config, plan)) return split_plan_of(std::move(plan), work, config, wanted, arch);
  if (auto returning = split_plan_of(plan, returning_sums(work), config, wanted, arch)) return returning;
  return split_plan_of(std::move(plan), work, config, wanted, arch);
}

bool allows_right_angle(const ConvConfig& config, std::int64_t points) {
  if (config.length > points || config.history) return false;
  if (!config.mask.empty()) return false;
  if (!config.radices.empty() && product_of(config.radices) != points) return false;  // those of the whole transform
  // What reaches back behind a padded row is told from what reaches on by the length of the filter's transform.
  return config.fft_length != 4 * points && 4 * points <= longest_right_angle;
}

std::optional<FourStepPlan> split_right_angle_plan(const ConvConfig& config, std::int64_t points,
                                                   const ColumnShape& shape, const Arch& arch) {
  if (!allows_right_angle(config, points) || 2 * config.length <= points) return std::nullopt;
  std::optional<FourStepPlan> plan = split_plan(config, points, shape, arch, Packing::right_angle);
  if (!plan || !pairs_chunks(plan->columns)) return std::nullopt;
  return plan;
}

}  // namespace ffc
