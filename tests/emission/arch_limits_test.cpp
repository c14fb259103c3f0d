// Every arch can launch what is emitted for it: numbers within its limits, and programs that NVRTC compiles.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "compiler.hpp"
#include "ffc/generator/arch.hpp"
#include "ffc/generator/generate.hpp"
#include "has.hpp"

using namespace ffc;

namespace {

/// What a config must give on an arch: launchable numbers within the arch's limits, and text that stands alone.
void check_limits(const Generated& generated, const Arch& arch) {
  const GeneratedKernel& conv = generated.conv;
  CAPTURE(conv.name);
  CHECK(conv.shared_bytes <= arch.shared_per_block);
  CHECK(generated.blocks_per_sm >= 1);
  CHECK(generated.blocks_per_sm * (conv.shared_bytes + 1024) <= arch.shared_per_sm);  // the system's KiB a block
  CHECK(generated.blocks_per_sm * conv.threads <= arch.threads_per_sm);
  CHECK(generated.blocks_per_sm <= arch.blocks_per_sm);
  CHECK(generated.transform_length >= generated.config.length);
  // A real filter's spectrum has N / 2 + 1 values of its own; the other half may be kept or not.
  CHECK(generated.spectrum_row_bytes >= 4 * (generated.transform_length / 2 + 1));
  CHECK(generated.spectrum_row_bytes % 16 == 0);
  CHECK((generated.filter_workspace_bytes_per_block > 0) == (generated.filter_steps > 1));
  CHECK(generated.filter_blocks >= 1);
  for (const GeneratedKernel* kernel : {&conv, &generated.filter}) {
    CHECK(kernel->threads >= 32);
    CHECK(kernel->threads <= 1024);
    CHECK(kernel->threads % 32 == 0);
    CHECK_FALSE(has(kernel->source, "#include"));
    CHECK_FALSE(has(kernel->source, "//[["));
    CHECK(has(kernel->source, kernel->name + "("));
  }
}

struct Compiled {
  const Generated* generated = nullptr;
  CompiledProgram conv, filter;
  std::string error;
};

/// Compiles both kernels of each on all cores. Nothing is cached: NVRTC must do it now.
std::vector<Compiled> compile_all(const std::vector<Generated>& all) {
  Compiler compiler([] { return load_nvrtc(nvrtc_candidates()); }, {.root = {}, .disabled = true, .warn = {}});
  std::vector<Compiled> results(all.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < all.size(); i = next++) {
      results[i].generated = &all[i];
      try {
        results[i].conv = compiler.compile(all[i].conv, all[i].config.arch);
        results[i].filter = compiler.compile(all[i].filter, all[i].config.arch);
      } catch (const CompileError& error) {
        results[i].error = error.what();
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  return results;
}

/// From ptxas's "Used 128 registers"; 0 where the log does not say.
int registers_of(const std::string& log) {
  const std::size_t at = log.find("Used ");
  return at == std::string::npos ? 0 : std::atoi(log.c_str() + at + 5);
}

void check_program(const GeneratedKernel& kernel, const CompiledProgram& program, int blocks_per_sm) {
  CAPTURE(kernel.name);
  CAPTURE(program.log);
  CHECK(program.origin == Origin::compiled);
  CHECK(
      program.cubin.starts_with("\x7f"
                                "ELF"));
  CHECK(has(program.cubin, kernel.name));
  const int registers = registers_of(program.log);
  CHECK(registers > 0);
  // A block that wants more than a multiprocessor's 65536 does not start; warps get them in units of 8 a thread.
  CHECK((registers + 7) / 8 * 8 * kernel.threads * blocks_per_sm <= 65536);
}

struct Wanted {
  std::int64_t fft_length, length;
  Padding padding;
  DataType dtype;
  Gating gating;
  Accumulation accumulation = Accumulation::automatic;
};

Generated generate(const Wanted& wanted, const Arch& arch) {
  ConvConfig config;
  config.fft_length = wanted.fft_length;
  config.length = wanted.length;
  config.padding = wanted.padding;
  config.dtype = wanted.dtype;
  config.gating = wanted.gating;
  config.accumulation = wanted.accumulation;
  config.arch = arch.name;
  return ffc::generate(config);
}

}  // namespace

TEST_CASE("every type, gating and padding has a plan within the limits of every arch") {
  for (const Arch& arch : architectures())
    for (const std::int64_t n :
         {16, 17, 64, 100, 256, 512, 992, 1024, 2048, 3000, 4096, 4097, 6144, 8192, 16384, 32767, 32768})
      for (const DataType dtype : {DataType::fp16, DataType::bf16})
        for (const Gating gating : {Gating::none, Gating::both})
          for (const Padding padding : {Padding::circular, Padding::padded, Padding::causal}) {
            ConvConfig config;
            config.fft_length = n;
            config.length = padding == Padding::circular ? n : n / 2;
            config.padding = padding;
            config.dtype = dtype;
            config.gating = gating;
            config.arch = arch.name;
            check_limits(generate(config), arch);
          }
}

TEST_CASE("NVRTC compiles both kernels of a matrix of configs for every arch") {
  const Wanted matrix[] = {
      {256, 256, Padding::circular, DataType::bf16, Gating::both},
      {1000, 999, Padding::padded, DataType::fp16, Gating::in},  // general, rows of odd length
      {1024, 512, Padding::padded, DataType::fp16, Gating::none},
      {4096, 2048, Padding::causal, DataType::fp16, Gating::none, Accumulation::fp32},
      {6144, 6144, Padding::circular, DataType::bf16, Gating::none},
      {8192, 4096, Padding::padded, DataType::fp16, Gating::both},
      {32768, 32768, Padding::circular, DataType::fp16, Gating::out},
  };
  std::vector<Generated> all;
  for (const Arch& arch : architectures())
    for (const Wanted& wanted : matrix) all.push_back(generate(wanted, arch));
  for (const Compiled& result : compile_all(all)) {
    const Generated& generated = *result.generated;
    CAPTURE(to_string(generated.config));
    CAPTURE(result.error);
    REQUIRE(result.error.empty());
    check_limits(generated, find_arch(generated.config.arch));
    check_program(generated.conv, result.conv, generated.blocks_per_sm);
    check_program(generated.filter, result.filter, 1);
  }
}
