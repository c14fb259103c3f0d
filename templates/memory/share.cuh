// How threads share a loop.
#pragma once

// What a thread does of a loop: the indices from `first` on, `step` apart.
struct Share {
  int first, step;
};
