// Counts of a pair of rows in one block, from the plan alone.
#include "block_work.hpp"

#include <algorithm>
#include <cmath>

#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/windows.hpp"
#include "ffc/generator/work.hpp"
#include "lower_tiled.hpp"
#include "statement.hpp"
#include "steps.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

constexpr double tile_wavefronts = 8;

// Of a tile of complex numbers, or of what there is of one: m16n8k16.
double products_of(const InBlockPlan& plan, const Statement& product) {
  const bool of_rows = product.digit >= static_cast<int>(plan.digits.size()) - 2;
  if (of_rows && plan.fractional_rows) return plan.row_sums == RowSums::rounded ? 5 : 6;
  if (!of_rows && plan.outer_tile == 8) return 2;
  return product.from == Shape::whole && product.to == Shape::whole ? 8 : 4;
}

// What is fetched, put or copied takes of shared memory, and of global memory beside the rows. A tensor's frequencies
// and sums that are in neither registers nor shared memory are left out.
Work moved(const Statement& statement) {
  Work work;
  const double tiles = statement.size * statement.times;
  const Placement placement = statement.placement;
  const bool shared = placement == Placement::shared || placement == Placement::steps || placement == Placement::staged;
  const bool kept_apart = statement.operand == Operand::sums || statement.operand == Operand::parked;
  const bool copied = statement.operation == Operation::ahead && placement == Placement::staged;
  if (shared) work.wavefronts = tiles * tile_wavefronts;
  if ((placement == Placement::global && !kept_apart) || copied) work.bytes_read = tiles * bytes_of_tile;
  return work;
}

Work work_of(const InBlockPlan& plan, const Statement& statement) {
  Work work;
  switch (statement.operation) {
    case Operation::contract:
      work.matrix_products = products_of(plan, statement) * statement.times;
      return work;
    case Operation::barrier:
      if (statement.times > 1) work.barrier_arrivals = statement.times;
      return work;
    case Operation::load:
    case Operation::store:
    case Operation::ahead:
    case Operation::cut:
    case Operation::measure:
    case Operation::fetch:
    case Operation::put:
      return moved(statement);
    default:
      return work;
  }
}

Work sum_of(const InBlockPlan& plan, const ConvConfig& config) {
  Work sum;
  each_statement(lower_tiled(config, plan), [&](const Statement& statement) { sum += work_of(plan, statement); });
  return sum;
}

// Samples that the windows of a row read before their new ones: the first ones less, where the row begins.
double read_before(const Windows& windows) {
  const std::int64_t early = std::min(windows.count - 1, windows.read_back() / windows.step);
  return static_cast<double>(early * (early + 1) / 2 * windows.step +
                             (windows.count - 1 - early) * windows.read_back());
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

Work& operator+=(Work& sum, const Work& work) {
  sum.matrix_products += work.matrix_products, sum.wavefronts += work.wavefronts;
  sum.bytes_read += work.bytes_read, sum.bytes_written += work.bytes_written;
  sum.barrier_arrivals += work.barrier_arrivals;
  return sum;
}

Work times(Work work, double count) {
  for (double* const value :
       {&work.matrix_products, &work.wavefronts, &work.bytes_read, &work.bytes_written, &work.barrier_arrivals})
    *value *= count;
  return work;
}

Work tiled_work(const InBlockPlan& plan, const ConvConfig& config) {
  if (!plan.is_backward()) return sum_of(plan, config);
  InBlockPlan convolution = plan;
  convolution.backward = {};
  convolution.steps = tiled_steps(convolution);
  return sum_of(convolution, config);
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
  const Work work = times(sum_of(plan, config), plan.windows ? static_cast<double>(plan.windows->count) : 1);
  Work bytes = backward_row_bytes(plan, config);
  bytes.matrix_products = work.matrix_products, bytes.wavefronts = work.wavefronts;
  bytes.bytes_read += work.bytes_read;
  return bytes;
}

// Beside the rows that are read and written: so many transforms.
Work transforms_work(const InBlockPlan& plan, const ConvConfig& config, double count) {
  return times(tiled_work(plan, config), count);
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
  if (right_angle_rows(plan)) return transforms_work(plan, config, 2);  // of two rows
  return plan.windows ? windows_work(plan, config) : tiled_work(plan, config);
}

}  // namespace ffc
