// Rows of a real filter, by the outer part of their frequency, and their mirrors.
#pragma once

// The row whose factors row `row` shares; row 0, its own mirror, goes together with the other one of that kind.
__device__ constexpr int mirror_row(int row) { return row > 0 ? rows - row : rows % 2 == 0 ? rows / 2 : 0; }
