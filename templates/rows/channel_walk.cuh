// A block's walk over the pairs of all channels, which have every table in common: first over channels of its own, side
// by side with the others, so that what all read at a time lies in few pages of memory; then over its share of those
// that are left, the pairs of one or of two. Of two it takes those of the later one first, for these are the channel's
// first pairs, which other blocks are at then. Of all pairs, each with samples of its own, a device holds fewer than 31
// bits count; without a sign they are divided in half as many instructions.
#pragma once

struct Item {
  unsigned int channel, pair;
};

struct ChannelWalk {
  unsigned int block, blocks;
  unsigned int pairs;         // of a channel
  unsigned int first_left;    // of the channels that are left
  unsigned int own;           // items of channels of its own
  unsigned int first_shared;  // of the items of those that are left
  unsigned int earlier;       // of its share, those of the earlier channel where it has two
  int items;                  // in all
};

__device__ __forceinline__ ChannelWalk walk_channels(unsigned int channels, unsigned int pairs) {
  const unsigned int blocks = gridDim.x, block = blockIdx.x;
  const unsigned int left = channels % blocks, own = channels / blocks * pairs;
  // The first blocks have one more where there is no same share for all.
  const unsigned int share = left * pairs / blocks, longer = left * pairs % blocks;
  const unsigned int first_shared = block * share + (block < longer ? block : longer);
  const unsigned int shared = share + (block < longer ? 1 : 0), earlier = pairs - first_shared % pairs;
  const int items = static_cast<int>(own + shared);
  return {block, blocks, pairs, channels - left, own, first_shared, earlier < shared ? earlier : 0, items};
}

__device__ __forceinline__ Item item_at(const ChannelWalk& walk, unsigned int index) {
  const bool own = index < walk.own;
  // Of a share the earlier channel's items stand behind the others.
  const unsigned int later = index + walk.earlier, items = walk.items;
  const unsigned int of_share = later < items ? later - walk.own : later - items;
  const unsigned int among = own ? index : walk.first_shared + of_share;
  const unsigned int channel = among / walk.pairs, pair = among - channel * walk.pairs;
  return {own ? walk.block + walk.blocks * channel : walk.first_left + channel, pair};
}
