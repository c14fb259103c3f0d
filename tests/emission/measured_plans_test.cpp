// Plans that are chosen are among the fastest of those that were timed for the same config (`bench --runners-up`).
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <ffc/generator/generate.hpp>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>

#include "../../examples/csv.hpp"

namespace fs = std::filesystem;
using namespace ffc;

namespace {

const fs::path table = FFC_MEASURED_PLANS;

// Length, padding and gating, as the table writes them.
using Timed = std::tuple<std::int64_t, std::string, std::string>;
using Ratios = std::map<std::string, double>;  // time over a copy, by the kernel's name

std::map<Timed, Ratios> timed_plans() {
  std::map<Timed, Ratios> all;
  for (const examples::CsvRow& row : examples::read_csv(table).rows)
    all[{static_cast<std::int64_t>(row.number("length")), row.text("padding"), row.text("gating")}].emplace(
        row.text("kernel"), row.number("ratio"));
  return all;
}

// As `bench` asks for it.
ConvConfig config_of(const Timed& timed) {
  const auto& [length, padding, gating] = timed;
  ConvConfig config;
  if (padding == "causal")
    config.padding = Padding::causal, config.length = length;
  else
    config.fft_length = length;
  config.gating = gating == "both" ? Gating::both : Gating::none;
  config.scaling = Scaling::fixed;
  config.batch = 64;
  config.arch = "sm_90a";
  return config;
}

double fastest(const Ratios& ratios) {
  return std::min_element(ratios.begin(), ratios.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->second;
}

}  // namespace

TEST_CASE("plans that are chosen are among the fastest that were timed") {
  const std::map<Timed, Ratios> all = timed_plans();
  REQUIRE(all.size() > 150);
  int found = 0, fast = 0;
  for (const auto& [timed, ratios] : all) {
    const auto chosen = ratios.find(generate(config_of(timed)).conv.name);
    if (chosen == ratios.end()) continue;
    ++found;
    const double over = chosen->second / fastest(ratios);
    fast += over < 1.05 ? 1 : 0;
    const auto& [length, padding, gating] = timed;
    const std::string words =
        fmt::format("{} {} {}: {} takes {:.2f} times the fastest", length, padding, gating, chosen->first, over);
    INFO(words);
    // Past one block some shapes count for more or less than they take, for the sake of their gradients.
    CHECK(over < 1.2);
  }
  MESSAGE(fmt::format("{} of {} plans were timed, {} within 5% of the fastest", found, all.size(), fast));
  CHECK(found >= 0.9 * static_cast<double>(all.size()));
  CHECK(fast >= 0.9 * found);
}
