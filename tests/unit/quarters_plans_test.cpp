// Which rows and windows alone have halved products, and where registers hold their spectrum.
#include <doctest/doctest.h>

#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "quarters_case.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

TEST_CASE("12 to 64 rows have their first product at frequencies between; gates, fp32 and other rows have not") {
  const auto fractional = [](const Case& test, Accumulation accumulation = Accumulation::automatic) {
    ConvConfig config = config_of(test);
    config.accumulation = accumulation;
    const Plan plan = make_plans(normalised(config)).front();
    CHECK(plan->right_angle());
    return plan.as<InBlockPlan>()->fractional_rows;
  };
  CHECK(fractional({{12, 2, 16, 16}, 40000, 2048}));
  CHECK(fractional({{16, 2, 16, 16}, 8192, 8192}));
  CHECK(fractional({{16, 2, 16, 16}, 8192, 8192}, Accumulation::fp16));
  CHECK_FALSE(fractional({{16, 2, 16, 16}, 8192, 8192}, Accumulation::fp32));
  CHECK_FALSE(fractional({{16, 2, 16, 16}, 8192, 8192, Gating::in}));
  CHECK(fractional({{16, 16, 16}, 4096, 4096}));
  CHECK_FALSE(fractional({{16, 16, 16}, 4096, 4096, Gating::both}));
  CHECK_FALSE(fractional({{10, 16, 16}, 2560, 2560}));
  CHECK_FALSE(fractional({{16, 16, 16}, 40000, 2048}));  // windows
  CHECK(fractional({{16, 4, 16, 16}, 16384, 16384}));
  CHECK_FALSE(fractional({{16, 8, 16, 16}, 32768, 32768}));
}

TEST_CASE("registers hold the spectrum of windows of 17 to 32 rows and of 32 rows alone") {
  struct Wanted {
    Case test;
    Placement spectrum;
    int groups, rows_at_once;
  };
  for (const auto& [test, spectrum, groups, rows_at_once] :
       {Wanted{{{16, 2, 16, 16}, 40000, 4096}, Placement::registers, 3, 2},
        Wanted{{{14, 2, 16, 16}, 40000, 4096}, Placement::registers, 3, 1},
        Wanted{{{10, 2, 16, 16}, 40000, 1024}, Placement::registers, 4, 1},
        Wanted{{{16, 2, 16, 16}, 8192, 8192}, Placement::registers, 4, 1},
        Wanted{{{15, 2, 16, 16}, 7680, 7680}, Placement::global, 5, 1},
        // No room for another group than one, which has the warps of two.
        Wanted{{{16, 2, 16, 16}, 8192, 8192, Gating::none, DataType::fp16, 2, 0, "sm_86"}, Placement::global, 1, 1}}) {
    const InBlockPlan plan = plan_of(test);
    CAPTURE(plan.rows());
    CHECK(plan.fractional_rows);
    CHECK(plan.geometry.walks_channels);
    CHECK(plan.geometry.spectrum == spectrum);
    CHECK(plan.geometry.groups == groups);
    CHECK(plan.geometry.couples_at_once == rows_at_once);
  }
}

TEST_CASE("33 to 64 rows fill the registers of 8 warps: a channel's spectrum, two rows at once") {
  const InBlockPlan plan = plan_of({{16, 4, 16, 16}, 70000, 8192});
  CHECK(plan.geometry.groups == 2);
  CHECK(plan.geometry.warps_per_group == 4);
  CHECK(plan.geometry.couples_at_once == 2);
  CHECK(plan.geometry.spectrum == Placement::registers);
  // 60 rows are an odd number for each warp, and where one group has all of the memory it has all of the warps.
  const Case one_group = {{16, 4, 16, 16}, 70000, 8192, Gating::none, DataType::fp16, 2, 0, "sm_80"};
  for (const Case& test : {Case{{15, 4, 16, 16}, 70000, 8192}, one_group}) {
    const Geometry geometry = plan_of(test).geometry;
    CHECK(geometry.warps_per_group == 8);
    CHECK(geometry.couples_at_once == 1);
    CHECK(geometry.spectrum == Placement::global);
  }
  CHECK(plan_of(one_group).geometry.groups == 1);
}

TEST_CASE("sums of fractional rows are as wide as the bar asks for") {
  CHECK(plan_of({{16, 2, 16, 16}, 40000, 4096}).row_sums == RowSums::rounded);
  CHECK(plan_of({{16, 4, 16, 16}, 70000, 8192}).row_sums == RowSums::accumulated);
  CHECK(plan_of({{16, 3, 16, 16}, 40000, 4096}).row_sums == RowSums::wide);
}
