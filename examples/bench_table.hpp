// What `bench` prints: a heading, a line for each result, and what is wrong with it.
#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>

#include "bench_case.hpp"
#include "bench_options.hpp"

namespace ffc::examples {

/// Decimal, as memory is bounded and bandwidth is counted.
inline double megabytes(std::size_t bytes) { return static_cast<double>(bytes) * 1e-6; }

// The driver's release, which libcuda does not tell; nothing where the system hides it.
inline std::string driver_release() {
  std::ifstream file("/sys/module/nvidia/version");
  std::string release;
  return file >> release ? "driver " + release + ", " : "";
}

inline void print_machine(const Machine& device) {
  char date[32] = {};
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  if (device.is_host())
    fmt::print("# the host, {}: checks alone, its times say nothing\n", date);
  else
    fmt::print("# {}, {}CUDA {}.{}, {}\n", device.name(), driver_release(), device.cuda_version() / 1000,
               device.cuda_version() % 1000 / 10, date);
}

inline void print_heading(bool csv) {
  if (csv)
    fmt::print(
        "fft_length,length,padding,gating,dtype,ms,floor_ms,ratio,tflops,rel_err,kernel,batch,channels,"
        "spectrum_bytes,launch_bytes,prepare_bytes,prepare_ms,call_us,predicted_ms,mma_percent,copy_percent\n");
  else
    fmt::print(
        "{:>8} {:>8} {:8} {:5} {:5} {:>3} {:>4} {:>9} {:>9} {:>6} {:>7} {:>9} {:>9} {:>7} {:>8} {:>10} {:>7} {:>5} "
        "{:>6}  {}\n",
        "N", "L", "padding", "gates", "dtype", "B", "H", "ms", "floor ms", "ratio", "TFLOP/s", "rel err", "spectrum",
        "launch", "prepare", "prepare ms", "call us", "mma %", "copy %", "kernel (memory in MB)");
}

/// `ceilings` are those of the device, for the use that a launch makes of them.
inline void print_result(bool csv, const ConvConfig& config, const BenchResult& r, const Ceilings& ceilings) {
  const ConvConfig c = normalised(config);
  const double ratio = r.milliseconds / r.floor_milliseconds;
  const double products = percent_of(ceilings.matrix_products, r.work.matrix_products, r.milliseconds);
  const double copies = percent_of(ceilings.copy_bytes, r.work.bytes, r.milliseconds);
  if (csv)
    fmt::print(
        "{},{},{},{},{},{:.5f},{:.5f},{:.3f},{:.1f},{:.3e},{},{},{},{},{},{},{:.5f},{:.2f},{:.5f},{:.1f},{:.1f}\n",
        r.fft_length, c.length, to_string(c.padding), to_string(c.gating), to_string(c.dtype), r.milliseconds,
        r.floor_milliseconds, ratio, r.teraflops, r.error, r.kernel, r.batch, r.channels, r.spectrum_bytes,
        r.launch_bytes, r.prepare_bytes, r.prepare_milliseconds, r.call_microseconds, r.predicted_milliseconds,
        products, copies);
  else
    fmt::print(
        "{:>8} {:>8} {:8} {:5} {:5} {:>3} {:>4} {:>9.4f} {:>9.4f} {:>6.3f} {:>7.1f} {:>9.2e} {:>9.1f} {:>7.1f} "
        "{:>8.1f} {:>10.4f} {:>7.1f} {:>5.1f} {:>6.1f}  {}\n",
        r.fft_length, c.length, to_string(c.padding), to_string(c.gating), to_string(c.dtype), r.batch, r.channels,
        r.milliseconds, r.floor_milliseconds, ratio, r.teraflops, r.error, megabytes(r.spectrum_bytes),
        megabytes(r.launch_bytes), megabytes(r.prepare_bytes), r.prepare_milliseconds, r.call_microseconds, products,
        copies, r.kernel);
  std::fflush(stdout);
}

/// What runtime/README.md promises of norm(y - ref) / norm(ref).
inline double promised_error(DataType dtype, std::int64_t fft_length) {
  if (dtype == DataType::bf16) return 2.5e-3;
  return fft_length <= longest_of_one_block ? 1.0e-3 : fft_length < 16777216 ? 1.5e-3 : 2.0e-3;
}

/// Says on stderr what is wrong with a kernel's results: a fast kernel with wrong results has no time worth printing.
inline bool passes(const ConvConfig& config, const BenchResult& r) {
  const double bar = promised_error(config.dtype, r.fft_length);
  const bool accurate = r.error <= bar;  // false for NaN
  if (!accurate) fmt::print(stderr, "bench: {}: relative error {:.2e}, more than {:.1e}\n", r.kernel, r.error, bar);
  if (r.not_finite != 0)
    fmt::print(stderr, "bench: {}: {} results are infinite, not a number or never written\n", r.kernel, r.not_finite);
  return accurate && r.not_finite == 0;
}

}  // namespace ffc::examples
