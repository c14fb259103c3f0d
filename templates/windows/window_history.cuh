// What comes before a row's first sample: `reach` samples, of any alignment.
#pragma once

#include "global.cuh"
#include "stream_arguments.cuh"

// The history of a row; null where there is none.
__device__ __forceinline__ const unsigned short* history_row(const HistoryRows& history, int row, int channel) {
  const unsigned short* const data = static_cast<const unsigned short*>(history.data);
  return data == nullptr ? data : data + row * history.batch_stride + channel * history.channel_stride;
}

// The chunk at a position of a window, whole in front of the row's first sample.
__device__ __forceinline__ uint4 history_chunk(const unsigned short* history, const Window& window, int position) {
  const int first = reach + static_cast<int>(window.start) + position;
  unsigned int pair[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int low = first + 2 * i;
    const bool exists = history != nullptr;
    pair[i] = exists && low >= 0 ? load_global(history + low) : 0;
    pair[i] |= (exists && low + 1 >= 0 ? load_global(history + low + 1) : 0u) << 16;
  }
  return make_uint4(pair[0], pair[1], pair[2], pair[3]);
}

// A chunk before the window's first sample that is in the row is of the history.
__device__ __forceinline__ bool is_history(const Window& window, int position) {
  return position < window.begin && position >= -read_back;
}
