// Powers of two of tiles of columns: what units find of a row's samples, and rows bring to one.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "backward_run.hpp"
#include "encoded_rows.hpp"
#include "host_run.hpp"
#include "uneven_rows.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

constexpr std::int64_t lengths[] = {65536, 131072, 262144};              // rows of 16, 32 and 64 lines
constexpr std::int64_t other_lengths[] = {40960, 53248, 81920, 159744};  // of 10, 13, 10 x 2 and 13 x 3
constexpr std::int64_t short_lengths[] = {8192, 16384};                  // of 2 and 4, which a warp has by itself

std::shared_ptr<const Kernel> finding(const ConvConfig& config) {
  std::shared_ptr<const Kernel> kernel = get_kernel(config, machine()->device());
  CAPTURE(kernel->name());
  REQUIRE_FALSE(kernel->generated().magnitudes);
  REQUIRE(kernel->name().find("_selfscaled") != std::string::npos);
  return kernel;
}

// Five channels of one row each, whose tiles are of sizes so far apart, and gates of others.
Recipe far_apart(std::int64_t length, int span, Runs runs = {}) {
  Recipe recipe;
  recipe.batch = 1;
  recipe.channels = 5;
  recipe.sample = uneven(length, span, falling, runs);
  recipe.gate_sample = uneven(length, span, +[](std::int64_t) { return 30; }, {.samples = 64 * 7});
  recipe.channel_gain = gain_of_falling;
  return recipe;
}

void check_gradients(const ConvConfig& config, int span) {
  const auto kernel = finding(config);
  CAPTURE(kernel->name());
  Recipe recipe = far_apart(config.length, span);
  recipe.batch = 2, recipe.channels = 3, recipe.channel_gain = 1;
  if (span != 12)
    recipe.sample = uneven(
        config.length, span, +[](std::int64_t) { return 20; });
  BackwardRun run(machine(), kernel, recipe, 26);
  kernel->launch_backward(run.arguments());
  const GradientErrors errors = run.errors();
  for (const double error : {errors.u, errors.w, errors.v}) CHECK(error <= rows_bar(DataType::bf16));
  CHECK(errors.k <= sums_bar(DataType::bf16));
}

// In a ring of so many places, each used again and again: of one, a fifth row has the words of the first.
double error_in_ring(const Kernel& kernel, const Recipe& recipe, std::int64_t places) {
  Buffer workspace(machine(), static_cast<std::size_t>(kernel.generated().split->workspace_bytes(places)));
  workspace.poison();
  return relative_error_of(machine(), kernel, recipe, 31, [&](LaunchArguments arguments) {
    arguments.workspace = {workspace.data(), workspace.bytes()};
    kernel.launch(arguments);
  });
}

}  // namespace

TEST_CASE("rows whose tiles are of any sizes, in places that rows of other sizes had before") {
  for (const std::int64_t length : lengths) {
    const auto kernel = finding(rows_of_tile_powers(length, Pass::forward));
    for (const int span : {0, 12, 30}) CHECK(error_in_ring(*kernel, far_apart(length, span), 1) <= bar(*kernel));
  }
}

TEST_CASE("the same of rows of any number of lines") {
  for (const std::int64_t length : other_lengths) {
    const auto kernel = finding(rows_of_tile_powers(length, Pass::forward));
    for (const int span : {0, 12}) CHECK(error_in_ring(*kernel, far_apart(length, span), 1) <= bar(*kernel));
  }
  for (const std::int64_t length : {other_lengths[0], other_lengths[3]})
    check_gradients(rows_of_tile_powers(length, Pass::backward), 12);
  check_gradients(with_gates(rows_of_tile_powers(other_lengths[2], Pass::backward)), 12);
}

TEST_CASE("the same of rows that a warp has by itself, and with gates of any sizes") {
  for (const std::int64_t length : short_lengths) {
    const auto kernel = finding(rows_of_tile_powers(length, Pass::forward));
    for (const int span : {0, 12, 30}) CHECK(error_in_ring(*kernel, far_apart(length, span), 1) <= bar(*kernel));
  }
  for (const std::int64_t length : {short_lengths[0], lengths[0], lengths[2]}) {
    const auto kernel = finding(with_gates(rows_of_tile_powers(length, Pass::forward)));
    for (const int span : {0, 12}) CHECK(error_in_ring(*kernel, far_apart(length, span), 1) <= bar(*kernel));
  }
}

TEST_CASE("the same of clusters") {
  for (const int blocks : {4, 8})
    for (const bool gated : {false, true}) {
      if (gated && blocks > 4) continue;
      const ConvConfig config = rows_of_piece_powers(blocks);
      const auto kernel = finding(gated ? with_gates(config) : config);
      REQUIRE(kernel->generated().conv.cluster == blocks);
      for (const int span : {0, 12, 30}) {
        const Recipe recipe = far_apart(config.length, span, pieces_of(blocks));
        CHECK(relative_error_of(machine(), *kernel, recipe, 33,
                                [&](const LaunchArguments& arguments) { kernel->launch(arguments); }) <= bar(*kernel));
      }
    }
}

TEST_CASE("the same of clusters whose warps do not share pieces evenly") {
  for (const auto& [blocks, row] : {std::pair<int, std::int64_t>{4, 10240}, {8, 14336}}) {
    const ConvConfig config = rows_of_piece_powers(blocks, row);
    const auto kernel = finding(config);
    REQUIRE(kernel->generated().conv.cluster == blocks);
    const Recipe recipe = far_apart(config.length, 30, pieces_of(blocks, row));
    CHECK(relative_error_of(machine(), *kernel, recipe, 35,
                            [&](const LaunchArguments& arguments) { kernel->launch(arguments); }) <= bar(*kernel));
  }
}

TEST_CASE("rows that are powers of two apart have the same results, as far apart, to the bit") {
  for (const ConvConfig& config :
       {rows_of_tile_powers(65536, Pass::forward), rows_of_tile_powers(8192, Pass::forward), rows_of_piece_powers(4)}) {
    const std::vector<int> exponents = {0, -90, 60, -30, 90};
    const auto kernel = finding(config);
    const auto samples = static_cast<std::size_t>(kernel->config().length);
    std::vector<std::uint16_t> rows;
    for (const int exponent : exponents) {
      std::mt19937 random(23);
      const auto sample = uneven(kernel->config().length, 9, [=](std::int64_t) { return exponent; });
      for (std::size_t i = 0; i < samples; ++i) rows.push_back(examples::encode(DataType::bf16, sample(random)));
    }
    const std::vector<std::uint16_t> y = convolved(machine(), *kernel, rows, static_cast<int>(exponents.size()));
    for (std::size_t b = 0; b < exponents.size(); ++b) {
      std::size_t differ = 0;
      for (std::size_t i = 0; i < samples; ++i)
        differ += std::ldexp(examples::decode(DataType::bf16, y[i]), exponents[b]) !=
                  examples::decode(DataType::bf16, y[b * samples + i]);
      CHECK(differ == 0);
    }
  }
}

TEST_CASE("zeros stay zeros, and what is not finite shows in its own row alone") {
  const auto kernel = finding(rows_of_tile_powers(65536, Pass::forward));
  const auto samples = static_cast<std::size_t>(kernel->config().length);
  std::mt19937 random(25);
  for (const float odd : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    std::vector<std::uint16_t> rows(3 * samples, 0);
    for (std::size_t i = 0; i < samples; ++i)
      rows[samples + i] = rows[2 * samples + i] = examples::encode(DataType::bf16, std::ldexp(normal(random), 40));
    rows[samples + 100] = examples::encode(DataType::bf16, odd);
    const std::vector<std::uint16_t> y = convolved(machine(), *kernel, rows, 3);
    std::size_t zeros = 0, finite = 0, finite_beside = 0;
    for (std::size_t i = 0; i < samples; ++i) {
      zeros += examples::decode(DataType::bf16, y[i]) == 0;
      finite += std::isfinite(examples::decode(DataType::bf16, y[samples + i]));
      finite_beside += std::isfinite(examples::decode(DataType::bf16, y[2 * samples + i]));
    }
    CHECK(zeros == samples);
    CHECK(finite < samples);
    CHECK(finite_beside == samples);
  }
}

TEST_CASE("gradients of such rows") {
  for (const std::int64_t length : lengths) {
    const ConvConfig config = rows_of_tile_powers(length, Pass::backward);
    CHECK(finding(config)->generated().backward->returns_sums);
    for (const int span : {0, 12, 30}) check_gradients(config, span);
  }
  for (const std::int64_t length : short_lengths)
    for (const int span : {0, 12, 30}) check_gradients(rows_of_tile_powers(length, Pass::backward), span);
}

TEST_CASE("gradients of such rows with gates") {
  for (const std::int64_t length : {short_lengths[0], lengths[0], lengths[2]})
    for (const int span : {0, 12}) check_gradients(with_gates(rows_of_tile_powers(length, Pass::backward)), span);
}
