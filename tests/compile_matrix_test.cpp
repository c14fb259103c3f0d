// NVRTC compiles what the generator emits, for every architecture, without spills worth the name.
#include <doctest/doctest.h>

#include "ffc/ffc.hpp"

using namespace ffc;

namespace {

ConvConfig make_config(std::int64_t n, std::int64_t length, Gating gating, DataType dtype, std::string_view arch) {
  ConvConfig config;
  config.fft_length = n;
  config.length = length;
  if (length != n) config.padding = Padding::padded;
  config.gating = gating;
  config.dtype = dtype;
  config.arch = arch;
  return config;
}

}  // namespace

TEST_CASE("a matrix of configs compiles for every arch") {
  for (const Arch& arch : architectures()) {
    const std::vector<ConvConfig> configs = {
        make_config(256, 256, Gating::both, DataType::bf16, arch.name),
        make_config(1024, 512, Gating::none, DataType::fp16, arch.name),
        make_config(4096, 4095, Gating::in, DataType::fp16, arch.name),
        make_config(6144, 3072, Gating::out, DataType::bf16, arch.name),
        make_config(8192, 4096, Gating::both, DataType::fp16, arch.name),
        make_config(992, 992, Gating::none, DataType::fp16, arch.name),
        make_config(30000, 30000, Gating::both, DataType::bf16, arch.name),
    };
    for (ConvConfig config : configs) {
      CAPTURE(to_string(config));
      const Generated generated = generate(config);
      CHECK(compile(generated.conv, arch.name).cubin.size() > 1000);
    }
    ConvConfig forced = make_config(992, 992, Gating::none, DataType::fp16, arch.name);
    forced.radices = {31, 32};
    CHECK(compile(generate(forced).conv, arch.name).cubin.size() > 1000);
  }
}

TEST_CASE("the longest kernels and their filters compile") {
  for (const std::string_view arch : {"sm_80", "sm_86", "sm_90a"}) {
    const Generated generated = generate(make_config(32768, 32768, Gating::none, DataType::fp16, arch));
    CHECK(compile(generated.conv, arch).cubin.size() > 1000);
    CHECK(compile(generated.filter, arch).cubin.size() > 1000);
  }
}
