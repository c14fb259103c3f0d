// Overlap of strided rows against every byte of each.
#include "memory_overlap.hpp"

#include <doctest/doctest.h>

#include <random>
#include <set>

using namespace ffc;

namespace {

std::set<std::uintptr_t> bytes_of(const MemoryRows& rows) {
  std::set<std::uintptr_t> bytes;
  for (std::int64_t i = 0; i < rows.outer_count; ++i)
    for (std::int64_t j = 0; j < rows.inner_count; ++j)
      for (std::int64_t n = 0; n < rows.row_bytes; ++n)
        bytes.insert(rows.first + static_cast<std::uintptr_t>(i * rows.outer_stride + j * rows.inner_stride + n));
  return bytes;
}

bool share_bytes(const MemoryRows& a, const MemoryRows& b) {
  const std::set<std::uintptr_t> of_a = bytes_of(a);
  for (const std::uintptr_t byte : bytes_of(b))
    if (of_a.contains(byte)) return true;
  return false;
}

int below(std::mt19937& random, int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); }

MemoryRows random_rows(std::mt19937& random, bool tight) {
  MemoryRows rows;
  rows.first = 1000 + static_cast<std::uintptr_t>(below(random, 120));
  rows.outer_count = 1 + below(random, 4), rows.inner_count = 1 + below(random, 4);
  rows.row_bytes = 1 + below(random, 5);
  rows.inner_stride = tight ? rows.row_bytes : below(random, 12);
  rows.outer_stride = tight ? rows.row_bytes * rows.inner_count : below(random, 40);
  return rows;
}

}  // namespace

TEST_CASE("rows of the same shape, in any place") {
  std::mt19937 random(1);
  int shared = 0;
  for (int turn = 0; turn < 4000; ++turn) {
    const MemoryRows a = random_rows(random, false);
    MemoryRows b = a;
    b.first = 1000 + static_cast<std::uintptr_t>(below(random, 120));
    CHECK(share_memory(a, b) == share_bytes(a, b));
    shared += share_bytes(a, b) ? 1 : 0;
  }
  CHECK(shared > 400);
  CHECK(shared < 3600);
}

TEST_CASE("rows without gaps and any others") {
  std::mt19937 random(2);
  int shared = 0;
  for (int turn = 0; turn < 4000; ++turn) {
    const MemoryRows a = random_rows(random, true), b = random_rows(random, false);
    CHECK(share_memory(a, b) == share_bytes(a, b));
    CHECK(share_memory(b, a) == share_bytes(a, b));
    shared += share_bytes(a, b) ? 1 : 0;
  }
  CHECK(shared > 400);
  CHECK(shared < 3600);
}

TEST_CASE("rows of any shapes") {
  std::mt19937 random(3);
  int shared = 0;
  for (int turn = 0; turn < 20000; ++turn) {
    const MemoryRows a = random_rows(random, false);
    MemoryRows b = random_rows(random, false);
    if (turn % 8 == 0) b.first = a.first;
    CHECK(share_memory(a, b) == share_bytes(a, b));
    shared += share_bytes(a, b) ? 1 : 0;
  }
  CHECK(shared > 2000);
  CHECK(shared < 18000);
}

TEST_CASE("spans end where 64 bits of sums do") {
  const MemoryRows largest{0, 2, most_span - 2, 1, 0, 2};
  CHECK(checked_span(largest) == most_span);
  constexpr std::int64_t huge = std::int64_t{1} << 62;
  for (const MemoryRows& rows : {MemoryRows{0, 2, most_span - 1, 1, 0, 2}, MemoryRows{0, 2, huge, 3, huge, 2},
                                 MemoryRows{0, 5, huge, 1, 0, 2}, MemoryRows{0, 1, 0, 1, 0, most_span + 1}})
    CHECK_FALSE(checked_span(rows));
}
