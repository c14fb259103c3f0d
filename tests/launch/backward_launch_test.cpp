// What launch_backward refuses, one small test each.
#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "backward_fixture.hpp"
#include "backward_launches.hpp"
#include "ffc/generator/generate.hpp"
#include "ffc/runtime/errors.hpp"
#include "has.hpp"
#include "launch_checks.hpp"

using namespace ffc;

namespace {

using Fixture = fakes::BackwardFixture;
constexpr std::int64_t length = Fixture::length;
constexpr auto at = &Fixture::at;

}  // namespace

TEST_CASE("good arguments are accepted") { CHECK(Fixture().refusal() == "accepted"); }

TEST_CASE("tensors that are missing") {
  Fixture f;
  CHECK(has(f.refusal_of([](auto& a) { a.u.data = nullptr; }), "u.data is null"));
  CHECK(has(f.refusal_of([](auto& a) { a.w.data = nullptr; }), "w.data is null but the kernel has that gate"));
  CHECK(has(f.refusal_of([](auto& a) { a.v.data = nullptr; }), "v.data is null but the kernel has that gate"));
  CHECK(has(f.refusal_of([](auto& a) { a.dy.data = nullptr; }), "dy.data is null"));
  CHECK(has(f.refusal_of([](auto& a) { a.du.data = nullptr; }), "du.data is null"));
  CHECK(has(f.refusal_of([](auto& a) { a.dw.data = nullptr; }), "dw.data is null"));
  CHECK(has(f.refusal_of([](auto& a) { a.dv.data = nullptr; }), "dv.data is null"));
  CHECK(has(f.refusal_of([](auto& a) { a.dk = nullptr; }), "dk is null"));
  CHECK(has(f.refusal_of([](auto& a) { a.dd = nullptr; }), "dd is null"));
}

TEST_CASE("tensors that the kernel does not have") {
  Fixture f(Gating::none, "du");
  CHECK(has(f.refusal(), "w.data is 0x2000000 but the kernel has no such gate"));
  f.arguments.w = f.arguments.v = {};
  CHECK(has(f.refusal(), "dw.data is 0x6000000 but the kernel has no such gradient (gradients du)"));
  f.arguments.dw = {};
  CHECK(has(f.refusal(), "dv.data is 0x7000000"));
  f.arguments.dv = {};
  CHECK(has(f.refusal(), "dk is 0x8000000"));
  f.arguments.dk = nullptr;
  CHECK(has(f.refusal(), "dd is 0x9000000"));
  f.arguments.dd = nullptr;
  CHECK(f.refusal() == "accepted");
  f.arguments.u = {};  // du needs no u
  CHECK(f.refusal() == "accepted");
}

TEST_CASE("the spectrum is needed for gradients of rows, and not for those of the filter") {
  Fixture f;
  CHECK(has(f.refusal_of([](auto& a) { a.spectrum = {}; }), "the spectrum is empty"));
  CHECK(has(f.refusal_of([&](auto& a) { a.spectrum = f.spectrum(4); }), "4 channels; the launch has 5"));
  CHECK(has(f.refusal_of([&](auto& a) { a.spectrum = f.spectrum(5, 1); }), "on device 1"));
  Fixture sums(Gating::both, "dk");
  sums.arguments.spectrum = {};
  sums.arguments.du = sums.arguments.dw = sums.arguments.dv = {};
  sums.arguments.dd = nullptr;
  CHECK(sums.refusal() == "accepted");
}

TEST_CASE("sizes, strides, alignment and overlap") {
  Fixture f;
  CHECK(has(f.refusal_of([](auto& a) { a.batch = 0; }), "batch is 0"));
  CHECK(has(f.refusal_of([](auto& a) { a.channels = 0; }), "channels is 0"));
  CHECK(has(f.refusal_of([](auto& a) { a.dy.data = at(0x4000008); }), "dy.data is 0x4000008; its address"));
  CHECK(has(f.refusal_of([](auto& a) { a.dw.batch_stride = -8; }), "dw.batch_stride is -8"));
  CHECK(has(f.refusal_of([](auto& a) { a.du.channel_stride = 1016; }), "rows of du overlap"));
  CHECK(has(f.refusal_of([](auto& a) { a.dk = static_cast<float*>(at(0x8000002)); }), "dk is 0x8000002"));
  CHECK(has(f.refusal_of([](auto& a) { a.dk_channel_stride = 1023; }), "dk_channel_stride is 1023; it must be 0"));
  CHECK(
      has(f.refusal_of([](auto& a) { a.dk_channel_stride = std::numeric_limits<std::int64_t>::max(); }), "spans more"));
}

TEST_CASE("what is written shares no memory with another tensor") {
  Fixture f;
  const std::string words = "they overlap, and what is written must share no memory";
  CHECK(has(f.refusal_of([](auto& a) { a.du = {at(0x4000000), 5 * length, length}; }), "du.data is 0x4000000 and dy"));
  CHECK(has(f.refusal_of([](auto& a) { a.dw.data = at(0x1000010); }), "dw.data is 0x1000010 and u.data 0x1000000"));
  // The last row of dv begins where the first of w does.
  CHECK(has(f.refusal_of([](auto& a) { a.dv.data = at(0x2000000 - 199 * 2 * length); }), words));
  CHECK(f.refusal_of([](auto& a) { a.dv.data = at(0x2000000 - 200 * 2 * length); }) == "accepted");
  CHECK(has(f.refusal_of([](auto& a) { a.dv.data = at(0x5000000); }), "dv.data is 0x5000000 and du.data"));
  CHECK(has(f.refusal_of([](auto& a) { a.dk = static_cast<float*>(at(0x4000010)); }), "dk is 0x4000010 and dy.data"));
  CHECK(has(f.refusal_of([](auto& a) { a.dd = static_cast<float*>(at(0x8000000)); }), "dd is 0x8000000 and dk"));
  CHECK(has(f.refusal_of([](auto& a) { a.du.data = const_cast<void*>(a.spectrum.data()); }), "and the spectrum"));
  CHECK(has(f.refusal_of([](auto& a) { a.workspace = {at(0x9000010), 1 << 20}; }), "workspace.data is 0x9000010"));
  // Channels of u and du in turn share a range of memory and no element; inputs may be one tensor.
  CHECK(f.refusal_of([](auto& a) {
    a.u = {at(0x1000000), 10 * length, 2 * length};
    a.du = {at(0x1000000 + 2 * length), 10 * length, 2 * length};
    a.v = a.w;
  }) == "accepted");
  // What is not read may lie anywhere.
  Fixture rows(Gating::none, "du");
  rows.arguments.w = rows.arguments.v = {};
  rows.arguments.dw = rows.arguments.dv = {};
  rows.arguments.dk = rows.arguments.dd = nullptr;
  CHECK(rows.refusal_of([](auto& a) { a.u.data = a.du.data; }) == "accepted");
}

TEST_CASE("a workspace of less than one channel") {
  Fixture f;
  const BackwardSizes sizes(f.generated, 40, f.arguments.channels, 132);
  const auto refused = [&](std::size_t bytes) {
    return f.refusal_of([&](auto& a) { a.workspace = {at(0xb000000), bytes}; });
  };
  CHECK(has(refused(sizes.bytes(1) - 1), "workspace.bytes is " + std::to_string(sizes.bytes(1) - 1)));
  CHECK(refused(sizes.bytes(1)) == "accepted");
  CHECK(has(f.refusal_of([&](auto& a) { a.workspace = {at(0xb000004), sizes.bytes(1)}; }), "multiple of 16"));
}

TEST_CASE("either pass refuses the other's kernel") {
  const Fixture f;
  CHECK_THROWS_WITH_AS(check_launch(f.generated, 0, {}), doctest::Contains("launch_backward runs it"), LaunchError);
  ConvConfig forward = f.generated.config;
  forward.pass = Pass::forward;
  CHECK_THROWS_WITH_AS(check_backward(generate(forward), 0, f.arguments), doctest::Contains("launch runs it"),
                       LaunchError);
}
