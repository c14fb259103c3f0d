// Memory as the threads of a block reach it.
#include <fmt/format.h>

#include <cstdint>

#include "block_threads.hpp"

namespace ffc::host {

unsigned char* Block::shared(Lane* lane, std::uint32_t address, std::int32_t bytes, Access access, std::int32_t line) {
  Thread& thread = thread_of(lane);
  SharedMemory& memory = thread.block->memory_at(thread, address);
  if (std::string what = memory.refuse(address, bytes, bytes); !what.empty()) fail(thread, line, std::move(what));
  if (access != Access::barrier)
    thread.warp->gatherer.add({line, __builtin_return_address(0)}, static_cast<int>(lane->thread % lanes), address,
                              bytes);
  return memory.at(address);
}

// The memory that an address is in, this block's or another's of the cluster, and the address as its own block has it.
SharedMemory& Block::memory_at(const Thread& thread, std::uint32_t& address) {
  const std::uint32_t there = address >> rank_shift;
  if (there == 0 || there > shared_.size()) return shared_[thread.lane.rank];
  address &= (1u << rank_shift) - 1;
  return shared_[there - 1];
}

std::string Block::refuse_global(const void* address, int bytes, Access access) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (at % static_cast<std::uintptr_t>(bytes) != 0)
    return fmt::format("{} bytes at {} of global memory, which is no multiple of {}", bytes, address, bytes);
  const auto holds = [&](const Range& range) {  // rows may lie in several: y in those of u
    const auto begin = reinterpret_cast<std::uintptr_t>(range.data);
    return at >= begin && at - begin + static_cast<std::uintptr_t>(bytes) <= range.bytes;
  };
  for (const Range& range : launch_.ranges)
    if (holds(range) && (access == Access::read || range.writable)) return {};
  std::string ranges;
  for (const Range& range : launch_.ranges) {
    const std::uintptr_t offset = at - reinterpret_cast<std::uintptr_t>(range.data);
    if (holds(range))
      return fmt::format("{} bytes are written at offset {} of {}, which is only read", bytes, offset, range.name);
    ranges += fmt::format("{}{} ({} bytes, {} from its beginning)", ranges.empty() ? "" : ", ", range.name, range.bytes,
                          static_cast<std::intptr_t>(offset));
  }
  return fmt::format("{} bytes at {} of global memory lie in none of its ranges: {}", bytes, address, ranges);
}

void Block::global(Lane* lane, const void* address, std::int32_t bytes, Access access, std::int32_t line) {
  Thread& thread = thread_of(lane);
  Block& block = *thread.block;
  if (std::string what = block.refuse_global(address, bytes, access); !what.empty())
    fail(thread, line, std::move(what));
  (access == Access::read ? block.counter.totals.bytes_read : block.counter.totals.bytes_written) += bytes;
}

void Block::copy(Lane* lane, std::uint32_t to, const void* from, std::int32_t bytes, std::int32_t valid,
                 std::int32_t line) {
  Thread& thread = thread_of(lane);
  Block& block = *thread.block;
  SharedMemory& memory = block.shared_[thread.lane.rank];
  std::string what = memory.refuse(to, bytes, bytes);
  // The source is aligned to the whole width however little of it is read.
  if (what.empty() && reinterpret_cast<std::uintptr_t>(from) % static_cast<std::uintptr_t>(bytes) != 0)
    what = fmt::format("a copy of {} bytes from {}, which is no multiple of {}", bytes, from, bytes);
  if (what.empty() && (valid < 0 || valid > bytes))
    what = fmt::format("{} of the {} bytes of a copy are to be read", valid, bytes);
  if (what.empty() && valid > 0) {
    what = block.refuse_global(from, 1, Access::read);
    if (what.empty()) what = block.refuse_global(static_cast<const char*>(from) + valid - 1, 1, Access::read);
  }
  if (!what.empty()) fail(thread, line, std::move(what));
  thread.warp->gatherer.add({line, __builtin_return_address(0)}, static_cast<int>(lane->thread % lanes), to, bytes);
  block.counter.totals.bytes_read += valid;
  memory.poison(to, bytes);
  thread.copies.add(to, from, bytes, valid);
}

void Block::commit_copies(Lane* lane) { thread_of(lane).copies.commit(); }

void Block::wait_copies(Lane* lane, std::int32_t pending) {
  Thread& thread = thread_of(lane);
  thread.copies.wait(pending, thread.block->shared_[thread.lane.rank]);
}

}  // namespace ffc::host
