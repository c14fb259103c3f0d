// The accumulator of products whose result is rounded at once, in fp32.
#pragma once

#include "mma_acc32.cuh"

using Accumulator = Accumulator32;
