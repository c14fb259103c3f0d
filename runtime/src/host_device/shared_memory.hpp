// A block's shared memory, and the asynchronous copies on their way into it.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "ffc/templates/host_abi.hpp"

namespace ffc::host {

/// Bytes of shared memory, at addresses from shared_base on. Begins poisoned: every 16 bits are a NaN of fp16 and bf16.
class SharedMemory {
 public:
  explicit SharedMemory(int bytes) : bytes_(static_cast<std::size_t>(bytes)) { poison(); }

  void poison();
  void poison(std::uint32_t address, int bytes);
  /// What is wrong with an access, or nothing.
  [[nodiscard]] std::string refuse(std::uint32_t address, int bytes, int alignment) const;
  /// Where an access that is not refused goes.
  [[nodiscard]] unsigned char* at(std::uint32_t address) { return bytes_.data() + (address - shared_base); }

 private:
  std::vector<unsigned char> bytes_;
};

/// The copies of one thread. They land as late as a wait allows, and what is there until then is poison.
class PendingCopies {
 public:
  void add(std::uint32_t to, const void* from, int bytes, int valid) { open_.push_back({to, from, bytes, valid}); }
  void commit();
  /// Lands all groups but the last `pending`.
  void wait(int pending, SharedMemory& shared);
  void forget();

 private:
  struct Copy {
    std::uint32_t to;
    const void* from;
    int bytes, valid;
  };
  std::vector<Copy> open_;
  std::deque<std::vector<Copy>> groups_;
};

}  // namespace ffc::host
