// get_real_transform on a driver that exists only in memory: configs, what is launched, and what is refused.
#include "ffc/runtime/real_transform.hpp"

#include <doctest/doctest.h>

#include "fake_kernel.hpp"

using namespace ffc;
using namespace ffc::fakes;

namespace {

// A kernel fixture's registry and driver, and rows of three channels.
struct TransformFixture : KernelFixture {
  explicit TransformFixture(std::int64_t length = 1024, std::int64_t taps = 0, Pass pass = Pass::forward) {
    transform = registry->get_real_transform({.length = length, .taps = taps, .pass = pass}, 0);
    rows = {static_cast<const float*>(at(0x1000000)), static_cast<float*>(const_cast<void*>(at(0x2000000))), 3};
    driver.argument_bytes = sizeof(RealTransformArguments);
  }
  ~TransformFixture() { transform.reset(); }

  std::string run_refusal(const Workspace& workspace = {}, CUstream stream = nullptr) {
    return refusal([&] { transform->run(rows, workspace, stream); });
  }

  std::shared_ptr<const RealTransform> transform;
  RealTransformRows rows;
};

std::string config_refusal(const RealTransformConfig& config) {
  try {
    (void)generate_real_transform(config);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("configs that no transform is made for") {
  CHECK(has(config_refusal({.length = 15, .arch = "sm_90a"}), "length is 15; a spectrum's must lie in [16, 16777216]"));
  CHECK(has(config_refusal({.length = 16777217, .arch = "sm_90a"}), "length is 16777217"));
  CHECK(has(config_refusal({.length = 100, .taps = 101, .arch = "sm_90a"}), "taps is 101; it must lie in [1, 100]"));
  CHECK(has(config_refusal({.length = 100, .taps = -1, .arch = "sm_90a"}), "taps is -1"));
  CHECK(has(config_refusal({.length = 100}), "arch is empty"));
  CHECK(has(config_refusal({.length = 100, .arch = "sm_1"}), "arch is \"sm_1\""));
  TransformFixture f;
  CHECK_THROWS_AS((void)f.registry->get_real_transform({.length = 100, .arch = "sm_80"}, 0), ConfigError);
}

TEST_CASE("one transform for one config, however it is written") {
  TransformFixture f;
  CHECK(f.registry->get_real_transform({.length = 1024, .taps = 1024}, 0) == f.transform);
  CHECK(f.registry->get_real_transform({.length = 1024, .taps = 1023}, 0) != f.transform);
  CHECK(f.registry->get_real_transform({.length = 1024, .pass = Pass::backward}, 0) != f.transform);
  CHECK(f.transform->config().arch == "sm_90a");
  CHECK(f.transform->device() == 0);
}

TEST_CASE("a block for each channel: one launch, and neither workspace nor allocation") {
  TransformFixture f;
  CHECK(f.transform->workspace_bytes(3) == 0);
  f.rows.to_channel_stride = 1030;
  f.transform->run(f.rows);
  REQUIRE(f.driver.launches.size() == 1);
  const auto got = argument_of<RealTransformArguments>(f.driver.launches[0]);
  CHECK(got.from == f.rows.from);
  CHECK(got.to == f.rows.to);
  CHECK(got.from_channel_stride == 1026);
  CHECK(got.to_channel_stride == 1030);
  CHECK(got.channels == 3);
  CHECK(f.driver.allocated.empty());
}

TEST_CASE("long transforms: step by step, chunk by chunk, in lent memory or memory of their own") {
  TransformFixture f(4194304, 5, Pass::backward);
  f.rows.channels = 9;
  const std::int64_t row = 8 * 2097152, spectrum = 2 * 2097153;
  REQUIRE(f.transform->workspace_bytes(9) == static_cast<std::size_t>(8 * row));
  f.transform->run(f.rows, {const_cast<void*>(at(std::uintptr_t{1} << 40)), static_cast<std::size_t>(8 * row)});
  REQUIRE(f.driver.launches.size() == 6);
  for (int launch = 0; launch < 6; ++launch) {
    const auto got = argument_of<RealTransformArguments>(f.driver.launches[static_cast<std::size_t>(launch)]);
    CHECK(got.step == launch % 3);
    CHECK(got.channels == (launch < 3 ? 8 : 1));
    CHECK(got.from == f.rows.from + (launch < 3 ? 0 : 8 * 5));
    CHECK(got.to == f.rows.to + (launch < 3 ? 0 : 8 * spectrum));
    CHECK(got.workspace == at(std::uintptr_t{1} << 40));
  }
  CHECK(f.driver.allocated.empty());
  f.transform->run(f.rows);
  REQUIRE(f.driver.allocated.size() == 1);
  CHECK(f.driver.freed.size() == 1);
}

TEST_CASE("chirps have a row of the workspace to themselves") {
  TransformFixture f(1009);
  CHECK(f.transform->workspace_bytes(3) == 4 * static_cast<std::size_t>(f.transform->generated().row_bytes));
  f.transform->run(f.rows);
  CHECK(f.driver.launches.size() == 4);
}

TEST_CASE("rows that are null, misaligned, too close or in each other's memory") {
  TransformFixture f;
  const RealTransformRows right = f.rows;
  const auto with = [&](auto change) {
    f.rows = right;
    change(f.rows);
    return f.run_refusal();
  };
  CHECK(has(with([](auto& rows) { rows.channels = 0; }), "channels is 0; it must be 1 or more"));
  CHECK(has(with([](auto& rows) { rows.from = nullptr; }), "from is null; it must point to spectra in device memory"));
  CHECK(has(with([](auto& rows) { rows.to = nullptr; }), "to is null; it must point to taps"));
  CHECK(has(with([](auto& rows) { ++rows.from; }), "the address of spectra must be a multiple of 8 bytes"));
  CHECK(has(with([](auto& rows) { rows.from_channel_stride = 512; }),
            "from_channel_stride is 512; it must be 0 "
            "(meaning 513)"));
  CHECK(has(with([](auto& rows) { rows.to_channel_stride = -1; }), "to_channel_stride is -1"));
  CHECK(has(with([](auto& rows) { rows.to = const_cast<float*>(rows.from) + 4; }), "they overlap"));
  CHECK(with([](auto& rows) { rows.to_channel_stride = std::int64_t{1} << 58; }).find("spans more than") !=
        std::string::npos);
}

TEST_CASE("a workspace that is too small, misaligned or in the rows' memory") {
  TransformFixture f(1009);
  const std::size_t needed = f.transform->workspace_bytes(3);
  const auto lent = [](std::uintptr_t address, std::size_t bytes) {
    return Workspace{const_cast<void*>(at(address)), bytes};
  };
  CHECK(has(f.run_refusal(lent(0x4000000, needed - 1)), "workspace.bytes is"));
  CHECK(has(f.run_refusal(lent(0x4000008, needed)), "its address must be a multiple of 16 bytes"));
  CHECK(has(f.run_refusal(lent(0x2000000, needed)), "workspace.data is"));
  CHECK(has(f.run_refusal({nullptr, needed}), "workspace.data is null but workspace.bytes is"));
  f.driver.memory[0x2000000] = {.ordinal = 1};
  CHECK(has(f.run_refusal(lent(0x4000000, needed)), "is memory of device 1"));
}

TEST_CASE("a transform that is not loaded yet, while a stream is being captured") {
  TransformFixture f;
  f.driver.capture = f.driver.blocking_capture = true;
  CHECK(f.registry->get_real_transform({.length = 2048}, 0) != nullptr);
}
