// A backward kernel and arguments that it accepts, without a device.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "backward_launches.hpp"
#include "fake_spectrum.hpp"
#include "ffc/generator/generate.hpp"
#include "ffc/runtime/errors.hpp"
#include "ffc/runtime/kernel.hpp"

namespace ffc::fakes {

/// Both gates and all gradients: B = 40, H = 5, contiguous rows of `length`.
struct BackwardFixture {
  static constexpr std::int64_t length = 1024;

  static void* at(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

  explicit BackwardFixture(Gating gating = Gating::both, std::string_view gradients = "du,dw,dv,dk,dd") {
    ConvConfig config;
    config.fft_length = length;
    config.gating = gating;
    config.arch = "sm_90a";
    config.pass = Pass::backward;
    config.gradients = parse_gradients(gradients);
    generated = generate(config);
    arguments.u = {at(0x1000000), 5 * length, length};
    arguments.w = {at(0x2000000), 5 * length, length};
    arguments.v = {at(0x3000000), 5 * length, length};
    arguments.dy = {at(0x4000000), 5 * length, length};
    arguments.du = {at(0x5000000), 5 * length, length};
    arguments.dw = {at(0x6000000), 5 * length, length};
    arguments.dv = {at(0x7000000), 5 * length, length};
    arguments.dk = static_cast<float*>(at(0x8000000));
    arguments.dd = static_cast<float*>(at(0x9000000));
    arguments.batch = 40;
    arguments.channels = 5;
    arguments.spectrum = spectrum(5);
  }

  [[nodiscard]] FilterSpectrum spectrum(int channels, int device = 0) const {
    return fake_spectrum(at(0xa000000), channels, device, generated.spectrum_tag);
  }

  [[nodiscard]] std::string refusal() const {
    try {
      check_backward(generated, 0, arguments);
    } catch (const LaunchError& error) {
      return error.what();
    }
    return "accepted";
  }

  [[nodiscard]] std::string refusal_of(const std::function<void(BackwardArguments&)>& spoil) {
    const BackwardArguments before = arguments;
    spoil(arguments);
    std::string text = refusal();
    arguments = before;
    return text;
  }

  Generated generated;
  BackwardArguments arguments;
};

}  // namespace ffc::fakes
