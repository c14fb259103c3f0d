// Half a tile: 16 rows and 8 columns; registers re[h], im[h] hold rows lane/4 + 8 h, columns 2 (lane%4) and + 1.
#pragma once

#include "packed.cuh"

struct HalfTile {
  Packed re[2], im[2];
};
