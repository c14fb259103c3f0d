#include "config_space.hpp"

#include <string>

#include "ffc/generator/frequency_mask.hpp"

namespace ffc::shapes {
namespace {

using Configs = std::vector<ConvConfig>;

constexpr std::int64_t row = 256, longest_block = 32768, longest_window = 65536, longest = 16777216;

ConvConfig empty() {
  ConvConfig config;
  config.scaling = Scaling::fixed;  // the others are added
  return config;
}

ConvConfig circular(std::int64_t n) {
  ConvConfig config = empty();
  config.fft_length = n;
  return config;
}

ConvConfig padded(std::int64_t n, std::int64_t length, std::int64_t taps = 0) {
  ConvConfig config = circular(n);
  config.padding = Padding::padded;
  config.length = length;
  config.filter_length = taps;
  return config;
}

ConvConfig causal(std::int64_t length, std::int64_t taps = 0, std::int64_t n = 0) {
  ConvConfig config = padded(n, length, taps);
  config.padding = Padding::causal;
  return config;
}

/// The config with every type and gating.
Configs gated(ConvConfig config) {
  Configs configs;
  for (const DataType dtype : {DataType::fp16, DataType::bf16})
    for (const Gating gating : {Gating::none, Gating::in, Gating::out, Gating::both}) {
      config.dtype = dtype;
      config.gating = gating;
      configs.push_back(config);
    }
  return configs;
}

/// Every set of gradients that the config's gates have.
Configs backward(ConvConfig config) {
  Configs configs;
  config.pass = Pass::backward;
  for (unsigned set = 1; set < 32; ++set) {
    config.gradients = {(set & 1) != 0, (set & 2) != 0, (set & 4) != 0, (set & 8) != 0, (set & 16) != 0};
    const bool no_w = config.gradients.w && !has_in_gate(config.gating);
    const bool no_v = config.gradients.v && !has_out_gate(config.gating);
    if (!no_w && !no_v) configs.push_back(config);
  }
  return configs;
}

/// Forward and backward, with everything.
void add_all(Configs& to, const ConvConfig& config) {
  for (const ConvConfig& forward : gated(config)) {
    to.push_back(forward);
    for (const ConvConfig& gradients : backward(forward)) to.push_back(gradients);
  }
}

void add_forward(Configs& to, const ConvConfig& config) {
  for (const ConvConfig& forward : gated(config)) to.push_back(forward);
}

/// Forward, and the gradients that are wanted by default.
void add_default(Configs& to, const ConvConfig& config) {
  for (ConvConfig each : gated(config)) {
    to.push_back(each);
    each.pass = Pass::backward;
    to.push_back(each);
  }
}

/// Alignments, accumulations and exponents beside the default ones.
void add_details(Configs& to, const ConvConfig& config) {
  const auto add = [&](auto change) {
    ConvConfig other = config;
    change(other);
    add_default(to, other);
  };
  for (const int alignment : {2, 4, 8, 16}) add([&](ConvConfig& c) { c.row_alignment = alignment; });
  for (const Accumulation kind : {Accumulation::fp16, Accumulation::fp32})
    add([&](ConvConfig& c) { c.accumulation = kind; });
  add([&](ConvConfig& c) { c.input_exponent = -3; });
  for (const Scaling scaling : {Scaling::given, Scaling::found}) add([&](ConvConfig& c) { c.scaling = scaling; });
  for (ConvConfig each : gated(config)) {
    each.pass = Pass::backward;
    for (const int exponent : {0, 2}) {
      each.input_exponent = exponent, each.gradient_exponent = 5;
      to.push_back(each);
    }
  }
}

// Rows that one block holds: the transform is the row, or a longer one that it is folded into.
Configs one_block() {
  Configs configs;
  for (std::int64_t n = row; n <= longest_block; n += row) {
    add_all(configs, circular(n));
    add_details(configs, circular(n));
  }
  return configs;
}

Configs folded() {
  Configs configs;
  for (std::int64_t n = 16; n <= longest_block; n += 16)
    if (n % row != 0) add_default(configs, circular(n));
  for (std::int64_t n = 16; n <= longest_block; n += n / 16 + 1) {
    add_default(configs, circular(n + 1 - n % 2));
    if (n % 7 == 0) add_details(configs, circular(n));
  }
  for (const std::int64_t n : {17, 31, 47, 97, 509, 1021, 4093, 16381, 32749, 65537, 131071})
    add_all(configs, circular(n));
  return configs;
}

// Rows shorter than the transform, and filters too.
Configs padded_rows() {
  Configs configs;
  for (std::int64_t n = row; n <= longest_block; n += row)
    for (const std::int64_t length : {n / 8, n / 4 + 8, n / 2, n / 2 + 40, n - 24}) {
      add_default(configs, padded(n, length));
      add_forward(configs, padded(n, length, n / 2));
    }
  for (const std::int64_t n : {256, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 32768})
    for (const std::int64_t length : {n / 2, n - 24}) {
      add_all(configs, padded(n, length));
      add_details(configs, padded(n, length));
    }
  return configs;
}

Configs causal_rows() {
  Configs configs;
  for (std::int64_t length = 16; length <= longest_block; length += length < 2048 ? 16 : 128) {
    add_default(configs, causal(length));
    add_default(configs, causal(length + 1));
    add_forward(configs, causal(length, 2 * length));
  }
  for (const std::int64_t length : {100, 128, 300, 512, 1000, 1280, 2048, 3000, 4096, 6000, 8192, 10000, 16384}) {
    add_all(configs, causal(length));
    add_details(configs, causal(length));
  }
  return configs;
}

// The forced digits that the cost model does not choose, in one block.
Configs forced_digits() {
  Configs configs;
  const auto add = [&](std::vector<int> radices) {
    ConvConfig config = empty();
    config.radices = std::move(radices);
    std::int64_t n = 1;
    for (const int radix : config.radices) n *= radix;
    config.fft_length = n;
    add_default(configs, config);
    for (const Padding padding : {Padding::padded, Padding::causal}) {
      config.padding = padding;
      config.length = n / 2;
      add_default(configs, config);
      config.fft_length = 2 * n, config.length = n;  // rows alone
      add_default(configs, config);
      config.length = 0, config.fft_length = n;
    }
  };
  for (int first = 2; first <= 16; ++first) add({first, 16, 16});
  for (const int butterfly : {2, 3, 4, 8}) {
    add({butterfly, 8, 16, 16});
    for (int tile = 9; tile <= 16; ++tile) add({tile, butterfly, 16, 16});
  }
  for (const auto& digits :
       std::vector<std::vector<int>>{{16}, {32, 8}, {64, 64}, {4, 4, 4, 4}, {2, 3, 5, 7}, {48, 20}})
    add(digits);
  return configs;
}

// Past one block, R x M: the columns forced, in pairs, one by one and alone, and chosen.
Configs columns_and_rows() {
  Configs configs;
  std::vector<int> columns = {2, 4, 8};
  for (const int factor : {1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64}) columns.push_back(16 * factor);
  for (const int r : columns)
    for (std::int64_t m = row; m <= longest_block && r * m <= longest; m += row)
      for (const int batch : {0, 1}) {
        const std::int64_t n = r * m;
        ConvConfig config = circular(n);
        config.column_length = r;
        config.batch = batch;
        add_default(configs, config);
        config.padding = Padding::padded;
        config.length = n / 2;
        add_default(configs, config);
        config.padding = Padding::causal;
        add_default(configs, config);
      }
  return configs;
}

Configs columns_in_full() {
  Configs configs;
  for (const int r : {2, 4, 8, 16, 32, 48, 64, 80, 96, 112, 128, 256, 512, 1024})
    for (const std::int64_t m : {256, 512, 768, 1024, 2048, 2304, 4096, 6144, 8192, 16384, 18432, 32768}) {
      if (r * m > longest) continue;
      ConvConfig config = circular(r * m);
      config.column_length = r;
      add_all(configs, config);
      config.padding = Padding::padded;
      config.length = r * m / 2;
      add_all(configs, config);
      add_details(configs, config);
    }
  return configs;
}

Configs long_rows() {
  Configs configs;
  for (std::int64_t n = longest_block + 4096; n <= longest; n += n < (1 << 20) ? 12288 : n / 64 / 4096 * 4096)
    for (const int batch : {0, 1}) {
      ConvConfig config = circular(n);
      config.batch = batch;
      add_default(configs, config);
      config.padding = Padding::padded;
      for (const std::int64_t length : {n / 4, n / 2, n / 2 + 8, n - 1}) {
        config.length = length;
        add_default(configs, config);
      }
    }
  for (std::int64_t length = 16385; length <= longest / 2; length += length / 32)
    for (const int batch : {0, 1}) {
      ConvConfig config = causal(length / 16 * 16);
      config.batch = batch;
      add_default(configs, config);
      config.length = length;
      add_default(configs, config);
    }
  for (const std::int64_t n : {65536, 131072, 98304, 262144, 524288, 1048576, 2097152, 4194304, 8388608, 16777216}) {
    add_all(configs, circular(n));
    add_all(configs, padded(n, n / 2));
  }
  return configs;
}

// Filters shorter than the rows: windows in pairs and alone, streams, gradients with gaps and without.
Configs windows() {
  Configs configs;
  const auto add_streams = [&](ConvConfig config) {
    config.history = true;
    add_forward(configs, config);
    config.length += 1;  // the next row is aligned to nothing
    add_forward(configs, config);
  };
  for (std::int64_t n = row; n <= longest_window; n += row)
    for (const std::int64_t taps : {std::int64_t{2}, n / 8 + 1, n / 4, n / 2, n - 64}) {
      if (taps < 1) continue;
      add_default(configs, causal(4 * n, taps, n));
      add_streams(causal(4 * n, taps, n));
    }
  for (const std::int64_t n : {256, 512, 1024, 1536, 2048, 2304, 4096, 8192, 16384, 18432, 32768})
    for (const std::int64_t taps : {n / 16, n / 4}) {
      add_all(configs, causal(3 * n + 40, taps, n));
      add_details(configs, causal(3 * n + 40, taps, n));
    }
  for (std::int64_t length = 64; length <= (1 << 20); length += length / 4)
    for (std::int64_t taps = 2; taps < length && taps <= longest_block; taps += taps / 2 + 1) {
      add_default(configs, causal(length, taps));
      add_streams(causal(length, taps));
    }
  return configs;
}

void add_masks(Configs& configs, std::int64_t n, int column_length) {
  ConvConfig config = circular(n);
  config.column_length = column_length;
  std::vector<FrequencyMask> masks;
  for (const double limit : {0.05, 0.25, 0.4}) masks.push_back(low_pass(limit, n));
  for (const std::int64_t radix : {2, 4, 16, 32})
    for (const std::int64_t kept : {std::int64_t{1}, radix / 4, radix / 2, 3 * radix / 4})
      if (kept > 0 && n % radix == 0) {
        masks.push_back(keep_counts({kept, n / radix}, {radix, n / radix}));
        masks.push_back(keep_counts({kept, n / radix / 2}, {radix, n / radix}));
      }
  for (const FrequencyMask& mask : masks) {
    config.mask = mask;
    config.padding = Padding::circular, config.length = 0;
    add_default(configs, config);
    config.padding = Padding::padded, config.length = n / 2;
    add_default(configs, config);
  }
}

Configs masks() {
  Configs configs;
  for (std::int64_t n = row; n <= longest_block; n += row) add_masks(configs, n, 0);
  for (const std::int64_t n : {992, 1200, 5040}) add_masks(configs, n, 0);
  for (const int r : {0, 16, 32, 48, 64, 128, 256, 512})
    for (const std::int64_t m : {256, 512, 1024, 4096})
      if (r * m <= 262144) add_masks(configs, (r == 0 ? 128 : r) * m, r);
  return configs;
}

}  // namespace

std::vector<Part> config_space(std::string_view arch) {
  std::vector<Part> parts = {{"one block", one_block()},
                             {"folded and digit by digit", folded()},
                             {"padded", padded_rows()},
                             {"causal", causal_rows()},
                             {"forced digits", forced_digits()},
                             {"columns and rows, forced", columns_and_rows()},
                             {"columns and rows, every gradient", columns_in_full()},
                             {"long rows", long_rows()},
                             {"windows and streams", windows()},
                             {"masks", masks()}};
  for (Part& part : parts)
    for (ConvConfig& config : part.configs) config.arch = arch;
  return parts;
}

}  // namespace ffc::shapes
