// What `bench` is asked to time.
#pragma once

#include <fmt/core.h>

#include <charconv>
#include <cstdint>
#include <ffc/ffc.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ffc::examples {

enum class BenchTable {
  convolutions,
  gradients,
  steps,
  widths,
  small,
  lone,
  sparse,
  digits,
  overhead,
  startup,
  startup_child
};

struct BenchOptions {
  BenchTable table = BenchTable::convolutions;
  std::vector<std::string> lengths = {"256..32768"}, dtypes = {"fp16"}, paddings = {"circular"};
  bool plain = false, gated = false, all = false, csv = false, report = false;
  int batch = 64, channels = 768, columns = 0;
  int runners_up = 0;                       ///< plans of each config behind the first one
  std::vector<std::string> filter_lengths;  ///< of convolutions or gradients in windows, where there are any
  std::int64_t fft_length = 0, samples = std::int64_t{1} << 31;
  std::string accumulation = "automatic", device = "gpu";
  std::string scaling;  ///< empty: as the table has it
  std::vector<int> radices;
  std::vector<std::int64_t> keep;  ///< values kept of each digit of the frequency; empty: all
  double low_pass = 0;             ///< cycles a sample; 0: none
  double gigabytes = 60;           ///< at most, of tensors, filters and spectra at a time
};

inline std::int64_t parse_length(std::string_view text) {
  std::int64_t length = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), length);
  // From 0 the doubling below would never end; the upper limit is the generator's to name.
  if (code != std::errc() || end != text.data() + text.size() || length < 1 || length > 1 << 30)
    throw std::runtime_error(
        fmt::format("--lengths: '{}' is no length; a number from 1, or a range such as 256..4194304", text));
  return length;
}

/// "256", or "256..4194304": 256 and its doubles up to 4194304.
inline std::vector<std::int64_t> parse_lengths(const std::vector<std::string>& texts) {
  std::vector<std::int64_t> lengths;
  for (const std::string_view text : texts) {
    const std::size_t dots = text.find("..");
    const std::int64_t first = parse_length(text.substr(0, dots));
    const std::int64_t last = dots == std::string_view::npos ? first : parse_length(text.substr(dots + 2));
    if (first > last) throw std::runtime_error(fmt::format("--lengths: the range '{}' is empty", text));
    for (std::int64_t n = first; n <= last; n *= 2) lengths.push_back(n);
  }
  return lengths;
}

inline ConvConfig make_config(std::int64_t n, const std::string& padding, Gating gating, DataType dtype) {
  ConvConfig config;
  config.gating = gating;
  config.dtype = dtype;
  if (padding == "causal") {
    config.padding = Padding::causal;
    config.length = n;
  } else {
    config.fft_length = n;
    if (padding == "half") config.padding = Padding::padded, config.length = n / 2;
  }
  return config;
}

/// What examples/BENCHMARKS.md says of time, but for rows with short filters, masks and gradients.
inline std::vector<ConvConfig> all_configs() {
  std::vector<ConvConfig> configs;
  const auto add = [&](const std::vector<std::int64_t>& lengths, const std::string& padding, Gating gating,
                       DataType dtype) {
    for (const std::int64_t n : lengths) configs.push_back(make_config(n, padding, gating, dtype));
  };
  const std::vector<std::int64_t> lengths = parse_lengths({"256..4194304"});
  for (const std::string padding : {"circular", "half"})
    for (const Gating gating : {Gating::none, Gating::both}) add(lengths, padding, gating, DataType::fp16);
  for (const Gating gating : {Gating::none, Gating::both}) add(lengths, "circular", gating, DataType::bf16);
  for (const std::int64_t n : {6144, 8192}) {
    configs.push_back(make_config(n, "half", Gating::none, DataType::fp16));
    configs.back().length = 3072;
  }
  add(parse_lengths({"1000", "3000", "992", "4097"}), "circular", Gating::none, DataType::fp16);
  return configs;
}

inline Scaling scaling_of(const BenchOptions& options, Scaling of_table) {
  return options.scaling.empty() ? of_table : parse_scaling(options.scaling);
}

inline std::vector<ConvConfig> make_configs(const BenchOptions& options) {
  std::vector<ConvConfig> configs;
  if (options.all) configs = all_configs();
  for (const std::string& dtype : options.dtypes)
    for (const std::string& padding : options.paddings)
      for (const Gating gating : {Gating::none, Gating::both}) {
        const bool wanted = gating == Gating::both ? options.gated : options.plain || !options.gated;
        if (options.all || !wanted) continue;
        for (const std::int64_t n : parse_lengths(options.lengths))
          configs.push_back(make_config(n, padding, gating, parse_dtype(dtype)));
      }
  for (ConvConfig& config : configs) {
    if (options.accumulation == "fp16") config.accumulation = Accumulation::fp16;
    if (options.accumulation == "fp32") config.accumulation = Accumulation::fp32;
    config.scaling = scaling_of(options, Scaling::fixed);
    if (options.report) config.report = Report::magnitudes;
    config.radices = options.radices;
    config.column_length = options.columns;
    config.batch = options.batch;
    if (!options.keep.empty()) config.mask = keep_counts(options.keep, config.fft_length);
    if (options.low_pass > 0) config.mask = low_pass(options.low_pass, config.fft_length);
    if (options.table == BenchTable::gradients) config.pass = Pass::backward;
  }
  return configs;
}

}  // namespace ffc::examples
