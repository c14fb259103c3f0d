// A block's walk over the pairs of all channels, which have every table in common: first over channels of its own, side
// by side with the others, so that what all read at a time lies in few pages of memory; then over its share of those
// that are left, in the order of memory. Of all pairs, each with samples of its own, a device holds fewer than 31 bits
// count; without a sign they are divided in half as many instructions.
#pragma once

struct Item {
  unsigned int channel, pair;
};

struct ChannelWalk {
  unsigned int block, blocks;
  unsigned int pairs, windows;    // of a channel, and those of them that are of one row
  unsigned int first_left, left;  // the channels that are left
  unsigned int own;               // items of channels of its own
  unsigned int first_shared;      // of the items of those that are left
  int items;                      // in all
};

__device__ __forceinline__ ChannelWalk walk_channels(unsigned int channels, unsigned int pairs, unsigned int windows) {
  const unsigned int blocks = gridDim.x, block = blockIdx.x;
  const unsigned int left = channels % blocks, own = channels / blocks * pairs;
  // The first blocks have one more where there is no same share for all.
  const unsigned int share = left * pairs / blocks, longer = left * pairs % blocks;
  const unsigned int first_shared = block * share + (block < longer ? block : longer);
  const int items = static_cast<int>(own + share + (block < longer ? 1 : 0));
  return {block, blocks, pairs, windows, channels - left, left, own, first_shared, items};
}

__device__ __forceinline__ Item item_at(const ChannelWalk& walk, unsigned int index) {
  if (index < walk.own) {
    const unsigned int channel = index / walk.pairs;
    return {walk.block + walk.blocks * channel, index - channel * walk.pairs};
  }
  // By batch row, channel and window.
  const unsigned int among = walk.first_shared + index - walk.own;
  const unsigned int window = among % walk.windows, row = among / walk.windows;
  return {walk.first_left + row % walk.left, row / walk.left * walk.windows + window};
}
