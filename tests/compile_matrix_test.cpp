// NVRTC compiles what the generator emits, for every architecture, without spills worth the name.
#include <doctest/doctest.h>

#include "ffc/ffc.hpp"
#include "ffc/generator/plan.hpp"

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

TEST_CASE("all programs of the longest kernel of one block, and of one past it, compile") {
  for (const std::string_view arch : {"sm_80", "sm_86", "sm_90a"})
    for (const std::int64_t n : {32768, 65536}) {
      const Generated generated = generate(make_config(n, n, Gating::none, DataType::fp16, arch));
      for (const ProgramView& program : programs(generated)) {
        CAPTURE(program.kernel->name);
        CHECK(compile(*program.kernel, arch).cubin.size() > 1000);
      }
    }
}

TEST_CASE("a kernel's name and text are those of all that a launch runs") {
  struct Emitted final : Kernel {
    explicit Emitted(const ConvConfig& config) : own(ffc::generate(config)) {}
    [[nodiscard]] const Generated& generated() const override { return own; }
    [[nodiscard]] int device() const override { return 0; }
    [[nodiscard]] FilterSpectrum prepare_filter(const FilterView&, CUstream, Workspace) const override { return {}; }
    void launch(const LaunchArguments&, CUstream) const override {}
    [[nodiscard]] std::size_t chunk_bytes() const override { return 0; }
    [[nodiscard]] int chunks_at_once() const override { return 1; }
    Generated own;
  };
  const Emitted split(make_config(65536, 65536, Gating::both, DataType::fp16, "sm_90a"));
  const std::string factors = factorisation_name(make_plans(split.config()).front());
  CHECK(split.name() == "conv_fwd_n65536_" + factors + "_f16_gated_sm90a");
  const auto list = programs(split.own);
  REQUIRE(list.size() == 5);
  std::size_t at = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    CAPTURE(list[i].kind);
    at = split.source().find("// ---- " + list[i].kernel->name + ".cu ----\n" + list[i].kernel->source, at);
    CHECK(at != std::string::npos);
  }
  CHECK(list[4].kind == "filter");
  CHECK(split.source().find(list[4].kernel->name) == std::string::npos);

  const Emitted whole(make_config(4096, 4096, Gating::none, DataType::fp16, "sm_90a"));
  CHECK(whole.name() == whole.own.conv.name);
  CHECK(whole.source() == whole.own.conv.source);
  CHECK(programs(whole.own).size() == 2);
}
