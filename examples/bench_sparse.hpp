// `bench --sparse`: convolutions that drop frequencies against the same convolution with all of them.
#pragma once

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "bench_case.hpp"
#include "bench_options.hpp"
#include "bench_table.hpp"

namespace ffc::examples {

/// Masks of N = fft_length at 50, 75, 79 or 80, 84 and 91 %: as the paper has them of four digits (N past 32768: so
/// many of each 32), and of three.
inline std::vector<std::vector<std::int64_t>> sparse_counts(std::int64_t fft_length) {
  using Parts = std::vector<double>;
  const bool four = fft_length > longest_of_one_block;
  const std::vector<Parts> parts =
      four ? std::vector<Parts>{{0.5, 1, 1, 1},
                                {0.5, 0.5, 1, 1},
                                {0.5, 0.5, 0.875, 0.9375},
                                {0.5, 0.5, 0.75, 0.875},
                                {0.5, 0.5, 0.5, 0.75}}
           : std::vector<Parts>{{0.5, 1, 1}, {0.5, 0.5, 1}, {0.5, 0.5, 0.8125}, {0.5, 0.5, 0.625}, {0.5, 0.5, 0.375}};
  const FrequencyMask digits = keep_counts(std::vector<std::int64_t>(four ? 4 : 3, 1), fft_length);
  std::vector<std::vector<std::int64_t>> all;
  for (const Parts& of_digits : parts) {
    all.emplace_back();
    for (std::size_t i = 0; i < of_digits.size(); ++i)
      all.back().push_back(std::lround(of_digits[i] * static_cast<double>(digits.digits[i].radix)));
  }
  return all;
}

/// The config with each of these masks.
inline std::vector<ConvConfig> sparse_configs(const ConvConfig& config) {
  std::vector<ConvConfig> all;
  for (const auto& counts : sparse_counts(config.fft_length)) {
    all.push_back(config);
    all.back().mask = keep_counts(counts, config.fft_length);
  }
  return all;
}

inline void print_sparse_heading(bool csv) {
  if (csv)
    fmt::print(
        "fft_length,length,gating,dtype,kept,sparsity,ms,floor_ms,ratio,speedup,rel_err,spectrum_bytes,kernel\n");
  else
    fmt::print("{:>8} {:>8} {:5} {:5} {:>12} {:>8} {:>9} {:>6} {:>7} {:>9} {:>9}  {}\n", "N", "L", "gates", "dtype",
               "kept", "dropped", "ms", "ratio", "speedup", "rel err", "spectrum", "kernel (memory in MB)");
}

/// One line; `dense` is the time without a mask.
inline void print_sparse(bool csv, const ConvConfig& config, const std::string& kept, const BenchResult& r,
                         double dense) {
  const ConvConfig c = normalised(config);
  const double ratio = r.milliseconds / r.floor_milliseconds, speedup = dense / r.milliseconds;
  if (csv)
    fmt::print("{},{},{},{},{},{:.4f},{:.5f},{:.5f},{:.3f},{:.3f},{:.3e},{},{}\n", r.fft_length, c.length,
               to_string(c.gating), to_string(c.dtype), kept, sparsity(c.mask), r.milliseconds, r.floor_milliseconds,
               ratio, speedup, r.error, r.spectrum_bytes, r.kernel);
  else
    fmt::print("{:>8} {:>8} {:5} {:5} {:>12} {:>7.2f}% {:>9.4f} {:>6.3f} {:>7.2f} {:>9.2e} {:>9.1f}  {}\n",
               r.fft_length, c.length, to_string(c.gating), to_string(c.dtype), kept, 100 * sparsity(c.mask),
               r.milliseconds, ratio, speedup, r.error, megabytes(r.spectrum_bytes), r.kernel);
  std::fflush(stdout);
}

/// The table of one config: `run` times it with a mask or without. False where results are wrong.
template <class Run>
bool sparse_table(bool csv, ConvConfig config, const Run& run) {
  const BenchResult dense = run(config);
  print_sparse(csv, config, "all", dense, dense.milliseconds);
  bool all_pass = passes(config, dense);
  for (const auto& counts : sparse_counts(config.fft_length)) {
    config.mask = keep_counts(counts, config.fft_length);
    const BenchResult result = run(config);
    print_sparse(csv, config, fmt::format("{}", fmt::join(counts, "x")), result, dense.milliseconds);
    all_pass = passes(config, result) && all_pass;
  }
  return all_pass;
}

}  // namespace ffc::examples
