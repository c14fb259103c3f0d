// The launches of gradients: their chunks of channels, sizes and arguments.
#include <doctest/doctest.h>

#include <string>
#include <type_traits>
#include <vector>

#include "backward_fixture.hpp"
#include "backward_launches.hpp"
#include "fake_kernel.hpp"
#include "ffc/generator/generate.hpp"

using namespace ffc;

namespace {

using Fixture = fakes::BackwardFixture;
constexpr std::int64_t length = Fixture::length;
constexpr auto at = &Fixture::at;

}  // namespace

TEST_CASE("chunks of channels: their tensors, sums and gradients follow each other") {
  Fixture f;
  const BackwardSizes sizes(f.generated, 40, 5, 132);
  BackwardPlace place;
  place.workspace = {at(0xb000000), sizes.bytes(2)};
  std::vector<BackwardChunk> chunks;
  for_each_backward_chunk(f.generated, f.arguments, place, 5,
                          [&](const BackwardChunk& chunk) { chunks.push_back(chunk); });
  REQUIRE(chunks.size() == 3);
  const int expected[] = {2, 2, 1};
  for (int i = 0; i < 3; ++i) {
    const BackwardChunk& chunk = chunks[static_cast<std::size_t>(i)];
    CHECK(chunk.gradients.channels == expected[i]);
    CHECK(chunk.grid.x == static_cast<unsigned>(expected[i]));
    CHECK(chunk.grid.y == static_cast<unsigned>(f.generated.backward->slices(40, 5)));
    CHECK(chunk.gradients.pairs_per_slice == f.generated.backward->pairs_per_slice(40, 5));
    CHECK(chunk.gradients.dv == at(0x7000000 + static_cast<std::uintptr_t>(2 * i * 2 * length)));
    CHECK(chunk.gradients.spectrum ==
          at(0xa000000 + static_cast<std::uintptr_t>(2 * i * f.generated.spectrum_row_bytes)));
    CHECK(chunk.gradients.sums == at(0xb000000));
    REQUIRE(chunk.filter);
    CHECK(chunk.filter->dk == static_cast<float*>(at(0x8000000)) + 2 * i * length);
    CHECK(chunk.filter->dd == static_cast<float*>(at(0x9000000)) + 2 * i);
    CHECK(chunk.filter->workspace == nullptr);  // shared memory holds what there is
    CHECK(chunk.filter->slices == f.generated.backward->slices(40, 5));
  }
}

TEST_CASE("transforms that shared memory does not hold go between arrays of the workspace") {
  ConvConfig config;
  config.fft_length = 32768;
  config.arch = "sm_80";
  config.pass = Pass::backward;
  const Generated generated = generate(config);
  const BackwardLaunch& launch = *generated.backward;
  CHECK_FALSE(launch.overlaps);
  CHECK(launch.inverse_bytes == 8 * 32768);
  const BackwardSizes sizes(generated, 2, 4, 132);
  CHECK(sizes.bytes(3) == sizes.sums(3) + sizes.parked(3) + 3 * 8 * 32768);
  BackwardArguments arguments;
  arguments.batch = 2;
  arguments.channels = 3;
  BackwardPlace place;
  place.workspace = {at(0xb000000), sizes.bytes(3)};
  for_each_backward_chunk(generated, arguments, place, 3, [&](const BackwardChunk& chunk) {
    CHECK(chunk.filter->workspace == at(0xb000000 + sizes.sums(3) + sizes.parked(3)));
    for_each_filter_gradient_launch(launch, *chunk.filter,
                                    [&](const auto&, const LaunchGrid& grid) { CHECK(grid.x == 3); });
  });
  config.arch = "sm_90a";
  const Generated large = generate(config);
  CHECK(large.backward->overlaps);
  CHECK(large.backward->inverse_bytes == 0);
  const BackwardSizes without(large, 2, 4, 132);
  CHECK(without.bytes(3) == without.sums(3) + without.parked(3));
}

TEST_CASE(
    "blocks that share channels come in clusters that walk over these, each with a place for frequencies that wait") {
  ConvConfig config;
  config.length = config.filter_length = 32768;
  config.padding = Padding::causal;
  config.arch = "sm_90a";
  config.pass = Pass::backward;
  const Generated generated = generate(config);
  const BackwardLaunch& launch = *generated.backward;
  REQUIRE(generated.conv.cluster == 4);
  const BackwardSizes sizes(generated, 2, 768, 128);
  CHECK(sizes.sums(5) == 5 * static_cast<std::size_t>(launch.sums_bytes));
  CHECK(sizes.parked(5) == 20 * static_cast<std::size_t>(launch.parked_bytes));
  CHECK(sizes.parked(768) == 128 * static_cast<std::size_t>(launch.parked_bytes));
  CHECK(sizes.bytes(1) == BackwardSizes(generated, 2, 768, 1).bytes(1));
  BackwardArguments arguments;
  arguments.batch = 2;
  arguments.channels = 5;
  BackwardPlace place;
  place.resident_blocks = 128;
  place.workspace = {at(0xb000000), sizes.bytes(5)};
  for_each_backward_chunk(generated, arguments, place, 5, [&](const BackwardChunk& chunk) {
    CHECK(chunk.grid.x == 20);
    CHECK(chunk.gradients.channels == 5);
    CHECK(chunk.gradients.parked == at(0xb000000 + sizes.sums(5)));
    std::vector<LongFilterGradientArguments> steps;
    for_each_filter_gradient_launch(launch, *chunk.filter, [&](const auto& step, const LaunchGrid& grid) {
      if constexpr (std::is_same_v<std::decay_t<decltype(step)>, LongFilterGradientArguments>) steps.push_back(step);
      CHECK(grid.x == static_cast<unsigned>(launch.inverse_shares));
      CHECK(grid.y == 5);
    });
    REQUIRE(steps.size() == 2);
    CHECK(steps[0].step == 0);
    CHECK(steps[1].step == 1);
    CHECK(steps[1].sums == chunk.gradients.sums);
    CHECK(steps[1].channels == 5);
  });
  // Of 32 clusters at a time: a channel of one slice each, or of both slices.
  CHECK(launch.slices(8, 768) == 1);
  CHECK(chunk_of(generated, 8, 768, 128) == 768);
  CHECK(launch.slices(64, 768) == 1);
  CHECK(launch.slices(128, 768) == 2);
  CHECK(chunk_of(generated, 128, 768, 128) == 448);
  CHECK(chunk_of(generated, 64, 3, 128) == 3);
  CHECK(chunk_of(generated, 64, 100000, 2) % 4 == 0);
}

TEST_CASE("clusters that walk over channels fill the device whatever the slices") {
  CHECK(blocks_over_channels(4, 1, 768, 132) == 132);
  CHECK(blocks_over_channels(4, 1, 768, 120) == 120);
  CHECK(blocks_over_channels(4, 1, 3, 120) == 12);
  CHECK(blocks_over_channels(4, 2, 768, 120) == 60);
  CHECK(blocks_over_channels(4, 1, 768, 3) == 4);  // less than a cluster at a time: a host
  // One cluster of each of 16 slices would leave almost half of 30 clusters idle.
  for (const int slices : {3, 4, 7, 11, 16})
    for (const int channels : {30, 64, 96, 768, 1000}) {
      CAPTURE(slices);
      CAPTURE(channels);
      const int clusters = blocks_over_channels(4, slices, channels, 120) / 4;
      const int waves = (clusters * slices + 29) / 30, rounds = (channels + clusters - 1) / clusters;
      CHECK(waves * rounds * 30 <= 1.25 * slices * channels);
    }
}

TEST_CASE("a chunk takes 256 MB at most, in whole waves, and one channel at least") {
  const Fixture f;
  const BackwardSizes sizes(f.generated, 2000, 100000, 132);
  CHECK(chunk_of(f.generated, 2000, 3, 132) == 3);
  const int chunk = chunk_of(f.generated, 2000, 100000, 132);
  CHECK(chunk < 100000);
  CHECK(chunk > 100);
  CHECK(sizes.bytes(chunk) <= std::size_t{256} << 20);
  CHECK(chunk % (132 / f.generated.backward->slices(2000, 100000)) == 0);
}

TEST_CASE("gradients without sums take no workspace, and slices as a convolution does") {
  Fixture f(Gating::both, "du,dw,dv");
  CHECK(BackwardSizes(f.generated, 40, 5, 132).bytes(5) == 0);
  BackwardPlace place;
  place.slices = 3;
  int launches = 0;
  for_each_backward_chunk(f.generated, f.arguments, place, 5, [&](const BackwardChunk& chunk) {
    ++launches;
    CHECK(chunk.grid.x == 5);
    CHECK(chunk.grid.y == 3);
    CHECK(chunk.gradients.pairs_per_slice == 7);
  });
  CHECK(launches == 1);
}

namespace {

// The launches of du and dk of B = 4, H = 3 on the fake driver.
std::vector<fakes::Launched> launched_on(int major, int driver_version) {
  fakes::FixtureOptions options;
  options.major = major;
  options.driver_version = driver_version;
  options.gradients = "du,dk";
  fakes::KernelFixture f(options);
  BackwardArguments arguments;
  arguments.u = {at(0x1000000), 3 * length, length};
  arguments.dy = {at(0x2000000), 3 * length, length};
  arguments.du = {at(0x3000000), 3 * length, length};
  arguments.dk = static_cast<float*>(at(0x4000000));
  arguments.batch = 4;
  arguments.channels = 3;
  arguments.spectrum = f.arguments.spectrum;
  f.kernel->launch_backward(arguments);
  return f.driver.launches;
}

}  // namespace

TEST_CASE(
    "the filter's gradient overlaps the gradients where its text waits for them and the driver's graphs can say so") {
  const std::vector<fakes::Launched> launches = launched_on(9, 13000);
  REQUIRE(launches.size() == 2);
  CHECK_FALSE(launches[0].overlapping);  // what came before on the stream is another's
  CHECK(launches[1].overlapping);
  CHECK_FALSE(launches[1].cooperative);
  CHECK(launches[1].grid_x == 3);
  CHECK_FALSE(launched_on(8, 13000)[1].overlapping);
  CHECK(launched_on(9, 12030)[1].overlapping);
  CHECK_FALSE(launched_on(9, 12020)[1].overlapping);
}
