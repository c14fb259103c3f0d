// The progress bar of ffc-gen.
#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace ffc::tools {

Progress::Progress(std::size_t total, bool print_lines)
    : total_(total), print_lines_(print_lines), has_bar_(total > 0 && isatty(STDERR_FILENO) == 1) {
  draw();
}

Progress::~Progress() { wipe(); }

void Progress::finished(std::string_view line) {
  const std::lock_guard lock(mutex_);
  ++done_;
  wipe();
  if (print_lines_) {
    fmt::print("{}\n", line);
    std::fflush(stdout);  // before the bar is drawn again, and at once for who reads a pipe
  }
  draw();
}

void Progress::draw() const {
  if (has_bar_) fmt::print(stderr, "{}", progress_bar(done_, total_));
}

void Progress::wipe() const {
  if (has_bar_) fmt::print(stderr, "\r\x1b[K");
}

std::string progress_bar(std::size_t done, std::size_t total) {
  constexpr std::size_t width = 30;
  const auto filled = total == 0 ? width : std::min(width, width * done / total);
  return fmt::format("[{}{}] {}/{}", std::string(filled, '#'), std::string(width - filled, '-'), done, total);
}

}  // namespace ffc::tools
