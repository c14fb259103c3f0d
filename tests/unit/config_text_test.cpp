// ConvConfig as text: it tells configs apart, and names are read as they are written.
#include <doctest/doctest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/error.hpp"

using namespace ffc;

TEST_CASE("the text of a config tells every field") {
  // Does not compile when a field is added: add it to to_string and to the list below.
  [[maybe_unused]] const auto [fft_length, length, filter_length, padding, dtype, gating, accumulation, radices,
                               history, column_length, batch, runner_up, row_alignment, input_exponent, scaling, report,
                               mask, arch, pass, gradients, gradient_exponent] = ConvConfig{};
  ConvConfig base;
  base.fft_length = 4096;
  base.length = 2048;
  base.padding = Padding::padded;
  base = normalised(base);
  const std::vector<std::function<void(ConvConfig&)>> changes = {
      [](ConvConfig&) {},
      [](ConvConfig& c) { c.fft_length = 8192; },
      [](ConvConfig& c) { c.length = 2040; },
      [](ConvConfig& c) { c.filter_length = 4095; },
      [](ConvConfig& c) { c.padding = Padding::circular; },
      [](ConvConfig& c) { c.padding = Padding::causal; },
      [](ConvConfig& c) { c.dtype = DataType::bf16; },
      [](ConvConfig& c) { c.column_length = 16; },
      [](ConvConfig& c) { c.history = true; },
      [](ConvConfig& c) { c.batch = 3; },
      [](ConvConfig& c) { c.runner_up = 1; },
      [](ConvConfig& c) { c.gating = Gating::in; },
      [](ConvConfig& c) { c.gating = Gating::out; },
      [](ConvConfig& c) { c.gating = Gating::both; },
      [](ConvConfig& c) { c.accumulation = Accumulation::fp16; },
      [](ConvConfig& c) { c.accumulation = Accumulation::fp32; },
      [](ConvConfig& c) {
        c.radices = {16, 16, 16};
      },
      [](ConvConfig& c) {
        c.radices = {64, 64};
      },
      [](ConvConfig& c) { c.row_alignment = 8; },
      [](ConvConfig& c) { c.input_exponent = -3; },
      [](ConvConfig& c) { c.scaling = Scaling::given; },
      [](ConvConfig& c) { c.report = Report::magnitudes; },
      [](ConvConfig& c) { c.mask = low_pass(0.25, 4096); },
      [](ConvConfig& c) {
        c.mask = keep_counts({8, 256}, {16, 256});
      },
      [](ConvConfig& c) { c.arch = "sm_80"; },
      [](ConvConfig& c) { c.arch = "sm_90a"; },
      [](ConvConfig& c) { c.pass = Pass::backward; },
      [](ConvConfig& c) {
        c.pass = Pass::backward;
        c.gradients.d = true;
      },
      [](ConvConfig& c) {
        c.pass = Pass::backward;
        c.gradient_exponent = 3;
      }};
  std::set<std::string> texts;
  for (const auto& change : changes) {
    ConvConfig config = base;
    change(config);
    CHECK(texts.insert(to_string(config)).second);
    CHECK(to_string(config) == to_string(ConvConfig(config)));
  }
  CHECK(to_string(base) ==
        "fft_length=4096 length=2048 filter_length=4096 padding=padded dtype=fp16 gating=none accumulation=automatic "
        "radices=auto column_length=0 row_alignment=16 input_exponent=0 arch=");
}

TEST_CASE("names of types are read as they are written") {
  CHECK(parse_dtype("fp16") == DataType::fp16);
  CHECK(parse_dtype("bf16") == DataType::bf16);
  for (const DataType dtype : {DataType::fp16, DataType::bf16}) CHECK(parse_dtype(to_string(dtype)) == dtype);
  CHECK_THROWS_WITH_AS((void)parse_dtype("fp32"), "dtype is \"fp32\"; it must be fp16 or bf16", ConfigError);
  for (const char* text : {"", "FP16", "half", "fp16 "}) CHECK_THROWS_AS((void)parse_dtype(text), ConfigError);
}
