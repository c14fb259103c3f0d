// Warps run one at a time, each until all of its lanes wait; which one is next is drawn from a seed.
#include "block.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "block_threads.hpp"
#include "ffc/runtime/host.hpp"

namespace ffc::host {
namespace {

// Turns without any progress after which every ready warp has had many.
constexpr std::size_t turns_per_warp = 64;

std::string_view name_of(Together operation) {
  switch (operation) {
    case Together::warp_barrier:
      return "a barrier of the warp";
    case Together::barrier:
      return "a barrier";
    case Together::cluster_barrier:
      return "a barrier of the cluster";
    case Together::wait:
      return "a count that others add to";
    case Together::multiply16:
    case Together::multiply32:
      return "a matrix product";
    case Together::load_blocks:
    case Together::load_blocks_transposed:
      return "a load of blocks";
    case Together::store_blocks:
    case Together::store_blocks_transposed:
      return "a store of blocks";
    case Together::transpose_block:
      return "a transposition";
    case Together::shuffle:
      return "a shuffle";
  }
  return "an unknown operation";
}

std::string describe_wait(const Part& part) {
  if (part.operation != Together::barrier)
    return fmt::format("waits for {} in line {}", name_of(part.operation), part.line);
  return fmt::format("waits at barrier {} of {} threads in line {}", part.in[0], part.in[1], part.line);
}

}  // namespace

const Engine Block::engine = {meet, shared, global, copy, commit_copies, wait_copies, half_values()};

Block::Block(const Launch& launch)
    : launch_(launch),
      block_threads_(static_cast<std::size_t>(launch.kernel->threads)),
      shared_(static_cast<std::size_t>(launch.kernel->cluster), SharedMemory(launch.kernel->shared_bytes)),
      arrived_(shared_.size()) {
  const std::size_t count = block_threads_ * shared_.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (i % lanes == 0) warps_.push_back(std::make_unique<Warp>());
    threads_.push_back(std::make_unique<Thread>());
    threads_[i]->block = this;
    threads_[i]->warp = warps_.back().get();
    warps_.back()->rank = i / block_threads_;
    warps_.back()->threads[i % lanes] = threads_[i].get();
  }
}

Block::~Block() = default;

Block::Thread& Block::thread_of(Lane* lane) { return *reinterpret_cast<Thread*>(lane); }

void Block::run(std::uint32_t x, std::uint32_t y) {
  x_ = x, y_ = y;
  random_.seed(launch_.seed + 0x9e3779b97f4a7c15u * (std::uint64_t{y} * launch_.grid.x + x));
  for (SharedMemory& memory : shared_) memory.poison();
  for (Arrived& arrived : arrived_) arrived.fill(0);
  arrived_in_cluster_ = 0;
  idle_turns_ = 0;
  launch_.entry.enter(&running_);
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    Thread& thread = *threads_[i];
    const auto rank = static_cast<std::uint32_t>(i / block_threads_);
    thread.lane = {&engine,
                   static_cast<std::uint32_t>(i % block_threads_),
                   static_cast<std::uint32_t>(block_threads_),
                   x + rank,
                   y,
                   launch_.grid.x,
                   launch_.grid.y,
                   rank};
    thread.part = nullptr;
    thread.copies.forget();
    thread.fiber.start([this] { launch_.entry.run(launch_.arguments); });
  }
  for (const auto& warp : warps_) warp->at_barrier = warp->ended = false;
  std::vector<Warp*> ready;
  for (;;) {
    ready.clear();
    for (const auto& warp : warps_)
      if (!warp->at_barrier && !warp->ended) ready.push_back(warp.get());
    if (ready.empty()) break;
    run_warp(*ready[random_() % ready.size()]);
    if (idle_turns_ > turns_per_warp * warps_.size()) throw_stuck();
  }
  if (std::any_of(warps_.begin(), warps_.end(), [](const auto& warp) { return !warp->ended; })) throw_stuck();
}

void Block::resume(Thread& thread) {
  running_ = &thread.lane;
  thread.fiber.resume();
  if (!thread.failure.empty()) throw_error(static_cast<int>(thread.lane.thread), thread.failed_line, thread.failure);
}

// Until the warp has ended or waits for others.
void Block::run_warp(Warp& warp) {
  for (;;) {
    for (Thread* const thread : warp.threads) resume(*thread);
    warp.gatherer.flush(counter);
    const auto ended = std::count_if(warp.threads.begin(), warp.threads.end(),
                                     [](const Thread* thread) { return thread->fiber.ended(); });
    if (ended == static_cast<std::ptrdiff_t>(lanes)) {
      warp.ended = true;
      return;
    }
    check_together(warp);
    const Thread& first = *warp.threads[0];
    if (first.part->operation == Together::wait) {
      ++idle_turns_;
      return;
    }
    idle_turns_ = 0;
    if (first.part->operation == Together::barrier) {
      if (!arrive(warp)) return;
      continue;
    }
    if (first.part->operation == Together::cluster_barrier) {
      if (!arrive_in_cluster(warp)) return;
      continue;
    }
    if (first.part->operation == Together::warp_barrier) ++counter.totals.warp_barriers;
    std::array<Part*, lanes> parts;
    std::transform(warp.threads.begin(), warp.threads.end(), parts.begin(),
                   [](Thread* thread) { return thread->part; });
    const Refusal refusal = perform(parts, {first.part->line, first.code}, shared_[warp.rank], counter);
    if (!refusal.what.empty()) {
      const Thread& bad = *warp.threads[static_cast<std::size_t>(refusal.lane)];
      throw_error(static_cast<int>(bad.lane.thread), bad.part->line, refusal.what);
    }
  }
}

void Block::check_together(const Warp& warp) const {
  const auto describe = [](const Thread& thread) {
    if (thread.fiber.ended()) return std::string("has ended");
    return fmt::format("waits at {} in line {}", name_of(thread.part->operation), thread.part->line);
  };
  const Thread& first = *warp.threads[0];
  for (const Thread* const thread : warp.threads) {
    const bool same = thread->fiber.ended() == first.fiber.ended() &&
                      (first.fiber.ended() ||
                       (thread->part->operation == first.part->operation && thread->part->line == first.part->line));
    if (same) continue;
    const Thread& waiting = first.fiber.ended() ? *thread : first;
    throw_error(static_cast<int>(thread->lane.thread), waiting.part->line,
                fmt::format("the lanes of a warp part before they meet: thread {} {}, thread {} {}", first.lane.thread,
                            describe(first), thread->lane.thread, describe(*thread)));
  }
}

// The warp comes to a barrier; true where it may go on at once, because it is the last.
bool Block::arrive(Warp& warp) {
  const Thread& first = *warp.threads[0];
  const std::uint32_t number = first.part->in[0], wanted = first.part->in[1];
  for (const Thread* const thread : warp.threads)
    if (thread->part->in[0] != number || thread->part->in[1] != wanted)
      throw_error(static_cast<int>(thread->lane.thread), thread->part->line,
                  fmt::format("lanes of a warp name different barriers: {} of {} threads and {} of {} threads", number,
                              wanted, thread->part->in[0], thread->part->in[1]));
  if (number >= Arrived().size() || wanted % lanes != 0 || wanted == 0 || wanted > block_threads_)
    throw_error(static_cast<int>(first.lane.thread), first.part->line,
                fmt::format("barrier {} of {} threads; its number must lie in [0, 15], its threads be whole warps of a "
                            "block of {}",
                            number, wanted, block_threads_));
  for (const auto& other : warps_)
    if (other->rank == warp.rank && other->at_barrier && other->threads[0]->part->operation == Together::barrier &&
        other->threads[0]->part->in[0] == number && other->threads[0]->part->in[1] != wanted)
      throw_error(static_cast<int>(first.lane.thread), first.part->line,
                  fmt::format("barrier {} is for {} threads here and for {} threads in line {}", number, wanted,
                              other->threads[0]->part->in[1], other->threads[0]->part->line));
  return count_arrival(warp, arrived_[warp.rank][number], wanted);
}

bool Block::arrive_in_cluster(Warp& warp) { return count_arrival(warp, arrived_in_cluster_, threads_.size()); }

// True for the last warp of those that a barrier wants, half of the time: the others are as ready as it is.
bool Block::count_arrival(Warp& warp, std::uint32_t& arrived, std::size_t wanted) {
  ++counter.totals.block_barriers;
  arrived += lanes;
  if (arrived < wanted) {
    warp.at_barrier = true;
    return false;
  }
  arrived = 0;
  const Part& part = *warp.threads[0]->part;
  for (const auto& other : warps_) {
    if (!other->at_barrier) continue;
    const Part& waited = *other->threads[0]->part;
    const bool same = waited.operation == part.operation && (part.operation == Together::cluster_barrier ||
                                                             (other->rank == warp.rank && waited.in[0] == part.in[0]));
    if (same) other->at_barrier = false;
  }
  return random_() % 2 == 0;
}

void Block::throw_error(int thread, int line, const std::string& what) const {
  throw HostError(
      fmt::format("{}, block ({}, {}), thread {}, line {}: {}", launch_.kernel->name, x_, y_, thread, line, what));
}

void Block::throw_stuck() const {
  std::string text;
  for (const auto& warp : warps_) {
    const Thread& first = *warp->threads[0];
    text += fmt::format("{}warp {} {}", text.empty() ? "" : ", ", first.lane.thread / lanes,
                        warp->ended ? std::string("has ended") : describe_wait(*first.part));
  }
  const auto waiting = std::find_if(warps_.begin(), warps_.end(), [](const auto& warp) { return !warp->ended; });
  const Thread& thread = *(*waiting)->threads[0];
  throw_error(static_cast<int>(thread.lane.thread), thread.part->line,
              fmt::format("nobody completes what it waits for: {}", text));
}

void Block::fail(Thread& thread, int line, std::string what) {
  thread.failed_line = line;
  thread.failure = std::move(what);
  for (;;) thread.fiber.stop();
}

void Block::meet(Lane* lane, Part* part) {
  Thread& thread = thread_of(lane);
  thread.part = part;
  thread.code = __builtin_return_address(0);
  thread.fiber.stop();
  thread.part = nullptr;
}

}  // namespace ffc::host
