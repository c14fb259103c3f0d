// Plans of one block as statements: what a mask leaves out, which products carry their factors, what is refused, and
// that the counts of a pair are those of its statements.
#include "lower_tiled.hpp"

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
#include "statement.hpp"
#include "step_numbers.hpp"
#include "step_text.hpp"
#include "tile_counts.hpp"

using namespace ffc;
using namespace ffc::test;

namespace {

ConvConfig config_of(std::int64_t fft_length, FrequencyMask mask = {}) {
  ConvConfig config;
  config.fft_length = fft_length;
  config.mask = std::move(mask);
  config.arch = "sm_90a";
  return normalised(config);
}

// The cheapest plan of one block.
InBlockPlan plan_of(const ConvConfig& config) {
  for (const Plan& plan : make_plans(config))
    if (const InBlockPlan* const in_block = plan.as<InBlockPlan>()) return *in_block;
  FAIL("there is no plan in one block");
  return {};
}

bool holds(const std::vector<int>& kept, std::int64_t value) {
  return kept.empty() || std::count(kept.begin(), kept.end(), value) > 0;
}

// Frequencies that the kernel computes.
bool is_computed(const InBlockPlan& plan, std::int64_t frequency) {
  const std::int64_t rows = plan.rows();
  return keeps_row(plan, static_cast<int>(frequency % rows)) && holds(plan.kept_inner, frequency / rows % 16) &&
         holds(plan.kept_last, frequency / rows / 16);
}

std::vector<Statement> all_of(const std::vector<Statement>& statements, Operation operation) {
  std::vector<Statement> found;
  each_statement(statements, [&](const Statement& statement) {
    if (statement.operation == operation) found.push_back(statement);
  });
  return found;
}

}  // namespace

TEST_CASE("what a mask leaves out is left out of the statements") {
  std::set<std::string> seen;
  for (const auto& [counts, radices] :
       std::vector<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>>{{{3, 256}, {4, 256}},
                                                                                    {{4, 256}, {8, 256}},
                                                                                    {{7, 256}, {16, 256}},
                                                                                    {{32, 256}, {64, 256}},
                                                                                    {{5, 2, 256}, {16, 2, 256}},
                                                                                    {{8, 16}, {16, 16}},
                                                                                    {{16, 8}, {16, 16}},
                                                                                    {{4, 8, 16}, {8, 16, 16}}}) {
    const FrequencyMask mask = keep_counts(counts, radices);
    const ConvConfig config = config_of(mask.length(), mask);
    const InBlockPlan plan = plan_of(config);
    CAPTURE(to_string(config));
    if (!plan.kept_inner.empty()) seen.insert("inner");
    if (!plan.kept_last.empty()) seen.insert("last");
    if (!plan.kept_rows.empty()) seen.insert(plan.outer_tile > 1 ? "rows of columns" : "rows of a warp");
    if (kept_butterflies(plan, plan.outer_butterfly) < plan.outer_butterfly) seen.insert("butterflies");
    const std::vector<std::uint8_t> kept = kept_frequencies(mask);
    const Row row = random_row(kept.size(), 1);
    Row masked = random_row(kept.size(), 2), noisy = masked;
    bool any = false;
    for (std::size_t k = 0; k < kept.size(); ++k) {
      if (kept[k] == 0) masked[k] = 0;
      if (is_computed(plan, static_cast<std::int64_t>(k))) noisy[k] = masked[k];
      any = any || noisy[k] != masked[k];
    }
    REQUIRE(any);
    InBlockPlan whole = plan;
    whole.kept_rows.clear(), whole.kept_inner.clear(), whole.kept_last.clear();
    const Row expected = interpret(Plan(whole), row, masked);
    CHECK(distance(interpret(Plan(plan), row, masked), expected) < 1e-12);
    CHECK(distance(interpret(Plan(plan), row, noisy), expected) < 1e-12);
    CHECK(distance(interpret(Plan(whole), row, noisy), expected) > 0.1);
  }
  CHECK(seen == std::set<std::string>{"butterflies", "inner", "last", "rows of a warp", "rows of columns"});
}

TEST_CASE("products apply as many factors as the plan fuses") {
  const ConvConfig config = config_of(4096);
  InBlockPlan plan = plan_of(config);
  for (int fused = 0; fused <= 4; ++fused) {
    plan.fused_factors = fused;
    const std::vector<Statement> statements = lower_tiled(config, plan);
    std::size_t applied = 0;
    for (const Statement& product : all_of(statements, Operation::contract))
      applied += product.operand != Operand::none && product.applied == Applied::to_results ? 1 : 0;
    CHECK(static_cast<int>(applied) == fused);
    // Two twiddles each way and the spectrum.
    CHECK(static_cast<int>(all_of(statements, Operation::multiply).size()) == 5 - fused);
  }
}

TEST_CASE("columns exchange their tiles at a barrier of the group, and warps that hold a pair have none") {
  for (const std::int64_t length : {256, 1024, 4096, 8192}) {
    const ConvConfig config = config_of(length);
    const InBlockPlan plan = plan_of(config);
    std::vector<Operation> order;
    for (const Statement& statement : lower_tiled(config, plan))
      if (statement.operation == Operation::columns || statement.operation == Operation::rows ||
          !statement.steps.empty())
        order.push_back(statement.operation);
    if (plan.outer_tile > 1)
      CHECK(order == std::vector<Operation>{Operation::load, Operation::columns, Operation::barrier, Operation::rows,
                                            Operation::barrier, Operation::columns, Operation::store});
    else
      CHECK(order == std::vector<Operation>{Operation::load, Operation::rows, Operation::store});
  }
}

TEST_CASE("where two pairs are in shared memory, the next one is measured in front of the last barrier") {
  for (const std::int64_t length : {2048, 4096, 16384}) {
    ConvConfig config = config_of(length);
    config.dtype = DataType::bf16;
    config.scaling = Scaling::found;
    const InBlockPlan plan = plan_of(config);
    const std::vector<Statement> statements = lower_tiled(config, plan);
    std::vector<Operation> order;
    for (const Statement& statement : statements)
      if (statement.operation == Operation::barrier || statement.operation == Operation::measure ||
          statement.operation == Operation::scale || statement.operation == Operation::rows)
        order.push_back(statement.operation);
    const bool ahead = plan.geometry.buffers > 1;
    CHECK(ahead == (length < 16384));
    CHECK(all_of(statements, Operation::measure).front().early == ahead);
    if (ahead)
      CHECK(order == std::vector<Operation>{Operation::scale, Operation::barrier, Operation::rows, Operation::measure,
                                            Operation::barrier, Operation::barrier});
    else
      CHECK(order == std::vector<Operation>{Operation::measure, Operation::barrier, Operation::scale,
                                            Operation::barrier, Operation::rows, Operation::barrier,
                                            Operation::barrier});
  }
}

TEST_CASE("work is what the statements take") {
  for (const std::int64_t length : {256, 1024, 2048, 4096, 8192, 32768}) {
    const ConvConfig config = config_of(length);
    const InBlockPlan plan = plan_of(config);
    const std::vector<Statement> statements = lower_tiled(config, plan);
    // Rows take four products of two tiles by two, of eight m16n8k16; so do whole columns of 16.
    double products = 0, arrivals = 0;
    for (const Statement& product : all_of(statements, Operation::contract)) {
      const bool half = product.from != Shape::whole || product.to != Shape::whole;
      const bool eight = plan.outer_tile == 8 && product.digit < static_cast<int>(plan.digits.size()) - 2;
      products += product.times * (eight ? 2 : half ? 4 : 8);
    }
    for (const Statement& barrier : all_of(statements, Operation::barrier)) arrivals += barrier.times;
    const Work work = predict_work(plan, config);
    const int turns = 2 / packed_rows(plan.packing);  // of a pair's rows
    CHECK(work.matrix_products == turns * products);
    CHECK(work.barrier_arrivals == turns * arrivals);
    CHECK(products > 0);
  }
}

TEST_CASE("a list that loses a step, has one twice or one too early is refused") {
  const ConvConfig config = config_of(8192);
  const InBlockPlan right = plan_of(config);
  REQUIRE_NOTHROW((void)lower_tiled(config, right));
  const auto at = [&](StepKind kind) {
    return std::find_if(right.steps.begin(), right.steps.end(), [&](const Step& step) { return step.kind == kind; }) -
           right.steps.begin();
  };
  InBlockPlan wrong = right;
  SUBCASE("a twiddle behind the store") {
    wrong.steps.push_back(right.steps[static_cast<std::size_t>(at(StepKind::twiddle))]);
  }
  SUBCASE("the spectrum ahead of a row's products") {
    std::swap(wrong.steps[static_cast<std::size_t>(at(StepKind::pointwise))],
              wrong.steps[static_cast<std::size_t>(at(StepKind::exchange))]);
  }
  SUBCASE("sums of a convolution") {
    wrong.steps.insert(wrong.steps.begin() + at(StepKind::pointwise),
                       {StepKind::accumulate, false, -1, Role::b, {}, {}});
  }
  CHECK_THROWS_AS((void)lower_tiled(config, wrong), std::logic_error);
}

TEST_CASE("steps are named by their numbers in the list") {
  CHECK(step_numbers({}).empty());
  CHECK(step_numbers({3}) == "step 4");
  CHECK(step_numbers({4, 3, 4}) == "steps 4 and 5");
  CHECK(step_numbers({1, 2, 3}) == "steps 2 to 4");
  CHECK(step_numbers({9, 1, 2, 3, 5, 6}) == "steps 2 to 4, 6, 7 and 10");
  CHECK(with_steps("a();", {.steps = {0}}) == "a();  // step 1");
  CHECK(with_steps("a();", {.steps = {0}}, "so") == "a();  // step 1: so");
  CHECK(with_steps("a();", {}, "so") == "a();  // so");
  CHECK(with_steps("a();", {}) == "a();");
  CHECK(numbered_step(plan_of(config_of(4096)), 0) == "step 1: load a pair of rows as one complex row");
  CHECK(numbered_step(plan_of(config_of(8192)), 0) == "step 1: load a row");
}

TEST_CASE("where both tensors of gradients have one text, it is that of both's steps") {
  Transform plan;
  for (const Tensor tensor : {Tensor::input, Tensor::gradient})
    for (const int digit : {0, 1}) {
      Step& step = plan.steps.emplace_back();
      step.kind = StepKind::contract, step.digit = digit, step.tensor = tensor;
    }
  CHECK(of_both_tensors(plan, {1}) == std::vector<std::size_t>{1, 3});
  CHECK(of_both_tensors(plan, {0, 1}) == std::vector<std::size_t>{0, 1, 2, 3});
}
