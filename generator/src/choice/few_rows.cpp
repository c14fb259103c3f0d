// Which gradients have to know that a channel has few rows, and one launch of them or two, by their predicted costs.
#include "ffc/generator/few_rows.hpp"

#include "backward_plan.hpp"
#include "choices.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "plan_limits.hpp"
#include "threads.hpp"

namespace ffc {
namespace {

// With more rows a channel sums take little.
bool may_part(const ConvConfig& config) {
  const Gradients& wanted = config.gradients;
  return config.pass == Pass::backward && config.batch == 1 && wanted.v && wanted.k && (wanted.u || wanted.w) &&
         config.report == Report::none && config.runner_up == 0;
}

}  // namespace

int few_rows_hint(const ConvConfig& config, std::int64_t batch) {
  const auto up_to = [&](int most) { return batch >= 1 && batch <= most ? static_cast<int>(batch) : 0; };
  if (config.pass == Pass::forward) {
    // Real rows have the spectrum of pairs; others that go alone have not.
    const bool may_go_alone = config.padding == Padding::circular && config.length <= longest_tiled && batch % 2 == 1;
    return may_go_alone ? up_to(measured::most_few_odd_rows) : 0;
  }
  // So long that the blocks of a cluster share them, but not so few.
  constexpr std::int64_t longest_alone = std::int64_t{256} * (measured::rows_in_turns - measured::rows_in_turns / 16);
  const int few = config.length > longest_alone ? up_to(measured::most_few_rows) : 0;
  if (few > 0) return few;
  constexpr int most = measured::most_few_rows_of_block;
  return weighs_eight_rows(config.length) && up_to(most) > 0 ? most : 0;
}

std::optional<GradientParts> gradient_parts(const ConvConfig& given) {
  const ConvConfig config = normalised(given);
  const std::optional<ConvConfig> convolution = may_part(config) ? followed_config(config) : std::nullopt;
  if (!convolution) return std::nullopt;
  GradientParts parts = {*convolution, config};
  parts.others.gradients.v = false;
  const Plan others = make_plans(parts.others).front();
  if (!others->backward.returns_sums) return std::nullopt;
  const Plan of_dv = make_plans(parts.convolution).front();
  const double together = make_plans(config).front()->cost.total;
  if (!share_digits_alone(of_dv, others) || of_dv->cost.total + others->cost.total >= together) return std::nullopt;
  return parts;
}

}  // namespace ffc
