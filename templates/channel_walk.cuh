// A block's walk over the pairs of all channels, which have every table in common: first over channels of its own, then
// with all blocks over those that are left. Blocks go side by side, so that what they read at a time lies in few pages
// of memory. Of all pairs, each with samples of its own, a device holds fewer than 31 bits count; without a sign they
// are divided in half as many instructions.
#pragma once

struct Item {
  unsigned int channel, pair;
};

struct ChannelWalk {
  unsigned int block, blocks;
  unsigned int pairs, windows;    // of a channel, and those of them that are of one row
  unsigned int first_left, left;  // the channels that are left
  unsigned int own;               // items of channels of its own
  int items;                      // in all
};

__device__ __forceinline__ ChannelWalk walk_channels(unsigned int channels, unsigned int pairs, unsigned int windows) {
  const unsigned int blocks = gridDim.x, block = blockIdx.x;
  const unsigned int left = channels % blocks, own = channels / blocks * pairs;
  // Turns of all groups of all blocks, the last of which not all have.
  const unsigned int turn = blocks * groups, turns = left * pairs / turn;
  const int last =
      max(0, min(groups, static_cast<int>(left * pairs - turns * turn) - static_cast<int>(block * groups)));
  return {block, blocks, pairs, windows, channels - left, left, own, static_cast<int>(own + turns * groups) + last};
}

__device__ __forceinline__ Item item_at(const ChannelWalk& walk, unsigned int index) {
  if (index < walk.own) {
    const unsigned int channel = index / walk.pairs;
    return {walk.block + walk.blocks * channel, index - channel * walk.pairs};
  }
  const unsigned int turn = (index - walk.own) / groups, group = index - walk.own - turn * groups;
  // In the order of memory: by batch row, channel and window.
  const unsigned int among = (turn * walk.blocks + walk.block) * groups + group;
  const unsigned int window = among % walk.windows, row = among / walk.windows;
  return {walk.first_left + row % walk.left, row / walk.left * walk.windows + window};
}
