// Fibers on ucontext, which every C library of the platform has.
#include "fiber.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <new>

namespace ffc::host {
namespace {

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
  ended_ = false;
  getcontext(&own_);
  own_.uc_stack.ss_sp = stack_.base();
  own_.uc_stack.ss_size = Stack::bytes;
  own_.uc_link = &resumer_;
  // makecontext passes ints, and a pointer is two of them.
  const auto address = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&own_, reinterpret_cast<void (*)()>(enter), 2, static_cast<unsigned>(address >> 32),
              static_cast<unsigned>(address));
}

void Fiber::enter(unsigned high, unsigned low) {
  auto* const fiber = reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(high) << 32 | low);
  fiber->body_();
  fiber->ended_ = true;
}

void Fiber::resume() { swapcontext(&resumer_, &own_); }

void Fiber::stop() { swapcontext(&own_, &resumer_); }

}  // namespace ffc::host
