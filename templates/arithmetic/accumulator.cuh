// The accumulator of products whose result is rounded at once; a kernel that asks for fp32 takes mma_acc32.cuh instead.
#pragma once

#include "mma_acc16.cuh"

using Accumulator = Accumulator16;
