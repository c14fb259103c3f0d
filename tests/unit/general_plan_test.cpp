// The general family: factorisations, plans within each architecture's limits, digits in the workspace, and tables
// against float64.
#include "general_plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "complex_rows.hpp"
#include "emit_general.hpp"
#include "ffc/generator/interpreter.hpp"
#include "ffc/templates/half.hpp"
#include "lower_general.hpp"

using namespace ffc;
using namespace ffc::test;

namespace {

ConvConfig config_of(const std::vector<int>& radices, std::string arch = "sm_90a") {
  ConvConfig config;
  config.fft_length = 1;
  for (const int radix : radices) config.fft_length *= radix;
  config.radices = radices;
  config.arch = std::move(arch);
  return normalised(config);
}

MixedRadixPlan plan_of(const ConvConfig& config, const Arch& arch) {
  return general_plan(config, config.radices, config.fft_length, arch);
}

std::vector<int> radices_of(const MixedRadixPlan& plan) {
  std::vector<int> radices;
  for (const Digit& digit : plan.digits) radices.push_back(digit.radix);
  return radices;
}

std::int64_t product(const MixedRadixPlan& plan) {
  std::int64_t result = 1;
  for (const Digit& digit : plan.digits) result *= digit.radix;
  return result;
}

int largest_prime_factor(std::int64_t n) {
  int largest = 1;
  for (int p = 2; n > 1; ++p)
    for (; n % p == 0; n /= p) largest = p;
  return largest;
}

Complex root(std::int64_t k, std::int64_t n) {
  return std::polar(1.0, -2.0 * std::numbers::pi * static_cast<double>(k % n) / static_cast<double>(n));
}

// Relative distance of the interpreted plan from the circular convolution's definition.
double error_of(const MixedRadixPlan& plan) {
  const auto size = static_cast<std::size_t>(plan.transform_length), length = static_cast<std::size_t>(plan.length);
  const Row row = random_row(size, 1), filter = random_row(size, 2);
  Row spectrum(size);
  for (std::size_t k = 0; k < size; ++k)
    for (std::size_t n = 0; n < size; ++n)
      spectrum[k] += filter[n] * root(static_cast<std::int64_t>(n * k), plan.transform_length);
  const Row result = interpret(plan, row, spectrum);
  REQUIRE(result.size() == length);
  double difference = 0, norm = 0;
  for (std::size_t n = 0; n < length; ++n) {
    Complex expected = 0;
    for (std::size_t m = 0; m < length; ++m) expected += row[m] * filter[(n + size - m) % size];
    difference += std::norm(result[n] - expected);
    norm += std::norm(expected);
  }
  return std::sqrt(difference / norm);
}

// sm_86 with so little shared memory that `points` complex words are the most that fit.
Arch small_arch(int points) {
  Arch arch = find_arch("sm_86");
  arch.shared_per_block = 4 * points;
  return arch;
}

// The matrix of one digit, put together from its A operands: register e of a lane holds row lane/4 + 8 (e%2) and
// columns 2 (lane%4) + 8 (e/2) and the next, as mma.m16n8k16 defines it.
Complex matrix_element(const std::vector<std::uint32_t>& words, std::size_t begin, int radix, int row, int column) {
  const int tiles = (radix + 15) / 16, tile = row / 16 * tiles + column / 16;
  const int lane = row % 8 * 4 + column % 8 / 2, e = row % 16 / 8 + 2 * (column % 16 / 8);
  const std::size_t real = begin + static_cast<std::size_t>(tile * 256 + lane * 4 + e);
  const auto half = [&](std::size_t word) {
    return from_half(static_cast<std::uint16_t>(words.at(word) >> 16 * (column % 2)));
  };
  return {half(real), half(real + 128)};
}

const std::vector<std::vector<int>> factorisations = {
    {16},        {61},        {31, 32},         {32, 32},        {64, 64}, {2, 16},
    {7, 11, 13}, {48, 3},     {11, 11, 11, 11}, {2, 2, 2, 2, 2}, {31, 33}, {2, 32, 32, 16},
    {17, 64},    {3, 5, 7, 9}};

}  // namespace

TEST_CASE("lengths are split into digits up to 64 unless a prime factor is larger") {
  for (std::int64_t n = 16; n <= 65536; n += n < 1100 ? 1 : 97) {
    CAPTURE(n);
    const std::vector<int> radices = general_radices(n);
    CHECK(radices.empty() == (largest_prime_factor(n) > 61));
    if (radices.empty()) continue;
    std::int64_t all = 1;
    for (const int radix : radices) {
      CHECK(radix >= 2);
      CHECK(radix <= 64);
      all *= radix;
    }
    CHECK(all == n);
  }
  CHECK(general_radices(32768).size() <= 4);
  CHECK(general_radices(61) == std::vector<int>{61});
  CHECK(general_radices(67).empty());
}

TEST_CASE("plans keep the radices and fit every architecture") {
  for (const Arch& arch : architectures())
    for (const std::vector<int>& radices : factorisations) {
      const ConvConfig config = config_of(radices, std::string(arch.name));
      const MixedRadixPlan plan = plan_of(config, arch);
      CAPTURE(arch.name);
      CAPTURE(factorisation_name(plan));
      CHECK(product(plan) == config.fft_length);
      CHECK(plan.transform_length == config.fft_length);
      CHECK(plan.length == config.length);
      CHECK(plan.accumulation == Accumulation::fp32);
      CHECK((plan.shared_bytes >= 4 * plan.points() || (radices.size() == 1 && plan.shared_bytes == 0)));
      CHECK(plan.shared_bytes <= arch.shared_per_block);
      CHECK(plan.blocks_per_sm >= 1);
      CHECK(plan.blocks_per_sm * (plan.shared_bytes + 1024) <= arch.shared_per_sm);
      CHECK(plan.blocks_per_sm * plan.threads() <= arch.threads_per_sm);
      CHECK(radices_of(plan) == radices);
    }
}

TEST_CASE("what a block does not hold goes through the workspace, by its leading digits") {
  const auto outer_on = [](std::string_view arch, std::vector<int> radices) {
    const ConvConfig config = config_of(radices, std::string(arch));
    const MixedRadixPlan plan = plan_of(config, find_arch(arch));
    CHECK(radices_of(plan) == radices);
    CHECK(plan.points() * plan.rows() == plan.transform_length);
    CHECK(plan.shared_bytes <= find_arch(arch).shared_per_block);
    return plan.outer_digits;
  };
  CHECK(outer_on("sm_86", {16, 32, 32}) == 0);
  CHECK(outer_on("sm_86", {31, 31, 31}) == 1);
  CHECK(outer_on("sm_90a", {31, 31, 31}) == 0);
  CHECK(outer_on("sm_90a", {49, 49, 49}) == 1);
  CHECK(outer_on("sm_90a", {2, 2, 49, 49, 49}) == 3);
  CHECK(outer_on("sm_90a", {59, 53, 47, 43}) == 2);
  CHECK(general_digits(32768, find_arch("sm_86")).front() == 2);
  CHECK(general_digits(65536, find_arch("sm_120")).front() == 4);
  CHECK(general_digits(32768, find_arch("sm_80")).front() == 32);
  CHECK(general_digits(31 * 31 * 31, find_arch("sm_86")).empty());  // odd
}

TEST_CASE("digits that were asked for are kept unless others take far fewer passes") {
  CHECK(general_digits_of({7, 7}) == std::vector<int>{7, 7});
  CHECK(general_digits_of({49, 49, 49}) == std::vector<int>{49, 49, 49});
  CHECK(general_digits_of({2, 32}) == std::vector<int>{64});
  CHECK(general_digits_of({3, 3, 3, 3, 3}) == std::vector<int>{27, 9});
  CHECK(general_digits_of({61}) == std::vector<int>{61});
  CHECK(general_digits_of({2, 61, 2}) != std::vector<int>{2, 61, 2});
}

TEST_CASE("short rows share a block, and its passes") {
  const Arch& arch = find_arch("sm_90a");
  CHECK(plan_of(config_of({7, 7}), arch).pairs_at_once == 16);
  CHECK(plan_of(config_of({10, 10}), arch).pairs_at_once == 8);
  CHECK(plan_of(config_of({31, 32}), arch).pairs_at_once == 1);
  CHECK(plan_of(config_of({49, 49, 49}), arch).pairs_at_once == 1);
}

TEST_CASE("plans are circular convolutions, in the workspace or not") {
  CHECK(error_of(plan_of(config_of({7, 11, 13}), find_arch("sm_90a"))) < 1e-12);
  CHECK(error_of(plan_of(config_of({31, 32}), find_arch("sm_90a"))) < 1e-12);
  for (const std::vector<int>& radices : {std::vector<int>{32, 30}, {4, 6, 10}, {2, 20, 24}, {4, 60}}) {
    const ConvConfig config = config_of(radices);
    MixedRadixPlan plan = plan_of(config, small_arch(static_cast<int>(config.fft_length) / radices.front()));
    CAPTURE(factorisation_name(plan));
    CHECK(plan.outer_digits == 1);
    CHECK(error_of(plan) < 1e-12);
    plan.length = config.fft_length / 2 - 1;
    CHECK(error_of(plan) < 1e-12);
  }
}

TEST_CASE("statements carry out every step once, and products the factors behind them") {
  std::vector<MixedRadixPlan> plans;
  plans.reserve(factorisations.size() + 2);
  for (const std::vector<int>& radices : factorisations)
    plans.push_back(plan_of(config_of(radices), find_arch("sm_90a")));
  for (const std::vector<int>& radices : {std::vector<int>{2, 32, 32}, {4, 32, 16}}) {
    const ConvConfig config = config_of(radices);
    plans.push_back(plan_of(config, small_arch(static_cast<int>(config.fft_length) / radices.front())));
  }
  for (const MixedRadixPlan& plan : plans) {
    CAPTURE(factorisation_name(plan));
    std::vector<int> carried(plan.steps.size(), 0);
    std::vector<Statement> products;
    const std::vector<Statement> statements = lower_general(plan);
    for (const Statement& statement : statements) {
      for (const std::size_t step : statement.steps) ++carried.at(step);
      if (statement.operation == Operation::contract) products.push_back(statement);
      // Whatever reads the points waits for those who wrote them; the last digit stays in registers.
      CHECK((statement.operation == Operation::barrier) ==
            (plan.steps[statement.steps.front()].kind == StepKind::exchange));
    }
    CHECK(carried == std::vector<int>(plan.steps.size(), 1));
    const int last = static_cast<int>(plan.digits.size()) - 1;
    REQUIRE(static_cast<int>(products.size()) == 2 * (last + 1));
    for (int digit = 0; digit <= last; ++digit) {
      const Statement& there = products[static_cast<std::size_t>(digit)];
      const Statement& back = products[products.size() - 1 - static_cast<std::size_t>(digit)];
      CHECK((there.digit == digit && !there.inverse && back.digit == digit && back.inverse));
      CHECK(there.operand == (digit < last ? Operand::twiddle : Operand::spectrum));
      CHECK(back.operand == (digit > 0 ? Operand::twiddle : Operand::none));
      if (digit < last) CHECK(there.twiddled == digit);
      if (digit > 0) CHECK(back.twiddled == digit - 1);
    }
  }
}

TEST_CASE("a factor that no product applies is not emitted") {
  const ConvConfig config = config_of({31, 32});
  MixedRadixPlan plan = plan_of(config, find_arch("sm_90a"));
  std::swap(plan.steps[0], plan.steps[1]);  // the product ahead of the load: its twiddle is behind neither
  CHECK_THROWS_AS((void)emit_general(config, plan), std::logic_error);
}

TEST_CASE("tables hold the scaled matrices and the twiddles; the gain makes up for the scales") {
  for (const std::vector<int>& radices : factorisations) {
    const ConvConfig config = config_of(radices);
    const MixedRadixPlan plan = plan_of(config, find_arch("sm_90a"));
    CAPTURE(factorisation_name(plan));
    const EmittedConv emitted = emit_general(config, plan);
    const std::vector<std::uint32_t>& words = emitted.kernel.tables;
    std::size_t at = 0;
    double scales = 1;
    for (const Digit& digit : plan.digits) {
      const int radix = digit.radix, padded = (radix + 15) / 16 * 16;
      const double scale = matrix_element(words, at, radix, 0, 0).real();
      CHECK(std::fabs(scale * std::sqrt(radix) - 1) < 0.13);
      double worst = 0;
      for (int row = 0; row < padded; ++row)
        for (int column = 0; column < padded; ++column) {
          const bool inside = row < radix && column < radix;
          const Complex exact = inside ? scale * root(static_cast<std::int64_t>(row) * column, radix) : Complex(0);
          worst = std::max(worst, std::abs(matrix_element(words, at, radix, row, column) - exact));
        }
      CHECK(worst < scale * 0x1p-10);  // half a unit in the last place in each part
      at += static_cast<std::size_t>(padded * padded);
      scales *= scale;
      if (digit.stride == 1) continue;
      const std::int64_t count = radix * digit.stride;
      worst = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        const std::uint32_t word = words.at(at + static_cast<std::size_t>(i));
        const Complex value(from_half(static_cast<std::uint16_t>(word)),
                            from_half(static_cast<std::uint16_t>(word >> 16)));
        worst = std::max(worst, std::abs(value - root(i / digit.stride * (i % digit.stride), count)));
      }
      CHECK(worst < 0x1p-11);
      at += static_cast<std::size_t>((count + 3) / 4 * 4);
    }
    CHECK(at == words.size());
    const double gain = 1 / (static_cast<double>(plan.transform_length) * scales * scales);
    CHECK(std::fabs(emitted.spectrum.gain / gain - 1) < 1e-12);
  }
}

TEST_CASE("the spectrum holds every frequency once, where its digits are") {
  for (const std::vector<int>& radices : factorisations) {
    const ConvConfig config = config_of(radices, "sm_86");
    const MixedRadixPlan plan = plan_of(config, find_arch("sm_86"));
    CAPTURE(factorisation_name(plan));
    const SpectrumLayout spectrum = emit_general(config, plan).spectrum;
    CHECK(spectrum.tile == 1);
    CHECK(spectrum.row_bytes() % 16 == 0);
    std::set<std::int32_t> seen;
    bool reversed = true;
    for (std::int64_t p = 0; p < plan.transform_length; ++p) {
      const std::int32_t frequency = spectrum.order.at(static_cast<std::size_t>(p));
      seen.insert(frequency);
      // A position read digit by digit from the outermost is the frequency from its lowest.
      std::int64_t rest = frequency;
      for (const Digit& digit : plan.digits) {
        reversed = reversed && rest % digit.radix == p / digit.stride % digit.radix;
        rest /= digit.radix;
      }
    }
    CHECK(reversed);
    CHECK(seen.size() == static_cast<std::size_t>(plan.transform_length));
    CHECK(*seen.begin() == 0);
    CHECK(*seen.rbegin() == plan.transform_length - 1);
    for (std::size_t p = static_cast<std::size_t>(plan.transform_length); p < spectrum.order.size(); ++p)
      CHECK(spectrum.order[p] == -1);
  }
}

TEST_CASE("the same config gives the same text and tables") {
  for (const std::vector<int>& radices : {std::vector<int>{31, 32}, {2, 32, 32, 16}}) {
    ConvConfig config = config_of(radices, "sm_86");
    const MixedRadixPlan plan = plan_of(config, find_arch("sm_86"));
    const GeneratedKernel first = emit_general(config, plan).kernel, second = emit_general(config, plan).kernel;
    CHECK(first.source == second.source);
    CHECK(first.tables == second.tables);
    CHECK(first.source.find(first.name + (plan.outer_digits > 0 ? "(const PlaceArguments all)"
                                                                : "(const ConvArguments arguments)")) !=
          std::string::npos);
    config.dtype = DataType::bf16;
    CHECK(emit_general(config, plan).kernel.source != first.source);
  }
}
