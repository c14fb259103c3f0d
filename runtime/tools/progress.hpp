// Tells a person how far a run has come: a bar on a terminal, nothing but the lines elsewhere.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

namespace ffc::tools {

/// Finished lines go to stdout, the bar to stderr, and only where stderr is a terminal. Thread-safe.
class Progress {
 public:
  /// `print_lines` false: only the bar is shown.
  Progress(std::size_t total, bool print_lines);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// One more is done; `line` says what, without a newline.
  void finished(std::string_view line);

 private:
  void draw() const;
  void wipe() const;

  const std::size_t total_;
  const bool print_lines_;
  const bool has_bar_;
  std::mutex mutex_;
  std::size_t done_ = 0;
};

/// The bar alone: `[#####---------------]  5/20`.
[[nodiscard]] std::string progress_bar(std::size_t done, std::size_t total);

}  // namespace ffc::tools
