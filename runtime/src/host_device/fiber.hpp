// A thread of execution with a stack of its own that runs when it is told to.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <cstddef>
#include <functional>

namespace ffc::host {

/// Pages for the stack of one fiber, below them one that may not be touched.
class Stack {
 public:
  Stack();
  ~Stack();
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  static constexpr std::size_t bytes = 128 << 10;
  [[nodiscard]] void* base() const;

 private:
  std::byte* pages_;
};

/// Starts, stops and goes on within the thread that made it. What it runs must not throw.
class Fiber {
 public:
  Fiber() = default;
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Makes it ready to run `body`, from the beginning; what it ran before is forgotten, not unwound.
  void start(std::function<void()> body);
  /// Runs it until it stops or ends.
  void resume();
  /// Stops it: resume returns. To be called by what it runs.
  void stop();
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  static void enter(unsigned high, unsigned low);

  Stack stack_;
  ucontext_t first_{};         // where it begins
  ucontext_t waiting_{};       // where resume goes on, under a sanitizer
  jmp_buf own_{}, resumer_{};  // where it goes on, and where resume does
  std::function<void()> body_;
  bool begun_ = false, ended_ = true;
};

}  // namespace ffc::host
