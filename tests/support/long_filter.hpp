// Filters of long transforms, and the kernels that prepare them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "emit_long_filter.hpp"
#include "emit_residue_filter.hpp"
#include "ffc/generator/frequency_mask.hpp"
#include "ffc/generator/generated_kernel.hpp"

namespace ffc::filter_tests {

/// Filters and the spectrum that is made of them.
struct LongFilter {
  int column_length, row_length;
  std::int64_t taps = 0;  ///< 0: as many as the transform is long
  int channels = 1;
  int channels_of_chunk = 0;  ///< 0: as emitted
  bool skip = false;
  std::int64_t head = -1, tail_start = -1, tail_tap = 0;  ///< -1: the transform's length
  std::int64_t stride = 0;
  int tile = 16;
  int output_exponent = 0;
  bool lent_workspace = false;
  double gain = 1;
  double magnitude = 1;      ///< of the taps
  bool right_angle = false;  ///< frequencies 4 k + 1 of a transform four times as long, in tiles of 256 as a plan's are
  bool shuffled = false;     ///< those tiles in an order that no plan has, so that rows do not hold them
  bool any_scale = false;    ///< scales that fp16 cannot hold
  int tone = 0;              ///< a frequency that stands out of the noise; 0: none
  bool masked = false;       ///< of 8 frequencies the first three are kept, and what mirrors them
  int blocks = 0;            ///< of a cluster, with the frequencies of one residue each; 0: columns and rows
};

inline int parts_of(const LongFilter& test) { return test.right_angle ? 4 : 1; }
// Between frequencies of a row; the order of a single row at right angles has them itself.
inline int distance_of(const LongFilter& test) {
  return test.column_length == 1 ? 1 : parts_of(test) * test.column_length;
}
inline int rows_of(const LongFilter& test) {
  return test.right_angle ? test.column_length : test.column_length / 2 + 1;
}
inline std::int64_t length_of(const LongFilter& test) {
  return std::int64_t{parts_of(test)} * test.column_length * test.row_length;
}

// The frequencies of a tile lie as far apart as there are tiles; a single row at right angles is at 4 k + 1.
inline void put_tiles(SpectrumLayout& layout, const LongFilter& test) {
  // As fragments hold a tile's frequencies.
  std::vector<int> first;
  for (const int eight : {0, 1, 2, 3, 4, 5, 6, 7})
    for (const int thirty_two : {0, 32, 64, 96})
      for (const int high : {0, 128})
        for (const int middle : {0, 8})
          for (const int low : {0, 16}) first.push_back(eight + thirty_two + high + middle + low);
  if (test.shuffled) std::shuffle(first.begin(), first.end(), std::mt19937(7));
  const int tiles = test.row_length / 256;
  for (std::size_t i = 0; i < layout.order.size(); ++i) {
    const int k = first[i % 256] * tiles + static_cast<int>(i / 256);
    layout.order[i] = test.right_angle && test.column_length == 1 ? 4 * k + 1 : k;
  }
}

inline void put_right_angle(SpectrumLayout& layout, const LongFilter& test) {
  layout.right_angle = true;
  layout.tile = 256;
  put_tiles(layout, test);
  for (int row = 0; test.column_length > 1 && row < test.column_length; ++row) layout.rows.push_back(4 * row + 1);
}

inline FrequencyMask mask_of(const LongFilter& test) {
  return test.masked ? keep_counts({3, length_of(test) / 8}, {8, length_of(test) / 8}) : FrequencyMask{};
}

// A row's frequencies in some order: emission must not care which.
inline SpectrumLayout layout_of(const LongFilter& test) {
  SpectrumLayout layout;
  layout.order.resize(static_cast<std::size_t>(test.row_length));
  std::iota(layout.order.begin(), layout.order.end(), 0);
  std::shuffle(layout.order.begin(), layout.order.end(), std::mt19937(7));
  layout.tile = test.tile;
  if (test.right_angle)
    put_right_angle(layout, test);
  else if (test.tile == 256)
    put_tiles(layout, test);
  layout.gain = test.gain;
  layout.mask = mask_of(test);
  layout.fp16_scale = !test.any_scale;
  layout.output_exponent = test.output_exponent;
  const std::int64_t length = length_of(test);
  layout.head = test.head < 0 ? length : test.head;
  layout.tail_start = test.tail_start < 0 ? length : test.tail_start;
  layout.tail_tap = test.tail_tap;
  return layout;
}

inline Generated generated_of(const LongFilter& test) {
  Generated generated;
  generated.config.fft_length = length_of(test);
  generated.config.filter_length = test.taps > 0 ? test.taps : length_of(test);
  generated.config.arch = "sm_90a";
  generated.name = generated.conv.name = "conv_of_long_filter_test";
  generated.transform_length = length_of(test) / parts_of(test);
  if (test.blocks > 0)
    put_residue_filter(generated, layout_of(test), length_of(test), distance_of(test), test.blocks, "sm_90a");
  else
    put_long_filter(generated, layout_of(test), length_of(test), distance_of(test), "sm_90a");
  if (test.channels_of_chunk > 0) generated.filter_blocks = test.channels_of_chunk;
  return generated;
}

}  // namespace ffc::filter_tests
