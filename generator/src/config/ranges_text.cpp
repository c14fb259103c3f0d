// Runs of values as ranges.
#include "ranges_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ffc {
namespace {

constexpr std::size_t most_ranges = 24;

}  // namespace

std::string ranges_text(const std::vector<int>& values) {
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < values.size();) {
    std::size_t end = i + 1;
    while (end < values.size() && values[end] == values[end - 1] + 1) ++end;
    ranges.push_back(end == i + 1 ? std::to_string(values[i]) : fmt::format("{}-{}", values[i], values[end - 1]));
    i = end;
  }
  if (ranges.size() > most_ranges) {
    ranges.resize(most_ranges);
    ranges.emplace_back("...");
  }
  return fmt::format("{}", fmt::join(ranges, ", "));
}

}  // namespace ffc
