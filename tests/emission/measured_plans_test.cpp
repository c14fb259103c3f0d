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

const fs::path tables = FFC_MEASURED_TABLES;

// Length, taps, padding and gating, as the tables write them; where a table says nothing of taps, 0.
using Timed = std::tuple<std::int64_t, std::int64_t, std::string, std::string>;
using Ratios = std::map<std::string, double>;  // time over a copy, by the kernel's name

std::map<Timed, Ratios> timed_plans(const std::string& table) {
  std::map<Timed, Ratios> all;
  for (const examples::CsvRow& row : examples::read_csv(tables / table).rows) {
    const bool has_taps = row.cells.count("filter_length") > 0;
    const Timed timed{static_cast<std::int64_t>(row.number("length")),
                      has_taps ? static_cast<std::int64_t>(row.number("filter_length")) : 0, row.text("padding"),
                      row.text("gating")};
    all[timed].emplace(row.text("kernel"), row.number("ratio"));
  }
  return all;
}

// As `bench` asks for it.
ConvConfig config_of(const Timed& timed, Pass pass) {
  const auto& [length, taps, padding, gating] = timed;
  ConvConfig config;
  config.pass = pass;
  if (padding == "causal")
    config.padding = Padding::causal, config.length = length, config.filter_length = taps;
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

void check_choices(const std::string& table, Pass pass) {
  const std::map<Timed, Ratios> all = timed_plans(table);
  REQUIRE(all.size() > 150);
  int found = 0, fast = 0;
  for (const auto& [timed, ratios] : all) {
    const auto chosen = ratios.find(generate(config_of(timed, pass)).conv.name);
    if (chosen == ratios.end()) continue;
    ++found;
    const double over = chosen->second / fastest(ratios);
    fast += over < 1.05 ? 1 : 0;
    const auto& [length, taps, padding, gating] = timed;
    const std::string words = fmt::format("{} with {} taps, {}, {}: {} takes {:.2f} times the fastest", length, taps,
                                          padding, gating, chosen->first, over);
    INFO(words);
    // Past one block some shapes count for more or less than they take, for the sake of their gradients, and gradients
    // have the shape of the convolution whose spectrum they share.
    CHECK(over < 1.2);
  }
  MESSAGE(fmt::format("{}: {} of {} plans were timed, {} within 5% of the fastest", table, found, all.size(), fast));
  CHECK(found >= 0.9 * static_cast<double>(all.size()));
  CHECK(fast >= 0.9 * found);
}

}  // namespace

TEST_CASE("plans that are chosen are among the fastest that were timed") { check_choices("plans.csv", Pass::forward); }

TEST_CASE("plans of gradients that are chosen are among the fastest that were timed") {
  check_choices("gradient_plans.csv", Pass::backward);
}
