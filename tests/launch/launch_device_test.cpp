// What launch refuses for where things are: memory, spectra, streams and contexts of other devices; and how often it
// asks.
#include <doctest/doctest.h>

#include <cstdlib>

#include "fake_kernel.hpp"

using namespace ffc;
using namespace ffc::fakes;

TEST_CASE("a spectrum on another device") {
  KernelFixture f;
  f.driver.memory[0x50000] = {.ordinal = 1};
  f.arguments.spectrum = f.registry->get_kernel(f.config, 1)->prepare_filter(f.filter);
  f.driver.launches.clear();
  CHECK(has(f.launch_refusal(), "the spectrum is on device 1; the kernel is loaded on device 0"));
}

TEST_CASE("another device's context is current") {
  KernelFixture f;
  context_stack() = {primary_context(1)};
  const std::string text = f.launch_refusal();
  CHECK(has(text, "device 1"));
  CHECK(has(text, "device 0"));
  CHECK(has(f.filter_refusal(), "device 1"));
}

TEST_CASE("a context that is not the primary one is current") {
  KernelFixture f;
  context_stack() = {foreign_context(0)};
  CHECK(has(f.launch_refusal(), "primary context of device 0"));
}

TEST_CASE("a stream of another device") {
  KernelFixture f;
  f.driver.streams[stream_at(0x9000)].context = primary_context(1);
  CHECK(has(f.launch_refusal(stream_at(0x9000)), "the stream belongs to another context"));
  CHECK(has(f.filter_refusal({}, stream_at(0x9000)), "the stream belongs to another context"));
}

TEST_CASE("memory of another device") {
  KernelFixture f(Gating::both);
  f.driver.memory[0x10000] = {.ordinal = 1};
  CHECK(has(f.launch_refusal(), "u.data (0x10000) is memory of device 1; the kernel is loaded on device 0"));
  f.driver.memory = {{0x20000, {.ordinal = 1}}};
  CHECK(has(f.launch_refusal(), "y.data (0x20000) is memory of device 1"));
  f.driver.memory = {{0x30000, {.ordinal = 1}}};
  CHECK(has(f.launch_refusal(), "w.data"));
  f.driver.memory = {{0x40000, {.ordinal = 1}}};
  CHECK(has(f.launch_refusal(), "v.data"));
  f.driver.memory = {{0x50000, {.ordinal = 1}}};
  CHECK(has(f.filter_refusal(), "filter.k"));
}

TEST_CASE("memory that the device cannot reach, and memory that it can") {
  KernelFixture f;
  f.driver.memory[0x10000] = {.type = 0};
  CHECK(has(f.launch_refusal(), "u.data (0x10000) is not memory that device 0 can reach"));
  f.driver.memory[0x10000] = {.type = CU_MEMORYTYPE_DEVICE, .ordinal = 1, .managed = true};
  (void)f.accepted();
  f.driver.launches.clear();
  f.driver.memory[0x10000] = {.type = CU_MEMORYTYPE_HOST};  // page-locked
  (void)f.accepted();
  f.driver.launches.clear();
  f.driver.memory[0x10000] = {.type = 0};
  f.driver.streams[stream_at(0x9000)] = {.context = primary_context(0), .capturing = true};
  (void)f.accepted(stream_at(0x9000));  // may become memory when the graph runs
}

TEST_CASE("a history on another device") {
  KernelFixture f(FixtureOptions{.history_taps = 100});
  f.driver.memory[0x60000] = {.ordinal = 1};
  f.arguments.history = {{at(0x60000), 300, 100}, {}, 99};
  CHECK(has(f.launch_refusal(), "history.u.data"));
}

TEST_CASE("who owns memory is asked once, and of what is not known") {
  FixtureOptions options;
  options.checks = Checks::once;
  KernelFixture f(options);
  f.kernel->launch(f.arguments);
  f.driver.questions = 0;
  for (int i = 0; i < 3; ++i) f.kernel->launch(f.arguments);
  CHECK(f.driver.questions == 0);
  f.arguments.u.data = at(0x70000000);
  f.driver.memory[0x70000000].ordinal = 1;
  CHECK_THROWS_AS(f.kernel->launch(f.arguments), LaunchError);
  CHECK_THROWS_AS(f.kernel->launch(f.arguments), LaunchError);
}

TEST_CASE("memory that is not the device's own is asked for at each launch") {
  FixtureOptions options;
  options.checks = Checks::once;
  KernelFixture f(options);
  f.arguments.u.data = at(0x70000000);
  f.driver.memory[0x70000000] = {.type = CU_MEMORYTYPE_HOST, .ordinal = 0, .managed = false};
  f.kernel->launch(f.arguments);
  f.driver.memory[0x70000000].type = 0;
  CHECK_THROWS_AS(f.kernel->launch(f.arguments), LaunchError);
}

TEST_CASE("FFC_CHECKS") {
  unsetenv("FFC_CHECKS");
  CHECK(checks_from_environment() == Checks::once);
  setenv("FFC_CHECKS", "all", 1);
  CHECK(checks_from_environment() == Checks::each_call);
  setenv("FFC_CHECKS", "none", 1);
  CHECK_THROWS_WITH_AS((void)checks_from_environment(), "FFC_CHECKS is 'none'; it must be 'all', or unset",
                       DriverError);
  unsetenv("FFC_CHECKS");
}
