// How large rows are, in device memory: a bound of the magnitudes of each channel or each row, or one for all.
#pragma once

struct RowMagnitudes {
  const float* data;  // null: rows are taken as they are
  int channel_stride, row_stride;
};
