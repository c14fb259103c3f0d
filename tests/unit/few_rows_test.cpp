// Gradients whose sums go back to taps with the rows, those of few rows, and with which spectrum.
#include "ffc/generator/few_rows.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "backward_config.hpp"
#include "ffc/generator/generate.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "length_config.hpp"

using namespace ffc;

namespace {

ConvConfig config_of(std::int64_t length, int batch) {
  ConvConfig config = causal_gradients(length);
  config.batch = batch;
  return config;
}

}  // namespace

TEST_CASE("sums go back to taps with the last row, where nothing else has u's place") {
  const auto returns = [](const ConvConfig& config) {
    const Generated generated = generate(config);
    const BackwardLaunch& launch = *generated.backward;
    CHECK(launch.returns_sums == !launch.filter_gradient);
    CHECK(launch.sums_bytes > 0);
    if (launch.returns_sums) CHECK(launch.slices(1 << 20, 768) == 1);
    return launch.returns_sums;
  };
  for (const std::int64_t length : {98304, 131072, 262144, 1048576, 4194304})
    for (const int batch : {0, 1, 2, 3, 8}) CHECK(returns(config_of(length, batch)));
  // In rows of 512 u's has given its buffer to dy's.
  CHECK_FALSE(returns(config_of(65536, 8)));
  CHECK(returns(config_of(65536, 1)));
  CHECK_FALSE(returns(config_of(32768, 1)));
  CHECK_FALSE(returns(config_of(8388608, 1)));  // beyond what fp16 keeps of taps
  ConvConfig config = config_of(262144, 8);
  config.report = Report::magnitudes;
  CHECK_FALSE(returns(config));
  config = config_of(262144, 8);
  config.accumulation = Accumulation::fp32;
  CHECK_FALSE(returns(config));
  config = config_of(262144, 8);
  config.gating = Gating::both, config.gradients = parse_gradients("du,dw,dv,dk");  // dv has u's place
  CHECK_FALSE(returns(config));
  config.gradients = parse_gradients("du,dw,dk");
  CHECK(returns(config));
}

TEST_CASE("few rows have the spectrum of the convolution, and many too") {
  ConvConfig config;
  config.padding = Padding::causal;
  config.arch = "sm_90a";
  for (const std::int64_t length : {262144, 1048576, 4194304}) {
    config.length = length;
    config.pass = Pass::forward;
    const std::string tag = generate(config).spectrum_tag;
    config.pass = Pass::backward;
    for (const int batch : {0, 1, 2}) {
      config.batch = batch;
      CHECK(generate(config).spectrum_tag == tag);
    }
    config.batch = 0;
  }
}

TEST_CASE("a kernel has to know of one and two rows past one block") {
  ConvConfig config;
  config.pass = Pass::backward;
  config.length = 32769;
  for (const int batch : {1, 2}) CHECK(few_rows_hint(config, batch) == batch);
  for (const std::int64_t batch : {std::int64_t{0}, std::int64_t{3}, std::int64_t{1} << 33})
    CHECK(few_rows_hint(config, batch) == 0);
  config.length = 30720;
  CHECK(few_rows_hint(config, 1) == 0);
}

TEST_CASE("blocks that would add to sums in turns make taps of one and two rows") {
  ConvConfig config = causal_gradients(32768);
  config.arch = "sm_90a";
  for (const int batch : {1, 2}) {
    CHECK(few_rows_hint(config, batch) == batch);
    config.batch = batch;
    const BackwardLaunch launch = *generate(config).backward;
    CHECK(launch.ends_in_taps);
    CHECK(launch.makes_taps(launch.slices(batch, 768)));
  }
  CHECK(few_rows_hint(config, 3) == 0);
  config.batch = 0;
  CHECK_FALSE(generate(config).backward->ends_in_taps);
}

TEST_CASE("gradients beside convolutions of clusters go alone with up to 8 rows, and in pairs with more") {
  ConvConfig config = backward(0);
  config.arch = "sm_90a";
  for (const std::int64_t length : {69412, 79000, 112684}) {
    config.length = config.filter_length = length;
    config.padding = length > 100000 ? Padding::circular : Padding::causal;
    config.fft_length = length > 100000 ? length : 0;
    CAPTURE(length);
    CHECK(few_rows_hint(config, 2) == 2);
    for (const int batch : {3, 4, 8}) CHECK(few_rows_hint(config, batch) == 8);
    for (const int batch : {9, 64}) CHECK(few_rows_hint(config, batch) == 0);
    config.batch = 0;
    CHECK(are_alone(make_plans(normalised(config)).front()->packing) == (length > 100000));
    for (const int batch : {4, 6, 8}) {
      config.batch = batch;
      CHECK(normalised(config).batch == 8);
      CHECK(are_alone(make_plans(normalised(config)).front()->packing));
    }
  }
  config.length = 131072;
  CHECK(few_rows_hint(config, 4) == 0);
}

TEST_CASE("a kernel has to know of an odd circular row and of short rows' gradients in one block") {
  ConvConfig config = backward(1024);
  for (const int batch : {1, 2, 7, 8}) CHECK(few_rows_hint(config, batch) == 8);
  CHECK(few_rows_hint(config, 9) == 0);
  config.length = 2048;
  CHECK(few_rows_hint(config, 2) == 0);
  config.pass = Pass::forward;
  config.padding = Padding::circular;
  for (const auto& [batch, hint] : {std::pair{1, 1}, {2, 0}, {3, 3}, {5, 0}})
    CHECK(few_rows_hint(config, batch) == hint);
  for (const Padding padding : {Padding::padded, Padding::causal}) {
    config.padding = padding;
    CHECK(few_rows_hint(config, 1) == 0);
  }
}

TEST_CASE("circular rows that go alone where they are few take the spectrum of many") {
  for (int n = 2304; n <= 32768; n += n < 8192 ? 256 : 1024) {
    ConvConfig config;
    config.fft_length = n, config.arch = "sm_90a";
    const std::string tag = generate(config).spectrum_tag;
    for (const int batch : {1, 3}) {
      config.batch = batch;
      CAPTURE(n);
      CHECK(generate(config).spectrum_tag == tag);
    }
  }
}

TEST_CASE("short rows' gradients take one spectrum, however few they are") {
  for (int length = 20; length <= 1792; length += 37)
    for (const Padding padding : {Padding::circular, Padding::causal}) {
      ConvConfig config = backward(0);
      config.padding = padding;
      (padding == Padding::causal ? config.length : config.fft_length) = length;
      CAPTURE(length);
      const std::string tag = generate(config).spectrum_tag;
      config.batch = 8;
      CHECK(generate(config).spectrum_tag == tag);
    }
}

TEST_CASE("up to eight of short rows' gradients are one hint") {
  ConvConfig config = backward(512);
  for (const int batch : {2, 4, 6, 8}) {
    config.batch = batch;
    CHECK(normalised(config).batch == 8);
  }
  config.batch = 10;
  CHECK(normalised(config).batch == 0);
}

TEST_CASE("a batch of two is a hint for gradients alone") {
  ConvConfig config = backward(65536);
  for (const int batch : {1, 2, 3, 4}) {
    config.batch = batch;
    config.pass = Pass::backward;
    CHECK(normalised(config).batch == (batch == 4 ? 0 : batch));
    config.pass = Pass::forward;
    CHECK(normalised(config).batch == (batch % 2 == 0 ? 0 : batch));
  }
}

TEST_CASE("one long gated row has gradients in two launches, of one spectrum") {
  ConvConfig config = config_of(0, 1);
  config.gating = Gating::both;
  config.gradients = parse_gradients("du,dw,dv,dk");
  for (const std::int64_t length : {200001, 262144, 1048576, 4194304}) {
    config.length = length;
    const auto parts = gradient_parts(config);
    REQUIRE(parts);
    CHECK(to_string(parts->others.gradients) == "du,dw,dk");
    const Generated convolution = generate(parts->convolution), others = generate(parts->others);
    CHECK_FALSE(convolution.backward);
    CHECK(others.backward->returns_sums);
    CHECK(convolution.spectrum_tag == others.spectrum_tag);
    CHECK(generate(config).spectrum_tag == others.spectrum_tag);
  }
  for (const int batch : {0, 2, 3}) {
    config.batch = batch;
    CHECK_FALSE(gradient_parts(config));
  }
  config.batch = 1, config.length = 16384;
  CHECK_FALSE(gradient_parts(config));
  config.length = 262144;
  config.gradients = parse_gradients("du,dw,dk");
  CHECK_FALSE(gradient_parts(config));
  config.gradients = parse_gradients("du,dw,dv");
  CHECK_FALSE(gradient_parts(config));
}
