// Emitted kernels: every field of a config reaches the code, and not only the comment above it.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler.hpp"
#include "ffc/generator/arch.hpp"
#include "ffc/generator/generate.hpp"
#include "has.hpp"

using namespace ffc;

namespace {

/// Padded 1024 of 4096 samples with fewer taps than fit: every field can move from here.
ConvConfig base_config() {
  ConvConfig config;
  config.fft_length = 4096;
  config.length = 1024;
  config.filter_length = 3000;
  config.padding = Padding::padded;
  config.gating = Gating::in;
  config.accumulation = Accumulation::fp16;
  config.radices = {16, 16, 16};
  config.row_alignment = 16;
  config.arch = "sm_90a";
  return config;
}

ConvConfig changed(ConvConfig config, const std::function<void(ConvConfig&)>& change) {
  change(config);
  return config;
}

/// The text without the comment that opens it (which repeats the config) and without its own name: what is compiled.
std::string code_of(const GeneratedKernel& kernel) {
  std::string_view rest = kernel.source;
  while (rest.starts_with("//")) rest.remove_prefix(std::min(rest.find('\n') + 1, rest.size()));
  std::string code(rest);
  for (std::size_t at = code.find(kernel.name); at != std::string::npos; at = code.find(kernel.name, at))
    code.replace(at, kernel.name.size(), "NAME");
  return code;
}

bool same_code(const GeneratedKernel& a, const GeneratedKernel& b) {
  return code_of(a) == code_of(b) && a.options == b.options && a.tables == b.tables && a.threads == b.threads &&
         a.shared_bytes == b.shared_bytes;
}

void check_same_bytes(const GeneratedKernel& a, const GeneratedKernel& b) {
  CHECK(a.name == b.name);
  CHECK(a.source == b.source);
  CHECK(same_code(a, b));
}

std::string key_of(const Generated& generated) {
  return compile_key(generated.conv, generated.config.arch, 13, 0).text;
}

}  // namespace

TEST_CASE("a config with its defaults written out gives the same bytes, whatever was generated between") {
  ConvConfig config;
  config.fft_length = 4096;
  config.arch = "sm_90a";
  const Generated left_out = generate(config);
  (void)generate(base_config());
  const Generated written = generate(left_out.config);
  CHECK(left_out.config.length == 4096);
  CHECK(left_out.config.row_alignment == 16);
  check_same_bytes(left_out.conv, written.conv);
  check_same_bytes(left_out.filter, written.filter);
}

TEST_CASE("every field reaches the emitted kernels") {
  // One name for each field: a new field does not compile here until it has a SUBCASE.
  const ConvConfig base = base_config();
  [[maybe_unused]] const auto& [fft_length, length, filter_length, padding, dtype, gating, accumulation, radices,
                                history, column_length, batch, runner_up, row_alignment, input_exponent, scaling,
                                report, mask, arch, pass, gradients, gradient_exponent] = base;
  enum class Reaches { conv, filter, both, name };
  ConvConfig config = base;
  Reaches reaches = Reaches::both;
  SUBCASE("fft_length") {
    config.fft_length = 8192;
    config.radices = {16, 2, 16, 16};
  }
  SUBCASE("length") {
    config.length = 2048;
    reaches = Reaches::conv;  // taps lie where they lay: nothing is folded
  }
  SUBCASE("history") {
    config.padding = Padding::causal;
    config.history = true;
    reaches = Reaches::conv;  // windows of the same transform take the same spectra
  }
  SUBCASE("column_length") { config.column_length = 16; }
  SUBCASE("filter_length") {
    config.filter_length = 2999;
    reaches = Reaches::filter;  // the convolution sees a spectrum of the same size
  }
  SUBCASE("padding") {
    config.padding = Padding::causal;
    reaches = Reaches::filter;  // taps past the row's length are cut off; rows are padded the same way
  }
  SUBCASE("dtype") { config.dtype = DataType::bf16; }
  SUBCASE("gating: none") {
    config.gating = Gating::none;
    reaches = Reaches::conv;
  }
  SUBCASE("gating: out") {
    config.gating = Gating::out;
    reaches = Reaches::conv;
  }
  SUBCASE("gating: both") {
    config.gating = Gating::both;
    reaches = Reaches::conv;
  }
  SUBCASE("accumulation") {
    config.accumulation = Accumulation::fp32;
    reaches = Reaches::conv;
  }
  SUBCASE("radices") { config.radices = {2, 8, 16, 16}; }
  SUBCASE("runner_up") {
    config.radices = {};
    config.runner_up = 2;  // the ones before have the digits of `base`
  }
  SUBCASE("row_alignment") {
    config.row_alignment = 8;
    reaches = Reaches::conv;
  }
  SUBCASE("mask") { config.mask = keep_counts({8, 256}, {16, 256}); }
  SUBCASE("input_exponent") { config.input_exponent = 3; }
  SUBCASE("scaling") {
    config.scaling = Scaling::given;
    reaches = Reaches::conv;
  }
  SUBCASE("report") {
    config.report = Report::magnitudes;
    reaches = Reaches::conv;
  }
  SUBCASE("pass") {
    config.pass = Pass::backward;
    reaches = Reaches::conv;  // one spectrum serves both passes
  }
  SUBCASE("arch") {
    config.arch = "sm_100";
    reaches = Reaches::name;  // sm_90a and sm_100 have the same limits: --gpu-architecture tells them apart
  }
  const Generated before = generate(base);
  const Generated after = generate(config);
  CHECK(after.conv.source != before.conv.source);
  CHECK(key_of(after) != key_of(before));
  const bool conv = reaches == Reaches::conv || reaches == Reaches::both;
  const bool filter = reaches == Reaches::filter || reaches == Reaches::both;
  CHECK(same_code(after.conv, before.conv) == !conv);
  CHECK(same_code(after.filter, before.filter) == !filter);
  // Spectra are interchangeable exactly where the filter kernels are; one arch's are not another's.
  CHECK((after.spectrum_tag == before.spectrum_tag) == (reaches == Reaches::conv));
  if (reaches == Reaches::name) {
    CHECK(after.conv.name != before.conv.name);
    CHECK(after.filter.name != before.filter.name);
  }
}

TEST_CASE("every field of gradients reaches the emitted kernels") {
  ConvConfig base = base_config();
  base.pass = Pass::backward;
  const Generated before = generate(base);
  ConvConfig config = base;
  bool to_taps = false;  // the filter gradient's text changes, too
  SUBCASE("gradients: du") { config.gradients.u = false; }
  SUBCASE("gradients: dw") { config.gradients.w = false; }
  SUBCASE("gradient_exponent") {
    config.gradient_exponent = 3;
    to_taps = true;
  }
  SUBCASE("filter_length") {
    config.filter_length = 2999;
    to_taps = true;
  }
  const Generated after = generate(config);
  CHECK(key_of(after) != key_of(before));
  CHECK(after.conv.source != before.conv.source);
  CHECK((code_of(after.conv) == code_of(before.conv)) == (config.filter_length != base.filter_length));
  CHECK((code_of(*after.backward->filter_gradient) == code_of(*before.backward->filter_gradient)) == !to_taps);
}

TEST_CASE("accumulation decides the type of the tensor cores' sums") {
  // Beside the field's own test: the plan also fuses other factors there, so that the text changes either way.
  ConvConfig config = base_config();
  const std::string half = code_of(generate(config).conv);
  config.accumulation = Accumulation::fp32;
  const std::string full = code_of(generate(config).conv);
  constexpr std::string_view half_sums = "f16.f16.f16.f16", full_sums = "f32.f16.f16.f32";
  CHECK(has(half, half_sums));
  CHECK_FALSE(has(full, half_sums));
  CHECK(has(full, full_sums));
}

TEST_CASE("the names tell apart what profilers should") {
  std::set<std::string> names;
  const auto add = [&](const std::function<void(ConvConfig&)>& change) {
    CHECK(names.insert(generate(changed(base_config(), change)).conv.name).second);
  };
  add([](ConvConfig&) {});
  add([](ConvConfig& c) { c.length = 2048; });
  add([](ConvConfig& c) { c.padding = Padding::causal; });
  add([](ConvConfig& c) { c.dtype = DataType::bf16; });
  for (const Gating gating : {Gating::none, Gating::out, Gating::both}) add([&](ConvConfig& c) { c.gating = gating; });
  add([](ConvConfig& c) { c.accumulation = Accumulation::fp32; });
  add([](ConvConfig& c) { c.radices = {2, 8, 16, 16}; });
  add([](ConvConfig& c) { c.row_alignment = 2; });
  for (const Arch& arch : architectures())
    if (arch.name != "sm_90a") add([&](ConvConfig& c) { c.arch = arch.name; });
}
