// One maker per key: threads that ask for a key while it is being made wait for it and share what comes out.
#pragma once

#include <future>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace ffc {

template <typename Key, typename Value, typename Hash = std::hash<Key>>
class SingleFlight {
 public:
  /// What `make` returns, and whether this call ran it. If it throws, everybody who waited gets the same exception;
  /// nothing is remembered, so the next call tries again.
  template <typename Make>
  std::pair<Value, bool> run(const Key& key, Make&& make) {
    std::promise<Value> promise;
    std::shared_future<Value> running;
    {
      const std::lock_guard lock(mutex_);
      const auto [flight, is_new] = flights_.try_emplace(key);
      if (is_new) {
        flight->second = promise.get_future().share();
      } else {
        running = flight->second;
      }
    }
    if (running.valid()) return {running.get(), false};
    try {
      Value value = std::forward<Make>(make)();
      promise.set_value(value);
      land(key);
      return {std::move(value), true};
    } catch (...) {
      promise.set_exception(std::current_exception());
      land(key);
      throw;
    }
  }

 private:
  void land(const Key& key) {
    const std::lock_guard lock(mutex_);
    flights_.erase(key);
  }

  std::mutex mutex_;
  std::unordered_map<Key, std::shared_future<Value>, Hash> flights_;
};

}  // namespace ffc
