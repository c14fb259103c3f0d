// What `bench --small` prints: small batches, and what holds them.
#pragma once

#include <fmt/core.h>

#include <string>

#include "bench_table.hpp"

namespace ffc::examples {

/// Why a launch takes longer than a copy: too few blocks for the device, memory, products, or the length of the way
/// through one block.
[[nodiscard]] inline std::string holder_of(const Kernel& kernel, const BenchResult& r, double products, double copies,
                                           int multiprocessors) {
  const LaunchGrid grid =
      launch_grid(kernel.generated(), r.batch, r.channels, multiprocessors * kernel.generated().blocks_per_sm);
  const auto blocks = static_cast<int>(grid.x * grid.y * grid.z);
  if (copies > 60) return "memory";
  if (products > 60) return "products";
  if (!kernel.generated().split && blocks < multiprocessors)
    return fmt::format("{} blocks for {} multiprocessors", blocks, multiprocessors);
  return "latency";
}

inline void print_small_heading(bool csv) {
  if (csv)
    fmt::print(
        "fft_length,length,padding,batch,channels,ms,floor_ms,ratio,rel_err,mma_percent,copy_percent,held_by,kernel\n");
  else
    fmt::print("{:>8} {:>8} {:8} {:>3} {:>5} {:>9} {:>9} {:>6} {:>9} {:>5} {:>6}  {}\n", "N", "L", "padding", "B", "H",
               "ms", "floor ms", "ratio", "rel err", "mma %", "copy %", "held by; kernel");
}

inline void print_small(bool csv, const Kernel& kernel, const BenchResult& r, const Ceilings& ceilings,
                        int multiprocessors) {
  const double products = percent_of(ceilings.matrix_products, r.work.matrix_products, r.milliseconds);
  const double copies = percent_of(ceilings.copy_bytes, r.work.bytes, r.milliseconds);
  const std::string holder = holder_of(kernel, r, products, copies, multiprocessors);
  const ConvConfig& c = kernel.config();
  if (csv)
    fmt::print("{},{},{},{},{},{:.5f},{:.5f},{:.3f},{:.3e},{:.1f},{:.1f},{},{}\n", r.fft_length, c.length,
               to_string(c.padding), r.batch, r.channels, r.milliseconds, r.floor_milliseconds,
               r.milliseconds / r.floor_milliseconds, r.error, products, copies, holder, r.kernel);
  else
    fmt::print("{:>8} {:>8} {:8} {:>3} {:>5} {:>9.4f} {:>9.4f} {:>6.2f} {:>9.2e} {:>5.1f} {:>6.1f}  {}; {}\n",
               r.fft_length, c.length, to_string(c.padding), r.batch, r.channels, r.milliseconds, r.floor_milliseconds,
               r.milliseconds / r.floor_milliseconds, r.error, products, copies, holder, r.kernel);
  std::fflush(stdout);
}

}  // namespace ffc::examples
