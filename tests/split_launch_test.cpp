// Launches of transforms past one block on the fake driver: the workspace, chunks, order and overlap of their kernels.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "fake_kernel.hpp"

using namespace ffc;
using namespace ffc::fakes;

namespace {

constexpr std::size_t pair_bytes = 4 * length;
constexpr std::uintptr_t lent = 0x900000;

// A device whose chunks, two at a time, are `pairs` pairs, and no more than a few bytes of cache beyond.
FixtureOptions chunks_of(int pairs, int major = 9) {
  FixtureOptions options;
  options.split = true;
  options.major = major;
  options.l2_bytes = pairs * static_cast<int>(pair_bytes) * 5 + 100;
  return options;
}

Workspace workspace_of(std::size_t bytes) { return {const_cast<void*>(at(lent)), bytes}; }

const void* tensor_at(std::uintptr_t base, const Chunk& chunk) {
  return at(base + 2 * static_cast<std::uintptr_t>(chunk.first_row * 3 * length + chunk.first_channel * length));
}

// The forward columns of a chunk read u, the inverse ones write y; between them is the workspace.
void check_forward(const ConvArguments& got, const Chunk& chunk, const void* workspace) {
  CHECK(got.u == tensor_at(0x10000, chunk));
  CHECK(got.y == workspace);
  CHECK(got.batch == chunk.rows);
  CHECK(got.channels == chunk.channels);
}

void check_inverse(const ConvArguments& got, const Chunk& chunk, const void* workspace) {
  CHECK(got.u == workspace);
  CHECK(got.y == tensor_at(0x20000, chunk));
  CHECK(got.batch == chunk.rows);
  CHECK(got.channels == chunk.channels);
}

void check_launch(const Launched& launch, const LaunchGrid& grid, unsigned threads, unsigned shared_bytes) {
  CHECK(launch.grid_x == grid.x);
  CHECK(launch.grid_y == grid.y);
  CHECK(launch.threads == threads);
  CHECK(launch.shared_bytes == shared_bytes);
}

// One lane's launches: in, rows, and between two chunks a turn; then out.
void check_lane(const Generated& generated, const std::vector<Launched>& launches, const std::vector<Chunk>& chunks,
                const void* workspace, bool can_overlap) {
  REQUIRE(launches.size() == 2 * chunks.size() + 1);
  const void* const forward_tables = argument_of<ConvArguments>(launches.front()).tables;
  const void* const inverse_tables = argument_of<ConvArguments>(launches.back()).tables;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    CAPTURE(i);
    const Launched& launch = launches[i];
    CHECK(launch.overlap == (can_overlap && i > 0));
    if (i % 2 == 1) {
      const Chunk& chunk = chunks[i / 2];
      check_launch(launch, row_grid(generated, chunk, 132), 128, 4096);
      const auto got = argument_of<ConvArguments>(launch);
      CHECK(got.u == workspace);
      CHECK(got.y == workspace);
      CHECK(got.batch == chunk.rows);
      CHECK(got.channels == chunk.channels);
    } else if (i == 0) {
      check_launch(launch, column_grid(generated, chunks[0].pairs()), 96, 0);
      check_forward(argument_of<ConvArguments>(launch), chunks[0], workspace);
    } else if (i + 1 == launches.size()) {
      check_launch(launch, column_grid(generated, chunks.back().pairs()), 160, 0);
      check_inverse(argument_of<ConvArguments>(launch), chunks.back(), workspace);
    } else {
      const Chunk &out = chunks[i / 2 - 1], &in = chunks[i / 2];
      check_launch(launch, column_grid(generated, std::max(out.pairs(), in.pairs())), 192, 0);
      const auto got = argument_of<TurnArguments>(launch);
      check_inverse(got.out, out, workspace);
      check_forward(got.in, in, workspace);
      CHECK(got.out.tables == inverse_tables);
      CHECK(got.in.tables == forward_tables);
    }
  }
}

// Chunks in turn on the caller's stream and on one of the kernel's own, which begins behind what is ahead of the launch
// and which the caller's stream waits for.
void check_launches(KernelFixture& f, std::int64_t most_pairs, const void* workspace, bool can_overlap,
                    CUstream stream = nullptr, std::int64_t lanes = 2) {
  const Generated& generated = f.kernel->generated();
  const std::vector<Chunk> chunks = make_chunks(f.arguments.batch, f.arguments.channels, most_pairs);
  std::vector<Chunk> own_chunks, side_chunks;
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    (lanes > 1 && i % 2 == 1 ? side_chunks : own_chunks).push_back(chunks[i]);
    largest = std::max(largest, chunks[i].pairs());
  }
  std::vector<Launched> own, side;
  for (const Launched& launched : f.driver.launches) (launched.stream == stream ? own : side).push_back(launched);
  check_lane(generated, own, own_chunks, workspace, can_overlap);
  if (side_chunks.empty()) {
    CHECK(side.empty());
    CHECK(f.driver.waits.empty());
    return;
  }
  check_lane(generated, side, side_chunks,
             static_cast<const std::byte*>(workspace) + largest * static_cast<std::int64_t>(pair_bytes), can_overlap);
  REQUIRE(f.driver.waits.size() == 2);
  const FakeWait &begin = f.driver.waits[0], &end = f.driver.waits[1];
  CHECK(begin.ahead == stream);
  CHECK(begin.launches == 0);
  CHECK(end.waits == stream);
  CHECK(end.ahead == side.front().stream);
  CHECK(end.launches == f.driver.launches.size());
  CHECK(begin.waits == end.ahead);
}

void launch(KernelFixture& f, CUstream stream = nullptr) {
  f.driver.argument_bytes = sizeof(TurnArguments);
  f.kernel->launch(f.arguments, stream);
}

}  // namespace

TEST_CASE("columns in, rows and columns out of every chunk, in order, in the workspace that was lent") {
  for (const int major : {8, 9})
    for (const std::size_t pairs : {1u, 2u, 3u, 4u, 5u, 6u, 100u})
      for (const int batch : {1, 2, 3, 4, 5, 8}) {
        KernelFixture f(chunks_of(4, major));
        f.arguments.batch = batch;
        f.arguments.workspace = workspace_of(pairs * pair_bytes + 16);
        const std::size_t live = f.driver.live.size();
        launch(f);
        // More than a whole chunk is not used.
        const auto lanes = static_cast<std::int64_t>(std::min<std::size_t>(pairs, 2));
        check_launches(f, std::min(static_cast<std::int64_t>(pairs) / lanes, std::int64_t{4}), at(lent), major >= 9,
                       nullptr, lanes);
        CHECK(f.driver.live.size() == live);
        CHECK(f.driver.allocated.empty());
        CHECK(f.driver.calls.empty());
      }
}

TEST_CASE("every launch has its own kernel's tables") {
  KernelFixture f(chunks_of(100));
  launch(f);
  REQUIRE(f.driver.launches.size() == 3);
  std::vector<const void*> tables;
  std::vector<CUfunction> functions;
  for (const Launched& launched : f.driver.launches) {
    tables.push_back(argument_of<ConvArguments>(launched).tables);
    functions.push_back(launched.function);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(tables[i] != nullptr);
    CHECK(tables[i] != tables[(i + 1) % 3]);
    CHECK(functions[i] != functions[(i + 1) % 3]);
  }
}

TEST_CASE("without a workspace one is taken and given back on the stream") {
  KernelFixture f(chunks_of(4));
  const CUstream stream = stream_at(0x9000);
  f.driver.streams[stream] = {.context = primary_context(0)};
  const std::size_t live = f.driver.live.size();
  launch(f, stream);
  REQUIRE(f.driver.allocated.size() == 1);
  const StreamMemoryCall taken = f.driver.allocated[0];
  check_launches(f, 4, at(taken.memory), true, stream);
  CHECK(taken.bytes == 2 * 4 * pair_bytes);  // B = 4, H = 3: two channels at most, in one of two chunks
  CHECK(taken.stream == stream);
  CHECK(taken.launches == 0);
  REQUIRE(f.driver.freed.size() == 1);
  CHECK(f.driver.freed[0].memory == taken.memory);
  CHECK(f.driver.freed[0].stream == stream);
  CHECK(f.driver.freed[0].launches == f.driver.launches.size());
  CHECK(f.driver.live.size() == live);
  CHECK(f.driver.calls == std::vector<std::string>{"free on a stream"});
}

TEST_CASE("a small launch takes no more memory than its pairs") {
  KernelFixture f(chunks_of(100));
  f.arguments.batch = 3;
  launch(f);
  REQUIRE(f.driver.allocated.size() == 1);
  CHECK(f.driver.allocated[0].bytes == 6 * pair_bytes);
  CHECK(f.driver.launches.size() == 3);
}

TEST_CASE("no memory for a workspace") {
  KernelFixture f(chunks_of(4));
  f.driver.alloc_result = CUDA_ERROR_OUT_OF_MEMORY;
  try {
    launch(f);
    FAIL("no exception");
  } catch (const DriverError& error) {
    CHECK(error.code() == CUDA_ERROR_OUT_OF_MEMORY);
    CHECK(has(error.what(), "workspace"));
  }
  CHECK(f.driver.launches.empty());
}

TEST_CASE("a launch that fails gives its workspace back") {
  KernelFixture f(chunks_of(4));
  const std::size_t live = f.driver.live.size();
  f.driver.launch_result = CUDA_ERROR_ILLEGAL_ADDRESS;
  CHECK_THROWS_AS(launch(f), DriverError);
  CHECK(f.driver.live.size() == live);
  CHECK(f.driver.freed.size() == 1);
}

TEST_CASE("the sizes that a kernel names are those that launches keep to") {
  for (const int pairs : {1, 4, 7}) {
    KernelFixture f(chunks_of(pairs));
    CHECK(f.kernel->least_workspace_bytes() == pair_bytes);
    CHECK(f.kernel->workspace_bytes() == 2 * static_cast<std::size_t>(pairs) * pair_bytes);
    for (const int batch : {1, 2, 5, 16, 33}) {
      f.arguments.batch = batch;
      f.driver.launches.clear();
      f.driver.allocated.clear();
      launch(f);
      CHECK(static_cast<int>(f.driver.launches.size()) == f.kernel->kernels_per_launch(batch, 3));
      CHECK(f.driver.allocated.at(0).bytes <= f.kernel->workspace_bytes());
    }
  }
}

TEST_CASE("a cache smaller than a pair still has room for one") {
  FixtureOptions options = chunks_of(1);
  options.l2_bytes = 0;
  KernelFixture f(options);
  CHECK(f.kernel->workspace_bytes() == 2 * pair_bytes);
  launch(f);
  CHECK(f.driver.launches.size() == 2 * 6 + 2);
}

TEST_CASE("kernels that one block holds need no workspace") {
  KernelFixture f;
  CHECK(f.kernel->workspace_bytes() == 0);
  CHECK(f.kernel->least_workspace_bytes() == 0);
  CHECK(f.kernel->kernels_per_launch(1000, 1000) == 1);
}

TEST_CASE("a lent workspace that will not do") {
  KernelFixture f(chunks_of(4));
  f.arguments.workspace = workspace_of(pair_bytes - 1);
  CHECK(has(f.launch_refusal(), "workspace.bytes is 4095"));
  CHECK(has(f.launch_refusal(), "at least 4096"));
  f.arguments.workspace = {nullptr, pair_bytes};
  CHECK(has(f.launch_refusal(), "workspace.data is null but workspace.bytes is 4096"));
  f.arguments.workspace = {const_cast<void*>(at(lent + 8)), pair_bytes};
  CHECK(has(f.launch_refusal(), "workspace.data is 0x900008; its address must be a multiple of 16"));
  f.driver.memory[lent] = {.ordinal = 1};
  f.arguments.workspace = workspace_of(pair_bytes);
  CHECK(has(f.launch_refusal(), "workspace.data (0x900000) is memory of device 1"));
  f.driver.memory.clear();
  launch(f);
  CHECK(f.driver.launches.size() == 2 * 6 + 1);
}

TEST_CASE("a side stream serves one launch after the other, and another one while it is being captured") {
  KernelFixture f(chunks_of(1));
  launch(f);
  const CUstream first = f.driver.waits.at(0).waits;
  f.driver.waits.clear();
  launch(f);
  CHECK(f.driver.waits.at(0).waits == first);
  f.driver.streams.at(first).capturing = true;
  f.driver.waits.clear();
  launch(f);
  CHECK(f.driver.waits.at(0).waits != first);
  f.arguments = {};
  f.kernel.reset();
  f.registry.reset();
  CHECK(f.driver.streams.empty());
  CHECK(f.driver.events.empty());
}

TEST_CASE("all modules and tables go with the kernel") {
  KernelFixture f(chunks_of(4));
  CHECK(f.driver.modules == 5);
  f.arguments = {};
  f.kernel.reset();
  f.registry.reset();
  CHECK(f.driver.modules == 0);
  CHECK(f.driver.live.empty());
}
