// Spectra to taps and gradients back on a GPU, against float64.
#include "conv_run.hpp"
#include "real_transform_run.hpp"

using namespace ffc;
using namespace ffc::real_transform_tests;

TEST_CASE("blocks, columns and rows, chirps; even, odd and prime lengths") {
  const auto device = conv_tests::open_device();
  unsigned seed = 0;
  for (const std::int64_t length :
       {16, 17, 61, 96, 1000, 1009, 4095, 4096, 32768, 33275, 40009, 65536, 98304, 1000003, 1048576, 4194304, 8388593})
    for (const Pass pass : {Pass::forward, Pass::backward})
      for (const std::int64_t taps : {length, length / 2}) {
        const auto transform = get_real_transform({.length = length, .taps = taps, .pass = pass}, device->device());
        CAPTURE(transform->generated().kernel.name);
        CHECK(error_of(device, *transform, {.channels = length < 100000 ? 5 : 2, .gap = taps % 3, .seed = ++seed}) <=
              bar);
      }
}

TEST_CASE("more channels than the workspace has rows") {
  const auto device = conv_tests::open_device();
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    const auto transform = get_real_transform({.length = 2097152, .taps = 100, .pass = pass}, device->device());
    CHECK(transform->generated().most_channels < 20);
    CHECK(error_of(device, *transform, {.channels = 20}) <= bar);
  }
}
