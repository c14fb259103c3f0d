// The butterfly of a kernel: the generator puts the file of the plan's radix in place of this one.
#pragma once

#include "butterfly4.cuh"
