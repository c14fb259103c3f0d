// A block's row of frequencies: of every pair to the spectrum and back, in place.
#pragma once

// Barrier among all threads of the rows.
__device__ __forceinline__ void unit_barrier() { named_barrier<block_threads>(last_barrier); }

// The groups take turns at the items.
__device__ __forceinline__ void convolve_rows(const ConvArguments& arguments, const Slice& slice, SharedAddress shared,
                                              int rank, int unit_thread) {
//[[row_frequency
  // The row of -frequency is a conjugate and takes the factors of its mirror.
  const int frequency = min(rank, blocks - rank), spectrum_row = frequency;
//]]
  const int lane = unit_thread % 32;
  const int warp = unit_thread / 32 % group_warps;
  const int group = group_of(unit_thread);
  const uint4* const tables = static_cast<const uint4*>(arguments.tables);

//[[setup
  const Matrix radix16 = read_matrix(tables, lane);
//]]
//[[frequency
//]]

  for (int turn = group; turn < slice.items; turn += groups) {
    const int slot = turn % ring;
    const SharedAddress rows_at = shared + slot * buffer_bytes;
    const int channel = channel_of(slice, slice.first + turn);
    const uint4* const spectrum_tiles =
        reinterpret_cast<const uint4*>(static_cast<const unsigned char*>(arguments.spectrum) +
                                       channel * spectrum_channel_bytes + spectrum_row * (4LL * row_length));
//[[spectrum_power
//]]
    wait_for_phase(columns_done(shared, slot), turn / ring);
//[[stages
    Tile x = load_rows(rows_at + swizzled(lane));
    x = contract_as_b<false>(radix16, x);
    store_rows_transposed(rows_at + swizzled(lane), x);
    (void)spectrum_tiles;
//]]
    warp_barrier();
    if (lane < blocks) arrive_at(at_rank(rows_done(shared, slot), lane));
  }
}
