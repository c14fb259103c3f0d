// The same texts on a GPU and on the host: spectra to the last bit, products to a unit in the last place, rows nearly.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "block.hpp"
#include "conv_run.hpp"
#include "cuda_device.hpp"
#include "ffc/generator/arch.hpp"
#include "ffc/templates/half.hpp"
#include "ffc/templates/templates.hpp"
#include "host_compiler.hpp"
#include "loaded_kernel.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

struct Both {
  std::vector<std::uint16_t> spectrum;
  std::vector<std::uint16_t> y;
};

// One config on random data that depends on nothing but the config.
Both run_on(const std::shared_ptr<Machine>& machine, const ConvConfig& wanted) {
  const auto kernel = get_kernel(wanted, machine->device());
  const ConvConfig& config = kernel->config();
  constexpr int batch = 3, channels = 2;
  Recipe recipe;
  recipe.batch = batch;
  recipe.channels = channels;
  std::mt19937 random(5);
  Rows u(recipe, config), v(recipe, config);
  u.fill_normal(config.dtype, random);
  v.fill_normal(config.dtype, random);
  std::vector<float> k(static_cast<std::size_t>(config.filter_length * channels));
  for (float& tap : k) tap = normal(random) / std::sqrt(static_cast<float>(config.filter_length));
  const Buffer u_buffer = Buffer::of(machine, u.bits()), v_buffer = Buffer::of(machine, v.bits());
  const Buffer k_buffer = Buffer::of(machine, k);
  Buffer y_buffer(machine, u.bits().size() * 2);
  y_buffer.poison();
  LaunchArguments arguments;
  arguments.u = {u_buffer.data(), u.batch_stride(), u.channel_stride()};
  if (has_in_gate(config.gating)) arguments.w = {v_buffer.data(), u.batch_stride(), u.channel_stride()};
  if (has_out_gate(config.gating)) arguments.v = arguments.w;
  arguments.y = {y_buffer.data(), u.batch_stride(), u.channel_stride()};
  arguments.batch = batch;
  arguments.channels = channels;
  arguments.spectrum = kernel->prepare_filter({k_buffer.at<float>(0), nullptr, config.filter_length, channels});
  kernel->launch(arguments);
  machine->synchronize();
  Both both;
  both.y = y_buffer.download<std::uint16_t>(0, u.bits().size());
  both.spectrum.resize(arguments.spectrum.bytes() / 2);
  machine->api().check(machine->api().memcpy_dtoh(both.spectrum.data(),
                                                  reinterpret_cast<examples::DeviceAddress>(arguments.spectrum.data()),
                                                  arguments.spectrum.bytes()),
                       "cuMemcpyDtoH");
  return both;
}

struct Arguments {
  const std::uint32_t* operands;  // of each lane: a0 to a3, b0, b1
  float* wide;                    // 4 of each lane
  std::uint32_t* narrow;          // 2 of each lane
};

GeneratedKernel product_kernel() {
  const auto text = [](const char* name) {
    std::string result;
    std::string_view rest = template_text(name);
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      if (!line.starts_with("#include") && !line.starts_with("#pragma once")) result.append(line).append("\n");
    }
    return result;
  };
  GeneratedKernel kernel;
  kernel.name = "products";
  kernel.threads = 32;
  for (const char* const name : {"packed.cuh", "conversions.cuh", "global.cuh", "mma_acc16.cuh"})
    kernel.source += text(name);
  std::string wide = text("mma_acc32.cuh");
  kernel.source += wide;
  kernel.source +=
      "struct Arguments { const unsigned int* operands; float* wide; unsigned int* narrow; };\n"
      "extern \"C\" __global__ void products(const Arguments arguments) {\n"
      "  const int at = 32 * blockIdx.x + threadIdx.x;\n"
      "  unsigned int in[6];\n"
      "  for (int i = 0; i < 6; ++i) in[i] = load_global(arguments.operands + 6 * at + i);\n"
      "  Accumulator32 d;\n  Accumulator16 e;\n"
      "  mma(d, in[0], in[1], in[2], in[3], in[4], in[5]);\n"
      "  mma(e, in[0], in[1], in[2], in[3], in[4], in[5]);\n"
      "  for (int i = 0; i < 4; ++i) store_global(arguments.wide + 4 * at + i, d.value[i]);\n"
      "  for (int i = 0; i < 2; ++i) store_global(arguments.narrow + 2 * at + i, e.value[i]);\n"
      "}\n";
  return kernel;
}

}  // namespace

TEST_CASE("spectra are equal to the last bit, and rows nearly") {
  const auto gpu = open_device(), host = Machine::host();
  std::vector<ConvCase> cases;
  for (const std::int64_t n : {16, 100, 256, 768, 1000, 1024, 2048, 4096, 6144, 8192, 16384, 32768})
    for (const DataType dtype : {DataType::fp16, DataType::bf16})
      for (const bool half : {false, true}) {
        ConvConfig config;
        config.fft_length = n;
        config.dtype = dtype;
        config.gating = n % 256 == 0 && half ? Gating::both : Gating::none;
        config.length = half ? n / 2 : n;
        config.padding = half ? Padding::padded : Padding::circular;
        config.arch = arch_for_capability(gpu->capability_major(), gpu->capability_minor()).name;
        cases.push_back({config, {}});
      }
  for (const auto& machine : {gpu, host}) compile_ahead(machine, cases);
  for (const ConvCase& test : cases) {
    const ConvConfig& config = test.config;
    CAPTURE(to_string(config));
    const Both a = run_on(gpu, config), b = run_on(host, config);
    CHECK(a.spectrum == b.spectrum);
    double difference = 0, norm = 0;
    std::size_t unequal = 0;
    for (std::size_t i = 0; i < a.y.size(); ++i) {
      const double x = examples::decode(config.dtype, a.y[i]), y = examples::decode(config.dtype, b.y[i]);
      difference += (x - y) * (x - y), norm += x * x;
      unequal += a.y[i] != b.y[i] ? 1 : 0;
    }
    // Products of one tile round alike nearly always; where one does not, it moves what follows by a last bit, and
    // the longest kernels have the most of them.
    CHECK(std::sqrt(difference / norm) <= (config.dtype == DataType::fp16 ? 4e-4 : 1e-3));
    if (config.fft_length < 512) CHECK(unequal == 0);
  }
}

TEST_CASE("matrix products agree within one unit in the last place") {
  const auto gpu = open_device();
  const GeneratedKernel kernel = product_kernel();
  constexpr std::size_t blocks = 64, lanes = 32 * blocks;
  std::mt19937 random(3);
  std::vector<std::uint32_t> operands(6 * lanes);
  for (std::uint32_t& word : operands) word = pack_halves(normal(random), normal(random));

  std::vector<float> wide(4 * lanes);
  std::vector<std::uint32_t> narrow(2 * lanes);
  Arguments arguments{operands.data(), wide.data(), narrow.data()};
  host::HostCompiler compiler(cache::options_from_environment({}));
  const auto program = compiler.compile(kernel, "sm_90a");
  host::Launch launch;
  launch.entry = program->entry();
  launch.kernel = &kernel;
  launch.arguments = &arguments;
  launch.grid = {blocks, 1, 1};
  launch.ranges = {{"operands", operands.data(), 4 * operands.size(), false},
                   {"wide", wide.data(), 4 * wide.size(), true},
                   {"narrow", narrow.data(), 4 * narrow.size(), true}};
  (void)host::run_blocks(launch, 0);

  DriverApi api = load_driver();
  initialise(api);
  const auto device = std::make_shared<const CudaDevice>(api, 0, std::make_shared<Log>(), Checks::each_call);
  const std::string arch(arch_for_capability(gpu->capability_major(), gpu->capability_minor()).name);
  const LoadedEntry entry(device, kernel, compile(kernel, arch).cubin);
  const Buffer operands_on_gpu = Buffer::of(gpu, operands);
  const Buffer wide_on_gpu(gpu, 4 * wide.size()), narrow_on_gpu(gpu, 4 * narrow.size());
  entry.launch(
      {blocks, 1, 1},
      Arguments{operands_on_gpu.at<std::uint32_t>(0), wide_on_gpu.at<float>(0), narrow_on_gpu.at<std::uint32_t>(0)},
      nullptr);
  gpu->synchronize();

  // The tensor core aligns its addends to the largest one: a unit in the last place of that.
  const auto theirs = wide_on_gpu.download<float>(0, wide.size());
  double worst = 0;
  for (std::size_t i = 0; i < wide.size(); ++i)
    worst = std::max(worst, static_cast<double>(std::fabs(wide[i] - theirs[i])) / std::ldexp(1.0, -23 + 5));
  MESSAGE("fp32: largest difference in units of 2^-18: ", worst);
  CHECK(worst <= 1);
  const auto halves = narrow_on_gpu.download<std::uint32_t>(0, narrow.size());
  int most = 0, unequal = 0;
  for (std::size_t i = 0; i < narrow.size(); ++i)
    for (const int shift : {0, 16}) {
      const int a = static_cast<std::int16_t>(narrow[i] >> shift), b = static_cast<std::int16_t>(halves[i] >> shift);
      most = std::max(most, std::abs(a - b));
      unequal += a != b ? 1 : 0;
    }
  MESSAGE("fp16: largest difference in units in the last place: ", most, ", unequal ", unequal, " of ",
          2 * narrow.size());
  CHECK(most <= 1);
}
