// The argument of every entry that measures rows; generator/kernel_arguments.hpp declares the same struct for the host.
#pragma once

// Rows of one tensor, of fp16 or bf16, and those that gate them. Strides are in elements.
struct MeasuredRows {
  const void* rows;
  const void* gate;          // may be null
  unsigned int* magnitudes;  // of each channel, or each of its rows: the bits of a float
  long long rows_batch_stride, rows_channel_stride;
  long long gate_batch_stride, gate_channel_stride;
};

struct MagnitudeArguments {
  MeasuredRows tensors[2];
  int rows;    // of a magnitude: all of a channel, or one
  int apart;   // magnitudes of a channel: one, or as many as rows
  int blocks;  // of a magnitude
  int reserved;
};
static_assert(sizeof(MagnitudeArguments) == 128, "the host passes 128 bytes");
