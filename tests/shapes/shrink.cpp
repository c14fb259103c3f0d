#include "shrink.hpp"

#include <vector>

#include "ffc/generator/error.hpp"

namespace ffc::shapes {
namespace {

// Smaller ones of a launch, the largest steps first.
std::vector<Launch> smaller(const Launch& launch) {
  std::vector<Launch> all;
  const auto add = [&](auto change) {
    Launch other = launch;
    change(other, other.config);
    if (!(other.config == launch.config) || other.batch < launch.batch || other.channels < launch.channels ||
        other.skip != launch.skip)
      all.push_back(std::move(other));
  };
  for (const int channels : {1, launch.channels / 2, launch.channels - 1})
    if (channels > 0) add([&](Launch& l, ConvConfig&) { l.channels = channels; });
  for (const int batch : {1, 2, launch.batch / 2, launch.batch - 1})
    if (batch > 0 && batch < launch.batch) add([&](Launch& l, ConvConfig&) { l.batch = batch; });
  add([](Launch& l, ConvConfig&) { l.skip = false; });
  for (const Gating gating : {Gating::none, Gating::in, Gating::out})
    if (launch.config.gating == Gating::both || gating == Gating::none)
      add([&](Launch&, ConvConfig& c) { c.gating = gating; });
  add([](Launch&, ConvConfig& c) { c.dtype = DataType::fp16; });
  add([](Launch&, ConvConfig& c) { c.history = false; });
  add([](Launch&, ConvConfig& c) { c.mask = {}; });
  add([](Launch&, ConvConfig& c) { c.input_exponent = 0; });
  add([](Launch&, ConvConfig& c) { c.scaling = Scaling::fixed; });
  add([](Launch&, ConvConfig& c) { c.gradient_exponent = 0; });
  add([](Launch&, ConvConfig& c) { c.accumulation = Accumulation::automatic; });
  add([](Launch&, ConvConfig& c) { c.batch = 0; });
  add([](Launch&, ConvConfig& c) { c.row_alignment = 0; });
  for (const Gradients one : {Gradients{true, false, false, false, false}, Gradients{false, true, false, false, false},
                              Gradients{false, false, true, false, false}, Gradients{false, false, false, true, false},
                              Gradients{false, false, false, false, true}})
    if (launch.config.pass == Pass::backward) add([&](Launch&, ConvConfig& c) { c.gradients = one; });
  // Rows, and filters and transforms with them.
  const std::int64_t n = std::max(launch.config.fft_length, launch.config.length);
  for (const std::int64_t less : {n / 2, n / 4, n / 8, std::int64_t{256}, std::int64_t{16}, std::int64_t{1}}) {
    const auto cut = [&](std::int64_t length) { return length > less ? length - less : length; };
    if (launch.config.padding == Padding::circular)
      add([&](Launch&, ConvConfig& c) { c.fft_length = c.length = c.filter_length = cut(c.fft_length); });
    else
      add([&](Launch&, ConvConfig& c) {
        c.length = cut(c.length), c.filter_length = std::min(c.filter_length, c.length);
      });
    if (launch.config.fft_length > 0) add([&](Launch&, ConvConfig& c) { c.fft_length = cut(c.fft_length); });
    add([&](Launch&, ConvConfig& c) { c.filter_length = cut(c.filter_length); });
  }
  return all;
}

bool has_kernel(const ConvConfig& config) {
  try {
    (void)generate(config);
    return true;
  } catch (const ConfigError&) {
    return false;
  }
}

}  // namespace

Launch shrunk(Launch launch, const Fails& fails, int at_most) {
  bool found = true;
  while (found) {
    found = false;
    for (Launch& other : smaller(launch)) {
      if (!has_kernel(other.config)) continue;
      if (at_most-- <= 0) return launch;
      if (!fails(other)) continue;
      launch = std::move(other);
      found = true;
      break;
    }
  }
  return launch;
}

}  // namespace ffc::shapes
