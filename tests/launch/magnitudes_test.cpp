// Magnitudes of rows: what launches refuse of them, and where they arrive.
#include <doctest/doctest.h>

#include <string>

#include "backward_launches.hpp"
#include "fake_kernel.hpp"

using namespace ffc;
using namespace ffc::fakes;

namespace {

const float* floats_at(std::uintptr_t address) { return static_cast<const float*>(at(address)); }

// Arguments that a kernel accepts which asks for magnitudes.
struct ScaledFixture : KernelFixture {
  ScaledFixture() {
    config.scaling = Scaling::given;
    kernel = registry->get_kernel(config, 0);
    arguments.input_magnitudes = {floats_at(0x70000), 1};
  }
};

}  // namespace

TEST_CASE("magnitudes arrive at the kernel as they were given, or not at all") {
  ScaledFixture f;
  const auto given = argument_of<ConvArguments>(f.accepted());
  CHECK(given.input_magnitudes.data == floats_at(0x70000));
  CHECK(given.input_magnitudes.channel_stride == 1);
  f.driver.launches.clear();
  f.arguments.input_magnitudes = {};
  CHECK(argument_of<ConvArguments>(f.accepted()).input_magnitudes.data == nullptr);
}

TEST_CASE("magnitudes for a kernel that does not ask for them") {
  KernelFixture f;
  f.arguments.input_magnitudes = {floats_at(0x70000), 0};
  CHECK(has(f.launch_refusal(), "input_magnitudes.data is 0x70000 but the kernel does not ask for it (scaling fixed)"));
}

TEST_CASE("misaligned magnitudes, and such as lie backwards") {
  ScaledFixture f;
  f.arguments.input_magnitudes = {floats_at(0x70002), 1};
  CHECK(has(f.launch_refusal(), "input_magnitudes.data is 0x70002; its address must be a multiple of 4"));
  f.arguments.input_magnitudes = {floats_at(0x70000), -1};
  CHECK(has(f.launch_refusal(), "input_magnitudes.channel_stride is -1"));
}

TEST_CASE("y over magnitudes") {
  ScaledFixture f;
  f.arguments.input_magnitudes = {static_cast<const float*>(f.arguments.y.data) + 2, 1};
  CHECK(has(f.launch_refusal(), "and input_magnitudes"));
}

TEST_CASE("those of a chunk of channels begin with its first one") {
  const RowMagnitudes each = magnitudes_from({floats_at(0x70000), 3}, 5);
  CHECK(each.data == floats_at(0x70000) + 15);
  CHECK(each.channel_stride == 3);
  CHECK(magnitudes_from({floats_at(0x70000), 0}, 5).data == floats_at(0x70000));
  CHECK(magnitudes_from({}, 5).data == nullptr);
}
