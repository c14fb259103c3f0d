// Bounds of errors, and outcomes beyond them.
#include "launch_outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "config_text.hpp"

namespace ffc::shapes {

std::string_view to_string(Kind kind) {
  constexpr std::string_view names[] = {"y", "du", "dw", "dv", "dk", "dd"};
  return names[static_cast<int>(kind)];
}

std::string Launch::text() const {
  return fmt::format("--config \"{}\" --batch {} --channels {} --seed {}{}", short_text(config), batch, channels, seed,
                     skip ? "" : " --no-skip");
}

void Outcome::add(const Outcome& other) {
  for (std::size_t i = 0; i < std::size(kinds); ++i) errors[i].add(other.errors[i]);
  faults.insert(faults.end(), other.faults.begin(), other.faults.end());
  begins_stream = begins_stream || other.begins_stream;
}

double bound(const Generated& generated, Kind kind) {
  const bool bf16 = generated.config.dtype == DataType::bf16;
  const bool past_one_block = generated.split || generated.conv.cluster > 1;
  constexpr std::int64_t longest = 16777216;
  // Where fp16 accumulators are forced, more is allowed than of those that a plan chooses.
  const double of_one_block = generated.config.accumulation == Accumulation::fp16 ? 1.2e-3 : 1.0e-3;
  switch (kind) {
    case Kind::y:
      return bf16 ? 2.5e-3 : !past_one_block ? of_one_block : generated.transform_length < longest ? 1.5e-3 : 2.0e-3;
    case Kind::du:
    case Kind::dw:
    case Kind::dv:
      return bf16 ? 4e-3 : 1.5e-3;
    case Kind::dk:
      return bf16 ? 5e-3 : 2e-3;
    case Kind::dd:
      return bf16 ? 10e-3 : 4e-3;
  }
  return 0;
}

namespace {

// The noise of a transform is the same at all of its N points, while results at the beginning of a stream are sums of
// the few taps that reach something, up to L of them of Lk: the README's factor.
double factor_of_beginning(const Generated& generated) {
  const ConvConfig& config = generated.config;
  if (config.filter_length <= config.length) return 1;
  const auto taps = static_cast<double>(config.filter_length), points = static_cast<double>(generated.transform_length);
  return std::sqrt(std::max(1.0, 2 * taps / points));
}

// Errors of few samples scatter: that of 2048 by 4 %. Five times as much is allowed.
double allowance(double values) { return 1 + 5 * 0.04 * std::sqrt(2048 / values); }

}  // namespace

std::string failures(const Generated& generated, const Outcome& outcome, const Launch& launch) {
  std::string text;
  for (const std::string& fault : outcome.faults) text += fault + '\n';
  for (const Kind kind : kinds) {
    const ConvConfig& config = generated.config;
    const std::int64_t values = kind == Kind::dd   ? 1
                                : kind == Kind::dk ? config.filter_length
                                                   : config.length * launch.batch;
    const double error = outcome.error(kind);
    const double most = bound(generated, kind) * (outcome.begins_stream ? factor_of_beginning(generated) : 1);
    const double allowed = most * allowance(static_cast<double>(values * launch.channels));
    if (!(error <= allowed))
      text += fmt::format("{}: error {:.3e}, the bound is {:.1e}, {:.2e} for so few samples\n", to_string(kind), error,
                          most, allowed);
  }
  return text;
}

}  // namespace ffc::shapes
