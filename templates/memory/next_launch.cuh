// Two launches of a stream that overlap: the second is made with the attribute of programmatic stream serialization.
#pragma once

#ifndef FFC_HOST  // the host has twins of these

// In the first: when all of its blocks have said so, blocks of the second take what room is left on the device.
__device__ __forceinline__ void let_next_launch_begin() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

// In the second: until the first is over and what it wrote can be read.
__device__ __forceinline__ void wait_for_previous_launch() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

#endif
