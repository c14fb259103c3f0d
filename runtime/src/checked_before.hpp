// What the driver has said of memory and streams, so that a launch need not ask again.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ffc {

/// How often a launch asks the driver whose memory and whose stream it was given.
enum class Checks {
  once,       ///< where it was not asked before; memory that has changed its owner since is not noticed
  each_call,  ///< always
};

/// What the environment variable FFC_CHECKS names: `all` means each_call, unset or empty once. Throws DriverError for
/// another value.
[[nodiscard]] Checks checks_from_environment();

/// A set of numbers that forgets: a later one takes the place of an earlier one. Thread-safe, and never waits.
template <std::size_t size>
class ForgetfulSet {
 public:
  [[nodiscard]] bool contains(std::uint64_t value) const {
    return places_[value % size].load(std::memory_order_relaxed) == value + 1;
  }
  void add(std::uint64_t value) { places_[value % size].store(value + 1, std::memory_order_relaxed); }

 private:
  std::array<std::atomic<std::uint64_t>, size> places_ = {};
};

/// Addresses that the driver called memory of one device. Device memory is handed out in pieces of 2 MB that belong to
/// one device as a whole.
class KnownMemory {
 public:
  [[nodiscard]] bool contains(const void* address) const { return pages_.contains(page_of(address)); }
  void add(const void* address) { pages_.add(page_of(address)); }

 private:
  static std::uint64_t page_of(const void* address) { return reinterpret_cast<std::uintptr_t>(address) >> 21; }
  ForgetfulSet<4096> pages_;
};

/// Streams of one context, by the number that the driver gives each stream of a process.
using KnownStreams = ForgetfulSet<256>;

}  // namespace ffc
