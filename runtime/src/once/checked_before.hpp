// What the driver has said of memory, so that a launch need not ask again.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ffc {

/// How often a launch asks the driver whose memory it was given.
enum class Checks {
  once,       ///< where it was not asked before; memory that has changed its owner since is not noticed
  each_call,  ///< always
};

/// What the environment variable FFC_CHECKS names: `all` means each_call, unset or empty once. Throws DriverError for
/// another value.
[[nodiscard]] Checks checks_from_environment();

/// Addresses that the driver called memory of one device. Device memory is handed out in pieces of 2 MB that belong to
/// one device as a whole. Forgets: a later piece may take the place of an earlier one. Thread-safe, and never waits.
class KnownMemory {
 public:
  [[nodiscard]] bool contains(const void* address) const {
    const std::uintptr_t piece = piece_of(address);
    return pieces_[piece % most].load(std::memory_order_relaxed) == piece + 1;
  }
  void add(const void* address) {
    const std::uintptr_t piece = piece_of(address);
    pieces_[piece % most].store(piece + 1, std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t most = 4096;
  static std::uintptr_t piece_of(const void* address) { return reinterpret_cast<std::uintptr_t>(address) >> 21; }

  std::array<std::atomic<std::uintptr_t>, most> pieces_ = {};
};

}  // namespace ffc
