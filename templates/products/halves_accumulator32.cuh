// The fp32 accumulator of products that add up two halves of a row's values.
#pragma once

#include "mma_acc32.cuh"

using HalvesAccumulator = Accumulator32;
