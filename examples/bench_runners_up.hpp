// `bench --runners-up`: what the plans take that were not chosen.
#pragma once

#include <cstddef>
#include <ffc/generator/plan_report.hpp>
#include <string>
#include <vector>

#include "bench_case.hpp"

namespace ffc::examples {

/// Each config, and each again with the plans behind its first one: `runners_up` of them, or as many as there are.
inline std::vector<ConvConfig> with_runners_up(const std::vector<ConvConfig>& configs, int runners_up,
                                               const std::string& arch) {
  std::vector<ConvConfig> all;
  for (ConvConfig config : configs) {
    ConvConfig with_arch = config;
    with_arch.arch = arch;
    const std::size_t plans = rank_plans(with_arch, static_cast<std::size_t>(runners_up) + 1).size();
    for (; static_cast<std::size_t>(config.runner_up) < plans; ++config.runner_up) all.push_back(config);
  }
  return all;
}

}  // namespace ffc::examples
