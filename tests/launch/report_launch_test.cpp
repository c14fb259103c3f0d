// Reports of launches: what is refused of them, where they arrive, and what delayed scaling refuses and launches.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "backward_launches.hpp"
#include "fake_kernel.hpp"
#include "ffc/runtime/delayed_scaling.hpp"
#include "report_launches.hpp"

using namespace ffc;
using namespace ffc::fakes;

namespace {

ChannelReport* report_at(std::uintptr_t address) { return static_cast<ChannelReport*>(const_cast<void*>(at(address))); }

// Arguments that a kernel accepts which makes a report.
struct ReportingFixture : KernelFixture {
  explicit ReportingFixture(const FixtureOptions& options = {}) : KernelFixture(options) {
    config.report = Report::magnitudes;
    kernel = registry->get_kernel(config, 0);
    arguments.report = report_at(0x70000);
  }
};

Workspace memory_of(std::size_t bytes, std::uintptr_t address = 0x90000) {
  return {const_cast<void*>(at(address)), bytes};
}

}  // namespace

TEST_CASE("the report arrives behind the arguments of the convolution") {
  ReportingFixture f;
  f.driver.argument_bytes = sizeof(ReportingConvArguments);
  f.kernel->launch(f.arguments);
  REQUIRE(f.driver.launches.size() == 1);
  const auto got = argument_of<ReportingConvArguments>(f.driver.launches[0]);
  CHECK(got.report == report_at(0x70000));
  CHECK(got.conv.u == f.arguments.u.data);
}

TEST_CASE("with a history it arrives behind the convolution's, too") {
  ReportingFixture stream(FixtureOptions{.gating = Gating::in, .history_taps = 100});
  stream.arguments.history = {{at(0x60002), 350, 101}, {at(0x80000), 300, 100}, 99};
  stream.driver.argument_bytes = sizeof(ReportingStreamArguments);
  stream.kernel->launch(stream.arguments);
  const auto of_stream = argument_of<ReportingStreamArguments>(stream.driver.launches.at(0));
  CHECK(of_stream.conv.report == report_at(0x70000));
  CHECK(of_stream.u.data == at(0x60002));
  CHECK(of_stream.w.batch_stride == 300);
}

TEST_CASE("and so it does past one block") {
  ReportingFixture split(FixtureOptions{.split = true, .l2_bytes = 1 << 20});
  split.driver.argument_bytes = sizeof(ReportingSplitArguments);
  split.kernel->launch(split.arguments);
  const auto of_split = argument_of<ReportingSplitArguments>(split.driver.launches.at(0));
  CHECK(of_split.conv.report == report_at(0x70000));
  CHECK(of_split.conv.conv.u == split.arguments.u.data);
  CHECK(of_split.workspace != nullptr);
  CHECK(of_split.ring > 0);
}

TEST_CASE("a kernel that makes a report wants memory for it") {
  ReportingFixture f;
  f.arguments.report = nullptr;
  CHECK(has(f.launch_refusal(),
            "report is null but the kernel makes one (report magnitudes); it must point to device memory, 16 bytes for "
            "each of 3 channels"));
}

TEST_CASE("no other takes any") {
  KernelFixture none;
  none.arguments.report = report_at(0x70000);
  CHECK(has(none.launch_refusal(), "report is 0x70000 but the kernel makes none (report none); it must be null"));
}

TEST_CASE("a report that is misaligned, or shares memory") {
  ReportingFixture f(FixtureOptions{.gating = Gating::both});
  f.arguments.report = report_at(0x70002);
  CHECK(has(f.launch_refusal(), "report is 0x70002; its address must be a multiple of 4 bytes"));
  for (const auto& [name, address] :
       {std::pair{"u.data", 0x10000}, {"w.data", 0x30000}, {"v.data", 0x40000}, {"y.data", 0x20000}}) {
    CAPTURE(name);
    f.arguments.report = report_at(static_cast<std::uintptr_t>(address) + 64);
    const std::string refusal = f.launch_refusal();
    CHECK(has(refusal, "report is"));
    CHECK(has(refusal, name));
    CHECK(has(refusal, "they overlap"));
  }
}

TEST_CASE("the records of a chunk of channels begin with its first one") {
  CHECK(report_from(report_at(0x70000), 5) == report_at(0x70000) + 5);
  CHECK(report_from(nullptr, 5) == nullptr);
}

TEST_CASE("two configs that differ in the report have kernels of their own") {
  ReportingFixture f;
  ConvConfig other = f.config;
  other.report = Report::none;
  CHECK(f.registry->get_kernel(other, 0) != f.kernel);
}

TEST_CASE("delayed scaling refuses by name, before anything runs") {
  ReportingFixture f;
  const std::size_t bytes = DelayedScaling::bytes(3);
  const auto refusal = [&](const Workspace& memory, int channels, const DelayedScalingOptions& options = {}) {
    return f.refusal([&] { DelayedScaling(f.kernel, memory, channels, options); });
  };
  CHECK(has(f.refusal([&] { DelayedScaling(nullptr, memory_of(bytes), 3); }), "kernel is null"));
  CHECK(has(refusal({}, 3), "memory.data is null"));
  CHECK(
      has(refusal(memory_of(bytes - 1), 3), "memory.bytes is " + std::to_string(bytes - 1) + "; it must be at least"));
  CHECK(has(refusal(memory_of(bytes, 0x90008), 3), "memory.data is 0x90008; its address must be a multiple of 16"));
  CHECK(has(refusal(memory_of(bytes), 0), "channels is 0; it must be 1 or more"));
  CHECK(has(f.refusal([] { (void)DelayedScaling::bytes(0); }), "channels is 0; it must be 1 or more"));
  const auto option = [&](const std::function<void(DelayedScalingOptions&)>& spoil) {
    DelayedScalingOptions options;
    spoil(options);
    return refusal(memory_of(std::size_t{1} << 20), 3, options);
  };
  CHECK(has(option([](auto& o) { o.window = 0; }), "options.window is 0; it must lie in [1, 1024]"));
  CHECK(has(option([](auto& o) { o.window = 1025; }), "options.window is 1025"));
  CHECK(has(option([](auto& o) { o.headroom = 9; }), "options.headroom is 9; it must lie in [0, 8]"));
  CHECK(has(option([](auto& o) { o.backoff = -1; }), "options.backoff is -1"));
  CHECK(has(option([](auto& o) { o.most_backoff = 1; }), "options.most_backoff is 1; it must lie in [2, 8]"));
  CHECK(has(option([](auto& o) { o.recovery = 0; }), "options.recovery is 0"));
  CHECK(has(option([](auto& o) { o.patience = 0; }), "options.patience is 0"));
}

TEST_CASE("delayed scaling of a kernel that makes no report") {
  KernelFixture none;
  const Workspace memory = memory_of(DelayedScaling::bytes(3));
  CHECK(has(none.refusal([&] { DelayedScaling(none.kernel, memory, 3); }), "the kernel makes no report"));
}

TEST_CASE("an update is one kernel of one block, and a reset a memset of all of the memory") {
  ReportingFixture f;
  const std::size_t bytes = DelayedScaling::bytes(3);
  const DelayedScaling scaling(f.kernel, memory_of(bytes + 100), 3);
  scaling.reset();
  REQUIRE(f.driver.filled.size() == 1);
  CHECK(f.driver.filled[0].memory == 0x90000);
  CHECK(f.driver.filled[0].bytes == bytes);
  CHECK(f.driver.launches.empty());
  f.driver.argument_bytes = sizeof(ScalingArguments);
  scaling.update();
  REQUIRE(f.driver.launches.size() == 1);
  CHECK(f.driver.launches[0].grid_x == 1);
  CHECK(f.driver.allocated.empty());
  const auto got = argument_of<ScalingArguments>(f.driver.launches[0]);
  CHECK(got.channels == 3);
  CHECK(got.report == scaling.report());
  CHECK(got.magnitudes == scaling.input_magnitudes().data);
  CHECK(got.magnitudes + 3 == scaling.gradient_magnitudes().data);
  CHECK(got.status == scaling.status());
}
