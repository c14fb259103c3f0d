// The butterfly of a real row: the generator puts the file of the plan's radix in place of this one.
#pragma once

#include "real_butterfly4.cuh"
