// Launches of transforms past one block on the fake driver: one memset and one cooperative kernel, in one workspace.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "fake_kernel.hpp"

using namespace ffc;
using namespace ffc::fakes;

namespace {

constexpr std::size_t pair_bytes = 4 * length;
constexpr std::size_t place_bytes = pair_bytes + SplitLaunch{}.progress_bytes;
constexpr std::uintptr_t lent = 0x900000;

// A device whose cache keeps so many pairs, and no more than a few bytes beyond.
FixtureOptions cache_of(int pairs, int major = 9) {
  FixtureOptions options;
  options.split = true;
  options.major = major;
  options.l2_bytes = pairs * static_cast<int>(pair_bytes) * 3 + 100;
  return options;
}

Workspace workspace_of(std::size_t bytes) { return {const_cast<void*>(at(lent)), bytes}; }

void launch(KernelFixture& f, CUstream stream = nullptr) {
  f.driver.argument_bytes = sizeof(SplitArguments);
  f.kernel->launch(f.arguments, stream);
}

// The counts of `ring` pairs behind them in `workspace` are zeroed, then the kernel runs, on the same stream.
void check_launch(const KernelFixture& f, std::uintptr_t workspace, std::int64_t ring, CUstream stream = nullptr) {
  const std::uintptr_t progress = workspace + static_cast<std::uintptr_t>(ring) * pair_bytes;
  REQUIRE(f.driver.filled.size() == 1);
  const Filled& filled = f.driver.filled[0];
  CHECK(filled.memory == progress);
  CHECK(filled.value == 0);
  CHECK(filled.bytes == static_cast<std::size_t>(ring * SplitLaunch{}.progress_bytes));
  CHECK(filled.stream == stream);
  CHECK(filled.context == primary_context(0));
  CHECK(filled.launches == 0);

  REQUIRE(f.driver.launches.size() == 1);
  const Launched& launched = f.driver.launches[0];
  CHECK(launched.cooperative);
  CHECK(launched.grid_x == static_cast<unsigned>(f.driver.multiprocessors));
  CHECK(launched.grid_y == 1);
  CHECK(launched.threads == 128);
  CHECK(launched.shared_bytes == 4096);
  CHECK(launched.stream == stream);
  CHECK(launched.context == primary_context(0));
  const auto got = argument_of<SplitArguments>(launched);
  CHECK(got.workspace == at(workspace));
  CHECK(got.progress == at(progress));
  CHECK(got.ring == ring);
  CHECK(got.conv.u == f.arguments.u.data);
  CHECK(got.conv.w == f.arguments.w.data);
  CHECK(got.conv.v == f.arguments.v.data);
  CHECK(got.conv.y == f.arguments.y.data);
  CHECK(got.conv.spectrum == f.arguments.spectrum.data());
  CHECK(got.conv.tables != nullptr);
  CHECK(got.conv.u_batch_stride == (f.arguments.batch > 1 ? 3 * length : 0));
  CHECK(got.conv.y_channel_stride == length);
  CHECK(got.conv.batch == f.arguments.batch);
  CHECK(got.conv.channels == f.arguments.channels);
  CHECK(context_stack().empty());
}

}  // namespace

TEST_CASE("a memset and a cooperative kernel of a block for each multiprocessor, in the workspace that was lent") {
  for (const int major : {8, 9})
    for (const std::size_t pairs : {1u, 2u, 3u, 4u, 5u, 6u, 100u})
      for (const int batch : {1, 2, 3, 4, 5, 8}) {
        KernelFixture f(cache_of(4, major));
        f.arguments.batch = batch;
        f.arguments.workspace = workspace_of(pairs * place_bytes + 16);
        const std::size_t live = f.driver.live.size();
        launch(f);
        // As much of a lent workspace is used as is fast, and as there are pairs.
        const auto wanted = static_cast<std::int64_t>(f.kernel->workspace_bytes() / place_bytes);
        CHECK(wanted == 4);
        check_launch(f, lent, std::min({static_cast<std::int64_t>(pairs), wanted, std::int64_t{batch * 3 + 1} / 2}));
        CHECK(f.driver.live.size() == live);
        CHECK(f.driver.allocated.empty());
        CHECK(f.driver.calls.empty());
      }
}

TEST_CASE("gates arrive, and the device's multiprocessors are asked for") {
  FixtureOptions options = cache_of(4);
  options.gating = Gating::both;
  options.multiprocessors = 7;
  KernelFixture f(options);
  f.arguments.workspace = workspace_of(2 * place_bytes);
  launch(f);
  check_launch(f, lent, 2);
}

TEST_CASE("without a workspace one is taken and given back on the stream") {
  KernelFixture f(cache_of(4));
  const CUstream stream = stream_at(0x9000);
  f.driver.streams[stream] = {.context = primary_context(0)};
  const std::size_t live = f.driver.live.size();
  launch(f, stream);
  REQUIRE(f.driver.allocated.size() == 1);
  const StreamMemoryCall taken = f.driver.allocated[0];
  check_launch(f, taken.memory, 4, stream);
  CHECK(taken.bytes == 4 * place_bytes);
  CHECK(taken.bytes == f.kernel->workspace_bytes());
  CHECK(taken.stream == stream);
  CHECK(taken.launches == 0);
  REQUIRE(f.driver.freed.size() == 1);
  CHECK(f.driver.freed[0].memory == taken.memory);
  CHECK(f.driver.freed[0].stream == stream);
  CHECK(f.driver.freed[0].launches == 1);
  CHECK(f.driver.live.size() == live);
  CHECK(f.driver.calls == std::vector<std::string>{"free on a stream", "mark a stream"});
}

TEST_CASE("a small launch takes no more memory than its pairs") {
  KernelFixture f(cache_of(4));
  f.arguments.batch = 2;
  REQUIRE(f.arguments.channels == 3);
  launch(f);
  REQUIRE(f.driver.allocated.size() == 1);
  CHECK(f.driver.allocated[0].bytes == 3 * place_bytes);
}

TEST_CASE("two streams, each with a workspace, share nothing that is written") {
  KernelFixture f(cache_of(4));
  const CUstream streams[] = {stream_at(0x9000), stream_at(0x9010)};
  for (const CUstream stream : streams) f.driver.streams[stream] = {.context = primary_context(0)};
  for (int i = 0; i < 2; ++i) {
    f.driver.launches.clear();
    f.driver.filled.clear();
    f.arguments.workspace = {const_cast<void*>(at(lent + 0x100000 * static_cast<std::uintptr_t>(i))), 2 * place_bytes};
    launch(f, streams[i]);
    check_launch(f, lent + 0x100000 * static_cast<std::uintptr_t>(i), 2, streams[i]);
  }
}

TEST_CASE("no memory for a workspace") {
  KernelFixture f(cache_of(4));
  f.driver.alloc_result = CUDA_ERROR_OUT_OF_MEMORY;
  try {
    launch(f);
    FAIL("no exception");
  } catch (const DriverError& error) {
    CHECK(error.code() == CUDA_ERROR_OUT_OF_MEMORY);
    CHECK(has(error.what(), "workspace"));
  }
  CHECK(f.driver.filled.empty());
  CHECK(f.driver.launches.empty());
}

TEST_CASE("a launch that fails gives its workspace back") {
  for (const bool fill_fails : {false, true}) {
    CAPTURE(fill_fails);
    KernelFixture f(cache_of(4));
    const std::size_t live = f.driver.live.size();
    (fill_fails ? f.driver.fill_result : f.driver.launch_result) = CUDA_ERROR_ILLEGAL_ADDRESS;
    try {
      launch(f);
      FAIL("no exception");
    } catch (const DriverError& error) {
      CHECK(error.code() == CUDA_ERROR_ILLEGAL_ADDRESS);
      CHECK(has(error.what(), fill_fails ? "cuMemsetD8Async" : "cuLaunchKernelEx"));
      CHECK(has(error.what(), "conv_n1024"));
    }
    CHECK(f.driver.launches.empty());
    CHECK(f.driver.live.size() == live);
    CHECK(f.driver.freed.size() == 1);
    CHECK(context_stack().empty());
  }
}

TEST_CASE("a cache smaller than two pairs still has room for them") {
  FixtureOptions options = cache_of(1);
  for (const int bytes : {0, options.l2_bytes}) {
    options.l2_bytes = bytes;
    KernelFixture f(options);
    launch(f);
    REQUIRE(f.driver.allocated.size() == 1);
    check_launch(f, f.driver.allocated[0].memory, 2);
  }
}

TEST_CASE("a lent workspace shares no memory with a tensor or the spectrum") {
  FixtureOptions options = cache_of(4);
  options.gating = Gating::both;
  KernelFixture f(options);
  const auto refused = [&](std::uintptr_t address) {
    f.arguments.workspace = {const_cast<void*>(at(address)), 2 * place_bytes};
    return f.launch_refusal();
  };
  CHECK(has(refused(0x20000), "workspace.data is 0x20000 and y.data 0x20000: they overlap"));
  CHECK(has(refused(0x10000 + 11 * 2 * length), "and u.data 0x10000"));
  CHECK(has(refused(0x30000 - 2 * place_bytes + 16), "and w.data 0x30000"));
  CHECK(has(refused(0x40000), "and v.data 0x40000"));
  CHECK(has(refused(reinterpret_cast<std::uintptr_t>(f.arguments.spectrum.data())), "and the spectrum"));
  f.arguments.workspace = {const_cast<void*>(at(0x20000 + 12 * 2 * length)), 2 * place_bytes};
  launch(f);
}

TEST_CASE("a lent workspace that will not do") {
  KernelFixture f(cache_of(4));
  f.arguments.workspace = workspace_of(place_bytes - 1);
  CHECK(has(f.launch_refusal(), "workspace.bytes is 4223"));
  CHECK(has(f.launch_refusal(), "at least 4224"));
  f.arguments.workspace = {nullptr, place_bytes};
  CHECK(has(f.launch_refusal(), "workspace.data is null but workspace.bytes is 4224"));
  f.arguments.workspace = {const_cast<void*>(at(lent + 8)), place_bytes};
  CHECK(has(f.launch_refusal(), "workspace.data is 0x900008; its address must be a multiple of 16"));
  f.driver.memory[lent] = {.ordinal = 1};
  f.arguments.workspace = workspace_of(place_bytes);
  CHECK(has(f.launch_refusal(), "workspace.data (0x900000) is memory of device 1"));
  f.driver.memory.clear();
  launch(f);
  check_launch(f, lent, 1);
}

TEST_CASE("all modules and tables go with the kernel") {
  KernelFixture f(cache_of(4));
  CHECK(f.driver.modules == 2);
  f.arguments = {};
  f.kernel.reset();
  f.registry.reset();
  CHECK(f.driver.modules == 0);
  CHECK(f.driver.live.empty());
}
