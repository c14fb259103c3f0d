// Poison, ranges and late landings.
#include "shared_memory.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace ffc::host {
namespace {

constexpr int poison_byte = 0xff;

}  // namespace

void SharedMemory::poison() { std::memset(bytes_.data(), poison_byte, bytes_.size()); }

void SharedMemory::poison(std::uint32_t address, int bytes) {
  std::memset(at(address), poison_byte, static_cast<std::size_t>(bytes));
}

std::string SharedMemory::refuse(std::uint32_t address, int bytes, int alignment) const {
  const std::uint64_t end = std::uint64_t{address} + static_cast<std::uint64_t>(bytes);
  if (address < shared_base || end > shared_base + bytes_.size())
    return fmt::format("{} bytes at offset {} of shared memory, which has {} bytes", bytes,
                       std::int64_t{address} - shared_base, bytes_.size());
  if (address % static_cast<std::uint32_t>(alignment) != 0)
    return fmt::format("{} bytes at offset {} of shared memory, which is no multiple of {}", bytes,
                       address - shared_base, alignment);
  return {};
}

void PendingCopies::commit() { groups_.push_back(std::exchange(open_, {})); }

void PendingCopies::wait(int pending, SharedMemory& shared) {
  for (; groups_.size() > static_cast<std::size_t>(pending); groups_.pop_front())
    for (const Copy& copy : groups_.front()) {
      std::memset(shared.at(copy.to), 0, static_cast<std::size_t>(copy.bytes));
      std::memcpy(shared.at(copy.to), copy.from, static_cast<std::size_t>(copy.valid));
    }
}

void PendingCopies::forget() {
  open_.clear();
  groups_.clear();
}

}  // namespace ffc::host
