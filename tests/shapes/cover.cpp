// A greedy cover: always the shape that adds most pairs for what it costs.
#include "cover.hpp"

#include <cstdint>
#include <queue>
#include <unordered_map>
#include <utility>

namespace ffc::shapes {
namespace {

constexpr double dear_size = 65536;  // of a row whose run costs as much as the compiler does

double cost_of(const Shape& shape) { return 1 + static_cast<double>(shape.size) / dear_size; }

}  // namespace

LinePairs::LinePairs(const std::vector<Shape>& shapes) : shapes_(shapes.size()) {
  // Lines that stand in the same shapes have the same signature.
  std::unordered_map<std::uint64_t, std::uint64_t> signatures;
  for (std::size_t i = 0; i < shapes.size(); ++i)
    for (const std::uint64_t line : shapes[i].lines) {
      std::uint64_t& signature = signatures[line];
      signature = (signature ^ (i + 1)) * 0x9E3779B97F4A7C15u;
      signature ^= signature >> 29;
    }
  std::unordered_map<std::uint64_t, std::size_t> fragments;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    std::vector<bool> there;
    for (const std::uint64_t line : shapes[i].lines) {
      const std::size_t fragment = fragments.emplace(signatures.at(line), fragments.size()).first->second;
      if (there.size() <= fragment) there.resize(fragment + 1);
      if (!there[fragment]) shapes_[i].push_back(fragment);
      there[fragment] = true;
    }
  }
  fragments_ = fragments.size();
  pairs_.resize(fragments_ * fragments_);
}

std::size_t LinePairs::missing(std::size_t shape) const {
  std::size_t count = 0;
  for (const std::size_t a : shapes_[shape])
    for (const std::size_t b : shapes_[shape]) count += a <= b && !pairs_[a * fragments_ + b] ? 1 : 0;
  return count;
}

std::size_t LinePairs::missing_lines(std::size_t shape) const {
  std::size_t count = 0;
  for (const std::size_t a : shapes_[shape]) count += pairs_[a * fragments_ + a] ? 0 : 1;
  return count;
}

void LinePairs::add(std::size_t shape) {
  for (const std::size_t a : shapes_[shape])
    for (const std::size_t b : shapes_[shape]) pairs_[a * fragments_ + b] = true;
}

std::vector<std::size_t> covering_shapes(const std::vector<Shape>& shapes, std::size_t taken) {
  LinePairs pairs(shapes);
  for (std::size_t i = 0; i < taken; ++i) pairs.add(i);
  const auto worth = [&](std::size_t i) { return static_cast<double>(pairs.missing(i)) / cost_of(shapes[i]); };
  using Entry = std::pair<double, std::size_t>;
  std::priority_queue<Entry> queue;
  for (std::size_t i = taken; i < shapes.size(); ++i) queue.emplace(worth(i), i);
  std::vector<std::size_t> chosen;
  while (!queue.empty()) {
    const std::size_t next = queue.top().second;
    queue.pop();
    // What it was worth only shrinks as others are chosen.
    const double now = worth(next);
    if (now <= 0) continue;
    if (!queue.empty() && now < queue.top().first) {
      queue.emplace(now, next);
      continue;
    }
    pairs.add(next);
    chosen.push_back(next);
  }
  return chosen;
}

}  // namespace ffc::shapes
