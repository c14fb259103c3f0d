// The argument of the entry that makes magnitudes of reports; generator/report.hpp declares the same struct
// for the host.
#pragma once

#include "channel_report.cuh"

// Of a channel's rows of u . w, or of dy . v.
struct ScalingState {
  int room;   // log2, beside the headroom, after results have left the range
  int calm;   // steps since then
  int faint;  // steps in a row whose rows were too small for the magnitude
  int reserved;
};

struct ScalingStatus {
  unsigned int steps;
  unsigned int dropped;  // of them
  unsigned int drop;     // the last one was
  unsigned int faint;    // rows of the last one were too small to be accurate
};

struct ScalingArguments {
  ChannelReport* report;
  float* magnitudes;  // of u . w for each channel, then of dy . v
  float* history;     // `window` times as many: what was met in a step
  ScalingState* states;
  ScalingStatus* status;
  int channels;
  int window;        // steps
  int headroom;      // log2
  int backoff;       // log2, for each overflow that nothing explains
  int most_backoff;  // log2
  int recovery;      // steps after which half of that is given back
  int patience;      // faint steps after which what was before them is forgotten
  int reserved;
};
static_assert(sizeof(ScalingArguments) == 72, "the host passes 72 bytes");
