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

// One pass over the points, and its matrix products per point.
double digit_cost(int radix) {
  const double tiles = std::ceil(radix / 16.0);
  return 3.0 + 2.0 * tiles * tiles * 16.0 / radix;
}

double cost_of(const std::vector<int>& radices) {
  double cost = 0;
  for (const int radix : radices) cost += digit_cost(radix);
  return cost;
}

// The cheapest list whose digits are products of radices that follow each other.
std::vector<int> merged_neighbours(const std::vector<int>& radices) {
  std::vector<std::vector<int>> best = {{}};  // of the first 0, 1, ... radices
  for (std::size_t end = 1; end <= radices.size(); ++end) {
    best.emplace_back();
    int product = 1;
    for (std::size_t begin = end; begin > 0 && product * radices[begin - 1] <= largest_radix; --begin) {
      product *= radices[begin - 1];
      std::vector<int> list = best[begin - 1];
      list.push_back(product);
      if (best[end].empty() || cost_of(list) < cost_of(best[end])) best[end] = std::move(list);
    }
  }
  return best.back();
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

// The leading digits that leave rows which a block holds.
int outer_digits_of(const std::vector<int>& radices, std::int64_t n, const Arch& arch) {
  int outer = 0;
  for (std::int64_t points = n; points * word_bytes > arch.shared_per_block; ++outer)
    points /= radices[static_cast<std::size_t>(outer)];
  return outer;
}

// As many as share a block's passes where one alone is short of columns.
int pairs_at_once(const MixedRadixPlan& plan) {
  int pairs = 1;
  if (plan.outer_digits > 0) return pairs;
  while (pairs < measured::most_word_pairs && 2 * pairs * plan.transform_length <= measured::words_of_pairs) pairs *= 2;
  return pairs;
}

// That an SM has registers for.
int warps_of_sm(const MixedRadixPlan& plan) {
  int largest = 1;
  for (const Digit& digit : plan.digits) largest = std::max(largest, digit.radix);
  return measured::word_warps_of_sm[(largest + 15) / 16 - 1];
}

// Those that share an SM with as many blocks as its memory holds, up to a few; no more than the digit of the smallest
// radix has columns for.
int warps_of(const MixedRadixPlan& plan, int blocks) {
  const std::int64_t points = plan.pairs_at_once * (plan.outer_digits > 0 ? plan.transform_length : plan.points());
  std::int64_t columns = 1;
  for (const Digit& digit : plan.digits) columns = std::max(columns, points / digit.radix);
  const std::int64_t warps = (columns + measured::columns_of_word_warp - 1) / measured::columns_of_word_warp;
  return static_cast<int>(
      std::min<std::int64_t>(warps, warps_of_sm(plan) / std::min(blocks, measured::few_word_blocks)));
}

}  // namespace

std::vector<int> general_radices(std::int64_t n) {
  std::map<std::int64_t, Split> known;
  return best_split(n, known).radices;
}

std::vector<int> general_digits_of(const std::vector<int>& radices) {
  std::int64_t n = 1;
  for (const int radix : radices) n *= radix;
  const std::vector<int> merged = merged_neighbours(radices), best = general_radices(n);
  const double most = measured::worth_asked_digits * std::min(cost_of(merged), cost_of(best));
  return cost_of(radices) <= most ? radices : cost_of(merged) <= most ? merged : best;
}

std::vector<int> general_digits(std::int64_t n, const Arch& arch) {
  for (const int leading : {1, 2, 4}) {
    if (n % leading != 0 || n / leading * word_bytes > arch.shared_per_block) continue;
    std::vector<int> digits = general_radices(n / leading);
    if (leading > 1 && !digits.empty()) digits.insert(digits.begin(), leading);
    return digits;
  }
  return {};
}

MixedRadixPlan general_plan(const ConvConfig& config, const std::vector<int>& radices, std::int64_t transform_length,
                            const Arch& arch) {
  MixedRadixPlan plan;
  plan.transform_length = transform_length;
  plan.length = config.length;
  plan.digits = make_digits(radices);
  plan.outer_digits = outer_digits_of(radices, transform_length, arch);
  plan.pairs_at_once = pairs_at_once(plan);
  plan.accumulation = Accumulation::fp32;
  plan.steps = general_steps(plan);
  const bool exchanges = radices.size() > static_cast<std::size_t>(plan.outer_digits) + 1;
  const auto words = static_cast<int>(plan.pairs_at_once * plan.points());
  const int columns = words / radices.back();
  plan.padding = radices.back() % 2 == 0 && (words + columns) * word_bytes <= arch.shared_per_block ? 1 : 0;
  plan.shared_bytes = exchanges ? (words + plan.padding * columns) * word_bytes : 0;
  const int fitting =
      plan.outer_digits > 0 ? 1 : std::max(1, arch.shared_per_sm / (plan.shared_bytes + Arch::reserved_per_block));
  plan.warps = warps_of(plan, fitting);
  plan.blocks_per_sm = std::clamp(std::min(fitting, warps_of_sm(plan) / plan.warps), 1, measured::most_word_blocks);
  return plan;
}

}  // namespace ffc
