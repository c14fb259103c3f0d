// NVRTC compiles what the generator emits, for every architecture, without spills worth the name.
#include <doctest/doctest.h>

#include "ffc/ffc.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"

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

TEST_CASE("windows compile for every arch") {
  for (const Arch& arch : architectures())
    for (const auto& [n, taps] : {std::pair{1024, 250}, std::pair{4096, 2050}}) {
      ConvConfig config = make_config(n, 1 << 20, taps == 250 ? Gating::both : Gating::in, DataType::bf16, arch.name);
      config.padding = Padding::causal;
      config.filter_length = taps;
      config.history = taps != 2050;
      CAPTURE(to_string(config));
      CHECK(compile(generate(config).conv, arch.name).cubin.size() > 1000);
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

TEST_CASE("all programs of gradients compile for every arch") {
  for (const Arch& arch : architectures())
    for (ConvConfig config : {make_config(512, 512, Gating::both, DataType::bf16, arch.name),
                              make_config(2304, 1001, Gating::in, DataType::fp16, arch.name),
                              make_config(16384, 8192, Gating::none, DataType::fp16, arch.name)}) {
      config.pass = Pass::backward;
      const Generated generated = generate(config);
      CHECK(programs(generated).size() == (generated.apart ? 4 : 3));
      for (const ProgramView& program : programs(generated)) {
        CAPTURE(program.kernel->name);
        CHECK(compile(*program.kernel, arch.name).cubin.size() > 1000);
      }
    }
}

// NVRTC says what nvcc says of variables that nothing reads.
TEST_CASE("emitted files of every family and pass compile without a warning") {
  std::vector<ConvConfig> configs;
  for (const std::string_view arch : {"sm_80", "sm_90a"}) {
    for (const std::int64_t n : {256, 2304, 4096, 8192, 992, 65536})
      configs.push_back(make_config(n, n, n % 512 == 0 ? Gating::both : Gating::none, DataType::fp16, arch));
    configs.push_back(make_config(131072, 65536, Gating::none, DataType::bf16, arch));
    ConvConfig windows = make_config(0, 100000, Gating::in, DataType::fp16, arch);
    windows.padding = Padding::causal;
    windows.filter_length = 700;
    windows.history = true;
    configs.push_back(windows);
    ConvConfig masked = make_config(65536, 65536, Gating::out, DataType::fp16, arch);
    masked.mask = low_pass(0.2, 65536);
    configs.push_back(masked);
    ConvConfig single = make_config(1048576, 1048576, Gating::none, DataType::fp16, arch);
    single.column_length = 128;
    single.batch = 1;
    configs.push_back(single);
    for (const auto& [n, wanted] : {std::pair{512, "du,dw,dv,dk,dd"}, std::pair{4096, "dv,dk"}, std::pair{20480, "dd"},
                                    std::pair{65536, "du,dk"}, std::pair{262144, "du,dw,dv,dk"}}) {
      ConvConfig gradients = make_config(n, n, n == 65536 ? Gating::none : Gating::both, DataType::fp16, arch);
      gradients.pass = Pass::backward;
      gradients.gradients = parse_gradients(wanted);
      configs.push_back(gradients);
    }
  }
  for (const ConvConfig& config : configs) {
    CAPTURE(to_string(config));
    const Generated generated = generate(config);
    for (const ProgramView& program : programs(generated)) {
      const std::string log = compile(*program.kernel, config.arch).log;
      CHECK_MESSAGE(log.find("warning") == std::string::npos, log);
    }
  }
}

TEST_CASE("a kernel's name and text are those of what a launch runs") {
  struct Emitted final : Kernel {
    explicit Emitted(const ConvConfig& config) : own(ffc::generate(config)) {}
    [[nodiscard]] const Generated& generated() const override { return own; }
    [[nodiscard]] int device() const override { return 0; }
    [[nodiscard]] FilterSpectrum prepare_filter(const FilterView&, CUstream, Workspace) const override { return {}; }
    SpectrumView prepare_filter_into(const FilterView&, Workspace, Workspace, CUstream) const override { return {}; }
    void launch(const LaunchArguments&, CUstream) const override {}
    void launch_backward(const BackwardArguments&, CUstream) const override {}
    void update_scaling(const Workspace&, const ScalingArguments&, CUstream) const override {}
    void clear(const Workspace&, CUstream) const override {}
    [[nodiscard]] int resident_blocks() const override { return 0; }
    [[nodiscard]] std::size_t ring_bytes() const override { return 0; }
    Generated own;
  };
  const Emitted split(make_config(65536, 65536, Gating::both, DataType::fp16, "sm_90a"));
  const Emitted whole(make_config(4096, 4096, Gating::none, DataType::fp16, "sm_90a"));
  const Plan plan = make_plans(split.config()).front();
  const int column_length = plan.columns_and_rows()->row_count();
  CHECK(split.name() == "conv_fwd_n65536_" + std::to_string(column_length) + "x" +
                            std::to_string(65536 / column_length) + "_" + factorisation_name(*plan) +
                            "_f16_gated_sm90a");
  for (const Emitted* const emitted : {&split, &whole}) {
    CAPTURE(emitted->name());
    CHECK(emitted->name() == emitted->own.conv.name);
    CHECK(emitted->source() == emitted->own.conv.source);
    CHECK(emitted->source().find(" " + emitted->name() + "(") != std::string::npos);
    const auto list = programs(emitted->own);
    REQUIRE(list.size() == 2);
    CHECK(list[0].kind == "convolution");
    CHECK(list[0].kernel == &emitted->own.conv);
    CHECK(list[1].kind == "filter");
    CHECK(list[1].kernel == &emitted->own.filter);
  }
}

TEST_CASE("transforms between taps and spectra compile for every arch") {
  for (const Arch& arch : architectures())
    for (const std::int64_t length : {1024, 4095, 65536, 1009})
      for (const Pass pass : {Pass::forward, Pass::backward}) {
        const GeneratedRealTransform generated =
            generate_real_transform({.length = length, .pass = pass, .arch = std::string(arch.name)});
        CAPTURE(generated.kernel.name);
        CHECK(compile(generated.kernel, arch.name).cubin.size() > 1000);
      }
}
