// Short filters over long rows, in windows, on the host: results, streams in segments, and what windows depend on.
#include <doctest/doctest.h>

#include "conv_run.hpp"
#include "ffc/generator/plan.hpp"
#include "stream_run.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

struct Case {
  std::int64_t n, length, taps;
  Gating gating = Gating::none;
  DataType dtype = DataType::fp16;
  int batch = 2, row_alignment = 0;
};

ConvConfig config_of(const Case& test) {
  ConvConfig config;
  config.padding = Padding::causal;
  config.fft_length = test.n;
  config.length = test.length;
  config.filter_length = test.taps;
  config.gating = test.gating;
  config.dtype = test.dtype;
  config.row_alignment = test.row_alignment;
  config.arch = "sm_90a";
  return config;
}

// Within the bar on fresh data, in windows, with a skip term and gaps between the rows.
void require_accurate(const Case& test) {
  static unsigned seed = 1;
  const auto machine = Machine::host();
  const auto kernel = get_kernel(config_of(test), machine->device());
  CAPTURE(kernel->name());
  REQUIRE(kernel->generated().windows);
  Recipe recipe;
  recipe.batch = test.batch;
  recipe.channels = 1 + static_cast<int>(seed % 2);
  recipe.skip = seed % 3 == 0;
  recipe.row_gap = seed % 2;
  const double error = relative_error_of(machine, *kernel, recipe, seed++,
                                         [&](const LaunchArguments& arguments) { kernel->launch(arguments); });
  CHECK(error > 0);
  CHECK(error <= bar(config_of(test).dtype));
}

}  // namespace

TEST_CASE("short filters over rows of many windows, of every kind of transform") {
  for (const std::int64_t n : {256, 512, 768, 1024, 1280, 1536, 1792, 2048, 2304, 3072, 4096})
    require_accurate({n, 3 * n + 8, n % 512 == 0 ? n / 4 : n / 2 + 1});
  require_accurate({8192, 20000, 2048});
  require_accurate({12288, 20000, 4000});
}

TEST_CASE("gates, both types, odd batches and rows of any length") {
  const std::vector<Case> cases = {
      {256, 1000, 65, Gating::both, DataType::fp16, 3},        {512, 3001, 129, Gating::in, DataType::bf16, 1},
      {768, 2048, 300, Gating::out, DataType::fp16, 5},        {1024, 5000, 256, Gating::both, DataType::bf16, 3},
      {1024, 5004, 256, Gating::both, DataType::fp16, 1},      {1024, 4097, 77, Gating::both, DataType::fp16, 2},
      {1280, 5002, 500, Gating::in, DataType::fp16, 3},        {2048, 10000, 1000, Gating::both, DataType::fp16, 1},
      {2304, 7000, 1100, Gating::both, DataType::bf16, 3},     {4096, 9999, 1024, Gating::both, DataType::fp16, 3},
      {4096, 10000, 1, Gating::none, DataType::fp16, 3},       {4096, 10000, 2, Gating::out, DataType::bf16, 3},
      {4096, 16384, 2048, Gating::none, DataType::fp16, 3, 2}, {8192, 12000, 2048, Gating::both, DataType::fp16, 3},
  };
  for (const Case& test : cases) require_accurate(test);
}

TEST_CASE("of two rows the one with more delay has a window more") {
  constexpr std::int64_t step = 896;
  for (std::int64_t length = 3 * step - 6; length <= 3 * step + 1; ++length)
    for (const int batch : {2, 3}) require_accurate({1024, length, 129, Gating::both, DataType::fp16, batch, 2});
}

TEST_CASE("windows of fewer new samples than the halo has") {
  require_accurate({256, 1000, 193, Gating::both, DataType::fp16, 3});
  require_accurate({1024, 3000, 961, Gating::none, DataType::fp16, 1});
  require_accurate({4096, 3000, 3000, Gating::none, DataType::fp16, 2});
}

TEST_CASE("transforms that one block just holds") {
  require_accurate({16384, 30000, 4096, Gating::both, DataType::fp16, 1});
  require_accurate({32768, 40000, 8192, Gating::none, DataType::fp16, 2});
  require_accurate({32768, 40001, 8001, Gating::both, DataType::fp16, 1});
}

TEST_CASE("the plan chooses windows where they are cheaper, and whole rows where these are") {
  ConvConfig config = config_of({0, 1 << 20, 256});
  CHECK(generate(config).windows);
  config.length = 512;
  CHECK_FALSE(generate(config).windows);
  config.filter_length = config.length = 8192;
  CHECK_FALSE(generate(config).windows);
  // Longer than any transform.
  config.length = std::int64_t{1} << 33;
  config.filter_length = 2000;
  const Generated longest = generate(config);
  REQUIRE(longest.windows);
  CHECK((longest.windows->count - 1) * longest.windows->step < config.length);
  CHECK(longest.windows->count * longest.windows->step >= config.length);
  CHECK(longest.windows->halo() >= 1999);
}

TEST_CASE("windows of a forced factorisation") {
  ConvConfig config = config_of({0, 10000, 500});
  config.radices = {2, 8, 16, 16};
  const Generated generated = generate(config);
  REQUIRE(generated.windows);
  CHECK(generated.windows->length == 4096);
  config.radices = {7, 11, 13};
  CHECK_THROWS_AS((void)generate(config), ConfigError);
}

TEST_CASE("few channels of many windows fill a device") {
  const Generated generated = generate(config_of({4096, 1 << 24, 256}));
  const LaunchGrid grid = launch_grid(generated, 1, 1, 132 * generated.blocks_per_sm);
  CHECK(grid.y >= 132);
  CHECK(grid.y <= 4 * 132 * 4);
  // Every slice has work.
  CHECK(grid.y <= static_cast<unsigned>(generated.windows->pairs(1)));
}

namespace {

// A sample that is infinite spoils the windows that hold it, but none whose samples are within reach of others: not the
// third one, whose halo it is in, so many samples further back than the filter reaches.
void require_unspoilt(const Case& test, std::int64_t further) {
  CAPTURE(test.n);
  CAPTURE(test.length);
  CAPTURE(further);
  const auto machine = Machine::host();
  const auto kernel = get_kernel(config_of(test), machine->device());
  const Windows& windows = *kernel->generated().windows;
  const std::int64_t third = 2 * windows.step, at = third - windows.reach - 1 - further;
  REQUIRE(at >= third - windows.halo());
  std::mt19937 random(7);
  std::vector<std::uint16_t> u(static_cast<std::size_t>(test.length));
  for (std::uint16_t& value : u) value = examples::encode(DataType::fp16, normal(random));
  const Stream before = run_whole(machine, *kernel, {u, {}, {}}, 1, 1, 3);
  u[static_cast<std::size_t>(at)] = 0x7c00;
  const Stream after = run_whole(machine, *kernel, {u, {}, {}}, 1, 1, 3);
  for (auto n = static_cast<std::size_t>(third); n < u.size(); ++n) REQUIRE(before.y[n] == after.y[n]);
  CHECK(before.y[static_cast<std::size_t>(at)] != after.y[static_cast<std::size_t>(at)]);
}

}  // namespace

TEST_CASE("results depend on no sample that the filter does not reach") {
  for (const std::int64_t length : {4096, 4097}) {
    require_unspoilt({1024, length, 250}, 0);
    require_unspoilt({1024, length, 230}, 20);  // no chunk that is read holds it
  }
  for (const std::int64_t length : {45000, 45001}) {
    require_unspoilt({16384, length, 2402}, 0);  // windows alone, most of which are whole
    require_unspoilt({16384, length, 2402}, 28);
    require_unspoilt({4096, length, 150}, 40);
  }
}

TEST_CASE("segments of a stream joined are one call, bit for bit where windows align") {
  struct StreamCase {
    Case whole;
    int windows;  // of a segment
  };
  const std::vector<StreamCase> cases = {
      {{256, 192 * 6, 65, Gating::none, DataType::fp16, 2}, 1},
      {{256, 192 * 6, 60, Gating::both, DataType::fp16, 4}, 2},
      {{1024, 768 * 6, 256, Gating::both, DataType::bf16, 2}, 3},
      // A row without a partner takes windows two by two.
      {{1024, 768 * 8, 250, Gating::in, DataType::fp16, 3}, 2},
      {{4096, 3072 * 4, 1000, Gating::out, DataType::fp16, 1}, 2},
      // A history longer than a segment.
      {{1024, 128 * 10, 897, Gating::both, DataType::fp16, 2}, 1},
      {{2048, 1024 * 4, 1025, Gating::none, DataType::bf16, 2}, 1},
      {{16384, 12288 * 2, 4096, Gating::both, DataType::fp16, 2}, 1},
  };
  const auto machine = Machine::host();
  for (const StreamCase& test : cases) {
    const ConvConfig config = config_of(test.whole);
    const auto whole = get_kernel(config, machine->device());
    ConvConfig part = config;
    part.history = true;
    part.length = test.windows * whole->generated().windows->step;
    const auto segment = get_kernel(part, machine->device());
    CAPTURE(segment->name());
    const StreamData data = random_stream(config, test.whole.batch, 2, 11);
    const Stream one = run_whole(machine, *whole, data, test.whole.batch, 2, 5);
    const Stream joined = run_segments(machine, *segment, config.length, data, test.whole.batch, 2, 5);
    CHECK(one.y == joined.y);
    CHECK(stream_error(config, one, data, test.whole.batch, 2, 5) <= bar(config.dtype));
  }
}

TEST_CASE("segments of any length are as accurate as one call") {
  const auto machine = Machine::host();
  for (const Case& test :
       {Case{1024, 5000, 256, Gating::both, DataType::fp16, 3}, Case{0, 4096, 1000, Gating::none, DataType::bf16, 2}}) {
    ConvConfig config = config_of(test), part = config;
    part.history = true;
    part.length = 1000;
    const auto segment = get_kernel(part, machine->device());
    const StreamData data = random_stream(config, test.batch, 2, 21);
    // The last segment is what is left; its own kernel.
    const Stream joined = run_segments(machine, *segment, config.length, data, test.batch, 2, 6);
    CHECK(stream_error(config, joined, data, test.batch, 2, 6) <= bar(config.dtype));
  }
}

TEST_CASE("y over what windows read is refused, whichever row; over v it may lie") {
  const auto machine = Machine::host();
  constexpr std::int64_t length = 4096, taps = 64;
  const auto kernel = get_kernel(config_of({512, length, taps, Gating::both}), machine->device());
  REQUIRE(kernel->generated().windows);
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  const auto tensor = [&](float deviation) {
    std::vector<std::uint16_t> samples(8 * length);
    for (std::uint16_t& sample : samples) sample = examples::to_fp16(deviation * normal(random));
    return Buffer::of(machine, samples);
  };
  const Buffer u = tensor(1), w = tensor(1), v = tensor(1), y(machine, 16 * length);
  const Buffer k = Buffer::of(machine, std::vector<float>(2 * taps, 0.05f));
  LaunchArguments arguments;
  const auto view = [](const Buffer& buffer) { return TensorView{buffer.data(), 2 * length, length}; };
  arguments.u = view(u), arguments.w = view(w), arguments.v = view(v);
  arguments.batch = arguments.channels = 2;
  arguments.spectrum = kernel->prepare_filter({k.at<float>(0), nullptr, taps, 2});
  for (const Buffer* input : {&u, &w})
    for (const std::size_t row : {0, 1, 2, 3}) {
      arguments.y = {input->at<std::uint16_t>(row * length), 2 * length, length};
      CHECK_THROWS_WITH_AS(kernel->launch(arguments), doctest::Contains("which y must not overwrite"), LaunchError);
    }
  arguments.y = {v.at<std::uint16_t>(length), 2 * length, length};
  CHECK_THROWS_WITH_AS(kernel->launch(arguments), doctest::Contains("both must be the same rows"), LaunchError);
  arguments.y = {y.data(), 2 * length, length};
  kernel->launch(arguments);
  arguments.y.data = v.data();
  kernel->launch(arguments);
  CHECK(v.download<std::uint16_t>(0, 4 * length) == y.download<std::uint16_t>(0, 4 * length));
}

TEST_CASE("a history that does not fit the kernel is refused") {
  const auto machine = Machine::host();
  ConvConfig config = config_of({1024, 2048, 256, Gating::both});
  const auto plain = get_kernel(config, machine->device());
  config.history = true;
  const auto stream = get_kernel(config, machine->device());
  const Buffer rows = Buffer::of(machine, std::vector<std::uint16_t>(4096, 0)), y(machine, 8192);
  const Buffer k = Buffer::of(machine, std::vector<float>(256, 0.01f));
  LaunchArguments arguments;
  arguments.u = arguments.w = arguments.v = {rows.data(), 2048, 2048};
  arguments.y = {y.data(), 2048, 2048};
  arguments.batch = arguments.channels = 1;
  arguments.spectrum = plain->prepare_filter({k.at<float>(0), nullptr, 256, 1});
  const auto refused = [&](const Kernel& kernel, const History& history, const std::string& text) {
    arguments.history = history;
    try {
      kernel.launch(arguments);
      FAIL("no exception");
    } catch (const LaunchError& error) {
      CHECK_MESSAGE(std::string(error.what()).find(text) != std::string::npos, error.what());
    }
  };
  const TensorView some = {rows.data(), 255, 255};
  refused(*plain, {some, some, 255}, "the kernel takes none");
  refused(*plain, {{}, {}, 255}, "a history of 255 samples is given");
  refused(*stream, {some, some, 256}, "history.length is 256; it must be 255");
  refused(*stream, {some, some, 0}, "history.length is 0; it must be 255");
  refused(*stream, {{}, {}, 7}, "history.length is 7; it must be 255");
  refused(*stream, {some, {}, 255}, "history.w.data is null but history.u.data is not");
  refused(*stream, {{}, some, 255}, "history.u.data is null but history.w.data is not");
  refused(*stream, {{rows.at<char>(1), 255, 255}, some, 255}, "its address must be a multiple of 2 bytes");
  arguments.batch = 2;
  refused(*stream, {{rows.data(), -1, 255}, some, 255}, "history.u.batch_stride is -1");
  refused(*stream, {{rows.data(), std::int64_t{1} << 62, 255}, some, 255}, "history.u with batch 2");
  arguments.batch = 1;
  // Nothing before the first sample: zeros.
  arguments.history = {};
  CHECK_NOTHROW(stream->launch(arguments));
  arguments.history = {{}, {}, 255};
  CHECK_NOTHROW(stream->launch(arguments));
}
