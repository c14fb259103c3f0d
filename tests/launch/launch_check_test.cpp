// Every argument that launch refuses, one small test each; and what it passes on when it accepts. Of devices and of
// histories: launch_device_test.cpp, history_check_test.cpp.
#include <doctest/doctest.h>

#include <limits>

#include "fake_kernel.hpp"

using namespace ffc;
using namespace ffc::fakes;

TEST_CASE("good arguments arrive at the kernel as they were given") {
  KernelFixture f(Gating::both);
  f.arguments.u.batch_stride = 3 * length + 8;
  const Launched launched = f.accepted();
  const auto got = argument_of<ConvArguments>(launched);
  CHECK(got.u == f.arguments.u.data);
  CHECK(got.w == f.arguments.w.data);
  CHECK(got.v == f.arguments.v.data);
  CHECK(got.y == f.arguments.y.data);
  CHECK(got.spectrum == f.arguments.spectrum.data());
  CHECK(got.tables != nullptr);
  CHECK(got.u_batch_stride == 3 * length + 8);
  CHECK(got.y_channel_stride == length);
  CHECK(got.batch == 4);
  CHECK(got.channels == 3);
  CHECK(launched.threads == 128);
  CHECK(launched.shared_bytes == 4096);
  CHECK(launched.context == primary_context(0));
  CHECK_FALSE(launched.cooperative);
  const LaunchGrid grid = launch_grid(f.kernel->generated(), 4, 3, 132 * f.kernel->generated().blocks_per_sm);
  CHECK(launched.grid_x == grid.x);
  CHECK(launched.grid_y == grid.y);
  CHECK(context_stack().empty());
}

TEST_CASE("clusters come in waves of as many as the device holds") {
  FixtureOptions options;
  options.cluster = 4;
  KernelFixture f(options);
  f.arguments.batch = 128;
  f.arguments.y.data = reinterpret_cast<void*>(0x40000000);  // behind all of u
  const Launched launched = f.accepted();
  CHECK(launched.grid_x == launch_grid(f.kernel->generated(), 128, 3, 31 * 4).x);
  CHECK(launched.grid_x % (31 * 4) == 0);
}

TEST_CASE("null u") {
  KernelFixture f;
  f.arguments.u.data = nullptr;
  CHECK(has(f.launch_refusal(), "u.data is null"));
}

TEST_CASE("null y") {
  KernelFixture f;
  f.arguments.y.data = nullptr;
  CHECK(has(f.launch_refusal(), "y.data is null"));
}

TEST_CASE("misaligned u") {
  KernelFixture f;
  f.arguments.u.data = at(0x10002);
  CHECK(has(f.launch_refusal(), "u.data is 0x10002; its address must be a multiple of 16"));
}

TEST_CASE("misaligned y") {
  KernelFixture f;
  f.arguments.y.data = const_cast<void*>(at(0x20008));
  CHECK(has(f.launch_refusal(), "y.data is 0x20008"));
}

TEST_CASE("misaligned gate") {
  KernelFixture f(Gating::both);
  f.arguments.v.data = at(0x40004);
  CHECK(has(f.launch_refusal(), "v.data is 0x40004"));
}

TEST_CASE("a smaller row_alignment accepts what it names and no less") {
  KernelFixture f;
  f.config.row_alignment = 4;
  f.kernel = f.registry->get_kernel(f.config, 0);
  f.arguments.u.data = at(0x10002);
  CHECK(has(f.launch_refusal(), "multiple of 4"));
  f.arguments.u.data = at(0x10004);
  f.arguments.u.batch_stride = 3 * length + 1;
  CHECK(has(f.launch_refusal(), "multiple of 2"));
  f.arguments.u.batch_stride = 3 * length + 2;
  (void)f.accepted();
}

TEST_CASE("misaligned strides") {
  KernelFixture f;
  f.arguments.u.batch_stride = 3 * length + 4;
  CHECK(has(f.launch_refusal(), "u.batch_stride is 3076 elements; it must be a multiple of 8"));
  f.arguments.u.batch_stride = 3 * length;
  f.arguments.y.channel_stride = length + 1;
  CHECK(has(f.launch_refusal(), "y.channel_stride is 1025"));
}

TEST_CASE("negative strides") {
  KernelFixture f;
  f.arguments.u.batch_stride = -3 * length;
  CHECK(has(f.launch_refusal(), "u.batch_stride is -3072; it must be 0 or more"));
  f.arguments.u.batch_stride = 3 * length;
  f.arguments.y.channel_stride = -length;
  CHECK(has(f.launch_refusal(), "y.channel_stride is -1024"));
}

TEST_CASE("strides of axes of one element mean nothing") {
  KernelFixture f;
  f.filter.channels = 1;
  f.arguments.spectrum = f.kernel->prepare_filter(f.filter);
  f.driver.launches.clear();
  f.arguments.batch = 1;
  f.arguments.channels = 1;
  f.arguments.u = {at(0x10000), -5, std::numeric_limits<std::int64_t>::max()};
  f.arguments.y.batch_stride = 1;
  const auto got = argument_of<ConvArguments>(f.accepted());
  CHECK(got.u_batch_stride == 0);
  CHECK(got.u_channel_stride == 0);
}

TEST_CASE("inputs may be broadcast, outputs not") {
  KernelFixture f(Gating::both);
  f.arguments.u.batch_stride = 0;
  f.arguments.w = {at(0x30000), 0, 0};
  f.arguments.v.channel_stride = 0;
  (void)f.accepted();
  f.driver.launches.clear();
  f.arguments.y.batch_stride = 0;
  CHECK(has(f.launch_refusal(), "rows of y overlap"));
}

TEST_CASE("rows of y that overlap") {
  KernelFixture f;
  f.arguments.y.channel_stride = length - 8;
  CHECK(has(f.launch_refusal(), "channel_stride 1016; every row must have 1024 elements of its own"));
  f.arguments.y.channel_stride = length;
  f.arguments.y.batch_stride = 2 * length;  // channel 2 of a batch row is channel 0 of the next
  CHECK(has(f.launch_refusal(), "rows of y overlap"));
  f.arguments.y.batch_stride = 3 * length - 8;
  CHECK(has(f.launch_refusal(), "rows of y overlap"));
}

TEST_CASE("overlap is found exactly as comparing every pair of rows finds it") {
  KernelFixture f;
  int overlapping = 0, apart = 0;
  for (std::int64_t batch_stride = 0; batch_stride <= 6 * length; batch_stride += length / 4) {
    for (std::int64_t channel_stride = 0; channel_stride <= 6 * length; channel_stride += length / 4) {
      bool overlaps = false;
      for (int row = 0; row < 12; ++row)
        for (int other = 0; other < row; ++other)
          overlaps = overlaps ||
                     std::abs((row / 3 - other / 3) * batch_stride + (row % 3 - other % 3) * channel_stride) < length;
      f.arguments.y.batch_stride = batch_stride;
      f.arguments.y.channel_stride = channel_stride;
      f.driver.launches.clear();
      bool refused = false;
      try {
        f.kernel->launch(f.arguments);
      } catch (const LaunchError&) {
        refused = true;
      }
      CHECK_MESSAGE(refused == overlaps, batch_stride << " " << channel_stride);
      ++(overlaps ? overlapping : apart);
    }
  }
  CHECK(overlapping > 50);
  CHECK(apart > 50);
}

TEST_CASE("batch and channels below 1") {
  KernelFixture f;
  f.arguments.batch = 0;
  CHECK(has(f.launch_refusal(), "batch is 0; it must be 1 or more"));
  f.arguments.batch = -4;
  CHECK(has(f.launch_refusal(), "batch is -4"));
  f.arguments.batch = 4;
  f.arguments.channels = 0;
  CHECK(has(f.launch_refusal(), "channels is 0; it must be 1 or more"));
}

TEST_CASE("strides whose products overflow") {
  KernelFixture f;
  f.arguments.u.batch_stride = std::int64_t{1} << 62;
  CHECK(has(f.launch_refusal(), "u with batch 4, channels 3"));
  f.arguments.u.batch_stride = std::int64_t{1} << 61;  // 3 * 2^61 elements fit, their bytes do not
  CHECK(has(f.launch_refusal(), "u with batch 4, channels 3"));
}

TEST_CASE("a gate that the kernel does not have") {
  {
    KernelFixture none;
    none.arguments.w = {at(0x30000), 3 * length, length};
    CHECK(has(none.launch_refusal(), "w.data is 0x30000 but the kernel has no such gate"));
  }
  KernelFixture in(Gating::in);
  in.arguments.v = {at(0x40000), 3 * length, length};
  CHECK(has(in.launch_refusal(), "v.data is 0x40000 but the kernel has no such gate"));
}

TEST_CASE("a gate that is missing") {
  {
    KernelFixture both(Gating::both);
    both.arguments.w = {};
    CHECK(has(both.launch_refusal(), "w.data is null but the kernel has that gate"));
  }
  KernelFixture out(Gating::out);
  out.arguments.v = {};
  CHECK(has(out.launch_refusal(), "v.data is null but the kernel has that gate"));
}

TEST_CASE("an empty spectrum") {
  KernelFixture f;
  f.arguments.spectrum = {};
  CHECK(has(f.launch_refusal(), "the spectrum is empty"));
}

TEST_CASE("a spectrum that another kernel prepared") {
  KernelFixture f;
  ConvConfig config = f.config;
  config.fft_length = f.filter.length = 2048;
  f.arguments.spectrum = f.registry->get_kernel(config, 0)->prepare_filter(f.filter);
  f.driver.launches.clear();
  const std::string text = f.launch_refusal();
  CHECK(has(text, "tag of n2048"));
  CHECK(has(text, "tag of n1024"));
}

TEST_CASE("a spectrum of another number of channels") {
  KernelFixture f;
  f.filter.channels = 2;
  f.arguments.spectrum = f.kernel->prepare_filter(f.filter);
  f.driver.launches.clear();
  CHECK(has(f.launch_refusal(), "the spectrum has 2 channels; the launch has 3"));
}

TEST_CASE("what the driver returns for a launch is passed on") {
  KernelFixture f;
  f.driver.launch_result = CUDA_ERROR_ILLEGAL_ADDRESS;
  try {
    f.kernel->launch(f.arguments);
    FAIL("no exception");
  } catch (const DriverError& error) {
    CHECK(error.code() == CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK(has(error.what(), "conv_n1024"));
  }
}

TEST_CASE("a launch allocates nothing and waits for nothing") {
  KernelFixture f;
  const std::size_t live = f.driver.live.size();
  (void)f.accepted();
  CHECK(f.driver.calls.empty());
  CHECK(f.driver.filled.empty());
  CHECK(f.driver.live.size() == live);
}

TEST_CASE("y is one of the inputs exactly, or shares no memory with the other arguments") {
  KernelFixture f(Gating::both);
  constexpr std::uintptr_t row = 2 * length;
  const auto y_at = [&](std::uintptr_t address) { f.arguments.y.data = const_cast<void*>(at(address)); };
  for (const std::uintptr_t input : {0x10000, 0x30000, 0x40000}) {
    y_at(input);
    (void)f.accepted();
    f.driver.launches.clear();
    for (const std::uintptr_t rows : {1, 2, 5, 11}) {
      y_at(input + rows * row);
      CHECK(has(f.launch_refusal(), "they overlap; both must be the same rows, or share no memory"));
      y_at(input - rows * row);
      CHECK(has(f.launch_refusal(), "they overlap"));
    }
    y_at(input + 12 * row);
    (void)f.accepted();
    f.driver.launches.clear();
  }
  // The same memory by other strides is other rows.
  y_at(0x10000);
  f.arguments.y.batch_stride = length, f.arguments.y.channel_stride = 4 * length;
  CHECK(has(f.launch_refusal(), "y.data is 0x10000 and u.data 0x10000"));
  f.arguments.y = {const_cast<void*>(f.arguments.spectrum.data()), 3 * length, length};
  CHECK(has(f.launch_refusal(), "and the spectrum"));
}

TEST_CASE("no view spans more than any memory has") {
  constexpr std::int64_t huge = std::int64_t{1} << 62;
  const auto refused = [&](auto&& change) {
    KernelFixture f(FixtureOptions{.gating = Gating::both, .history_taps = 100});
    f.arguments.history = {{at(0x60000), 300, 100}, {at(0x70000), 300, 100}, 99};
    change(f.arguments);
    return f.launch_refusal();
  };
  const std::string text = " spans more than 1152921504606846976 bytes";
  for (const std::int64_t stride : {huge, huge / 8, huge / 3 / 8 * 8}) {
    CHECK(has(refused([&](auto& a) { a.u.batch_stride = stride; }), text));
    CHECK(has(refused([&](auto& a) { a.w.channel_stride = stride; }), text));
    CHECK(has(refused([&](auto& a) { a.v.batch_stride = a.v.channel_stride = stride; }), text));
    CHECK(has(refused([&](auto& a) { a.y.batch_stride = stride; }), text));
    CHECK(has(refused([&](auto& a) { a.history.u.batch_stride = stride; }), "history.u with batch 4"));
    CHECK(has(refused([&](auto& a) { a.history.w.channel_stride = stride; }), "history.w with batch 4"));
  }
}
