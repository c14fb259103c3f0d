// Factorisation and geometry of the general family.
#include "general_plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "ffc/generator/arch.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "steps.hpp"
#include "threads.hpp"

namespace ffc {
namespace {

constexpr int largest_radix = 64;
constexpr int word_bytes = 4;
constexpr int reserved_per_block = 1024;

// One pass over the points, and its matrix products per point.
double digit_cost(int radix) {
  const double tiles = std::ceil(radix / 16.0);
  return 3.0 + 2.0 * tiles * tiles * 16.0 / radix;
}

struct Split {
  double cost = 0;
  std::vector<int> radices;
};

// The cheapest list for n; empty with a cost of infinity where there is none.
const Split& best_split(std::int64_t n, std::map<std::int64_t, Split>& known) {
  const auto found = known.find(n);
  if (found != known.end()) return found->second;
  Split best;
  if (n > 1) best.cost = HUGE_VAL;
  for (int radix = 2; radix <= largest_radix && radix <= n; ++radix) {
    if (n % radix != 0) continue;
    const Split& rest = best_split(n / radix, known);
    if (digit_cost(radix) + rest.cost >= best.cost) continue;
    best.cost = digit_cost(radix) + rest.cost;
    best.radices = rest.radices;
    best.radices.push_back(radix);
  }
  std::sort(best.radices.begin(), best.radices.end(), std::greater<>());
  return known.emplace(n, std::move(best)).first->second;
}

// 1 where all points fit, else the leading digit where looping over it lets them; 0 where nothing does.
int sweeps_of(const std::vector<int>& radices, std::int64_t n, const Arch& arch) {
  for (const int sweeps : general_sweeps)
    if ((sweeps == 1 || radices.front() == sweeps) && fits_sweeps(n, sweeps, arch)) return sweeps;
  return 0;
}

// As the digit of the smallest radix has columns for.
int warps_of(const MixedRadixPlan& plan) {
  std::int64_t columns = 1;
  for (const Digit& digit : plan.digits) columns = std::max(columns, plan.transform_length / plan.sweeps / digit.radix);
  const std::int64_t warps = (columns + measured::columns_of_word_warp - 1) / measured::columns_of_word_warp;
  return static_cast<int>(std::min<std::int64_t>(warps, measured::most_word_warps));
}

}  // namespace

std::vector<int> general_radices(std::int64_t n) {
  std::map<std::int64_t, Split> known;
  return best_split(n, known).radices;
}

bool fits_sweeps(std::int64_t n, int sweeps, const Arch& arch) {
  return n % sweeps == 0 && n / sweeps * word_bytes <= arch.shared_per_block;
}

std::vector<int> general_digits(std::int64_t n, const Arch& arch) {
  for (const int sweeps : general_sweeps) {
    if (!fits_sweeps(n, sweeps, arch)) continue;
    std::vector<int> digits = general_radices(n / sweeps);
    if (sweeps > 1 && !digits.empty()) digits.insert(digits.begin(), sweeps);
    return digits;
  }
  return {};
}

std::optional<MixedRadixPlan> general_plan(const ConvConfig& config, const std::vector<int>& radices,
                                           std::int64_t transform_length, const Arch& arch) {
  const int sweeps = sweeps_of(radices, transform_length, arch);
  if (sweeps == 0) return std::nullopt;
  MixedRadixPlan plan;
  plan.transform_length = transform_length;
  plan.length = config.length;
  plan.sweeps = sweeps;
  plan.digits = make_digits(radices);
  plan.accumulation = Accumulation::fp32;
  plan.steps = general_steps(plan);
  plan.shared_bytes = static_cast<int>(transform_length / sweeps) * word_bytes;
  const int fitting = arch.shared_per_sm / (plan.shared_bytes + reserved_per_block);
  plan.warps = warps_of(plan);
  plan.blocks_per_sm =
      std::clamp(std::min(fitting, measured::word_warps_of_sm / plan.warps), 1, measured::most_word_blocks);
  return plan;
}

}  // namespace ffc
