// Launches that measure their rows first: two kernels, and the memory between them.
#include <doctest/doctest.h>

#include <string>

#include "fake_kernel.hpp"
#include "launch_checks.hpp"
#include "magnitude_launches.hpp"

using namespace ffc;
using namespace ffc::fakes;

namespace {

constexpr std::uintptr_t lent = 0x80000;

struct MeasuredFixture : KernelFixture {
  explicit MeasuredFixture(const FixtureOptions& options = {}) : KernelFixture(options) {
    config.scaling = Scaling::found;
    kernel = registry->get_kernel(config, 0);
    driver.argument_bytes = sizeof(ConvArguments);
  }
  /// The arguments of both kernels, of a launch that has been made.
  [[nodiscard]] MagnitudeArguments measured() const {
    REQUIRE(driver.launches.size() == 2);
    return argument_of<MagnitudeArguments>(driver.launches[0]);
  }
  [[nodiscard]] ConvArguments convolved() const { return argument_of<ConvArguments>(driver.launches[1]); }
};

}  // namespace

TEST_CASE("rows are measured into memory of the stream, where the convolution finds the magnitudes") {
  MeasuredFixture f(FixtureOptions{.gating = Gating::both, .multiprocessors = 1});
  const std::size_t live = f.driver.live.size();
  f.kernel->launch(f.arguments);
  const MagnitudeArguments measured = f.measured();
  const MeasuredRows& rows = measured.tensors[0];
  CHECK(rows.rows == f.arguments.u.data);
  CHECK(rows.gate == f.arguments.w.data);
  CHECK(rows.rows_batch_stride == 3 * length);
  CHECK(rows.gate_channel_stride == length);
  CHECK(measured.rows == 4);
  CHECK(measured.apart == 1);
  CHECK(f.driver.launches[0].grid_x == 3);
  REQUIRE(f.driver.allocated.size() == 1);
  CHECK(f.driver.allocated[0].bytes == 256);
  CHECK(reinterpret_cast<CUdeviceptr>(rows.magnitudes) == f.driver.allocated[0].memory);
  CHECK(static_cast<const void*>(f.convolved().input_magnitudes.data) == rows.magnitudes);
  CHECK(f.convolved().input_magnitudes.channel_stride == 1);
  CHECK(f.driver.live.size() == live);
}

TEST_CASE("blocks that share a channel's rows begin with zeros, one that has them all with anything") {
  for (const int batch : {4, 160}) {
    MeasuredFixture f;
    f.arguments.batch = batch;
    f.arguments.y.data = const_cast<void*>(at(0x200000));
    f.kernel->launch(f.arguments);
    const int blocks = f.measured().blocks;
    CHECK(blocks == (batch == 4 ? 1 : 3));  // 8192 loads of 8 samples each
    CHECK(f.driver.launches[0].grid_y == static_cast<unsigned>(blocks));
    REQUIRE(f.driver.filled.size() == (blocks == 1 ? 0 : 1));
    if (blocks > 1) CHECK(f.driver.filled[0].memory == f.driver.allocated[0].memory);
  }
}

TEST_CASE("in a workspace that was lent nothing is allocated") {
  MeasuredFixture f;
  REQUIRE(f.kernel->workspace_bytes(3) == 256);
  CHECK(f.kernel->workspace_bytes(65) == 512);
  f.arguments.workspace = {const_cast<void*>(at(lent)), 256};
  f.kernel->launch(f.arguments);
  CHECK(f.driver.allocated.empty());
  CHECK(static_cast<const void*>(f.measured().tensors[0].magnitudes) == at(lent));
}

TEST_CASE("past one block the ring comes behind the magnitudes") {
  MeasuredFixture f(FixtureOptions{.split = true});
  f.driver.argument_bytes = sizeof(SplitArguments);
  const std::size_t bytes = f.kernel->workspace_bytes(3);
  CHECK(f.kernel->least_workspace_bytes(3) == 256 + 4096 + 128);
  f.arguments.workspace = {const_cast<void*>(at(lent)), bytes};
  f.kernel->launch(f.arguments);
  REQUIRE(f.driver.launches.size() == 2);
  const auto split = argument_of<SplitArguments>(f.driver.launches[1]);
  CHECK(split.workspace == at(lent + 256));
  CHECK(static_cast<const void*>(split.conv.input_magnitudes.data) == at(lent));
}

TEST_CASE("where rows go one by one each has a magnitude, and its blocks measure no other") {
  MeasuredFixture f;
  Generated generated = f.kernel->generated();
  generated.magnitudes_of_rows = true;
  CHECK(magnitude_count(generated, 4, 3) == 12);
  CHECK(magnitude_bytes(generated, 65, 1) == 512);
  f.arguments.batch = 4;
  void* const memory = const_cast<void*>(at(lent));
  const auto search = magnitude_launch(generated, f.arguments, memory);
  REQUIRE(search);
  CHECK(search->arguments.rows == 1);
  CHECK(search->arguments.apart == 4);
  CHECK(search->grid.x == 12);
  CHECK(search->bytes == 12 * sizeof(float));
  const RowMagnitudes found = with_magnitudes(generated, f.arguments, memory).input_magnitudes;
  CHECK(found.data == at(lent));
  CHECK(found.channel_stride == 4);
  CHECK(found.row_stride == 1);
}

TEST_CASE("magnitudes of rows for a kernel that takes one of a channel are refused, for others checked as a whole") {
  MeasuredFixture f;
  f.arguments.input_magnitudes = {static_cast<const float*>(at(0x70000)), 4, 1};
  CHECK_FALSE(f.kernel->takes(f.arguments.input_magnitudes));
  CHECK(has(f.launch_refusal(),
            "input_magnitudes.row_stride is 1 but the kernel takes one magnitude of a channel's rows; it must be 0"));
  Generated generated = f.kernel->generated();
  generated.magnitudes_of_rows = true;
  f.arguments.workspace = {const_cast<void*>(at(lent)), 256};
  check_launch(generated, 0, f.arguments);
  // Over the last of y's rows: 3 channels of 4 rows.
  const auto y = reinterpret_cast<std::uintptr_t>(f.arguments.y.data);
  f.arguments.input_magnitudes.data = reinterpret_cast<const float*>(y - 11 * sizeof(float));
  CHECK(has(f.refusal([&] { check_launch(generated, 0, f.arguments); }), "input_magnitudes"));
}

TEST_CASE("a workspace without room for the magnitudes, or over y") {
  MeasuredFixture f;
  f.arguments.workspace = {const_cast<void*>(at(lent)), 255};
  CHECK(has(f.launch_refusal(), "workspace.bytes is 255; it must be at least 256"));
  f.arguments.workspace = {f.arguments.y.data, 256};
  CHECK(has(f.launch_refusal(), "workspace.data"));
}

TEST_CASE("magnitudes that are lent are not looked for") {
  MeasuredFixture f;
  f.arguments.input_magnitudes = {static_cast<const float*>(at(0x70000)), 0};
  const auto given = argument_of<ConvArguments>(f.accepted());
  CHECK(given.input_magnitudes.data == at(0x70000));
  CHECK(given.input_magnitudes.channel_stride == 0);
}

TEST_CASE("magnitudes that are found are put where the caller wants them") {
  MeasuredFixture f;
  auto* const wanted = static_cast<float*>(const_cast<void*>(at(0x400000)));
  f.arguments.found_magnitudes = wanted;
  f.arguments.batch = 160;
  f.arguments.y.data = const_cast<void*>(at(0x200000));
  f.kernel->launch(f.arguments);
  CHECK(static_cast<const void*>(f.measured().tensors[0].magnitudes) == at(0x400000));
  CHECK(f.convolved().input_magnitudes.data == wanted);
  CHECK(f.driver.allocated.empty());
  REQUIRE(f.driver.filled.size() == 1);
  CHECK(f.driver.filled[0].memory == 0x400000);
  CHECK(f.driver.filled[0].bytes == 3 * sizeof(float));
}

TEST_CASE("memory for magnitudes that are not found, or that is another's") {
  MeasuredFixture f;
  f.arguments.found_magnitudes = static_cast<float*>(const_cast<void*>(at(0x400002)));
  CHECK(has(f.launch_refusal(), "found_magnitudes is 0x400002; its address must be a multiple of 4 bytes"));
  f.arguments.found_magnitudes = static_cast<float*>(const_cast<void*>(f.arguments.u.data));
  CHECK(has(f.launch_refusal(), "found_magnitudes is"));
  f.arguments.found_magnitudes = static_cast<float*>(const_cast<void*>(at(0x400000)));
  f.arguments.input_magnitudes = {static_cast<const float*>(at(0x480000)), 1};
  CHECK(has(f.launch_refusal(), "input_magnitudes are lent"));
  f.arguments.input_magnitudes = {};
  Generated found_within = f.kernel->generated();
  found_within.magnitudes.reset();
  CHECK(has(f.refusal([&] { check_launch(found_within, 0, f.arguments); }),
            "found_magnitudes is 0x400000 but no kernel ahead of this one finds any"));
}

TEST_CASE("a kernel that finds magnitudes itself takes none") {
  KernelFixture f;
  Generated generated = f.kernel->generated();
  generated.config.scaling = Scaling::found;
  f.arguments.input_magnitudes = {static_cast<const float*>(at(0x70000)), 1};
  CHECK_THROWS_AS(check_launch(generated, 0, f.arguments), LaunchError);
}

TEST_CASE("of gradients each tensor's magnitudes are lent or looked for by themselves") {
  ConvConfig config;
  config.arch = "sm_90a";
  config.fft_length = 65536;
  config.pass = Pass::backward;
  config.scaling = Scaling::found;
  const Generated generated = generate(config);
  REQUIRE(generated.magnitudes);
  BackwardArguments arguments;
  arguments.u.data = at(0x10000), arguments.dy.data = at(0x20000);
  arguments.batch = arguments.channels = 3;
  void* const memory = const_cast<void*>(at(lent));
  const auto both = magnitude_launch(generated, arguments, memory);
  REQUIRE(both);
  CHECK(both->grid.y == 2);
  CHECK(both->arguments.tensors[1].rows == at(0x20000));
  arguments.input_magnitudes.data = static_cast<const float*>(at(0x70000));
  const auto one = magnitude_launch(generated, arguments, memory);
  REQUIRE(one);
  CHECK(one->grid.y == 1);
  CHECK(one->arguments.tensors[0].rows == at(0x20000));
  CHECK(static_cast<const void*>(one->arguments.tensors[0].magnitudes) == at(lent + 256));
  const BackwardArguments behind = with_magnitudes(generated, arguments, memory);
  CHECK(behind.input_magnitudes.data == at(0x70000));
  CHECK(behind.gradient_magnitudes.data == at(lent + 256));
  arguments.gradient_magnitudes.data = static_cast<const float*>(at(0x70100));
  CHECK_FALSE(magnitude_launch(generated, arguments, memory));
}
