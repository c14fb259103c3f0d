// What `bench --backward` prints: a heading, a line for each result, and what is wrong with it.
#pragma once

#include <fmt/core.h>

#include <cstdio>

#include "bench_gradients.hpp"
#include "bench_table.hpp"

namespace ffc::examples {

inline void print_gradient_heading(bool csv) {
  if (!csv)
    fmt::print(
        "# step: memory of forward and backward beside tensors, gradients and y; torch: the same of PyTorch's "
        "autograd, counted and not measured\n");
  fmt::print("{}", csv ? "fft_length,length,filter_length,padding,gating,dtype,gradients,batch,channels,ms,floor_ms,"
                         "ratio,rows_err,dk_err,launch_bytes,step_bytes,torch_bytes_counted,kernel,call_us,"
                         "predicted_ms,mma_percent,copy_percent\n"
                       : fmt::format("{:>8} {:>8} {:8} {:5} {:5} {:>3} {:>4} {:>9} {:>9} {:>6} {:>8} {:>8} {:>7} {:>7} "
                                     "{:>8} {:>7} {:>5} {:>6}  {}\n",
                                     "N", "L", "padding", "gates", "dtype", "B", "H", "ms", "floor ms", "ratio",
                                     "rows err", "dk err", "launch", "step", "torch", "call us", "mma %", "copy %",
                                     "kernel (memory in MB)"));
}

inline void print_gradient_result(bool csv, const Kernel& kernel, int batch, int channels, const GradientResult& r,
                                  const Ceilings& ceilings) {
  const ConvConfig& c = kernel.config();
  const std::int64_t n = c.fft_length != 0 ? c.fft_length : kernel.generated().transform_length;
  const double ratio = r.milliseconds / r.floor_milliseconds;
  const double products = percent_of(ceilings.matrix_products, r.work.matrix_products, r.milliseconds);
  const double copies = percent_of(ceilings.copy_bytes, r.work.bytes, r.milliseconds);
  if (csv)
    fmt::print(
        "{},{},{},{},{},{},{},{},{},{:.5f},{:.5f},{:.3f},{:.3e},{:.3e},{},{},{},{},{:.2f},{:.5f},{:.1f},{:.1f}\n", n,
        c.length, c.filter_length, to_string(c.padding), to_string(c.gating), to_string(c.dtype),
        to_string(c.gradients, "+"), batch, channels, r.milliseconds, r.floor_milliseconds, ratio, r.rows_error,
        r.sums_error, r.launch_bytes, r.step_bytes, r.torch_bytes, kernel.name(), r.call_microseconds,
        r.predicted_milliseconds, products, copies);
  else
    fmt::print(
        "{:>8} {:>8} {:8} {:5} {:5} {:>3} {:>4} {:>9.4f} {:>9.4f} {:>6.3f} {:>8.2e} {:>8.2e} {:>7.1f} {:>7.1f} "
        "{:>8.1f} {:>7.1f} {:>5.1f} {:>6.1f}  {}\n",
        n, c.length, to_string(c.padding), to_string(c.gating), to_string(c.dtype), batch, channels, r.milliseconds,
        r.floor_milliseconds, ratio, r.rows_error, r.sums_error, megabytes(r.launch_bytes), megabytes(r.step_bytes),
        megabytes(r.torch_bytes), r.call_microseconds, products, copies, kernel.name());
  std::fflush(stdout);
}

/// Says on stderr what is wrong with the gradients of a kernel.
inline bool passes(const Kernel& kernel, const GradientResult& r) {
  const bool bf16 = kernel.config().dtype == DataType::bf16;
  const double rows_bar = bf16 ? 4e-3 : 1.5e-3, sums_bar = bf16 ? 5e-3 : 2e-3;
  const bool accurate = r.rows_error <= rows_bar && r.sums_error <= sums_bar;  // false for NaN
  if (!accurate)
    fmt::print(stderr, "bench: {}: relative errors {:.2e} of rows and {:.2e} of dk, more than {:.1e} and {:.1e}\n",
               kernel.name(), r.rows_error, r.sums_error, rows_bar, sums_bar);
  return accurate;
}

}  // namespace ffc::examples
