// Which row of frequencies a batch row alone has, and where. Half of its columns are the real parts of complex ones,
// the other half the imaginary parts: z = a + i b. With Z their frequencies, Z[f] = A[f] + i B[f], and as a and b are
// real the conjugate of Z[-f] is A[f] - i B[f], which the workspace holds for f in the upper half. Row f of the
// transform is A[f], followed by B[f]; what comes for them from the workspace are row f of Z and that of -f.
#pragma once

// Row `frequency`, its one side.
struct Rows {
  int channel;
  int first, end;
  int mirror;  // how far behind the later half's own place the mirror's row of Z is
  Place place;
  int counts_for;
  static constexpr bool lone = false;
};

constexpr int items_per_pair = 1;
constexpr int half_row = row_length / 2;

__device__ __forceinline__ bool is_own_mirror(int frequency) { return 2 * frequency % column_length == 0; }

__device__ __forceinline__ Rows rows_of(const SplitArguments& split, int frequency, int number) {
  const Pair row = pair_at(split.conv, number);
  const int mirror = is_own_mirror(frequency) ? frequency : column_length - frequency;
  return {row.channel, 0, row.exists ? 1 : 0, (mirror - frequency - 1) * half_row, place_of(split, number), 1};
}

// Where its row of Z begins in the workspace: the real part.
__device__ __forceinline__ long long offset_of(const Rows& of, int frequency, int) {
  return 2LL * of.place.slot * plane_length + frequency * half_row;
}

__device__ __forceinline__ void conjugate(HalfTile& x) { x.im[0] = neg(x.im[0]), x.im[1] = neg(x.im[1]); }

// Row 0 of Z and row column_length / 2, of which the workspace holds the conjugate, have come as halves x and y both.
__device__ __forceinline__ void make_mirrors(HalfTile& x, HalfTile& y, int frequency) {
  frequency == 0 ? conjugate(y) : conjugate(x);
}

// Z and the conjugate of its mirror, to the halves a, b: of Z, which is half of a + i b.
__device__ __forceinline__ void take_apart(HalfTile& x, HalfTile& y) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const Packed x_re = x.re[h], x_im = x.im[h], y_re = y.re[h], y_im = y.im[h];
    x.re[h] = add(x_re, y_re), x.im[h] = add(x_im, y_im);
    y.re[h] = sub(x_im, y_im), y.im[h] = sub(y_re, x_re);
  }
}

// The way back.
__device__ __forceinline__ void put_together(HalfTile& x, HalfTile& y) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const Packed a_re = x.re[h], a_im = x.im[h], b_re = y.re[h], b_im = y.im[h];
    x.re[h] = sub(a_re, b_im), x.im[h] = add(a_im, b_re);
    y.re[h] = add(a_re, b_im), y.im[h] = sub(a_im, b_re);
  }
}
