// A kernel on the fake driver with arguments that it accepts: the tests of launch and prepare_filter spoil them.
#pragma once

#include <doctest/doctest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <string>

#include "fake_cuda.hpp"
#include "fake_generated.hpp"
#include "fake_nvrtc.hpp"
#include "ffc/generator/generate.hpp"
#include "has.hpp"
#include "registry.hpp"

namespace ffc::fakes {

inline constexpr std::int64_t length = 1024;

inline const void* at(std::uintptr_t address) { return reinterpret_cast<const void*>(address); }
inline CUstream stream_at(std::uintptr_t handle) { return reinterpret_cast<CUstream>(handle); }

struct FixtureOptions {
  Gating gating = Gating::none;
  int filter_steps = 1;
  bool split = false;        ///< pairs of rows of 4096 bytes in a workspace
  bool single_rows = false;  ///< of those, rows one by one
  int major = 9;             ///< of the device's compute capability
  int l2_bytes = 50 << 20;
  int multiprocessors = 132;
  int cluster = 1;       ///< blocks of one, of the convolution
  int history_taps = 0;  ///< more than 0: a causal kernel of so many taps that takes a history
  int driver_version = 13000;
  Checks checks = Checks::each_call;
  bool any_address = false;    ///< rows begin at any even address
  bool apart = false;          ///< they do, and there is a program for tensors that do not lie alike
  std::string gradients = {};  ///< "du,dk": what generate makes of a backward config; there are no arguments for it
};

/// A kernel on fake parts, and arguments that it accepts: B = 4, H = 3, contiguous.
struct KernelFixture {
  explicit KernelFixture(Gating gating = Gating::none, int filter_steps = 1)
      : KernelFixture(FixtureOptions{.gating = gating, .filter_steps = filter_steps}) {}
  explicit KernelFixture(const FixtureOptions& options) {
    const Gating gating = options.gating;
    current_fake() = &driver;
    current_nvrtc() = &nvrtc;
    context_stack().clear();
    driver.devices = 2;
    driver.major = options.major;
    driver.l2_bytes = options.l2_bytes;
    driver.multiprocessors = options.multiprocessors;
    driver.version = options.driver_version;
    RegistryParts parts;
    parts.open_driver = [] {
      DriverApi api = fake_driver_api();
      initialise(api);
      return api;
    };
    parts.open_nvrtc = [=] { return fake_nvrtc_api(options.driver_version / 1000); };
    parts.generate = [=](const ConvConfig& wanted) {
      Generated generated = !options.gradients.empty() ? generate(wanted)
                            : options.split            ? fake_split(wanted)
                                                       : fake_generated(wanted);
      if (options.gradients.empty()) generated.filter_steps = options.filter_steps;
      if (options.cluster > 1) generated.conv.cluster = options.cluster;
      if (options.apart) {
        generated.apart = generated.conv;
        generated.apart->name = "apart";
        generated.apart->source = "apart source";
      }
      if (wanted.scaling == Scaling::found) {
        generated.magnitudes.emplace();
        generated.magnitudes->name = "magnitudes";
        generated.magnitudes->source = "magnitudes source";
        generated.magnitudes->threads = 256;
      }
      if (wanted.report != Report::none) {
        generated.scaling.emplace();
        generated.scaling->name = "scaling";
        generated.scaling->source = "scaling source";
        generated.scaling->threads = 256;
      }
      if (options.single_rows) {
        generated.split->packing = Packing::half_length;
        generated.split->least_ring = 3;
        generated.split->place_rows /= 2;
      }
      return generated;
    };
    parts.checks = [=] { return options.checks; };
    parts.cache_options = [](const cache::WarnCallback&) {
      return cache::Options{.root = {}, .disabled = true, .warn = {}};
    };
    registry = std::make_unique<Registry>(std::move(parts));

    config.fft_length = length;
    config.gating = gating;
    if (options.any_address || options.apart) config.row_alignment = 2;
    if (options.history_taps > 0) {
      config.padding = Padding::causal;
      config.length = length;
      config.filter_length = options.history_taps;
      config.history = true;
    }
    if (!options.gradients.empty()) {
      config.pass = Pass::backward;
      config.gradients = parse_gradients(options.gradients);
    }
    kernel = registry->get_kernel(config, 0);
    filter.k = static_cast<const float*>(at(0x50000));
    filter.length = kernel->config().filter_length;
    filter.channels = 3;
    arguments.u = {at(0x10000), 3 * length, length};
    arguments.y = {const_cast<void*>(at(0x20000)), 3 * length, length};
    if (has_in_gate(gating)) arguments.w = {at(0x30000), 3 * length, length};
    if (has_out_gate(gating)) arguments.v = {at(0x40000), 3 * length, length};
    arguments.batch = 4;
    arguments.channels = 3;
    arguments.spectrum = kernel->prepare_filter(filter);
    driver.launches.clear();
    driver.filled.clear();
    driver.calls.clear();
    driver.allocated.clear();
    driver.freed.clear();
  }
  ~KernelFixture() {
    arguments = {};
    kernel.reset();
  }

  /// The text of the LaunchError, after which nothing was launched or allocated and the context is as before.
  [[nodiscard]] std::string refusal(const std::function<void()>& call) const {
    const std::size_t live = driver.live.size();
    const std::vector<CUcontext> stack = context_stack();
    std::string text = "accepted";
    try {
      call();
    } catch (const LaunchError& error) {
      text = error.what();
    }
    CHECK(driver.launches.empty());
    CHECK(driver.filled.empty());
    CHECK(driver.live.size() == live);
    CHECK(context_stack() == stack);
    return text;
  }
  std::string launch_refusal(CUstream stream = nullptr) {
    return refusal([&] { kernel->launch(arguments, stream); });
  }
  std::string filter_refusal(Workspace workspace = {}, CUstream stream = nullptr) {
    return refusal([&] { (void)kernel->prepare_filter(filter, stream, workspace); });
  }
  /// The one launch that was made.
  const Launched& accepted(CUstream stream = nullptr) {
    driver.argument_bytes = sizeof(ConvArguments);
    kernel->launch(arguments, stream);
    REQUIRE(driver.launches.size() == 1);
    return driver.launches[0];
  }

  FakeDriver driver;
  FakeNvrtc nvrtc;
  std::unique_ptr<Registry> registry;
  ConvConfig config;
  std::shared_ptr<const Kernel> kernel;
  FilterView filter;
  LaunchArguments arguments;
};

template <typename Arguments>
Arguments argument_of(const Launched& launched) {
  Arguments arguments;
  REQUIRE(launched.argument.size() >= sizeof(arguments));
  std::memcpy(&arguments, launched.argument.data(), sizeof(arguments));
  return arguments;
}

}  // namespace ffc::fakes
