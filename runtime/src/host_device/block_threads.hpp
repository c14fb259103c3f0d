// What a block knows of its threads and warps.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "block.hpp"
#include "counts.hpp"
#include "fiber.hpp"
#include "shared_memory.hpp"
#include "warp_operations.hpp"

namespace ffc::host {

inline constexpr std::size_t lanes = 32;  ///< of a warp

struct Block::Thread {
  Lane lane{};  // first: the program knows a thread by it
  Block* block = nullptr;
  Warp* warp = nullptr;
  Fiber fiber;
  Part* part = nullptr;  // what it waits to do, null while it runs
  const void* code = nullptr;
  PendingCopies copies;
  int failed_line = 0;
  std::string failure;
};

struct Block::Warp {
  std::size_t rank = 0;
  std::array<Thread*, lanes> threads{};
  Gatherer gatherer;
  bool at_barrier = false;
  bool ended = false;
};

}  // namespace ffc::host
