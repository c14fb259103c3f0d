// Where the library's log lines go: a callback that the user may set and change at any time.
#pragma once

#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "ffc/runtime/kernel.hpp"

namespace ffc {

class Log {
 public:
  void set(LogCallback callback) {
    auto shared = callback ? std::make_shared<const LogCallback>(std::move(callback)) : nullptr;
    const std::lock_guard lock(mutex_);
    callback_ = std::move(shared);
  }

  /// Called outside the lock, so a callback may set another one. What it throws is dropped: lines are also written
  /// from destructors.
  void line(std::string_view text) const noexcept {
    try {
      std::shared_ptr<const LogCallback> callback;
      {
        const std::lock_guard lock(mutex_);
        callback = callback_;
      }
      if (callback) (*callback)(text);
    } catch (...) {
      return;
    }
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const LogCallback> callback_;
};

}  // namespace ffc
