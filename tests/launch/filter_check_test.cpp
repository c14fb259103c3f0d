// prepare_filter: what it refuses, what it launches, and when the memory of a spectrum is given back.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <limits>

#include "fake_kernel.hpp"

using namespace ffc;
using namespace ffc::fakes;

TEST_CASE("prepare_filter: what it launches") {
  KernelFixture f;
  f.driver.argument_bytes = sizeof(FilterArguments);
  f.filter.channels = 40;
  const FilterSpectrum spectrum = f.kernel->prepare_filter(f.filter);
  REQUIRE(f.driver.launches.size() == 1);
  const auto got = argument_of<FilterArguments>(f.driver.launches[0]);
  CHECK(f.driver.launches[0].grid_x == 16);  // filter_blocks
  CHECK(f.driver.launches[0].threads == 64);
  CHECK(got.k == f.filter.k);
  CHECK(got.k_channel_stride == length);
  CHECK(got.filter_length == length);
  CHECK(got.channels == 40);
  CHECK(got.spectrum == spectrum.data());
  CHECK(got.workspace != nullptr);
  CHECK(f.driver.calls == std::vector<std::string>{"free on a stream"});  // the workspace
  CHECK(spectrum.channels() == 40);
  CHECK(spectrum.bytes() == 40 * 4 * length);
  CHECK(f.kernel->spectrum_bytes(40) == spectrum.bytes());
  CHECK(f.kernel->filter_workspace_bytes(40) == 16 * 8 * length);
  CHECK(f.kernel->filter_workspace_bytes(3) == 3 * 8 * length);
  CHECK(spectrum.device() == 0);
  CHECK(spectrum.tag() == "tag of n1024");
}

TEST_CASE("prepare_filter: a filter of several steps, chunk by chunk") {
  KernelFixture f(Gating::none, 5);
  f.driver.argument_bytes = sizeof(LongFilterArguments);
  f.filter.channels = 20;
  const FilterSpectrum spectrum = f.kernel->prepare_filter(f.filter);
  REQUIRE(f.driver.launches.size() == 10);  // 16 channels, then 4
  for (int i = 0; i < 10; ++i) {
    const auto got = argument_of<LongFilterArguments>(f.driver.launches[static_cast<std::size_t>(i)]);
    CHECK(got.step == i % 5);
    CHECK(got.channels == (i < 5 ? 16 : 4));
    CHECK(got.k == f.filter.k + (i < 5 ? 0 : 16 * length));
    CHECK(got.spectrum == static_cast<const char*>(spectrum.data()) + (i < 5 ? 0 : 16 * 4 * length));
  }
  CHECK(f.kernel->filter_workspace_bytes(20) == 16 * 8 * length);
  CHECK(f.driver.calls == std::vector<std::string>{"free on a stream"});  // the workspace, after the last step
}

TEST_CASE("prepare_filter: a lent workspace is used and not freed") {
  KernelFixture f;
  f.driver.argument_bytes = sizeof(FilterArguments);
  const FilterSpectrum spectrum =
      f.kernel->prepare_filter(f.filter, nullptr, {const_cast<void*>(at(0x60000)), 3 * 8 * length});
  CHECK(argument_of<FilterArguments>(f.driver.launches.at(0)).workspace == at(0x60000));
  CHECK(f.driver.calls.empty());
}

TEST_CASE("prepare_filter: a workspace too small, null or misaligned") {
  KernelFixture f;
  CHECK(has(f.filter_refusal({const_cast<void*>(at(0x60000)), 3 * 8 * length - 1}),
            "workspace.bytes is 24575; it must be at least 24576"));
  CHECK(has(f.filter_refusal({nullptr, 100}), "workspace.data is null but workspace.bytes is 100"));
  CHECK(has(f.filter_refusal({const_cast<void*>(at(0x60008)), 3 * 8 * length}), "multiple of 16"));
}

TEST_CASE("sizes of no channels or rows are refused") {
  KernelFixture f;
  CHECK(has(f.refusal([&] { (void)f.kernel->spectrum_bytes(-1); }), "channels is -1; it must be 1 or more"));
  CHECK(has(f.refusal([&] { (void)f.kernel->spectrum_bytes(0); }), "channels is 0"));
  CHECK(has(f.refusal([&] { (void)f.kernel->filter_workspace_bytes(0); }), "channels is 0"));
  CHECK(has(f.refusal([&] { (void)f.kernel->backward_workspace_bytes(0, 1); }), "batch is 0; it must be 1 or more"));
  CHECK(has(f.refusal([&] { (void)f.kernel->backward_workspace_bytes(1, -5); }), "channels is -5"));
}

TEST_CASE("prepare_filter: a workspace over the filter or the skip term") {
  KernelFixture f;
  const auto lent = [](std::uintptr_t address) { return Workspace{const_cast<void*>(at(address)), 3 * 8 * length}; };
  CHECK(has(f.filter_refusal(lent(0x50000)), "workspace.data is 0x50000 and filter.k 0x50000"));
  CHECK(has(f.filter_refusal(lent(0x50000 + 3 * 4 * length - 16)), "they overlap"));
  f.filter.skip = static_cast<const float*>(at(0x60008));
  CHECK(has(f.filter_refusal(lent(0x60000)), "and filter.skip 0x60008"));
}

TEST_CASE("prepare_filter: null or misaligned filter, misaligned skip") {
  KernelFixture f;
  f.filter.k = nullptr;
  CHECK(has(f.filter_refusal(), "filter.k is null"));
  f.filter.k = static_cast<const float*>(at(0x50002));
  CHECK(has(f.filter_refusal(), "filter.k is 0x50002"));
  f.filter.k = static_cast<const float*>(at(0x50000));
  f.filter.skip = static_cast<const float*>(at(0x50001));
  CHECK(has(f.filter_refusal(), "filter.skip is 0x50001"));
}

TEST_CASE("prepare_filter: a length that is not the kernel's") {
  KernelFixture f;
  for (const std::int64_t wrong : {std::int64_t{0}, length - 1, length + 1, 2 * length, std::int64_t{-1}}) {
    f.filter.length = wrong;
    CHECK(has(f.filter_refusal(), fmt::format("filter.length is {}; it must be 1024, the filter_length", wrong)));
  }
  // Rows of taps that lie further apart are still rows of so many taps.
  f.filter.length = length / 2;
  f.filter.channel_stride = length;
  CHECK(has(f.filter_refusal(), "filter.length is 512; it must be 1024"));
  f.filter.length = length;
  CHECK_NOTHROW((void)f.kernel->prepare_filter(f.filter));
}

TEST_CASE("prepare_filter: channels below 1, strides too small, negative or overflowing") {
  KernelFixture f;
  f.filter.channels = 0;
  CHECK(has(f.filter_refusal(), "filter.channels is 0; it must be 1 or more"));
  f.filter.channels = -1;
  CHECK(has(f.filter_refusal(), "filter.channels is -1"));
  f.filter.channels = 3;
  f.filter.channel_stride = length - 1;
  CHECK(has(f.filter_refusal(), "filter.channel_stride is 1023"));
  f.filter.channel_stride = -length;
  CHECK(has(f.filter_refusal(), "filter.channel_stride is -1024"));
  f.filter.channel_stride = std::numeric_limits<std::int64_t>::max() / 8;
  CHECK(has(f.filter_refusal(), "spans more than"));
}

TEST_CASE("prepare_filter inside a capture") {
  KernelFixture f;
  f.driver.streams[stream_at(0x9000)] = {.context = primary_context(0), .capturing = true};
  CHECK(has(f.filter_refusal({}, stream_at(0x9000)), "before the capture begins"));
  f.driver.blocking_capture = true;
  CHECK(has(f.filter_refusal(), "before the capture begins"));
}

TEST_CASE("prepare_filter gives memory back when the launch fails") {
  KernelFixture f;
  const std::size_t live = f.driver.live.size();
  f.driver.launch_result = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  CHECK_THROWS_AS((void)f.kernel->prepare_filter(f.filter), DriverError);
  CHECK(f.driver.live.size() == live);
}

TEST_CASE("a spectrum is freed after the work that uses it, once, with its last handle") {
  KernelFixture f;
  SpectrumView copy = f.arguments.spectrum;
  f.arguments.spectrum = {};
  CHECK(f.driver.calls.empty());
  copy = {};
  CHECK(f.driver.calls == std::vector<std::string>{"free after the legacy stream"});
}

TEST_CASE("a spectrum that streams used is freed behind its last use on each, and nobody waits") {
  KernelFixture f;
  const CUstream one = stream_at(0x9000), other = stream_at(0x9100);
  for (const CUstream stream : {one, other})
    f.driver.streams[stream] = {.context = primary_context(0), .flags = CU_STREAM_NON_BLOCKING};
  for (const CUstream stream : {one, other, one}) f.kernel->launch(f.arguments, stream);
  CHECK(f.driver.calls == std::vector<std::string>(3, "mark a stream"));
  f.driver.calls.clear();
  f.arguments.spectrum = {};
  CHECK(f.driver.calls == std::vector<std::string>{"wait for a mark", "wait for a mark", "mark the legacy stream",
                                                   "wait for a mark", "free on a stream"});
  CHECK(f.driver.events == 0);
  f.kernel.reset();
  f.registry.reset();
  CHECK(f.driver.streams.size() == 2);
}

TEST_CASE("a spectrum that a graph may use, or more streams than are told apart, waits for the device") {
  for (const bool graph : {true, false}) {
    KernelFixture f;
    for (std::uintptr_t i = 0; i < (graph ? 1U : 17U); ++i) {
      const CUstream stream = stream_at(0x9000 + 0x100 * i);
      f.driver.streams[stream] = {.context = primary_context(0), .capturing = graph};
      f.kernel->launch(f.arguments, stream);
    }
    f.driver.calls.clear();
    f.arguments.spectrum = {};
    REQUIRE(!f.driver.calls.empty());
    CHECK(f.driver.calls.front() == "synchronize");
    CHECK(f.driver.events == 0);
  }
}

TEST_CASE("a spectrum dropped during a capture is freed with the next one") {
  KernelFixture f;
  FilterSpectrum other = f.kernel->prepare_filter(f.filter);
  f.driver.calls.clear();
  f.driver.blocking_capture = true;
  f.arguments.spectrum = {};
  CHECK(f.driver.calls.empty());
  f.driver.blocking_capture = false;
  other = {};
  CHECK(f.driver.calls == std::vector<std::string>(2, "free after the legacy stream"));
}

TEST_CASE("a device without memory pools frees with the plain call") {
  KernelFixture f;
  f.driver.memory_pools = false;
  const auto kernel = f.registry->get_kernel(f.config, 1);  // the first look at device 1
  f.driver.memory[0x50000] = {.ordinal = 1};
  f.driver.calls.clear();
  { const FilterSpectrum spectrum = kernel->prepare_filter(f.filter); }
  CHECK(f.driver.calls == std::vector<std::string>{"free", "free"});
}
