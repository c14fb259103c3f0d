// How the batch of gradients is shared out, and which launches make taps in the block.
#include <doctest/doctest.h>

#include <utility>

#include "backward_config.hpp"
#include "ffc/generator/generate.hpp"

using namespace ffc;

TEST_CASE("slices hold so many rows, where waves do not ask for others") {
  BackwardLaunch launch = *generate(backward(4096)).backward;
  launch.resident_slices = 0;
  CHECK(launch.least_pairs == 16);
  CHECK(launch.sums_bytes == 9 * 2048);
  const auto slices = [&](int batch) {
    return std::pair{launch.slices(batch, 768), launch.pairs_per_slice(batch, 768)};
  };
  CHECK(slices(1) == std::pair{1, 16});
  CHECK(slices(32) == std::pair{1, 16});
  CHECK(slices(33) == std::pair{2, 16});
  CHECK(slices(64) == std::pair{2, 16});
  CHECK(slices(512) == std::pair{16, 16});
  CHECK(slices(2001) == std::pair{16, 63});
  CHECK(slices(2147483647).first == 16);
}

TEST_CASE("slices of few channels, or of waves that come out half empty, are as many as fill an H200") {
  ConvConfig config = backward(32768);
  config.padding = Padding::padded;
  config.length = 16384;
  const BackwardLaunch launch = *generate(config).backward;
  REQUIRE(launch.resident_slices == 132);
  CHECK(launch.slices(32, 768) == 2);  // as many as rows alone ask for
  CHECK(launch.slices(32, 16) == 8);   // 128 blocks
  CHECK(launch.slices(32, 64) == 2);
  CHECK(launch.slices(4, 16) == 4);  // no slice without a row
  CHECK(launch.slices(1, 16) == 1);
  CHECK(launch.slices(32, 200) == 3);  // five waves of eleven rows, not four of sixteen
  for (const int batch : {1, 3, 7, 40, 999})
    for (const int channels : {1, 5, 33, 133, 5000}) {
      CAPTURE(batch);
      CAPTURE(channels);
      const int slices = launch.slices(batch, channels), of_slice = launch.pairs_per_slice(batch, channels);
      CHECK(slices <= 16);
      CHECK(slices * of_slice >= batch);
      CHECK((slices - 1) * of_slice < batch);
    }
}

TEST_CASE("blocks make taps where a channel is one slice, and slices weigh what that saves") {
  ConvConfig config = backward(16384);
  config.padding = Padding::causal;
  config.fft_length = 0;
  config.length = config.filter_length = 8192;
  const BackwardLaunch launch = *generate(config).backward;
  REQUIRE(launch.ends_in_taps);
  REQUIRE(launch.resident_slices == 132);
  CHECK(launch.makes_taps(1));
  CHECK_FALSE(launch.makes_taps(2));
  CHECK(launch.slices(8, 512) == 1);
  CHECK(launch.slices(2, 64) == 1);  // another slice would not be worth another kernel
  CHECK(launch.slices(8, 64) == 2);
  CHECK(launch.sums_bytes_of_taps == 0);  // registers hold them
  config.length = config.filter_length = 20000;
  CHECK(generate(config).backward->sums_bytes_of_taps == generate(config).backward->sums_bytes);
  // Of a shorter row than the filter some taps have no place of their own; with float32 taps go through it.
  config.filter_length = 24000;
  CHECK_FALSE(generate(config).backward->ends_in_taps);
  config.filter_length = 20000, config.accumulation = Accumulation::fp32;
  CHECK_FALSE(generate(config).backward->ends_in_taps);
}
