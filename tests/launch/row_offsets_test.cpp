// Which of two programs a launch runs: by how the rows of its tensors lie behind lines of 16 bytes.
#include "row_offsets.hpp"

#include <doctest/doctest.h>

#include "fake_kernel.hpp"

using namespace ffc;
using namespace ffc::fakes;

namespace {

void* writable(std::uintptr_t address) { return const_cast<void*>(at(address)); }

// Odd rows, one behind the other.
LaunchArguments of_rows() {
  LaunchArguments arguments;
  arguments.batch = 4, arguments.channels = 3;
  arguments.u = {at(0x10002), 3 * 1001, 1001};
  arguments.w = {at(0x30012), 3 * 1001, 1001};
  arguments.y = {writable(0x20002), 3 * 1001, 1001};
  return arguments;
}

BackwardArguments of_gradients() {
  BackwardArguments arguments;
  arguments.batch = 4, arguments.channels = 3;
  arguments.dy = {at(0x10002), 3 * 1001, 1001};
  arguments.u = arguments.w = arguments.v = arguments.dy;
  arguments.du = {writable(0x20002), 3 * 1001, 1001};
  return arguments;
}

}  // namespace

TEST_CASE("rows lie alike where addresses and strides are the same modulo lines") {
  LaunchArguments arguments = of_rows();
  CHECK(lie_alike(arguments));
  arguments.w.batch_stride += 8, arguments.y.channel_stride += 800, arguments.v = arguments.u;
  CHECK(lie_alike(arguments));
}

TEST_CASE("one tensor whose rows begin elsewhere") {
  for (int which = 0; which < 3; ++which) {
    LaunchArguments arguments = of_rows();
    if (which == 0) arguments.w.data = at(0x30014);
    if (which == 1) arguments.v = {at(0x40000), 3 * 1001, 1001};
    if (which == 2) arguments.y.data = writable(0x20000);
    CHECK_FALSE(lie_alike(arguments));
  }
  for (int which = 0; which < 6; ++which) {
    BackwardArguments arguments = of_gradients();
    REQUIRE(lie_alike(arguments));
    if (which < 3) (which == 0 ? arguments.u : which == 1 ? arguments.w : arguments.v).data = at(0x10004);
    if (which >= 3)
      (which == 3 ? arguments.du : which == 4 ? arguments.dw : arguments.dv) = {writable(0x20004), 3 * 1001, 1001};
    CHECK_FALSE(lie_alike(arguments));
  }
}

TEST_CASE("a stride that is not the same, unless its axis has one element") {
  LaunchArguments arguments = of_rows();
  arguments.w.batch_stride += 1;
  CHECK_FALSE(lie_alike(arguments));
  arguments.batch = 1;
  CHECK(lie_alike(arguments));
  arguments.y.channel_stride -= 4;
  CHECK_FALSE(lie_alike(arguments));
  arguments.channels = 1;
  CHECK(lie_alike(arguments));
}

TEST_CASE("each launch runs the program for its tensors") {
  KernelFixture f(FixtureOptions{.apart = true});
  const auto launched = [&] {
    f.driver.launches.clear();
    return f.accepted().function;
  };
  const CUfunction alike = launched();
  f.arguments.y.data = writable(0x20002);
  const CUfunction apart = launched();
  CHECK(apart != alike);
  CHECK(argument_of<ConvArguments>(f.driver.launches[0]).y == writable(0x20002));
  f.arguments.u.data = at(0x10002);
  CHECK(launched() == alike);
  f.arguments.u.channel_stride += 2;
  CHECK(launched() == apart);
}

TEST_CASE("the program for tensors that lie apart is compiled and loaded by the first launch of such, also captured") {
  KernelFixture f(FixtureOptions{.apart = true});
  const int compiles = f.nvrtc.compiles, modules = f.driver.modules;
  (void)f.accepted();
  CHECK(f.nvrtc.compiles == compiles);
  f.driver.launches.clear();
  f.arguments.y.data = writable(0x20002);
  f.driver.capture = f.driver.blocking_capture = true;
  for (int i = 0; i < 2; ++i) {
    (void)f.accepted();
    f.driver.launches.clear();
  }
  CHECK(f.nvrtc.compiles == compiles + 1);
  CHECK(f.driver.modules == modules + 1);
  f.arguments = {};
  f.kernel.reset();
  f.registry.reset();
  CHECK(f.driver.modules == 0);
}

TEST_CASE("a launch whose program does not compile launches nothing, and the next one tries again") {
  KernelFixture f(FixtureOptions{.apart = true});
  f.arguments.y.data = writable(0x20002);
  f.nvrtc.fails = true;
  CHECK_THROWS_AS(f.kernel->launch(f.arguments), CompileError);
  CHECK(f.driver.launches.empty());
  CHECK(f.driver.filled.empty());
  f.nvrtc.fails = false;
  (void)f.accepted();
}

TEST_CASE("a kernel that outlives its registry still compiles that program") {
  KernelFixture f(FixtureOptions{.apart = true});
  f.registry.reset();
  f.arguments.y.data = writable(0x20002);
  (void)f.accepted();
}

TEST_CASE("a kernel without such a program runs its only one") {
  KernelFixture f(FixtureOptions{.any_address = true});
  const CUfunction alike = f.accepted().function;
  f.driver.launches.clear();
  f.arguments.y.data = writable(0x20002);
  CHECK(f.accepted().function == alike);
}
