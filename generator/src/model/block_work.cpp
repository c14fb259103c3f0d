// Counts of a pair of rows in one block: sums over the statements of its plan.
#include "block_work.hpp"

#include <algorithm>

#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/windows.hpp"
#include "ffc/generator/work.hpp"
#include "lower_tiled.hpp"
#include "statement.hpp"
#include "statements_work.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

// Of a tile of complex numbers, or of what there is of one: m16n8k16.
double products_of(const InBlockPlan& plan, const Statement& product) {
  const bool of_rows = product.digit >= static_cast<int>(plan.digits.size()) - 2;
  if (of_rows && plan.fractional_rows) {
    // Four where sums and differences come rounded, of which one product serves, or two, whose difference fp32 makes.
    const bool rounded = product.role == Role::a && plan.row_sums == RowSums::rounded;
    if (rounded || (product.role == Role::b && plan.row_sums >= RowSums::accumulated)) return 4;
    return product.role == Role::a ? 8 : 6;
  }
  if (!of_rows && plan.outer_tile == 8) return 2;
  if (product.from == Shape::real && product.to == Shape::real) return 2;
  return product.from == Shape::whole && product.to == Shape::whole ? 8 : 4;
}

Work sum_of(const InBlockPlan& plan, const ConvConfig& config) { return sum_of(plan, lower_tiled(config, plan)); }

// Samples that the windows of a row read before their new ones: the first ones less, where the row begins.
double read_before(const Windows& windows) {
  const std::int64_t early = std::min(windows.count - 1, windows.read_back() / windows.step);
  const std::int64_t first_ones = early * (early + 1) / 2 * windows.step;
  return static_cast<double>(first_ones + (windows.count - 1 - early) * windows.read_back());
}

// Behind their new ones, of gradients: the last ones less, where it ends.
double read_behind(const Windows& windows, std::int64_t length) {
  std::int64_t samples = 0, window = windows.count;
  for (; window > 0; --window) {
    const std::int64_t left = length - window * windows.step;
    if (left >= windows.read_back()) break;
    samples += std::max<std::int64_t>(left, 0);
  }
  return static_cast<double>(samples + window * windows.read_back());
}

}  // namespace

Work sum_of(const InBlockPlan& plan, const std::vector<Statement>& statements) {
  return statements_work(statements, [&](const Statement& product) { return products_of(plan, product); });
}

// Of the rows of gradients and what they are made of.
Work backward_row_bytes(const Transform& plan, const ConvConfig& config) {
  const BackwardWork& wanted = plan.backward;
  Work work;
  const double row_bytes = 2 * 2 * static_cast<double>(plan.windows ? config.length : plan.length);
  const Gradients& gradients = config.gradients;
  const double in_gate = has_in_gate(config.gating) ? 1 : 0, out_gate = has_out_gate(config.gating) ? 1 : 0;
  const double read = (wanted.transforms_input ? 1 + in_gate : 0) + (wanted.transforms_gradient ? 1 + out_gate : 0) +
                      (gradients.u ? in_gate : 0) + (gradients.w ? 1 : 0) + (gradients.v ? 1 : 0);
  work.bytes_read = read * row_bytes;
  if (plan.windows && wanted.looks_back()) work.bytes_read += 2 * 2 * (1 + in_gate) * read_before(*plan.windows);
  if (plan.windows && wanted.looks_ahead())
    work.bytes_read += 2 * 2 * (1 + out_gate) * read_behind(*plan.windows, config.length);
  work.bytes_written = ((gradients.u ? 1 : 0) + (gradients.w ? 1 : 0) + (gradients.v ? 1 : 0)) * row_bytes;
  return work;
}

namespace {

// Of both tensors there, and back of what is inverted. Barriers are left out.
Work backward_tiled_work(const InBlockPlan& plan, const ConvConfig& config) {
  const double of_row = are_alone(plan.packing) ? 2 : 1;  // a pair's rows alone
  const Work work = times(sum_of(plan, config), plan.windows ? static_cast<double>(plan.windows->count) : of_row);
  Work bytes = backward_row_bytes(plan, config);
  bytes.matrix_products = work.matrix_products, bytes.wavefronts = work.wavefronts;
  bytes.bytes_read += work.bytes_read;
  return bytes;
}

// Beside the rows that are read and written: so many transforms.
Work transforms_work(const InBlockPlan& plan, const ConvConfig& config, double count) {
  return times(sum_of(plan, config), count);
}

// All windows of two rows: each reads a part of the one before again.
Work windows_work(const InBlockPlan& plan, const ConvConfig& config) {
  const Windows& windows = *plan.windows;
  const auto count = static_cast<double>(plan.right_angle() ? 2 * windows.count : windows.count);
  Work work = transforms_work(plan, config, count);
  work.bytes_read += 2 * 2 * read_before(windows) * (has_in_gate(config.gating) ? 2 : 1);
  return work;
}

}  // namespace

Work block_work(const InBlockPlan& plan, const ConvConfig& config) {
  if (plan.is_backward()) return backward_tiled_work(plan, config);
  if (real_rows(plan)) return transforms_work(plan, config, 2);  // of two rows
  return plan.windows ? windows_work(plan, config) : sum_of(plan, config);
}

}  // namespace ffc
