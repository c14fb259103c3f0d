// Reports of launches: largest magnitudes of each channel to the bit, and what left the range.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "host_run.hpp"
#include "report_run.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

struct Shape {
  const char* name;
  ConvConfig config;
  int batch = 3;
};

ConvConfig row_of(std::int64_t n) {
  ConvConfig config;
  config.fft_length = n;
  return config;
}

ConvConfig columns_of(int column_length, int row_length) { return column_config({column_length, row_length}); }

ConvConfig causal(std::int64_t length, std::int64_t taps, std::int64_t fft_length = 0) {
  ConvConfig config;
  config.padding = Padding::causal;
  config.length = length, config.filter_length = taps, config.fft_length = fft_length;
  return config;
}

ConvConfig odd_cluster() {
  ConvConfig config = column_config({4, 4096, 8189});
  config.row_alignment = 2, config.arch = "sm_90a";
  return config;
}

// Of every family that makes one: warps that hold pairs, groups, rows alone, windows, rings of pairs and of rows alone.
std::vector<Shape> shapes() {
  return {{"a warp's rows", row_of(1024)},
          {"a group's rows", row_of(4096)},
          {"padded, odd",
           [] {
             ConvConfig config = row_of(4096);
             config.padding = Padding::padded, config.length = 3001, config.row_alignment = 2;
             return config;
           }()},
          {"rows alone", causal(4096, 4096)},
          {"windows", causal(5003, 129, 1024)},
          {"a ring of pairs", columns_of(16, 512)},
          {"a ring, padded", column_config({32, 256, 3000})},
          {"a ring of rows alone", [] {
             ConvConfig config = causal(4096, 4096, 8192);
             config.column_length = 16, config.batch = 1;
             return config;
           }()}};
}

void check_shape(const Shape& shape, DataType dtype, Gating gating, Scaling scaling) {
  CAPTURE(shape.name);
  ConvConfig config = shape.config;
  config.dtype = dtype, config.gating = gating, config.scaling = scaling;
  config.report = Report::magnitudes;
  CAPTURE(to_string(config));
  const auto kernel = get_kernel(config, machine()->device());
  CAPTURE(kernel->name());
  ReportRun run(machine(), kernel, gapped(shape.batch, 3), 31);
  check_report(run);
}

}  // namespace

TEST_CASE("largest magnitudes of every kind of rows") {
  for (const Shape& shape : shapes()) {
    check_shape(shape, DataType::fp16, Gating::none, Scaling::fixed);
    check_shape(shape, DataType::bf16, Gating::both, Scaling::automatic);
  }
}

TEST_CASE("products with gates are rounded as the kernel rounds them") {
  // In fp16 without powers of two, where 2^16 is an infinity; in fp32 with those.
  for (const Scaling scaling : {Scaling::fixed, Scaling::given})
    for (const Shape& shape : {shapes()[0], shapes()[1], shapes()[5], Shape{"gated on the way", row_of(32768), 1}})
      check_shape(shape, DataType::fp16, Gating::in, scaling);
}

// The last sample alone: most of what is made of it lies behind the row, or before it.
void check_ends(const ConvConfig& config) {
  const auto kernel = get_kernel(config, machine()->device());
  CAPTURE(kernel->name());
  const auto change = [&](const char* name, Rows& rows) {
    const bool first = std::string_view(name) == "dy";
    std::int64_t n = 0;
    for (std::uint16_t& bits : rows.bits()) {
      const std::int64_t of_row = n++ % rows.channel_stride();
      if (of_row < config.length && of_row != (first ? 0 : config.length - 1)) bits = 0;
    }
  };
  ReportRun run(machine(), kernel, gapped(2, 8), 44, change);
  check_report(run);
}

TEST_CASE("results behind a row are none, however large") {
  ConvConfig ring = column_config({32, 256, 3001});
  ring.row_alignment = 2;
  for (ConvConfig config : {shapes()[2].config, shapes()[4].config, ring})
    for (const Pass pass : {Pass::forward, Pass::backward}) {
      config.report = Report::magnitudes;
      config.pass = pass;
      check_ends(config);
    }
  ConvConfig cluster = odd_cluster();
  cluster.report = Report::magnitudes;
  check_ends(cluster);
}

TEST_CASE("gradients report both tensors, and all of their results") {
  for (const Shape& shape : shapes()) {
    Shape backward = shape;
    backward.config.pass = Pass::backward;
    check_shape(backward, DataType::fp16, Gating::both, Scaling::fixed);
    check_shape(backward, DataType::bf16, Gating::none, Scaling::automatic);
  }
}

TEST_CASE("a segment of a stream") {
  Shape stream{"segments", causal(6000, 257, 1024)};
  stream.config.history = true;
  check_shape(stream, DataType::fp16, Gating::in, Scaling::fixed);
}

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// What channel 1 reports where `value` is in the last row of the tensor of that name, and nothing in the others is.
ChannelReport report_of(const ConvConfig& config, const char* name, float value) {
  CAPTURE(to_string(config));
  const auto kernel = get_kernel(config, machine()->device());
  CAPTURE(kernel->name());
  const auto change = [&](const char* changed, Rows& rows) {
    if (std::string_view(changed) != name) return;
    const auto second = static_cast<std::size_t>(2 * rows.batch_stride() + rows.channel_stride());
    rows.bits()[second + 7] = examples::encode(config.dtype, value);
  };
  ReportRun run(machine(), kernel, gapped(3, 3), 41, change);
  check_report(run);
  const std::vector<ChannelReport> report = run.report();
  // Row 2 of channel 1 may be the partner of row 0 of channel 2, in the ring.
  CHECK(std::isfinite(report[0].input));
  CHECK(std::isfinite(report[2].input));
  CHECK(std::isfinite(report[0].output));
  return report[1];
}

ConvConfig reporting(ConvConfig config, DataType dtype, Gating gating = Gating::none) {
  config.dtype = dtype, config.gating = gating;
  config.report = Report::magnitudes;
  return config;
}

}  // namespace

TEST_CASE("infinities and NaNs in rows are reported as they are") {
  for (const ConvConfig& config :
       {reporting(row_of(1024), DataType::fp16), reporting(row_of(4096), DataType::bf16, Gating::in),
        reporting(columns_of(16, 512), DataType::fp16), reporting(columns_of(16, 512), DataType::bf16, Gating::both)}) {
    CHECK(report_of(config, "u", infinity).input == infinity);
    CHECK_FALSE(std::isfinite(report_of(config, "u", infinity).output));
    CHECK(std::isnan(report_of(config, "u", NAN).input));
    if (has_in_gate(config.gating)) CHECK(std::isnan(report_of(config, "w", NAN).input));
  }
}

namespace {

// Rows of one value, of which sums leave fp16.
std::vector<ChannelReport> report_of_constants(const ConvConfig& config, float value, double filter_scale = 1,
                                               int batch = 3) {
  CAPTURE(to_string(config));
  const auto kernel = get_kernel(config, machine()->device());
  Recipe recipe = gapped(batch, 2);
  recipe.filter_scale = filter_scale;
  const auto change = [&](const char* name, Rows& rows) {
    if (std::string_view(name) != "u") return;
    for (std::uint16_t& bits : rows.bits())
      if (bits != 0xFFFF) bits = examples::encode(config.dtype, value);
  };
  ReportRun run(machine(), kernel, recipe, 42, change);
  run.launch();
  return run.report();
}

}  // namespace

TEST_CASE("sums that leave the range show in the results, though samples are finite") {
  for (const ConvConfig& config : {reporting(row_of(1024), DataType::fp16), reporting(row_of(4096), DataType::fp16),
                                   reporting(columns_of(16, 512), DataType::fp16)})
    for (const ChannelReport& record : report_of_constants(config, 5000)) {
      CHECK(record.input == 5000);
      CHECK_FALSE(std::isfinite(record.output));
    }
}

TEST_CASE("results that fp16 does not hold are infinite, and reported") {
  for (const ChannelReport& record : report_of_constants(reporting(row_of(1024), DataType::fp16), 8, 1e5)) {
    CHECK(record.input == 8);
    CHECK(record.output == infinity);
  }
}

TEST_CASE("sums of gradients that are not finite are reported, though du is") {
  for (ConvConfig config :
       {row_of(256), row_of(1024), row_of(4096), row_of(32768), columns_of(16, 512), columns_of(16, 4096)}) {
    config = reporting(config, DataType::fp16);
    config.pass = Pass::backward;
    for (const ChannelReport& record : report_of_constants(config, 6000)) {
      CHECK(record.input == 6000);
      CHECK(std::isnan(record.gradients));
    }
    for (const ChannelReport& record : report_of_constants(config, 1)) CHECK(std::isfinite(record.gradients));
  }
}

TEST_CASE("blocks that add to sums in turns report them, and those that have a channel each") {
  ConvConfig config = reporting(causal(32768, 32768), DataType::fp16);
  config.pass = Pass::backward;
  REQUIRE(get_kernel(config, machine()->device())->generated().conv.cluster == 4);
  for (const int batch : {3, 4, 7}) {
    CAPTURE(batch);
    for (const ChannelReport& record : report_of_constants(config, 6000, 1, batch)) CHECK(std::isnan(record.gradients));
    for (const ChannelReport& record : report_of_constants(config, 1, 1, batch)) CHECK(std::isfinite(record.gradients));
  }
}

TEST_CASE("results are the same to the bit without a report") {
  for (const Shape& shape : {shapes()[1], shapes()[5]})
    for (const Pass pass : {Pass::forward, Pass::backward}) {
      ConvConfig config = reporting(shape.config, DataType::fp16, Gating::both);
      config.pass = pass;
      std::vector<std::uint16_t> bits[2];
      for (const Report report : {Report::none, Report::magnitudes}) {
        config.report = report;
        ReportRun run(machine(), get_kernel(config, machine()->device()), gapped(3, 2), 45);
        run.launch();
        bits[static_cast<int>(report)] = run.result_bits(0);
      }
      CHECK(bits[0] == bits[1]);
    }
}

TEST_CASE("launches raise what is there") {
  const ConvConfig config = reporting(row_of(1024), DataType::fp16);
  const auto kernel = get_kernel(config, machine()->device());
  ReportRun run(machine(), kernel, gapped(2, 3), 43);
  run.launch();
  const std::vector<ChannelReport> once = run.report();
  Buffer larger = Buffer::of(machine(), std::vector<ChannelReport>(3, {.input = 1000, .output = 0.5f}));
  LaunchArguments arguments = run.arguments();
  arguments.report = larger.at<ChannelReport>(0);
  kernel->launch(arguments);
  for (std::size_t h = 0; h < 3; ++h) {
    const auto got = larger.download<ChannelReport>(h, 1)[0];
    CHECK(got.input == 1000);
    CHECK(got.output == once[h].output);
    CHECK(got.gradient == 0);
  }
}

TEST_CASE("clusters of blocks, of pairs and of rows alone") {
  ConvConfig pairs = column_config({2, 4096}), alone = causal(8001, 8001, 16384);
  alone.column_length = 2, alone.batch = 1;
  pairs.arch = alone.arch = "sm_90a";
  for (const Shape& shape : {Shape{"pairs", pairs}, Shape{"padded, odd", odd_cluster()}, Shape{"alone", alone}}) {
    REQUIRE(generate(shape.config).conv.cluster > 1);
    check_shape(shape, DataType::fp16, Gating::none, Scaling::fixed);
    check_shape(shape, DataType::fp16, Gating::in, Scaling::fixed);
    check_shape(shape, DataType::fp16, Gating::both, Scaling::given);
    check_shape(shape, DataType::bf16, Gating::both, Scaling::automatic);
  }
  ConvConfig uneven = causal(40939, 40939, 81920);
  uneven.column_length = 4, uneven.batch = 1, uneven.arch = "sm_90a", uneven.row_alignment = 2;
  REQUIRE(generate(uneven).conv.cluster == 4);
  check_shape({"alone, of which warps have no equal shares", uneven}, DataType::fp16, Gating::none, Scaling::fixed);
}

TEST_CASE("what runs digit by digit makes no report, and is not chosen") {
  ConvConfig config = reporting(row_of(992), DataType::fp16);
  config.arch = "sm_90a";
  CHECK(generate(config).transform_length != 992);  // folded
  config.radices = {31, 32};
  CHECK_THROWS_WITH_AS((void)generate(config), doctest::Contains("report is magnitudes"), ConfigError);
}
