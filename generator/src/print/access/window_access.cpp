// The access map of windows.
#include "window_access.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "chunk_access.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "row_access.hpp"
#include "row_source.hpp"
#include "tiled_chunks.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

class WindowRows {
 public:
  WindowRows(RowAccess& access, const ConvConfig& config, const InBlockPlan& plan, Tensor tensor)
      : config_(config), plan_(plan), tensor_(tensor), counted_(counts_from_first(plan)), access_(access) {}

  void say() {
    access_.row = "window.row", access_.channel = "channel";
    access_.start = counted_ ? " + window.start + first_sample" : " + window.start";
    if (counted_)
      access_.ends = "const int end = window.end - first_sample;  // counted, as positions are, from the first chunk";
    const bool delayed = plan_.most_delay > 0;
    if (plan_.right_angle()) {
      access_.window = delayed ? "Window window = window_at(pair);" : "const Window window = window_at(pair);";
      store_positions();
    } else {
      access_.declared = delayed ? "Window window = window_at(pair, part, arguments.batch);"
                                 : "const Window window = window_at(pair, part, arguments.batch);";
      access_.absent = "window.end <= 0";
      access_.stored.live = live_of_window("sample");
    }
    plan_.is_backward() ? load_reached() : load_positions();
    if (delayed) move_windows();
  }

 private:
  // Windows of delayed rows begin where their row does on its line, and so do those behind it.
  void move_windows() {
    access_.moved = "move_back(window, delay);";
    const std::string_view begin = counted_ ? "begin" : "window.begin";
    for (ChunkAccess* const chunks : {&access_.loaded, &access_.stored})
      chunks->gone = fmt::format("{} - {}", begin, chunks->position);
    if (!access_.whole.empty()) access_.whole = plan_.offsets == Offsets::alike ? "is_whole(window)" : "";
    say_first();
    access_.loaded.has_empty = true;
    if (!counted_) return;
    access_.ends = "const int begin = window.begin - first_sample, end = window.end - first_sample;";
    access_.loaded.bounds = {};
  }

  // In front of a window's new samples lies what it reads back, behind them in the circle. Of dy nothing does.
  void say_first() {
    access_.begins = "first % 8 != 0";
    if (plan_.right_angle()) {
      access_.first = "(window.begin + halo) % half_samples";
      access_.begins = "first % 8 != 0 && part == (window.begin + halo < half_samples ? 1 : 0)";
    } else if (tensor_ == Tensor::gradient) {
      access_.first = "max(window.begin, 0)";
    } else {
      access_.first = "window.begin < 0 ? window.begin + window_samples : window.begin";
    }
  }

  // What lies at or behind the first sample that exists, in whole chunks or in part.
  [[nodiscard]] std::string begun(std::string_view position) const {
    const std::string_view begin = counted_ ? "begin" : "window.begin";
    return plan_.most_delay > 0 ? fmt::format("{} > {} - 8", position, begin)
                                : fmt::format("{} >= {}", position, begin);
  }

  [[nodiscard]] std::string live_of_window(std::string_view position) const {
    return fmt::format("({})", count_of(position, end(), by_chunk() && !has_odd_rows(config_, plan_)));
  }
  [[nodiscard]] bool by_chunk() const { return config_.length % 8 == 0 && plan_.most_delay == 0; }
  [[nodiscard]] std::string_view end() const { return counted_ ? "end" : "window.end"; }
  // Where a chunk lies in its window: `position` may be counted from the thread's first one.
  [[nodiscard]] std::string_view in_window() const { return counted_ ? "first_sample + position" : "position"; }

  // Results of windows alone are stored where their window says: the halo's, in front, are not.
  void store_positions() {
    ChunkAccess& stored = access_.stored;
    stored.declared = "const int position = position_of(sample, part);", stored.position = "position";
    stored.skipped = fmt::format("if ({} < 0) continue;  // the halo", in_window());
    stored.live = live_of_window("position");
    if (copies_whole_windows(plan_)) access_.whole = "is_whole(window)";
  }

  void load_positions() {
    ChunkAccess& loaded = access_.loaded;
    loaded.position = "position";
    loaded.declared = plan_.right_angle() ? "const int position = position_of(sample, part);"
                                          : "const int position = position_of(sample);";
    if (counted_) loaded.bounds = "const int begin = window.begin - first_sample;";
    // The real part of a window alone, its later half, has nothing in front of the window's first new sample.
    loaded.live = count_of("position", end(), by_chunk(),
                           counted_ ? fmt::format("(part == 0 || {})", begun("position")) : begun("position"));
    loaded.live_of_whole = live_of_halo(in_window());
    if (has_history(plan_)) access_.history = in_window();
  }

  // What is further back than the filter reaches is not read.
  [[nodiscard]] std::string live_of_halo(std::string_view position) const {
    const bool read = plan_.windows->halo() == plan_.windows->read_back();
    return read ? "8" : fmt::format("({} >= -read_back ? 8 : 0)", position);
  }

  // Of gradients: u's windows have samples before the new ones, dy's behind them, where filters look there.
  void load_reached() {
    ChunkAccess& loaded = access_.loaded;
    const bool input = tensor_ == Tensor::input, gap = plan_.windows->gap > 0;
    if (input ? !plan_.backward.looks_back() : !plan_.backward.looks_ahead()) {
      loaded.live = live_of_window("sample");
    } else if (input) {
      loaded.sample = "const int sample = position_of(row * row_samples + chunk * 8);";
      loaded.live = count_of("sample", "window.end", by_chunk(), begun("sample"));
    } else {
      if (gap) loaded.sample = "const int sample = position_ahead(row * row_samples + chunk * 8);";
      loaded.bounds = "const int ahead = end_ahead(window);";
      loaded.live = count_of("sample", "ahead", by_chunk(), gap ? "sample >= 0" : "");
    }
  }

  const ConvConfig& config_;
  const InBlockPlan& plan_;
  Tensor tensor_;
  bool counted_;  // from a thread's first chunk
  RowAccess& access_;
};

}  // namespace

void say_windows(RowAccess& access, const ConvConfig& config, const InBlockPlan& plan, Tensor tensor) {
  WindowRows(access, config, plan, tensor).say();
}

}  // namespace ffc
