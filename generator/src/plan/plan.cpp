// The plan language: digits, steps and their names.
#include "ffc/generator/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "threads.hpp"
#include "tile_powers.hpp"
#include "tiled_shape.hpp"

namespace ffc {

namespace {

int butterflies_of(const InBlockPlan& plan, std::int64_t length) {
  if (plan.tile_first()) return plan.outer_butterfly;
  const std::int64_t samples = plan.transform_length / plan.outer_butterfly;
  return static_cast<int>(std::min<std::int64_t>(plan.outer_butterfly, (length + samples - 1) / samples));
}

}  // namespace

int InBlockPlan::live_butterflies() const { return butterflies_of(*this, loaded_length()); }
int InBlockPlan::stored_butterflies() const { return butterflies_of(*this, length); }

int InBlockPlan::couples() const {
  if (kept_rows.empty()) return mirrors_rows() ? (rows() + 1) / 2 : rows();
  // Row rows / 2 goes together with row 0.
  const bool half = mirrors_rows() && 2 * kept_rows.back() == rows();
  return static_cast<int>(kept_rows.size()) - (half ? 1 : 0);
}

int InBlockPlan::loaded_rows() const {
  if (half_spectrum()) return rows();
  if (!tile_first()) return outer_tile * live_butterflies();
  return (half_columns(*this) ? 8 : outer_tile) * outer_butterfly;
}

std::vector<Digit> make_digits(const std::vector<int>& radices) {
  std::vector<Digit> digits;
  std::int64_t weight = 1;
  for (const int radix : radices) {
    digits.push_back({radix, 1, weight});
    weight *= radix;
  }
  for (Digit& digit : digits) digit.stride = weight / (digit.weight * digit.radix);
  return digits;
}

std::string factorisation_name(const Transform& plan) {
  std::vector<int> radices;
  for (const Digit& digit : plan.digits) radices.push_back(digit.radix);
  return fmt::format("{}", fmt::join(radices, "x"));
}

namespace {

// Of a backward plan: whose rows a step works on.
std::string tensor_prefix(const Transform& plan, const Step& step) {
  if (!plan.is_backward() || step.kind == StepKind::accumulate) return {};
  switch (step.tensor) {
    case Tensor::input:
      return step.kind == StepKind::take_sums ? "" : "of u: ";
    case Tensor::gradient:
      return "of dy: ";
    case Tensor::taps:
      return "of dk: ";
  }
  return {};
}

// A step on what comes in or goes out, by what that is.
std::string alone_as(const Transform& plan, std::string_view window, std::string_view row, std::string_view pair) {
  return std::string(!are_alone(plan.packing) ? pair : plan.windows ? window : row);
}

std::string describe_for_tensor(const Transform& plan, const Step& step) {
  const char* direction = step.inverse ? "inverse" : "forward";
  const auto radix = [&] { return plan.digits[static_cast<std::size_t>(step.digit)].radix; };
  switch (step.kind) {
    case StepKind::load:
      return alone_as(plan, "load a window as one complex row, its later half as real part", "load a row",
                      "load a pair of rows as one complex row");
    case StepKind::store:
      if (step.tensor == Tensor::taps) return "store the taps";
      return alone_as(plan, "store the window", "store the row", "store the pair");
    case StepKind::exchange:
      return step.level == Level::cluster ? "exchange through the shared memory of the cluster"
             : step.level == Level::grid  ? "exchange through the workspace, with other blocks"
                                          : "exchange through shared memory";
    case StepKind::pointwise:
      return step.tensor == Tensor::gradient ? "multiply by the conjugate of the filter's spectrum"
                                             : "multiply by the filter's spectrum";
    case StepKind::accumulate:
      return "add the conjugate of u's frequencies times dy's to the sums of the batch";
    case StepKind::take_sums:
      return step.tensor == Tensor::taps ? "take the sums, where a block has all rows of its channel"
                                         : "the sums, with a channel's last pair, take the place of u's frequencies";
    case StepKind::butterfly:
      return fmt::format("{} butterfly over digit {}, radix {}", direction, step.digit, radix());
    case StepKind::contract:
      return fmt::format("{} product over digit {}, radix {}, data as operand {}", direction, step.digit, radix(),
                         step.role == Role::a ? "A" : "B");
    case StepKind::twiddle:
      return fmt::format("{} twiddle between digits {{{}}} and {{{}}}", direction, fmt::join(step.done, ","),
                         fmt::join(step.open, ","));
  }
  return {};
}

}  // namespace

std::string describe(const Transform& plan, const Step& step) {
  return tensor_prefix(plan, step) + describe_for_tensor(plan, step);
}

ConvConfig as_given(ConvConfig config) {
  config.scaling = Scaling::given;
  return config;
}

bool finds_magnitudes(const ConvConfig& config, const Plan& plan) {
  if (const auto* const split = plan.as<FourStepPlan>()) return finds_tile_powers(config, *split);
  if (const auto* const cluster = plan.as<ClusterPlan>()) return finds_piece_powers(config, *cluster);
  const auto* const in_block = plan.as<InBlockPlan>();
  if (config.scaling != Scaling::found || in_block == nullptr) return false;
  // Rows of a pair share what fp16 rounds. With powers of two of their own, up to twice apart, it would be 13% more
  // than in one, of errors that have no room for it.
  const bool pairs = !in_block->is_backward() && !are_alone(in_block->packing);
  if (config.dtype == DataType::fp16 && pairs) return false;
  // Where tensors take turns, rows that do not fit a thread's registers would be read twice.
  const Geometry& geometry = in_block->geometry;
  if (!geometry.in_turn || !geometry.gate_at_load) return true;
  return tensor_chunks_of_thread(*in_block, true) <= measured::most_chunks_of_tensor;
}

ConvConfig kernel_config(const ConvConfig& config, const Plan& plan) {
  return config.scaling == Scaling::found && !finds_magnitudes(config, plan) ? as_given(config) : config;
}

}  // namespace ffc
