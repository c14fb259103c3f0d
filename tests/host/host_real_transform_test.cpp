// Spectra in standard order to taps, and gradients back, on the host against float64; filters from spectra.
#include <algorithm>
#include <string>

#include "../../examples/sixteen_bit.hpp"
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
    for (const std::int64_t taps : {std::int64_t{1}, length / 2 + 1, length - 1}) check({length, taps}, {});
}

TEST_CASE("archs whose blocks have less memory") {
  for (const std::int64_t length : {30000, 26003})
    check({.length = length, .taps = 0, .pass = Pass::forward, .arch = "sm_86"}, {.channels = 1});
}

namespace {

// Circular rows of fp16 with the filter of a spectrum, and their gradients.
struct Convolution {
  static constexpr std::int64_t length = 1000;
  static constexpr std::size_t points = length, frequencies = points / 2 + 1;
  std::vector<float> spectrum = normal(2 * frequencies, 1), u = rounded(points), dy = rounded(points);

  static std::vector<float> normal(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> distribution;
    std::vector<float> values(count);
    for (float& value : values) value = distribution(random);
    return values;
  }
  static std::vector<float> rounded(std::size_t count) {
    static unsigned seed = 2;
    std::vector<float> values = normal(count, ++seed);
    for (float& value : values) value = examples::from_fp16(examples::to_fp16(value));
    return values;
  }
  // The sum over m of a[m] b[(n - m) mod length], or of a[m] b[(n + m) mod length].
  static std::vector<double> around(std::span<const double> a, std::span<const float> b, bool back) {
    std::vector<double> sums(points);
    for (std::size_t n = 0; n < points; ++n)
      for (std::size_t m = 0; m < points; ++m) sums[n] += a[m] * b[(back ? n + m : points + n - m) % points];
    return sums;
  }
};

double distance(std::span<const double> found, std::span<const double> right) {
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < right.size(); ++i)
    error += (found[i] - right[i]) * (found[i] - right[i]), norm += right[i] * right[i];
  return std::sqrt(error / norm);
}

}  // namespace

TEST_CASE("a filter that is a spectrum: the convolution, and the gradient of the spectrum") {
  using examples::Buffer;
  const Convolution given;
  const RealTransformConfig there{.length = Convolution::length};
  const auto to_taps = get_real_transform(there, Device::host());
  const auto to_gradient = get_real_transform({.length = Convolution::length, .pass = Pass::backward}, Device::host());
  const Buffer spectrum = Buffer::of(machine(), given.spectrum);
  const Buffer k(machine(), 4 * Convolution::points), dk(machine(), 4 * Convolution::points);
  to_taps->run({spectrum.at<float>(0), k.at<float>(0), 1});

  ConvConfig config;
  config.fft_length = Convolution::length;
  const auto forward = get_kernel(config, Device::host());
  config.pass = Pass::backward;
  config.gradients = parse_gradients("dk");
  const auto backward = get_kernel(config, Device::host());
  const Buffer u = Buffer::of(machine(), examples::encode(DataType::fp16, given.u));
  const Buffer dy = Buffer::of(machine(), examples::encode(DataType::fp16, given.dy));
  const Buffer y(machine(), 2 * Convolution::points);
  LaunchArguments launch;
  launch.u = {u.data(), Convolution::length, Convolution::length};
  launch.y = {y.data(), Convolution::length, Convolution::length};
  launch.spectrum = forward->prepare_filter({.k = k.at<float>(0), .length = Convolution::length, .channels = 1});
  launch.batch = launch.channels = 1;
  forward->launch(launch);
  const std::vector<double> taps = taps_of(to_taps->config(), given.spectrum);
  const auto rows = y.download<std::uint16_t>(0, Convolution::points);
  CHECK(distance(examples::decode(DataType::fp16, rows), Convolution::around(taps, given.u, false)) < 1.0e-3);

  BackwardArguments gradients;
  gradients.u = launch.u;
  gradients.dy = {dy.data(), Convolution::length, Convolution::length};
  gradients.dk = dk.at<float>(0);
  gradients.batch = gradients.channels = 1;
  backward->launch_backward(gradients);
  const Buffer found(machine(), 8 * Convolution::frequencies);
  to_gradient->run({dk.at<float>(0), found.at<float>(0), 1});
  const std::vector<double> u_exact(given.u.begin(), given.u.end());
  const std::vector<double> exact = Convolution::around(u_exact, given.dy, true);
  const std::vector<float> exact_floats(exact.begin(), exact.end());
  const auto gradient = found.download<float>(0, 2 * Convolution::frequencies);
  CHECK(distance(std::vector<double>(gradient.begin(), gradient.end()), gradient_of(to_taps->config(), exact_floats)) <
        2.0e-3);
}

TEST_CASE("a stream on the host is refused") {
  const auto transform = get_real_transform({.length = 16}, Device::host());
  std::vector<float> from(18), to(16);
  const auto stream = reinterpret_cast<CUstream>(std::uintptr_t{0x9000});
  CHECK_THROWS_WITH_AS(transform->run({from.data(), to.data(), 1}, {}, stream),
                       doctest::Contains("the stream must be null"), LaunchError);
}

TEST_CASE("shapes drawn at random") {
  std::mt19937 random(20);
  for (int i = 0; i < 24; ++i) {
    const auto draw = [&](std::int64_t least, std::int64_t most) {
      return std::uniform_int_distribution<std::int64_t>(least, most)(random);
    };
    const std::int64_t length = draw(16, i < 18 ? 3000 : 20000);
    check({length, draw(1, length)},
          {.channels = static_cast<int>(draw(1, 5)), .gap = draw(0, 4), .seed = static_cast<unsigned>(i)});
  }
}
