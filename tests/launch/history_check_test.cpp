// Histories of streams that launch refuses, and those that arrive at the kernel.
#include <doctest/doctest.h>

#include "fake_kernel.hpp"

using namespace ffc;
using namespace ffc::fakes;

TEST_CASE("y over the history of its rows") {
  KernelFixture f(FixtureOptions{.gating = Gating::in, .history_taps = 100});
  const auto refused = [&](const History& history) {
    f.arguments.history = history;
    return f.launch_refusal();
  };
  CHECK(has(refused({{at(0x20010), 300, 100}, {at(0x70000), 300, 100}, 99}), "and history.u.data 0x20010"));
  CHECK(has(refused({{at(0x70000), 300, 100}, {at(0x26000 - 2), 300, 100}, 99}), "and history.w.data 0x25ffe"));
}

TEST_CASE("a history arrives at the kernel behind the other arguments") {
  KernelFixture f(FixtureOptions{.gating = Gating::in, .history_taps = 100});
  f.arguments.history = {{at(0x60002), 350, 101}, {at(0x70000), 300, 100}, 99};
  f.driver.argument_bytes = sizeof(StreamArguments);
  f.kernel->launch(f.arguments);
  REQUIRE(f.driver.launches.size() == 1);
  const auto got = argument_of<StreamArguments>(f.driver.launches[0]);
  CHECK(got.conv.u == f.arguments.u.data);
  CHECK(got.conv.batch == 4);
  CHECK(got.u.data == at(0x60002));
  CHECK(got.u.batch_stride == 350);
  CHECK(got.u.channel_stride == 101);
  CHECK(got.w.data == at(0x70000));
  CHECK(got.w.batch_stride == 300);
}

TEST_CASE("a history of another length, or of one gate alone") {
  KernelFixture f(FixtureOptions{.gating = Gating::in, .history_taps = 100});
  f.arguments.history = {{at(0x60000), 300, 100}, {at(0x70000), 300, 100}, 100};
  CHECK(has(f.launch_refusal(), "history.length is 100; it must be 99"));
  f.arguments.history = {{at(0x60000), 300, 100}, {}, 99};
  CHECK(has(f.launch_refusal(), "history.w.data is null"));
}

TEST_CASE("a history of a kernel that takes none") {
  KernelFixture plain;
  plain.arguments.history = {{at(0x60000), 99, 99}, {}, 99};
  CHECK(has(plain.launch_refusal(), "the kernel takes none"));
}

TEST_CASE("a history of a gate that there is none of, misaligned, with negative strides") {
  KernelFixture ungated(FixtureOptions{.history_taps = 100});
  ungated.arguments.history = {{at(0x60000), 300, 100}, {at(0x70000), 300, 100}, 99};
  CHECK(has(ungated.launch_refusal(), "has no such gate"));
  ungated.arguments.history = {{at(0x60001), 300, 100}, {}, 99};
  CHECK(has(ungated.launch_refusal(), "multiple of 2 bytes"));
  ungated.arguments.history = {{at(0x60000), 300, -100}, {}, 99};
  CHECK(has(ungated.launch_refusal(), "history.u.channel_stride is -100; it must be 0 or more"));
}
