// Spectra in standard order to taps, and gradients back, on the host against float64; filters from spectra.
#include <algorithm>
#include <string>

#include "host_run.hpp"
#include "real_transform_run.hpp"

using namespace ffc;
using namespace ffc::real_transform_tests;
using conv_tests::machine;

namespace {

void check(const RealTransformConfig& config, const Recipe& recipe) {
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    RealTransformConfig of_pass = config;
    of_pass.pass = pass;
    const auto transform = get_real_transform(of_pass, Device::host());
    CAPTURE(transform->generated().kernel.name);
    CAPTURE(recipe.channels);
    CAPTURE(recipe.seed);
    CHECK(error_of(machine(), *transform, recipe) <= bar);
  }
}

bool has(const RealTransformConfig& config, const char* part) {
  return get_real_transform(config, Device::host())->generated().kernel.name.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("lengths that a block holds: even, odd, primes") {
  for (const std::int64_t length : {16, 17, 18, 30, 59, 61, 122, 1000, 1001, 1024, 2187, 3721, 4096, 8192})
    check({length}, {.channels = 3, .gap = length % 3});
}

TEST_CASE("lengths past one block, as columns and rows") {
  for (const std::int64_t length : {65536, 65610, 33275}) {
    CHECK(has({length}, "_by_"));
    check({length}, {.channels = 2, .gap = length % 2});
  }
}

TEST_CASE("lengths with a large prime, by chirps") {
  for (const std::int64_t length : {67, 134, 1009, 2018, 4099, 16411}) {
    CHECK(has({length}, "chirp"));
    check({length}, {.channels = 2, .gap = 3});
  }
}

TEST_CASE("fewer taps than samples: none is written behind them, and their gradients are zeros") {
  for (const std::int64_t length : {100, 101, 134, 67, 40000})
    for (const std::int64_t taps : {std::int64_t{1}, length / 3, length / 2 + 1, length - 1}) check({length, taps}, {});
}

TEST_CASE("archs whose blocks have less memory") {
  for (const std::int64_t length : {30000, 26003})
    check({.length = length, .taps = 0, .pass = Pass::forward, .arch = "sm_86"}, {.channels = 1});
}

TEST_CASE("shapes drawn at random") {
  std::mt19937 random(20);
  for (int i = 0; i < 40; ++i) {
    const auto draw = [&](std::int64_t least, std::int64_t most) {
      return std::uniform_int_distribution<std::int64_t>(least, most)(random);
    };
    const std::int64_t length = draw(16, i < 30 ? 3000 : 20000);
    check({length, draw(1, length)},
          {.channels = static_cast<int>(draw(1, 5)), .gap = draw(0, 4), .seed = static_cast<unsigned>(i)});
  }
}
