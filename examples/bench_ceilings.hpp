// What the device gives at most, measured beside the kernels: how fast it copies, and how many matrix products it
// makes.
#pragma once

#include <cstddef>
#include <ffc/ffc.hpp>
#include <ffc/generator/few_rows.hpp>
#include <ffc/generator/plan.hpp>
#include <ffc/generator/plan_choice.hpp>
#include <ffc/generator/plan_report.hpp>
#include <ffc/generator/work.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "bench_time.hpp"
#include "machine.hpp"

namespace ffc::examples {

/// Rates of the whole device, a millisecond; 0 where they were not measured.
struct Ceilings {
  double copy_bytes = 0;       ///< read and written by a device-to-device copy of a gigabyte
  double matrix_products = 0;  ///< m16n8k16 with accumulators of fp16, from registers
};

/// What a launch has to do.
struct LaunchWork {
  double matrix_products = 0;  ///< m16n8k16, all of them
  double bytes = 0;            ///< of rows, gates, gradients and spectrum, each once
};

/// What `of_config` comes to for each of the launches that make a config's results, together.
template <class OfConfig>
double of_launches(const ConvConfig& config, OfConfig of_config) {
  const auto parts = gradient_parts(config);
  return parts ? of_config(parts->convolution) + of_config(parts->others) : of_config(config);
}

/// The matrix products that the plan of a kernel counts for that many rows.
[[nodiscard]] inline LaunchWork work_of(const Kernel& kernel, int batch, int channels) {
  const double of_pair = of_launches(kernel.config(), [](const ConvConfig& config) {
    return predict_work(make_plans(config).front(), config).matrix_products;
  });
  return {of_pair * batch * channels / 2, 0};
}

/// What `ffc-gen --plan` expects of a launch on an H200.
[[nodiscard]] inline double predicted_milliseconds(const ConvConfig& config, int batch, int channels) {
  const double of_pair =
      of_launches(config, [](const ConvConfig& each) { return rank_plans(each, 1).front().predicted_us_per_pair; });
  return of_pair * 1e-3 * batch * channels / 2;
}

/// Percent of a ceiling that `work` in `milliseconds` comes to; 0 where there is no ceiling.
[[nodiscard]] inline double percent_of(double ceiling, double work, double milliseconds) {
  return ceiling > 0 && milliseconds > 0 ? 100 * work / milliseconds / ceiling : 0;
}

namespace ceilings_detail {

constexpr int warps = 16, threads = 32 * warps, chains = 8, rounds = 4096;

// Independent chains of products in each warp, as many as hide their latency.
constexpr const char* source = R"(// matrix_products: chains of mma.sync from registers.
extern "C" __global__ void __launch_bounds__(512) matrix_products(unsigned* result, int rounds) {
  unsigned a[4], b[2], c[8][2] = {};
  // Values of about 1 / 64 of either sign: as zeros they would draw less power than data does.
  unsigned bits = blockIdx.x * 512 + threadIdx.x;
  for (unsigned& word : a) word = ((bits = bits * 1664525 + 1013904223) >> 3 & 0x83ff83ff) | 0x24002400;
  for (unsigned& word : b) word = ((bits = bits * 1664525 + 1013904223) >> 3 & 0x83ff83ff) | 0x24002400;
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < 8; ++i)
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
          : "+r"(c[i][0]), "+r"(c[i][1])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  unsigned sum = 0;
  for (int i = 0; i < 8; ++i) sum += c[i][0] + c[i][1];
  if (sum == 1) *result = sum;
}
)";

[[nodiscard]] inline double matrix_products(const std::shared_ptr<Machine>& device, std::string_view arch) {
  const DriverApi& api = device->api();
  const GeneratedKernel kernel = {"matrix_products", source, {}, {}, threads, 0};
  const std::string cubin = compile(kernel, arch).cubin;
  void *module = nullptr, *function = nullptr;
  api.check(api.module_load_data(&module, cubin.data()), "cuModuleLoadData");
  api.check(api.module_get_function(&function, module, kernel.name.c_str()), "cuModuleGetFunction");
  Buffer result(device, sizeof(unsigned));
  void* address = result.data();
  int count = rounds;
  void* parameters[] = {&address, &count};
  const auto blocks = static_cast<unsigned>(device->multiprocessors());
  const double milliseconds = median_milliseconds(device, Repeats{}, [&](int) {
    api.check(api.launch_kernel(function, blocks, 1, 1, threads, 1, 1, 0, nullptr, parameters, nullptr),
              "cuLaunchKernel");
  });
  api.check(api.module_unload(module), "cuModuleUnload");
  return static_cast<double>(blocks) * warps * chains * rounds / milliseconds;
}

[[nodiscard]] inline double copy_bytes(const std::shared_ptr<Machine>& device) {
  constexpr std::size_t bytes = std::size_t{1} << 30;
  const Buffer from(device, bytes), to(device, bytes);
  const DriverApi& api = device->api();
  const double milliseconds = median_milliseconds(device, Repeats{}, [&](int) {
    api.check(api.memcpy_dtod_async(reinterpret_cast<DeviceAddress>(to.data()),
                                    reinterpret_cast<DeviceAddress>(from.data()), bytes, nullptr),
              "cuMemcpyDtoDAsync");
  });
  return 2.0 * static_cast<double>(bytes) / milliseconds;
}

}  // namespace ceilings_detail

/// Measures both; nothing on the host.
[[nodiscard]] inline Ceilings measure_ceilings(const std::shared_ptr<Machine>& device, std::string_view arch) {
  if (device->is_host()) return {};
  return {ceilings_detail::copy_bytes(device), ceilings_detail::matrix_products(device, arch)};
}

}  // namespace ffc::examples
