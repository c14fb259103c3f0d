// Fibers on ucontext, which every C library of the platform has. Only the first step of one takes it: it asks the
// kernel for the signals it masks each time, so that what follows jumps.
#undef _FORTIFY_SOURCE  // whose longjmp refuses to go to another stack
#include "fiber.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <new>

namespace ffc::host {
namespace {

// The address sanitizer follows swapcontext to another stack, and no jump.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool jumps = false;
#elif defined(__has_feature)
constexpr bool jumps = !__has_feature(address_sanitizer);
#else
constexpr bool jumps = true;
#endif

std::size_t guard_bytes() {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return page;
}

}  // namespace

Stack::Stack() {
  void* const pages =
      mmap(nullptr, guard_bytes() + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  pages_ = static_cast<std::byte*>(pages);
  mprotect(pages_, guard_bytes(), PROT_NONE);
}

Stack::~Stack() { munmap(pages_, guard_bytes() + bytes); }

void* Stack::base() const { return pages_ + guard_bytes(); }

void Fiber::start(std::function<void()> body) {
  body_ = std::move(body);
  const bool reusable = begun_ && ended_;  // it waits behind what it ran before
  ended_ = false;
  if (reusable) return;
  begun_ = false;
  getcontext(&first_);
  first_.uc_stack.ss_sp = stack_.base();
  first_.uc_stack.ss_size = Stack::bytes;
  first_.uc_link = nullptr;
  // makecontext passes ints, and a pointer is two of them.
  const auto address = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&first_, reinterpret_cast<void (*)()>(enter), 2, static_cast<unsigned>(address >> 32),
              static_cast<unsigned>(address));
}

void Fiber::enter(unsigned high, unsigned low) {
  auto* const fiber = reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(high) << 32 | low);
  for (;;) {
    fiber->body_();
    fiber->ended_ = true;
    fiber->stop();
  }
}

void Fiber::resume() {
  if constexpr (!jumps) {
    begun_ = true;
    swapcontext(&waiting_, &first_);
    return;
  }
  if (_setjmp(resumer_) != 0) return;
  if (begun_) _longjmp(own_, 1);
  begun_ = true;
  setcontext(&first_);
}

void Fiber::stop() {
  if constexpr (!jumps) {
    swapcontext(&first_, &waiting_);
    return;
  }
  if (_setjmp(own_) == 0) _longjmp(resumer_, 1);
}

}  // namespace ffc::host
