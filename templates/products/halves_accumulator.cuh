// The accumulator of products that add up two halves of a row's values; where that rounds too often a kernel takes
// halves_accumulator32.cuh instead.
#pragma once

#include "mma_acc16.cuh"

using HalvesAccumulator = Accumulator16;
