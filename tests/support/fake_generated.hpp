// Generated kernels that nothing generated, for tests of the runtime.
#pragma once

#include <string>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"

namespace ffc::fakes {

/// What a generator might hand out for `config`, without generating anything.
inline Generated fake_generated(const ConvConfig& config) {
  Generated generated;
  generated.config = config;
  generated.name = generated.conv.name = "conv_n" + std::to_string(config.fft_length);
  generated.conv.source = "conv source of " + to_string(config);
  generated.conv.tables = {1, 2, 3};
  generated.conv.threads = 128;
  generated.conv.shared_bytes = 4096;
  generated.filter.name = "filter_n" + std::to_string(config.fft_length);
  generated.filter.source = "filter source of " + to_string(config);
  generated.filter.threads = 64;
  generated.filter.shared_bytes = 2048;
  generated.transform_length = config.fft_length;
  generated.spectrum_row_bytes = 4 * config.fft_length;
  generated.filter_workspace_bytes_per_block = 8 * config.fft_length;
  generated.filter_blocks = 16;
  generated.spectrum_tag = "tag of n" + std::to_string(config.fft_length);
  return generated;
}

/// The same as of a transform past one block: columns of 128.
inline Generated fake_split(const ConvConfig& config) {
  Generated generated = fake_generated(config);
  SplitLaunch& split = generated.split.emplace();
  split.column_length = 128;
  split.row_length = config.fft_length / split.column_length;
  split.spectrum_rows = 65;
  split.place_rows = split.column_length;
  return generated;
}

}  // namespace ffc::fakes
