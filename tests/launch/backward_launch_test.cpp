// What launch_backward refuses, one small test each; sizes, chunks and arguments of the launches that it makes.
#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "backward_launches.hpp"
#include "fake_kernel.hpp"
#include "fake_spectrum.hpp"
#include "ffc/generator/generate.hpp"
#include "ffc/runtime/errors.hpp"
#include "has.hpp"
#include "launch_checks.hpp"

using namespace ffc;

namespace {

constexpr std::int64_t length = 1024;

void* at(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

// A kernel with both gates and all gradients, and arguments that it accepts: B = 40, H = 5, contiguous.
struct Fixture {
  explicit Fixture(Gating gating = Gating::both, std::string_view gradients = "du,dw,dv,dk,dd") {
    ConvConfig config;
    config.fft_length = length;
    config.gating = gating;
    config.arch = "sm_90a";
    config.pass = Pass::backward;
    config.gradients = parse_gradients(gradients);
    generated = generate(config);
    arguments.u = {at(0x1000000), 5 * length, length};
    arguments.w = {at(0x2000000), 5 * length, length};
    arguments.v = {at(0x3000000), 5 * length, length};
    arguments.dy = {at(0x4000000), 5 * length, length};
    arguments.du = {at(0x5000000), 5 * length, length};
    arguments.dw = {at(0x6000000), 5 * length, length};
    arguments.dv = {at(0x7000000), 5 * length, length};
    arguments.dk = static_cast<float*>(at(0x8000000));
    arguments.dd = static_cast<float*>(at(0x9000000));
    arguments.batch = 40;
    arguments.channels = 5;
    arguments.spectrum = spectrum(5);
  }

  [[nodiscard]] FilterSpectrum spectrum(int channels, int device = 0) const {
    return fakes::fake_spectrum(at(0xa000000), channels, device, generated.spectrum_tag);
  }

  [[nodiscard]] std::string refusal() const {
    try {
      check_backward(generated, 0, arguments);
    } catch (const LaunchError& error) {
      return error.what();
    }
    return "accepted";
  }

  [[nodiscard]] std::string refusal_of(const std::function<void(BackwardArguments&)>& spoil) {
    const BackwardArguments before = arguments;
    spoil(arguments);
    std::string text = refusal();
    arguments = before;
    return text;
  }

  Generated generated;
  BackwardArguments arguments;
};

}  // namespace

TEST_CASE("good arguments are accepted") { CHECK(Fixture().refusal() == "accepted"); }

TEST_CASE("tensors that are missing") {
  Fixture f;
  CHECK(has(f.refusal_of([](auto& a) { a.u.data = nullptr; }), "u.data is null"));
  CHECK(has(f.refusal_of([](auto& a) { a.w.data = nullptr; }), "w.data is null but the kernel has that gate"));
  CHECK(has(f.refusal_of([](auto& a) { a.v.data = nullptr; }), "v.data is null but the kernel has that gate"));
  CHECK(has(f.refusal_of([](auto& a) { a.dy.data = nullptr; }), "dy.data is null"));
  CHECK(has(f.refusal_of([](auto& a) { a.du.data = nullptr; }), "du.data is null"));
  CHECK(has(f.refusal_of([](auto& a) { a.dw.data = nullptr; }), "dw.data is null"));
  CHECK(has(f.refusal_of([](auto& a) { a.dv.data = nullptr; }), "dv.data is null"));
  CHECK(has(f.refusal_of([](auto& a) { a.dk = nullptr; }), "dk is null"));
  CHECK(has(f.refusal_of([](auto& a) { a.dd = nullptr; }), "dd is null"));
}

TEST_CASE("tensors that the kernel does not have") {
  Fixture f(Gating::none, "du");
  CHECK(has(f.refusal(), "w.data is 0x2000000 but the kernel has no such gate"));
  f.arguments.w = f.arguments.v = {};
  CHECK(has(f.refusal(), "dw.data is 0x6000000 but the kernel has no such gradient (gradients du)"));
  f.arguments.dw = {};
  CHECK(has(f.refusal(), "dv.data is 0x7000000"));
  f.arguments.dv = {};
  CHECK(has(f.refusal(), "dk is 0x8000000"));
  f.arguments.dk = nullptr;
  CHECK(has(f.refusal(), "dd is 0x9000000"));
  f.arguments.dd = nullptr;
  CHECK(f.refusal() == "accepted");
  f.arguments.u = {};  // du needs no u
  CHECK(f.refusal() == "accepted");
}

TEST_CASE("the spectrum is needed for gradients of rows, and not for those of the filter") {
  Fixture f;
  CHECK(has(f.refusal_of([](auto& a) { a.spectrum = {}; }), "the spectrum is empty"));
  CHECK(has(f.refusal_of([&](auto& a) { a.spectrum = f.spectrum(4); }), "4 channels; the launch has 5"));
  CHECK(has(f.refusal_of([&](auto& a) { a.spectrum = f.spectrum(5, 1); }), "on device 1"));
  Fixture sums(Gating::both, "dk");
  sums.arguments.spectrum = {};
  sums.arguments.du = sums.arguments.dw = sums.arguments.dv = {};
  sums.arguments.dd = nullptr;
  CHECK(sums.refusal() == "accepted");
}

TEST_CASE("sizes, strides, alignment and overlap") {
  Fixture f;
  CHECK(has(f.refusal_of([](auto& a) { a.batch = 0; }), "batch is 0"));
  CHECK(has(f.refusal_of([](auto& a) { a.channels = 0; }), "channels is 0"));
  CHECK(has(f.refusal_of([](auto& a) { a.dy.data = at(0x4000008); }), "dy.data is 0x4000008; its address"));
  CHECK(has(f.refusal_of([](auto& a) { a.dw.batch_stride = -8; }), "dw.batch_stride is -8"));
  CHECK(has(f.refusal_of([](auto& a) { a.du.channel_stride = 1016; }), "rows of du overlap"));
  CHECK(has(f.refusal_of([](auto& a) { a.dk = static_cast<float*>(at(0x8000002)); }), "dk is 0x8000002"));
  CHECK(has(f.refusal_of([](auto& a) { a.dk_channel_stride = 1023; }), "dk_channel_stride is 1023; it must be 0"));
  CHECK(
      has(f.refusal_of([](auto& a) { a.dk_channel_stride = std::numeric_limits<std::int64_t>::max(); }), "spans more"));
}

TEST_CASE("what is written shares no memory with another tensor") {
  Fixture f;
  const std::string words = "they overlap, and what is written must share no memory";
  CHECK(has(f.refusal_of([](auto& a) { a.du = {at(0x4000000), 5 * length, length}; }), "du.data is 0x4000000 and dy"));
  CHECK(has(f.refusal_of([](auto& a) { a.dw.data = at(0x1000010); }), "dw.data is 0x1000010 and u.data 0x1000000"));
  // The last row of dv begins where the first of w does.
  CHECK(has(f.refusal_of([](auto& a) { a.dv.data = at(0x2000000 - 199 * 2 * length); }), words));
  CHECK(f.refusal_of([](auto& a) { a.dv.data = at(0x2000000 - 200 * 2 * length); }) == "accepted");
  CHECK(has(f.refusal_of([](auto& a) { a.dv.data = at(0x5000000); }), "dv.data is 0x5000000 and du.data"));
  CHECK(has(f.refusal_of([](auto& a) { a.dk = static_cast<float*>(at(0x4000010)); }), "dk is 0x4000010 and dy.data"));
  CHECK(has(f.refusal_of([](auto& a) { a.dd = static_cast<float*>(at(0x8000000)); }), "dd is 0x8000000 and dk"));
  CHECK(has(f.refusal_of([](auto& a) { a.du.data = const_cast<void*>(a.spectrum.data()); }), "and the spectrum"));
  CHECK(has(f.refusal_of([](auto& a) { a.workspace = {at(0x9000010), 1 << 20}; }), "workspace.data is 0x9000010"));
  // Channels of u and du in turn share a range of memory and no element; inputs may be one tensor.
  CHECK(f.refusal_of([](auto& a) {
    a.u = {at(0x1000000), 10 * length, 2 * length};
    a.du = {at(0x1000000 + 2 * length), 10 * length, 2 * length};
    a.v = a.w;
  }) == "accepted");
  // What is not read may lie anywhere.
  Fixture rows(Gating::none, "du");
  rows.arguments.w = rows.arguments.v = {};
  rows.arguments.dw = rows.arguments.dv = {};
  rows.arguments.dk = rows.arguments.dd = nullptr;
  CHECK(rows.refusal_of([](auto& a) { a.u.data = a.du.data; }) == "accepted");
}

TEST_CASE("a workspace of less than one channel") {
  Fixture f;
  const BackwardSizes sizes(f.generated, 40, 132);
  const auto refused = [&](std::size_t bytes) {
    return f.refusal_of([&](auto& a) { a.workspace = {at(0xb000000), bytes}; });
  };
  CHECK(has(refused(sizes.bytes(1) - 1), "workspace.bytes is " + std::to_string(sizes.bytes(1) - 1)));
  CHECK(refused(sizes.bytes(1)) == "accepted");
  CHECK(has(f.refusal_of([&](auto& a) { a.workspace = {at(0xb000004), sizes.bytes(1)}; }), "multiple of 16"));
}

TEST_CASE("either pass refuses the other's kernel") {
  const Fixture f;
  CHECK_THROWS_WITH_AS(check_launch(f.generated, 0, {}), doctest::Contains("launch_backward runs it"), LaunchError);
  ConvConfig forward = f.generated.config;
  forward.pass = Pass::forward;
  CHECK_THROWS_WITH_AS(check_backward(generate(forward), 0, f.arguments), doctest::Contains("launch runs it"),
                       LaunchError);
}

TEST_CASE("chunks of channels: their tensors, sums and gradients follow each other") {
  Fixture f;
  const BackwardSizes sizes(f.generated, 40, 132);
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
    CHECK(chunk.grid.y == static_cast<unsigned>(f.generated.backward->slices(40)));
    CHECK(chunk.gradients.pairs_per_slice == f.generated.backward->pairs_per_slice(40));
    CHECK(chunk.gradients.dv == at(0x7000000 + static_cast<std::uintptr_t>(2 * i * 2 * length)));
    CHECK(chunk.gradients.spectrum ==
          at(0xa000000 + static_cast<std::uintptr_t>(2 * i * f.generated.spectrum_row_bytes)));
    CHECK(chunk.gradients.sums == at(0xb000000));
    CHECK(chunk.filter.dk == static_cast<float*>(at(0x8000000)) + 2 * i * length);
    CHECK(chunk.filter.dd == static_cast<float*>(at(0x9000000)) + 2 * i);
    CHECK(chunk.filter.workspace == nullptr);  // shared memory holds what there is
    CHECK(chunk.filter.slices == f.generated.backward->slices(40));
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
  const BackwardSizes sizes(generated, 2, 132);
  CHECK(sizes.bytes(3) == sizes.sums(3) + sizes.parked(3) + 3 * 8 * 32768);
  BackwardArguments arguments;
  arguments.batch = 2;
  arguments.channels = 3;
  BackwardPlace place;
  place.workspace = {at(0xb000000), sizes.bytes(3)};
  for_each_backward_chunk(generated, arguments, place, 3, [&](const BackwardChunk& chunk) {
    CHECK(chunk.filter.workspace == at(0xb000000 + sizes.sums(3) + sizes.parked(3)));
    CHECK(chunk.filter_grid.x == 3);
  });
  config.arch = "sm_90a";
  const Generated large = generate(config);
  CHECK(large.backward->overlaps);
  CHECK(large.backward->inverse_bytes == 0);
  const BackwardSizes without(large, 2, 132);
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
  const BackwardSizes sizes(generated, 8, 128);
  CHECK(sizes.sums(5) == 5 * static_cast<std::size_t>(launch.sums_bytes));
  CHECK(sizes.parked(5) == 20 * static_cast<std::size_t>(launch.parked_bytes));
  CHECK(sizes.parked(768) == 128 * static_cast<std::size_t>(launch.parked_bytes));
  CHECK(sizes.bytes(1) == BackwardSizes(generated, 8, 1).bytes(1));
  BackwardArguments arguments;
  arguments.batch = 8;
  arguments.channels = 5;
  BackwardPlace place;
  place.resident_blocks = 128;
  place.workspace = {at(0xb000000), sizes.bytes(5)};
  for_each_backward_chunk(generated, arguments, place, 5, [&](const BackwardChunk& chunk) {
    CHECK(chunk.grid.x == 20);
    CHECK(chunk.gradients.channels == 5);
    CHECK(chunk.gradients.parked == at(0xb000000 + sizes.sums(5)));
    std::vector<LongFilterGradientArguments> steps;
    for_each_filter_gradient_launch(generated, chunk.filter, [&](const auto& step) {
      if constexpr (std::is_same_v<std::decay_t<decltype(step)>, LongFilterGradientArguments>) steps.push_back(step);
    });
    CHECK(chunk.filter_grid.x == static_cast<unsigned>(launch.inverse_shares));
    CHECK(chunk.filter_grid.y == 5);
    REQUIRE(steps.size() == 2);
    CHECK(steps[0].step == 0);
    CHECK(steps[1].step == 1);
    CHECK(steps[1].sums == chunk.gradients.sums);
    CHECK(steps[1].channels == 5);
  });
  // Of 32 clusters at a time: a channel of one slice each, or of both slices.
  CHECK(launch.slices(8) == 1);
  CHECK(chunk_of(generated, 8, 768, 128) == 768);
  CHECK(launch.slices(64) == 1);
  CHECK(launch.slices(128) == 2);
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
  const BackwardSizes sizes(f.generated, 2000, 132);
  CHECK(chunk_of(f.generated, 2000, 3, 132) == 3);
  const int chunk = chunk_of(f.generated, 2000, 100000, 132);
  CHECK(chunk < 100000);
  CHECK(chunk > 100);
  CHECK(sizes.bytes(chunk) <= std::size_t{256} << 20);
  CHECK(chunk % (132 / f.generated.backward->slices(2000)) == 0);
}

TEST_CASE("gradients without sums take no workspace, and slices as a convolution does") {
  Fixture f(Gating::both, "du,dw,dv");
  CHECK(BackwardSizes(f.generated, 40, 132).bytes(5) == 0);
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
