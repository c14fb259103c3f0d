// The workspace of a split plan: how many pairs it holds, where their counts lie, and what a kernel is told of it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

#include "fake_kernel.hpp"
#include "ffc/generator/generate.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "launch_arguments.hpp"

using namespace ffc;
using namespace ffc::fakes;

namespace {

SplitLaunch split_of(int column_length, std::int64_t row_length) {
  SplitLaunch split;
  split.column_length = column_length;
  split.row_length = row_length;
  split.spectrum_rows = column_length / 2 + 1;
  split.place_rows = column_length;
  return split;
}

const SplitLaunch splits[] = {split_of(16, 256), split_of(48, 512), split_of(128, 512), split_of(512, 32768)};

ConvArguments rows_of(int batch, int channels) {
  ConvArguments values;
  std::memset(static_cast<void*>(&values), 0x5A, sizeof(values));  // every field arrives
  values.batch = batch;
  values.channels = channels;
  return values;
}

Workspace workspace_of(std::int64_t bytes) {
  return {const_cast<void*>(at(0x900000)), static_cast<std::size_t>(bytes)};
}

std::int64_t distance(const void* from, const void* to) {
  return static_cast<const std::byte*>(to) - static_cast<const std::byte*>(from);
}

}  // namespace

TEST_CASE("a workspace holds pairs of rows, and behind them a line of counts for each") {
  for (const SplitLaunch& split : splits) {
    CAPTURE(split.column_length);
    const std::int64_t pair = 4 * split.column_length * split.row_length;
    CHECK(split.pair_bytes() == pair);
    CHECK(split.workspace_bytes(1) == pair + 128);
    for (const std::int64_t ring : {1, 2, 3, 100, 5000}) {
      const std::int64_t bytes = split.workspace_bytes(ring);
      CHECK(bytes == ring * split.workspace_bytes(1));  // past 32 bits in the longest
      CHECK(split.ring_of(bytes) == ring);
      CHECK(split.ring_of(bytes - 1) == ring - 1);
      CHECK(split.ring_of(bytes + pair + 127) == ring);
    }
    CHECK(split.ring_of(0) == 0);
  }
}

TEST_CASE("of rows one by one a place is half of a pair's, and a launch has as many as rows") {
  for (SplitLaunch split : splits) {
    CAPTURE(split.column_length);
    const std::int64_t pair = split.pair_bytes();
    split.packing = Packing::half_length;
    split.place_rows /= 2;
    CHECK(split.pair_bytes() == pair / 2);
    CHECK(split.workspace_bytes(7) == 7 * (pair / 2 + 128));
    CHECK(split.ring_of(split.workspace_bytes(7)) == 7);
    CHECK(split.ring_of(split.workspace_bytes(7) - 1) == 6);
    for (const int batch : {1, 2, 3, 9})
      for (const int channels : {1, 2, 5})
        for (const std::int64_t held : {1, 3, 100}) {
          const Workspace workspace = workspace_of(split.workspace_bytes(held));
          const SplitArguments got = split_arguments(split, rows_of(batch, channels), workspace);
          CHECK(got.ring == std::min<std::int64_t>(held, batch * channels));
          CHECK(distance(got.workspace, got.progress) == got.ring * split.pair_bytes());
          CHECK(distance(got.workspace, got.progress) % split.progress_bytes == 0);
        }
  }
}

TEST_CASE("the ring is as large as the workspace allows") {
  for (const SplitLaunch& split : splits)
    for (const std::int64_t ring : {1, 2, 3, 7, 29})
      for (const std::int64_t more : {0, 16, 1000}) {
        const SplitArguments got =
            split_arguments(split, rows_of(10, 6), workspace_of(split.workspace_bytes(ring) + more));
        CHECK(got.ring == ring);
      }
}

TEST_CASE("and as the launch has pairs, lone rows of two channels among them") {
  const SplitLaunch split = split_of(128, 512);
  for (const int batch : {1, 2, 3, 4, 9})
    for (const int channels : {1, 2, 5}) {
      const std::int64_t pairs = (std::int64_t{batch} * channels + 1) / 2;
      for (const std::int64_t held : {pairs - 1, pairs, pairs + 1, 10 * pairs}) {
        if (held == 0) continue;
        const SplitArguments got =
            split_arguments(split, rows_of(batch, channels), workspace_of(split.workspace_bytes(held)));
        CHECK(got.ring == std::min(held, pairs));
      }
    }
  // More pairs than 32 bits count.
  constexpr int largest = std::numeric_limits<int>::max();
  for (const auto& [batch, channels] : {std::pair{largest, 1}, std::pair{largest, largest}, std::pair{1, largest}}) {
    CHECK(split_arguments(split, rows_of(batch, channels), workspace_of(split.workspace_bytes(3))).ring == 3);
    CHECK(split_arguments(split, rows_of(batch, channels), workspace_of(split.workspace_bytes(1))).ring == 1);
  }
}

TEST_CASE("counts begin right behind the pairs of the ring, aligned, and end with the workspace") {
  for (const SplitLaunch& split : splits)
    for (const std::int64_t held : {1, 2, 3, 7, 29, 1000}) {
      const Workspace workspace = workspace_of(split.workspace_bytes(held));
      const SplitArguments got = split_arguments(split, rows_of(9, 6), workspace);
      CHECK(got.workspace == workspace.data);
      CHECK(distance(got.workspace, got.progress) == got.ring * split.pair_bytes());
      // Pairs are whole lines, so that places of an aligned workspace share none.
      CHECK(distance(got.workspace, got.progress) % split.progress_bytes == 0);
      const std::int64_t end = distance(got.workspace, got.progress) + got.ring * split.progress_bytes;
      CHECK(end <= static_cast<std::int64_t>(workspace.bytes));
      if (got.ring == held) CHECK(end == static_cast<std::int64_t>(workspace.bytes));
    }
}

TEST_CASE("the convolution's own argument is passed on, in the layout that the text declares") {
  static_assert(sizeof(SplitArguments) == 160 && offsetof(SplitArguments, workspace) == sizeof(ConvArguments) &&
                offsetof(SplitArguments, progress) == sizeof(ConvArguments) + 8 &&
                offsetof(SplitArguments, ring) == sizeof(ConvArguments) + 16);
  const SplitLaunch split = split_of(128, 512);
  const ConvArguments values = rows_of(5, 2);
  const SplitArguments got = split_arguments(split, values, workspace_of(split.workspace_bytes(2)));
  CHECK(std::memcmp(&got.conv, &values, sizeof(values)) == 0);
  CHECK(got.reserved == 0);
}

TEST_CASE("a kernel names the bytes of the pairs that a third of the L2 cache keeps, and of one") {
  for (const int kept : {0, 1, 2, 3, 4, 7, 100}) {
    CAPTURE(kept);
    FixtureOptions options;
    options.split = true;
    options.l2_bytes = 3 * kept * 4 * static_cast<int>(length) + 100;
    const KernelFixture f(options);
    const SplitLaunch& split = f.kernel->generated().split.value();
    CHECK(f.kernel->least_workspace_bytes() == 4096 + 128);
    CHECK(f.kernel->workspace_bytes() == static_cast<std::size_t>(split.workspace_bytes(std::max(kept, 2))));
  }
}

TEST_CASE("of rows that have a place each those that blocks work at, two or three at least") {
  FixtureOptions options;
  options.split = options.single_rows = true;
  options.l2_bytes = 1 << 20;
  const KernelFixture f(options);
  CHECK(f.kernel->least_workspace_bytes() == 2048 + 128);
  CHECK(f.kernel->workspace_bytes() == 3 * (2048 + 128));

  SplitLaunch split = split_of(128, 512);
  CHECK(split.wanted_ring(132, 0) == 2);
  split.busy_places = 2.0 / 64 + 2.0 / 128;  // two tiles of 64, two rows of 128
  CHECK(split.wanted_ring(1, 0) == 2);
  CHECK(split.wanted_ring(132, 0) == 7);
  CHECK(split.wanted_ring(132, 40 * split.pair_bytes()) == 40);
  split.packing = Packing::half_length;
  split.least_ring = 3;
  CHECK(split.wanted_ring(1, 0) == 3);
  CHECK(split.wanted_ring(132, 40 * split.pair_bytes()) == 8);
  CHECK(split.wanted_ring(264, 0) == 15);
  split.packing = Packing::right_angle;
  split.least_ring = 2;
  const std::int64_t place = split.pair_bytes();
  CHECK(split.wanted_ring(132, 6 * place) == 8);
  CHECK(split.wanted_ring(132, 5 * place) == 7);  // of which half as much again is less than 8
  CHECK(split.wanted_ring(1, 0) == 2);
}

TEST_CASE("the places that a block works at: its tiles of columns, and the rows it holds or copies in") {
  ConvConfig config;
  config.fft_length = 1048576;
  config.column_length = 256;
  config.arch = "sm_90a";
  for (const int batch : {0, 1}) {  // pairs, rows one by one
    config.batch = batch;
    const Generated generated = generate(config);
    const Plan chosen = make_plans(normalised(config)).front();
    const FourStepPlan& plan = *chosen.as<FourStepPlan>();
    const Geometry& rows = plan.row_plan.geometry;
    const int halves = batch == 1 ? 2 : 1;
    const double tiles = 4096.0 / halves / plan.columns.columns(), held = 256.0 / halves;
    CHECK(generated.split.value().busy_places ==
          doctest::Approx(plan.columns.units / tiles + rows.groups * rows.buffers / held));
  }
}

TEST_CASE("kernels that one block holds need no workspace") {
  const KernelFixture f;
  CHECK(f.kernel->workspace_bytes() == 0);
  CHECK(f.kernel->least_workspace_bytes() == 0);
}
