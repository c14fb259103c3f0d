// `bench --digits`: what the cost model expects of the cheapest plans of two, three and four digits, and what they
// take.
#pragma once

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <ffc/generator/plan_report.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench_case.hpp"

namespace ffc::examples {

/// Calls `visit` with every way to write n as a product of `count` powers of two from 2 to 64, in every order.
inline void for_each_product(std::int64_t n, int count, std::vector<int>& digits,
                             const std::function<void(const std::vector<int>&)>& visit) {
  constexpr int largest = 64;
  if (count == 1) {
    if (n < 2 || n > largest) return;
    digits.push_back(static_cast<int>(n));
    visit(digits);
    digits.pop_back();
    return;
  }
  for (int radix = 2; radix <= largest; radix *= 2) {
    if (n % radix != 0) continue;
    digits.push_back(radix);
    for_each_product(n / radix, count - 1, digits, visit);
    digits.pop_back();
  }
}

/// The config with the digits, `count` of them, that are predicted to take least time; nothing where there are none.
inline std::optional<ConvConfig> cheapest_of_digits(ConvConfig config, int count, const std::string& arch) {
  std::optional<ConvConfig> best;
  double least = 0;
  config.arch = arch;
  std::vector<int> digits;
  for_each_product(config.fft_length, count, digits, [&](const std::vector<int>& radices) {
    config.radices = radices;
    try {
      const PlanSummary plan = rank_plans(config, 1).front();
      if (plan.factorisation != fmt::format("{}", fmt::join(radices, "x"))) return;
      if (best && plan.predicted_us_per_pair >= least) return;
      least = plan.predicted_us_per_pair;
      best = config;
    } catch (const ConfigError&) {
      // No kernel has these digits.
    }
  });
  return best;
}

inline void print_digits_heading(bool csv) {
  fmt::print("{}", csv ? "fft_length,digits,factorisation,batch,channels,predicted_ms,ms,floor_ms,rel_err,kernel\n"
                       : fmt::format("{:>8} {:>6} {:>12} {:>3} {:>4} {:>12} {:>9} {:>9} {:>9}  {}\n", "N", "digits",
                                     "radices", "B", "H", "predicted ms", "ms", "floor ms", "rel err", "kernel"));
}

inline void print_digits(bool csv, const ConvConfig& config, const BenchResult& r) {
  fmt::print(fmt::runtime(csv ? "{},{},{},{},{},{:.5f},{:.5f},{:.5f},{:.3e},{}\n"
                              : "{:>8} {:>6} {:>12} {:>3} {:>4} {:>12.4f} {:>9.4f} {:>9.4f} {:>9.2e}  {}\n"),
             r.fft_length, config.radices.size(), fmt::format("{}", fmt::join(config.radices, "x")), r.batch,
             r.channels, r.predicted_milliseconds, r.milliseconds, r.floor_milliseconds, r.error, r.kernel);
  std::fflush(stdout);
}

}  // namespace ffc::examples
