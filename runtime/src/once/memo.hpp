// Values by their keys: each made once, whoever asks, and kept.
#pragma once

#include <functional>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

#include "single_flight.hpp"

namespace ffc {

/// Thread-safe. `Value` is a pointer that shares: empty where there is none, and cheap to copy.
template <typename Key, typename Value, typename Hash = std::hash<Key>>
class Memo {
 public:
  /// The value of that key, which `make` returns where nobody made it yet. If it throws, everybody who waited gets the
  /// same exception, and the next call tries again. `make` may get values of other keys.
  template <typename Make>
  Value get(const Key& key, Make&& make) {
    if (Value found = find(key)) return found;
    // Kept before the flight lands: whoever comes after it must find the value.
    return flights_
        .run(key,
             [&] {
               if (Value found = find(key)) return found;
               return keep(key, std::forward<Make>(make)());
             })
        .first;
  }

 private:
  Value find(const Key& key) {
    const std::shared_lock lock(mutex_);
    const auto found = values_.find(key);
    return found != values_.end() ? found->second : Value();
  }

  Value keep(const Key& key, Value value) {
    const std::unique_lock lock(mutex_);
    return values_.emplace(key, std::move(value)).first->second;
  }

  std::shared_mutex mutex_;
  std::unordered_map<Key, Value, Hash> values_;
  SingleFlight<Key, Value, Hash> flights_;
};

}  // namespace ffc
