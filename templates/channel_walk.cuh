// A block's walk over the pairs of all channels, which have every table in common: first over channels of its own, then
// with all blocks over those that are left. Blocks go side by side, so that what they read at a time lies in few pages
// of memory. Of all pairs, each with samples of its own, a device holds fewer than 31 bits count.
#pragma once

struct Item {
  int channel, pair;
};

struct ChannelWalk {
  int block, blocks;
  int pairs, windows;    // of a channel, and those of them that are of one row
  int first_left, left;  // the channels that are left
  int own, items;        // of channels of its own, and in all
};

__device__ __forceinline__ ChannelWalk walk_channels(int channels, int pairs, int windows) {
  const int blocks = gridDim.x, block = blockIdx.x;
  const int left = channels % blocks, own = channels / blocks * pairs;
  // Turns of all groups of all blocks, the last of which not all have.
  const int turn = blocks * groups, turns = left * pairs / turn;
  const int last = max(0, min(groups, left * pairs - turns * turn - block * groups));
  return {block, blocks, pairs, windows, channels - left, left, own, own + turns * groups + last};
}

__device__ __forceinline__ Item item_at(const ChannelWalk& walk, int index) {
  if (index < walk.own) {
    const int channel = index / walk.pairs;
    return {walk.block + walk.blocks * channel, index - channel * walk.pairs};
  }
  const int turn = (index - walk.own) / groups, group = index - walk.own - turn * groups;
  // In the order of memory: by batch row, channel and window.
  const int among = (turn * walk.blocks + walk.block) * groups + group;
  const int window = among % walk.windows, row = among / walk.windows;
  return {walk.first_left + row % walk.left, row / walk.left * walk.windows + window};
}
