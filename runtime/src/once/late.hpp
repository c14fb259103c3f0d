// What is made when it is first asked for.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <utility>

namespace ffc {

/// A value that few need and that takes long to make.
template <class T>
class Late {
 public:
  /// make() is called at most once, if it does not throw.
  explicit Late(std::function<T()> make) : make_(std::move(make)) {}

  /// Thread-safe. Throws what make() throws, and calls it again the next time.
  [[nodiscard]] const T& get() const {
    std::call_once(once_, [this] { value_.emplace(make_()); });
    return *value_;
  }

  /// Takes the value away, if it was made. Nobody else may be asking for it.
  [[nodiscard]] std::optional<T> take() { return std::exchange(value_, std::nullopt); }

 private:
  std::function<T()> make_;
  mutable std::once_flag once_;
  mutable std::optional<T> value_;
};

}  // namespace ffc
