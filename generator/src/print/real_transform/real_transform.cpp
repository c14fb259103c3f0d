// Checks of configs of real transforms, and sizes of their launches.
#include "ffc/generator/real_transform.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "emit_real_transform.hpp"
#include "ffc/generator/arch.hpp"
#include "ffc/generator/error.hpp"

namespace ffc {
namespace {

constexpr std::int64_t least_length = 16, most_length = 16777216;

std::int64_t spectrum_floats(const RealTransformConfig& config) { return 2 * (config.length / 2 + 1); }

}  // namespace

RealTransformConfig normalised(const RealTransformConfig& config) {
  RealTransformConfig checked = config;
  if (config.length < least_length || config.length > most_length)
    throw ConfigError(
        fmt::format("length is {}; a spectrum's must lie in [{}, {}]", config.length, least_length, most_length));
  if (config.taps == 0) checked.taps = config.length;
  if (checked.taps < 1 || checked.taps > config.length)
    throw ConfigError(
        fmt::format("taps is {}; it must lie in [1, {}], the length of the transform", config.taps, config.length));
  if (!config.arch.empty()) (void)find_arch(config.arch);
  return checked;
}

std::string to_string(const RealTransformConfig& config) {
  return fmt::format("length={} taps={} pass={} arch={}", config.length, config.taps,
                     config.pass == Pass::forward ? "forward" : "backward", config.arch);
}

std::int64_t GeneratedRealTransform::from_floats() const {
  return config.pass == Pass::forward ? spectrum_floats(config) : config.taps;
}

std::int64_t GeneratedRealTransform::to_floats() const {
  return config.pass == Pass::forward ? config.taps : spectrum_floats(config);
}

std::int64_t GeneratedRealTransform::workspace_bytes(int channels) const {
  const bool has_chirp = steps.front().rows == StepRows::channels_and_chirp;
  return row_bytes * (std::min(channels, most_channels) + (has_chirp ? 1 : 0));
}

GeneratedRealTransform generate_real_transform(const RealTransformConfig& config) {
  const RealTransformConfig checked = normalised(config);
  if (checked.arch.empty()) throw ConfigError("arch is empty; generate_real_transform needs one such as \"sm_90a\"");
  return emit_real_transform(checked);
}

}  // namespace ffc
