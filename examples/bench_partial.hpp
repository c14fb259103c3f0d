// The partial table of `bench`: causal rows with short filters, in windows, against whole rows and against copies.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <ffc/generator/generate.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench_case.hpp"
#include "bench_options.hpp"
#include "bench_table.hpp"

namespace ffc::examples {

/// Causal configs of every length, filter length, type and gating that was asked for; of gradients with --backward.
inline std::vector<ConvConfig> partial_configs(const BenchOptions& options) {
  std::vector<ConvConfig> configs;
  for (const std::string& dtype : options.dtypes)
    for (const Gating gating : {Gating::none, Gating::both})
      for (const std::int64_t length : parse_lengths(options.lengths))
        for (const std::int64_t taps : parse_lengths(options.filter_lengths)) {
          if (gating == Gating::both ? !options.gated : options.gated && !options.plain) continue;
          ConvConfig config = make_config(length, "causal", gating, parse_dtype(dtype));
          config.filter_length = taps;
          config.fft_length = options.fft_length;
          config.radices = options.radices;
          if (options.table == BenchTable::gradients) config.pass = Pass::backward;
          configs.push_back(config);
        }
  return configs;
}

/// The config with one transform for the whole row; nothing where there is none so long.
inline std::optional<ConvConfig> whole_rows(ConvConfig config) {
  config.radices.clear();
  config.fft_length = config.length + std::min(config.filter_length, config.length) - 1;
  if (config.fft_length < 16 || config.fft_length > 16777216) return std::nullopt;
  return config;
}

/// The configs, and those of whole rows that they are held against.
inline std::vector<ConvConfig> with_whole_rows(std::vector<ConvConfig> configs) {
  const std::size_t count = configs.size();
  for (std::size_t i = 0; i < count; ++i)
    if (const auto whole = whole_rows(configs[i])) configs.push_back(*whole);
  return configs;
}

/// As many channels as B x H x L of `samples` has.
inline int channels_of(const BenchOptions& options, std::int64_t length) {
  return static_cast<int>(std::clamp<std::int64_t>(options.samples / (options.batch * length), 1, 1 << 20));
}

inline std::string windows_text(const Generated& generated) {
  if (!generated.windows) return "whole";
  return fmt::format("{}x{}", generated.windows->count, generated.windows->step);
}

inline void print_partial_heading(bool csv) {
  if (csv)
    fmt::print(
        "length,filter_length,gating,dtype,fft_length,windows,ms,floor_ms,ratio,rel_err,whole_ms,over_whole,kernel,"
        "batch,channels,filter_bytes,spectrum_bytes,launch_bytes,prepare_ms\n");
  else
    fmt::print("{:>8} {:>6} {:5} {:5} {:>8} {:>12} {:>4} {:>5} {:>9} {:>9} {:>6} {:>9} {:>9} {:>6}  {}\n", "L", "Lk",
               "gates", "dtype", "N", "windows", "B", "H", "ms", "floor ms", "ratio", "rel err", "whole ms", "over",
               "kernel");
}

inline void print_partial(bool csv, const Kernel& kernel, const BenchResult& r, double whole_milliseconds) {
  const ConvConfig& c = kernel.config();
  const double ratio = r.milliseconds / r.floor_milliseconds;
  const double over = whole_milliseconds > 0 ? r.milliseconds / whole_milliseconds : 0;
  const std::string windows = windows_text(kernel.generated());
  if (csv)
    fmt::print("{},{},{},{},{},{},{:.5f},{:.5f},{:.3f},{:.3e},{:.5f},{:.3f},{},{},{},{},{},{},{:.5f}\n", c.length,
               c.filter_length, to_string(c.gating), to_string(c.dtype), r.fft_length, windows, r.milliseconds,
               r.floor_milliseconds, ratio, r.error, whole_milliseconds, over, r.kernel, r.batch, r.channels,
               4 * c.filter_length * r.channels, r.spectrum_bytes, r.launch_bytes, r.prepare_milliseconds);
  else
    fmt::print(
        "{:>8} {:>6} {:5} {:5} {:>8} {:>12} {:>4} {:>5} {:>9.4f} {:>9.4f} {:>6.3f} {:>9.2e} {:>9.4f} {:>6.3f}  {}\n",
        c.length, c.filter_length, to_string(c.gating), to_string(c.dtype), r.fft_length, windows, r.batch, r.channels,
        r.milliseconds, r.floor_milliseconds, ratio, r.error, whole_milliseconds, over, r.kernel);
  std::fflush(stdout);
}

/// What the filters of a layer take: taps in float32, their spectrum, and the workspace of a launch, in bytes.
inline void print_filter_memory(const BenchOptions& options, const std::string& arch, std::int64_t length) {
  fmt::print("# memory of {} filters over rows of {}, in bytes\n", options.channels, length);
  const auto line = [&](const auto& taps, const auto& filter, const auto& spectrum, const auto& workspace,
                        std::string_view kernel) {
    if (options.csv)
      fmt::print("# {},{},{},{},{}\n", taps, filter, spectrum, workspace, kernel);
    else
      fmt::print("{:>6} {:>12} {:>12} {:>12}  {}\n", taps, filter, spectrum, workspace, kernel);
  };
  line("Lk", "filter", "spectrum", "workspace", "kernel");
  for (std::int64_t taps = length; taps >= 256; taps /= 2) {
    ConvConfig config = make_config(length, "causal", Gating::none, parse_dtype(options.dtypes.front()));
    config.filter_length = taps;
    config.arch = arch;
    const Generated generated = generate(config);
    line(taps, 4 * taps * options.channels, generated.spectrum_row_bytes * options.channels,
         generated.split ? generated.split->workspace_bytes(1) : 0, generated.name);
  }
}

}  // namespace ffc::examples
