// The general family: factorisations, plans within each architecture's limits, sweeps, and tables against float64.
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
  const std::optional<MixedRadixPlan> plan = general_plan(config, config.radices, config.fft_length, arch);
  REQUIRE(plan);
  return *plan;
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
      CHECK(plan.shared_bytes >= 4 * plan.transform_length / plan.sweeps);
      CHECK(plan.shared_bytes <= arch.shared_per_block);
      CHECK(plan.blocks_per_sm >= 1);
      CHECK(plan.blocks_per_sm * (plan.shared_bytes + 1024) <= arch.shared_per_sm);
      CHECK(plan.blocks_per_sm * plan.threads() <= arch.threads_per_sm);
      CHECK(radices_of(plan) == radices);
    }
}

TEST_CASE("what does not fit is swept, and what cannot be swept is refused") {
  const auto plan_on = [](std::string_view arch, std::int64_t length) {
    ConvConfig config;
    config.length = length;
    return general_plan(config, general_digits(length, find_arch(arch)), length, find_arch(arch));
  };
  const auto sweeps_on = [&](std::string_view arch, std::int64_t length) {
    const std::optional<MixedRadixPlan> plan = plan_on(arch, length);
    REQUIRE(plan);
    CHECK(product(*plan) == length);
    CHECK(plan->shared_bytes <= find_arch(arch).shared_per_block);
    if (plan->sweeps > 1) CHECK(plan->digits.front().radix == plan->sweeps);
    return plan->sweeps;
  };
  CHECK(sweeps_on("sm_86", 16384) == 1);
  CHECK(sweeps_on("sm_86", 32768) == 2);
  CHECK(sweeps_on("sm_120", 65536) == 4);
  CHECK(sweeps_on("sm_80", 32768) == 1);
  for (const std::string_view arch : {"sm_80", "sm_90a", "sm_100"}) CHECK(sweeps_on(arch, 65536) == 2);
  CHECK(general_digits(31 * 31 * 31, find_arch("sm_86")).empty());  // odd: nothing to sweep over
  CHECK(plan_on("sm_90a", 31 * 31 * 31));
}

TEST_CASE("radices are taken as they are, or not at all") {
  const auto on_half = [](const std::vector<int>& radices) {
    const ConvConfig config = config_of(radices);
    return general_plan(config, radices, config.fft_length, small_arch(static_cast<int>(config.fft_length) / 2));
  };
  CHECK_FALSE(on_half({32, 32, 2}));  // nothing to sweep over comes first
  CHECK_FALSE(on_half({8, 16, 16}));
  for (const std::vector<int>& radices : {std::vector<int>{2, 32, 32}, {4, 32, 16}, {2, 16, 4, 16}}) {
    const std::optional<MixedRadixPlan> plan = on_half(radices);
    REQUIRE(plan);
    CHECK(radices_of(*plan) == radices);
    CHECK(plan->sweeps == radices.front());
  }
}

TEST_CASE("plans are circular convolutions, swept or not") {
  CHECK(error_of(plan_of(config_of({7, 11, 13}), find_arch("sm_90a"))) < 1e-12);
  CHECK(error_of(plan_of(config_of({31, 32}), find_arch("sm_90a"))) < 1e-12);
  for (const std::vector<int>& radices : {std::vector<int>{32, 30}, {4, 6, 10}, {2, 20, 24}, {4, 60}}) {
    ConvConfig config = config_of(radices);
    for (const int sweeps : {2, 4}) {
      const Arch arch = small_arch(static_cast<int>(config.fft_length) / sweeps);
      config.radices = general_digits(config.fft_length, arch);
      MixedRadixPlan plan = plan_of(config, arch);
      CAPTURE(factorisation_name(plan));
      CHECK(plan.sweeps == sweeps);
      CHECK(product(plan) == config.fft_length);
      CHECK(error_of(plan) < 1e-12);
      plan.length = config.fft_length / 2 - 1;
      CHECK(error_of(plan) < 1e-12);
    }
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
    for (std::size_t i = 0; i < statements.size(); ++i) {
      for (const std::size_t step : statements[i].steps) ++carried.at(step);
      // Whatever reads the points waits for those who wrote them.
      CHECK((statements[i].operation == Operation::barrier) == (i % 2 == 0));
      if (statements[i].operation == Operation::contract) products.push_back(statements[i]);
    }
    CHECK(carried == std::vector<int>(plan.steps.size(), 1));
    const int first = plan.sweeps > 1 ? 1 : 0, last = static_cast<int>(plan.digits.size()) - 1;
    REQUIRE(static_cast<int>(products.size()) == 2 * (last - first + 1));
    for (int digit = first; digit <= last; ++digit) {
      const Statement& there = products[static_cast<std::size_t>(digit - first)];
      const Statement& back = products[products.size() - 1 - static_cast<std::size_t>(digit - first)];
      CHECK((there.digit == digit && !there.inverse && back.digit == digit && back.inverse));
      CHECK(there.operand == (digit < last ? Operand::twiddle : Operand::spectrum));
      CHECK(back.operand == (digit > first ? Operand::twiddle : Operand::none));
      if (digit < last) CHECK(there.twiddled == digit);
      if (digit > first) CHECK(back.twiddled == digit - 1);
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
        worst = std::max(worst, std::abs(value - root(i, count)));
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
    CHECK(first.source.find(first.name + "(const ConvArguments arguments)") != std::string::npos);
    config.dtype = DataType::bf16;
    CHECK(emit_general(config, plan).kernel.source != first.source);
  }
}
