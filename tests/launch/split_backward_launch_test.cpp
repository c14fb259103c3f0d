// Gradients past one block: how a workspace is shared out, what the kernels are told, and in which order they come.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "fake_spectrum.hpp"
#include "ffc/generator/generate.hpp"
#include "ffc/runtime/errors.hpp"
#include "split_backward_launches.hpp"

using namespace ffc;

namespace {

void* at(std::uintptr_t address) { return reinterpret_cast<void*>(address); }
std::int64_t distance(const void* from, const void* to) {
  return static_cast<const std::byte*>(to) - static_cast<const std::byte*>(from);
}

Generated generated_of(std::int64_t n, int column_length, std::string_view gradients = "du,dk") {
  ConvConfig config;
  config.fft_length = n;
  config.column_length = column_length;
  config.arch = "sm_90a";
  config.pass = Pass::backward;
  config.gradients = parse_gradients(gradients);
  return generate(config);
}

BackwardArguments arguments_of(const Generated& generated, int batch, int channels) {
  const std::int64_t length = generated.config.length;
  BackwardArguments arguments;
  arguments.u = {at(0x100000), channels * length, length};
  arguments.dy = {at(0x200000), channels * length, length};
  if (generated.config.gradients.u) arguments.du = {at(0x300000), channels * length, length};
  if (generated.config.gradients.k) arguments.dk = static_cast<float*>(at(0x400000));
  arguments.batch = batch;
  arguments.channels = channels;
  arguments.spectrum = fakes::fake_spectrum(at(0x500000), channels, 0, generated.spectrum_tag);
  return arguments;
}

constexpr std::size_t megabyte = 1 << 20;

}  // namespace

TEST_CASE(
    "the ring holds whole pairs: as many as the cache keeps, four at somewhat more memory, two whatever it takes") {
  const Generated small = generated_of(65536, 128), large = generated_of(1 << 24, 1024);
  const std::int64_t row = small.split->pair_bytes();
  CHECK(row == 4 * 65536);
  const SplitBackwardSizes sizes(small, 64);
  CHECK(sizes.wanted_ring(24 * megabyte, 100) == 96);
  CHECK(sizes.wanted_ring(24 * megabyte + 300000, 100) == 96);  // 97 complex rows would hold half a pair
  CHECK(sizes.wanted_ring(24 * megabyte, 1) == 64);             // all that there are
  CHECK(SplitBackwardSizes(small, 1).wanted_ring(24 * megabyte, 1) == 2);
  CHECK(sizes.wanted_ring(6 * static_cast<std::size_t>(row), 100) == 8);  // 9 by half as much again
  CHECK(SplitBackwardSizes(large, 8).wanted_ring(24 * megabyte, 100) == 4);
  const Generated one = generated_of(65536, 128, "du");
  CHECK(SplitBackwardSizes(one, 64).wanted_ring(24 * megabyte + 300000, 100) == 97);
}

TEST_CASE("a workspace of 256 MB or one channel's, in which channels go chunk by chunk") {
  const Generated generated = generated_of(65536, 128);
  const BackwardLaunch& launch = *generated.backward;
  CHECK(launch.tensors == 2);
  CHECK(launch.sums_bytes == 65 * 2 * 2048);
  CHECK(launch.inverse_bytes == 4 * 65536);  // half as many points, in place
  CHECK(launch.slices(64, 768) == 4);
  const SplitBackwardSizes sizes(generated, 64);
  CHECK(sizes.sums(3) == 3u * 4 * 65 * 2 * 2048);
  CHECK(sizes.ring(10) == 10u * (4 * 65536 + 128));
  const std::size_t bytes = split_backward_bytes(generated, 64, 768, 24 * megabyte);
  CHECK(bytes <= 256 * megabyte);
  CHECK(bytes > 250 * megabyte);
  CHECK(split_backward_bytes(generated, 64, 1, 24 * megabyte) < 30 * megabyte);
  const auto share = sizes.share(bytes, sizes.wanted_ring(24 * megabyte, 768), 768);
  CHECK(share.ring == 96);
  CHECK(share.channels > 150);
  CHECK(share.channels < 768);
  const auto least = sizes.share(sizes.least(), 96, 768);
  CHECK(least.ring == 2);
  CHECK(least.channels == 1);
  const Generated longest = generated_of(1 << 24, 1024);
  CHECK(split_backward_bytes(longest, 2, 100, 24 * megabyte) ==
        SplitBackwardSizes(longest, 2).ring(4) + SplitBackwardSizes(longest, 2).of_channels(1));
}

TEST_CASE("less than one pair and one channel is refused, and so is a forward launch") {
  const Generated generated = generated_of(4096, 16);
  BackwardArguments arguments = arguments_of(generated, 4, 3);
  CHECK_NOTHROW(check_backward(generated, 0, arguments));
  const std::size_t least = SplitBackwardSizes(generated, 4).least();
  arguments.workspace = {at(0x600000), least};
  CHECK_NOTHROW(check_backward(generated, 0, arguments));
  arguments.workspace.bytes = least - 1;
  CHECK_THROWS_WITH_AS(check_backward(generated, 0, arguments),
                       doctest::Contains(("must be at least " + std::to_string(least)).c_str()), LaunchError);
}

TEST_CASE("every chunk is cleared, convolved and made taps of, and each part of the workspace is its own") {
  const Generated generated = generated_of(4096, 16);
  BackwardArguments arguments = arguments_of(generated, 32, 7);
  const SplitBackwardSizes sizes(generated, 32);
  SplitBackwardPlace place;
  place.tables = at(0x700000);
  place.ring_bytes = megabyte;
  place.blocks = 132;
  place.workspace = {at(0x1000000), sizes.ring(64) + sizes.of_channels(3)};
  std::vector<SplitGradientArguments> chunks;
  std::vector<int> steps;
  std::string order;
  for_each_split_backward_launch(
      generated, arguments, place,
      [&](const void* progress, std::size_t bytes) {
        order += 'c';
        CHECK(distance(place.workspace.data, progress) == 64 * 4 * 4096);
        CHECK(bytes == 64 * 128);
      },
      [&](const SplitGradientArguments& chunk, ChannelReport*) {
        order += 'g';
        chunks.push_back(chunk);
      },
      [&](const LongFilterGradientArguments& one, const LaunchGrid& grid) {
        if (one.step == 0) order += 'f';
        steps.push_back(one.step);
        CHECK(grid.x == 4);
        CHECK(static_cast<int>(grid.y) == one.channels);
        const std::int64_t first = (one.dk - arguments.dk) / 4096;
        CHECK(one.channels == (first == 6 ? 1 : 3));
        CHECK(distance(chunks.back().conv.sums, one.sums) == 0);
        CHECK(distance(one.sums, one.workspace) == static_cast<std::int64_t>(sizes.sums(one.channels)));
        CHECK(one.slices == chunks.back().slices);
        CHECK(one.dk_channel_stride == 4096);
      });
  CHECK(order == "cgfcgfcgf");
  CHECK(steps.size() == 3 * static_cast<std::size_t>(generated.backward->inverse_steps));
  REQUIRE(chunks.size() == 3);
  const SplitGradientArguments& second = chunks[1];
  CHECK(second.ring == 64);
  CHECK(second.slices == 2);
  CHECK(second.conv.batch == 32);
  CHECK(second.conv.channels == 3);
  CHECK(chunks[2].conv.channels == 1);
  CHECK(distance(arguments.u.data, second.conv.u) == 2 * 3 * 4096);
  CHECK(distance(arguments.du.data, second.conv.du) == 2 * 3 * 4096);
  CHECK(distance(arguments.spectrum.data(), second.conv.spectrum) == 3 * generated.spectrum_row_bytes);
  CHECK(distance(place.workspace.data, second.conv.sums) == static_cast<std::int64_t>(sizes.ring(64)));
  CHECK(second.conv.tables == place.tables);
  // 14 blocks of 8 groups share a frequency: 56 channels would keep them at work, of which there are three.
  CHECK(second.channels_at_once == 3);
  place.blocks = 18;
  CHECK(split_gradient_arguments(generated, arguments, place, {64, 7}, 0, 7).channels_at_once == 7);
  place.blocks = 1;
  CHECK(split_gradient_arguments(generated, arguments, place, {64, 7}, 0, 7).channels_at_once == 4);
}

TEST_CASE("sums that go back have room for the channels that take turns, and taps where the rows make them") {
  ConvConfig config;
  config.padding = Padding::causal;
  config.length = 262144;
  config.arch = "sm_90a";
  config.pass = Pass::backward;
  config.gradients = parse_gradients("du,dk,dd");
  const Generated generated = generate(config);
  REQUIRE(generated.backward->returns_sums);
  const std::int64_t sums = std::int64_t{262144} * 8;
  CHECK(generated.backward->sums_bytes == sums);
  CHECK(generated.backward->channels_at_once == 4);  // two blocks of two groups share each of 64 frequencies
  const SplitBackwardSizes sizes(generated, 8);
  CHECK(sizes.slices() == 1);
  CHECK(sizes.sums(2) == 2u * sums);
  CHECK(sizes.sums(768) == 4u * sums);
  CHECK(SplitBackwardSizes(generated, 1).sums(768) == 0);  // nothing waits for another row
  const std::size_t bytes = split_backward_bytes(generated, 8, 768, 24 * megabyte);
  CHECK(bytes < 40 * megabyte);
  CHECK(sizes.share(bytes, sizes.wanted_ring(24 * megabyte, 768), 768).channels == 768);

  BackwardArguments arguments = arguments_of(generated, 8, 768);
  arguments.dd = static_cast<float*>(at(0x480000));
  SplitBackwardPlace place;
  place.workspace = {at(0x1000000), bytes};
  place.blocks = 132;
  SplitGradientArguments values = split_gradient_arguments(generated, arguments, place, {8, 768}, 5, 700);
  CHECK(values.channels_at_once == 4);
  CHECK(values.conv.dk == arguments.dk + 5 * 262144);
  CHECK(values.conv.dd == arguments.dd + 5);
  CHECK(values.conv.dk_channel_stride == 262144);
  // A block that has several frequencies takes as many pairs at a time as the ring holds.
  place.blocks = 60;
  CHECK(split_gradient_arguments(generated, arguments, place, {8, 768}, 0, 700).channels_at_once == 2);
  CHECK(split_gradient_arguments(generated, arguments, place, {2, 768}, 0, 700).channels_at_once == 1);
  place.blocks = 320;
  CHECK(split_gradient_arguments(generated, arguments, place, {8, 768}, 0, 700).channels_at_once == 4);
}
