// Columns and rows as statements: what a mask leaves out, in which order a unit takes a tile that leaves and one that
// comes, what is refused, and that counts are those of the statements.
#include "lower_split.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "complex_rows.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/frequency_mask.hpp"
#include "ffc/generator/interpreter.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "ffc/generator/work.hpp"
#include "kept_digits.hpp"
#include "lower_cluster.hpp"
#include "lower_turn.hpp"
#include "statement.hpp"

using namespace ffc;
using namespace ffc::test;

namespace {

ConvConfig config_of(std::int64_t fft_length, int column_length, Gating gating = Gating::none) {
  ConvConfig config;
  config.fft_length = fft_length;
  config.column_length = column_length;
  config.gating = gating;
  config.arch = "sm_90a";
  return config;
}

FourStepPlan plan_of(const ConvConfig& config) {
  const Plan plan = make_plans(normalised(config)).front();
  const FourStepPlan* const split = plan.as<FourStepPlan>();
  REQUIRE(split != nullptr);
  return *split;
}

std::size_t count_of(const std::vector<Statement>& statements, Operation operation) {
  std::size_t count = 0;
  each_statement(statements, [&](const Statement& statement) { count += statement.operation == operation ? 1 : 0; });
  return count;
}

// Where a turn does so, behind what it finds done.
std::size_t place_of(const ColumnTurn& turn, Operation operation, bool inverse) {
  const auto found = std::find_if(turn.body.begin(), turn.body.end(), [&](const Statement& statement) {
    return statement.operation == operation && statement.inverse == inverse;
  });
  REQUIRE(found != turn.body.end());
  return static_cast<std::size_t>(found - turn.body.begin());
}

}  // namespace

TEST_CASE("rows of frequencies that a mask drops are not stored, nor is what rows leave out") {
  std::set<std::string> seen;
  struct Case {
    int column_length, row_length;
    std::vector<std::int64_t> kept, of;
  };
  for (const Case& test : {Case{32, 512, {5, 512}, {32, 512}}, Case{128, 256, {41, 256}, {128, 256}},
                           Case{16, 2048, {9, 3, 256}, {16, 8, 256}}, Case{32, 256, {32, 8, 16}, {32, 16, 16}}}) {
    ConvConfig config = config_of(test.column_length * test.row_length, test.column_length);
    config.mask = keep_counts(test.kept, test.of);
    CAPTURE(to_string(config));
    const FourStepPlan plan = plan_of(config);
    if (columns_left(plan) == ColumnsLeft::one_product) seen.insert("one product");
    if (columns_left(plan) == ColumnsLeft::blocks) seen.insert("blocks");
    if (!plan.kept_columns.empty()) seen.insert("columns");
    if (!plan.row_plan.kept_rows.empty()) seen.insert("rows of 256");
    if (!plan.row_plan.kept_inner.empty()) seen.insert("inner digit");
    const std::vector<std::uint8_t> kept = kept_frequencies(config.mask);
    const Row row = random_row(kept.size(), 1);
    Row masked = random_row(kept.size(), 2), noisy = masked;
    for (std::size_t k = 0; k < kept.size(); ++k) {
      const auto column = static_cast<int>(k % static_cast<std::size_t>(test.column_length));
      const bool dropped =
          !plan.kept_columns.empty() && !std::binary_search(plan.kept_columns.begin(), plan.kept_columns.end(), column);
      if (kept[k] == 0) masked[k] = 0;
      if (!dropped) noisy[k] = masked[k];
    }
    FourStepPlan whole = plan;
    whole.kept_columns.clear();
    whole.row_plan.kept_rows.clear(), whole.row_plan.kept_inner.clear(), whole.row_plan.kept_last.clear();
    const Row expected = interpret(Plan(whole), row, masked);
    CHECK(distance(interpret(Plan(plan), row, masked), expected) < 1e-12);
    CHECK(distance(interpret(Plan(plan), row, noisy), expected) < 1e-12);
    if (!plan.kept_columns.empty()) CHECK(distance(interpret(Plan(whole), row, noisy), expected) > 0.1);
  }
  CHECK(seen == std::set<std::string>{"blocks", "columns", "inner digit", "one product", "rows of 256"});
}

TEST_CASE("in a turn, what others wait for is stored first, and it is told behind a barrier") {
  for (const int column_length : {16, 64, 256, 512})
    for (const Gating gating : {Gating::none, Gating::both}) {
      const ConvConfig config = config_of(std::int64_t{1024} * column_length, column_length, gating);
      const FourStepPlan plan = plan_of(config);
      CAPTURE(to_string(config));
      const ColumnTurn turn = lower_turn(config, plan);
      const std::size_t stored = place_of(turn, Operation::store, false),
                        told = place_of(turn, Operation::count, false);
      CHECK(turn.body[told - 1].operation == Operation::barrier);
      CHECK(turn.body[told - 1].scope == Scope::unit);
      CHECK(stored < told);
      if (plan.columns.tiles > 1) CHECK(told < place_of(turn, Operation::store, true));
      CHECK(count_of(turn.opening, Operation::await) == 1);
    }
}

TEST_CASE("work is what the statements take") {
  for (const int column_length : {16, 48, 128, 256}) {
    const ConvConfig config = normalised(config_of(std::int64_t{1024} * column_length, column_length));
    const FourStepPlan plan = plan_of(config);
    REQUIRE(plan.row_plan.outer_tile == 1);  // all products are of 16
    double products = 0, arrivals = 0, stored = 0;
    const std::vector<Statement> statements = lower_split(config, plan);
    each_statement(statements, [&](const Statement& statement) {
      if (statement.operation == Operation::barrier) arrivals += statement.times;
      if (statement.operation == Operation::store) stored += 1024 * statement.workspace * statement.times;
      if (statement.operation == Operation::contract) products += 8 * statement.times;
    });
    const Work work = predict_work(plan, config);
    CHECK(work.matrix_products == products);
    CHECK(work.barrier_arrivals == arrivals);
    CHECK(work.bytes_written == stored + 4 * static_cast<double>(plan.length));
    // Into the workspace from columns and from rows.
    CHECK(stored == 2 * 4 * static_cast<double>(plan.transform_length));
  }
}

TEST_CASE("a cluster's columns put frequencies where its rows are, which neither load nor store them") {
  ConvConfig config = config_of(65536, 4);
  const Plan plan = make_plans(normalised(config)).front();
  const ClusterPlan* const cluster = plan.as<ClusterPlan>();
  REQUIRE(cluster != nullptr);
  const std::vector<Statement> statements = lower_cluster(config, *cluster);
  REQUIRE(statements.size() == 3);
  CHECK(count_of(statements[1].body, Operation::load) + count_of(statements[1].body, Operation::store) == 0);
  CHECK(count_of(statements, Operation::await) == 2);
  CHECK(count_of(statements, Operation::count) == 2);
  // Samples that come are asked for while others leave.
  const ColumnTurn turn = lower_cluster_turn(config, *cluster);
  CHECK(count_of(turn.opening, Operation::load) == 1);
  const auto rounds = std::find_if(turn.body.begin(), turn.body.end(),
                                   [](const Statement& statement) { return statement.loop == Loop::rounds; });
  REQUIRE(rounds != turn.body.end());
  CHECK(rounds->body.front().inverse);
  CHECK(rounds->body.back().operation == Operation::ahead);
  ClusterPlan wrong = *cluster;
  std::swap(wrong.steps[1], wrong.steps[2]);
  CHECK_THROWS_AS((void)lower_cluster(config, wrong), std::logic_error);
}

TEST_CASE("gradients are the same from rows that are there together and from rows that take turns") {
  constexpr std::int64_t length = 32768;
  const Row u = random_row(length, 1), dy = random_row(length, 2), spectrum = random_row(length, 3);
  std::vector<InterpretedGradients> results;
  for (const int column_length : {16, 128}) {
    ConvConfig config = config_of(length, column_length, Gating::both);
    config.pass = Pass::backward;
    config.gradients = parse_gradients("du,dw,dv,dk");
    const FourStepPlan plan = plan_of(config);
    CHECK(plan.row_plan.geometry.in_turn == (column_length == 128));
    results.push_back(interpret_backward(Plan(plan), u, dy, spectrum));
    const std::vector<Statement> statements = lower_split(config, plan);
    REQUIRE(statements.size() == 5);
    CHECK(count_of(statements[2].body, Operation::turn) == (column_length == 128 ? 2 : 0));
    CHECK(count_of(statements[2].body, Operation::store) == 2);
  }
  CHECK(distance(results[0].sums, results[1].sums) < 1e-11);
  CHECK(distance(results[0].input, results[1].input) < 1e-11);
  CHECK(distance(results[0].gradient, results[1].gradient) < 1e-11);
}

TEST_CASE("a list that loses a step, has one twice or one too early is refused") {
  const ConvConfig config = config_of(65536, 32);
  const FourStepPlan right = plan_of(config);
  REQUIRE_NOTHROW((void)lower_split(config, right));
  FourStepPlan wrong = right;
  const auto at = [&](StepKind kind) {
    return std::find_if(wrong.steps.begin(), wrong.steps.end(), [&](const Step& step) { return step.kind == kind; });
  };
  SUBCASE("a twiddle of columns behind the store") { wrong.steps.push_back(*at(StepKind::twiddle)); }
  SUBCASE("a butterfly ahead of its products") { std::iter_swap(at(StepKind::butterfly), at(StepKind::contract)); }
  SUBCASE("the exchange ahead of the columns") { std::iter_swap(at(StepKind::exchange), at(StepKind::contract)); }
  SUBCASE("a butterfly of a digit that columns have not") { at(StepKind::butterfly)->digit = 0; }
  CHECK_THROWS_AS((void)lower_split(config, wrong), std::logic_error);
}
