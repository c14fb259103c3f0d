// Factorisation and geometry of the general family.
#include "general_plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "steps.hpp"

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

// Fewest sweeps (a leading digit that is looped over) that let the points fit; 0 where none does.
int sweeps_for(std::int64_t transform_length, const Arch& arch) {
  for (const int sweeps : {1, 2, 4})
    if (transform_length % sweeps == 0 && transform_length / sweeps * word_bytes <= arch.shared_per_block)
      return sweeps;
  return 0;
}

}  // namespace

std::vector<int> general_radices(std::int64_t n) {
  std::map<std::int64_t, Split> known;
  return best_split(n, known).radices;
}

std::optional<Plan> general_plan(const ConvConfig& config, const std::vector<int>& radices,
                                 std::int64_t transform_length, const Arch& arch) {
  const int sweeps = sweeps_for(transform_length, arch);
  if (sweeps == 0) return std::nullopt;
  std::vector<int> digits = radices;
  if (sweeps > 1) {
    // The sweep digit comes first; the rest is factorised anew, unless the caller's list already begins with it.
    if (digits.empty() || digits.front() != sweeps) {
      digits = general_radices(transform_length / sweeps);
      digits.insert(digits.begin(), sweeps);
    }
  }
  Plan plan;
  plan.family = Family::general;
  plan.transform_length = transform_length;
  plan.length = config.length;
  plan.sweeps = sweeps;
  plan.digits = make_digits(digits);
  plan.accumulation = Accumulation::fp32;
  plan.steps = general_steps(plan);
  plan.geometry.warps_per_group = 8;
  plan.shared.total = static_cast<int>(transform_length / sweeps) * word_bytes;
  const int fitting = arch.shared_per_sm / (plan.shared.total + reserved_per_block);
  plan.geometry.blocks_per_sm = std::clamp(fitting, 1, 4);
  return plan;
}

}  // namespace ffc
