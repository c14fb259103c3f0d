// Who finds how large rows are, and what does not depend on it.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>

#include "ffc/generator/error.hpp"
#include "ffc/generator/generate.hpp"

using namespace ffc;

namespace {

ConvConfig found(std::int64_t length, DataType dtype, Padding padding) {
  ConvConfig config;
  config.arch = "sm_90a";
  config.length = length;
  config.fft_length = padding == Padding::causal ? 0 : padding == Padding::circular ? length : 2 * length;
  config.padding = padding;
  config.dtype = dtype;
  config.scaling = Scaling::found;
  return config;
}

}  // namespace

TEST_CASE("one spectrum serves a config however its rows are scaled") {
  std::mt19937 random(1);
  const auto below = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(most));
  };
  for (int i = 0; i < 300; ++i) {
    ConvConfig config = found(16 << below(12), static_cast<DataType>(below(2)), static_cast<Padding>(below(3)));
    if (i % 2 == 0) config.length += below(config.length);
    if (config.padding != Padding::causal)
      config.fft_length = config.padding == Padding::circular ? config.length : 2 * config.length;
    else if (i % 3 == 0)
      config.filter_length = 1 + below(config.length);
    config.gating = static_cast<Gating>(below(4));
    if (below(3) == 0) config.pass = Pass::backward;
    const auto tag = [&](Scaling scaling) {
      config.scaling = scaling;
      return generate(config).spectrum_tag;
    };
    const std::string fixed = tag(Scaling::fixed);
    CAPTURE(to_string(normalised(config)));
    CHECK(tag(Scaling::given) == fixed);
    CHECK(tag(Scaling::found) == fixed);
  }
}

TEST_CASE("rows of bf16 have powers of two that are found, unless a config says otherwise") {
  ConvConfig config;
  config.fft_length = 4096;
  CHECK(normalised(config).scaling == Scaling::fixed);
  config.dtype = DataType::bf16;
  CHECK(normalised(config).scaling == Scaling::found);
  config.input_exponent = 2;
  CHECK(normalised(config).scaling == Scaling::fixed);
  config.input_exponent = 0;
  config.pass = Pass::backward;
  CHECK(normalised(config).scaling == Scaling::found);
  config.gradient_exponent = 3;
  CHECK(normalised(config).scaling == Scaling::fixed);
  config.gradient_exponent = 0;
  for (const Scaling scaling : {Scaling::fixed, Scaling::given, Scaling::found}) {
    config.scaling = scaling;
    CHECK(normalised(config).scaling == scaling);
  }
}

TEST_CASE("a kernel that holds rows in one block finds magnitudes itself, but of pairs in fp16") {
  CHECK_FALSE(generate(found(4096, DataType::bf16, Padding::circular)).magnitudes);
  CHECK(generate(found(4096, DataType::fp16, Padding::circular)).magnitudes);
  ConvConfig backward;
  for (const DataType dtype : {DataType::fp16, DataType::bf16}) {
    CHECK_FALSE(generate(found(4096, dtype, Padding::causal)).magnitudes);
    backward = found(4096, dtype, Padding::causal);
    backward.pass = Pass::backward;
    CHECK_FALSE(generate(backward).magnitudes);
    backward.gating = Gating::both;
    CHECK_FALSE(generate(backward).magnitudes);
  }
  // Gated rows whose tensors take turns are not read twice.
  backward.length = backward.filter_length = 0, backward.fft_length = 32768, backward.padding = Padding::circular;
  backward.mask = low_pass(0.4, backward.fft_length);
  ConvConfig by_digits = found(37, DataType::bf16, Padding::circular);
  by_digits.radices = {37};
  for (const ConvConfig& config : {by_digits, backward, found(1 << 20, DataType::bf16, Padding::circular),
                                   found(1 << 20, DataType::fp16, Padding::causal)}) {
    const Generated generated = generate(config);
    REQUIRE(generated.magnitudes);
    CHECK(generated.config.scaling == Scaling::found);
    const auto list = programs(generated);
    CHECK(std::count_if(list.begin(), list.end(), [](const auto& program) { return program.kind == "magnitudes"; }) ==
          1);
    // The kernel itself is the one that magnitudes are given to.
    ConvConfig given = config;
    given.scaling = Scaling::given;
    CHECK(generated.conv.source == generate(given).conv.source);
  }
}

TEST_CASE("past one block, rows alone have a power of two for each tile of columns") {
  for (const auto& [length, gating] :
       {std::pair{1 << 16, Gating::none}, std::pair{1 << 16, Gating::both}, std::pair{1 << 17, Gating::none},
        std::pair{1 << 18, Gating::none}, std::pair{1 << 18, Gating::both}, std::pair{1 << 20, Gating::none},
        std::pair{1 << 20, Gating::both}, std::pair{1 << 22, Gating::none}})
    for (const int batch : {0, 1, 8}) {
      ConvConfig config = found(length, DataType::bf16, Padding::causal);
      config.gating = gating;
      CHECK_FALSE(generate(config).magnitudes);
      if (length == 1 << 17 || (length == 1 << 16 && batch == 1)) continue;  // gradients' rows have 8 lines
      config.pass = Pass::backward;
      config.batch = batch;
      CHECK_FALSE(generate(config).magnitudes);
      // Their spectrum is that of all others.
      ConvConfig fixed = config;
      fixed.scaling = Scaling::fixed;
      CHECK(generate(config).spectrum_tag == generate(fixed).spectrum_tag);
    }
  // Rows of any number of lines.
  for (const int length : {300000, 400000, 600000}) {
    ConvConfig config = found(length, DataType::bf16, Padding::causal);
    CHECK_FALSE(generate(config).magnitudes);
    config.pass = Pass::backward, config.gating = Gating::both;
    CHECK_FALSE(generate(config).magnitudes);
  }
  // Rows at odd addresses, of which a thread has no whole chunk, and pairs.
  ConvConfig odd = found(1 << 18, DataType::bf16, Padding::causal);
  odd.row_alignment = 2, odd.length -= 1;
  CHECK(generate(odd).magnitudes);
}

TEST_CASE("what measures rows depends on their length, type and alignment alone") {
  ConvConfig config = found(1 << 16, DataType::bf16, Padding::circular);
  const std::string source = generate(config).magnitudes->source;
  config.gating = Gating::both;
  CHECK(generate(config).magnitudes->source == source);
  config.pass = Pass::backward;
  CHECK(generate(config).magnitudes->source == source);
  config.row_alignment = 4;
  CHECK(generate(config).magnitudes->source != source);
}

TEST_CASE("a history in fp16 is not measured") {
  ConvConfig config = found(4096, DataType::fp16, Padding::causal);
  config.filter_length = 100;
  config.history = true;
  CHECK_THROWS_AS((void)normalised(config), ConfigError);
  config.dtype = DataType::bf16;
  CHECK_FALSE(generate(config).magnitudes);
}
