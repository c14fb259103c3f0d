// The access map by kind of row. Nothing else asks a plan what its rows are.
#include "row_access.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "choices.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "gradient_results.hpp"
#include "row_source.hpp"
#include "text.hpp"
#include "tiled_chunks.hpp"
#include "tiled_shape.hpp"
#include "window_access.hpp"

namespace ffc {
namespace {

// `count` of a thread's last chunks, of which alone some samples may not exist. Loops over chunks are unrolled: of the
// others nothing is asked.
std::string of_last_chunks(const ConvConfig& config, const InBlockPlan& plan, const std::string& count) {
  const int whole = whole_chunks(config, plan);
  return whole == 0 ? count : fmt::format("i < {} ? 8 : {}", whole, count);
}

// Of the first `rows` rows of 256 samples.
std::string live_of_rows(const ConvConfig& config, const InBlockPlan& plan, int rows, ChunkOrder order) {
  // At odd addresses a chunk is read with what is behind it: it must be said how far the row goes on.
  const bool odd = has_odd_rows(config, plan), delayed = plan.most_delay > 0;
  if (!has_end(plan, rows) && !odd) return "8";
  const std::string_view end = counts_from_first(plan) ? "end" : delayed ? "length + delay" : "length";
  const std::string count = count_of("sample", end, plan.length % 8 == 0 && !odd && !delayed);
  return fmt::format("({})", odd || order == ChunkOrder::any ? count : of_last_chunks(config, plan, count));
}

// Near-full rows, whose lines are narrow, as a warp alone has them in gradients. Such kernels wait for instructions,
// the others for loads: "Code that fits".
bool reads_words(const InBlockPlan& plan) {
  return plan.is_backward() && plan.holds_row_alone() && plan.delay_line < measured::widest_line;
}

class BlockRows {
 public:
  BlockRows(const ConvConfig& config, const InBlockPlan& plan, Tensor tensor, ChunkOrder order)
      : config_(config), plan_(plan), tensor_(tensor), order_(order), counted_(counts_from_first(plan)) {}

  RowAccess take() {
    access_.planes = !real_rows(plan_);
    if (plan_.is_backward())
      access_.magnitude = tensor_ == Tensor::input ? "0" : "1";
    else
      access_.magnitude = one_row() ? "0" : "part";
    access_.source = source_of(config_, tensor_);
    if (config_.scaling == Scaling::found && !plan_.is_backward())
      access_.source.scale = one_row() ? "found.in[0]" : "found.in[part]";
    access_.results = result_source(config_);
    if (counted_) access_.start = " + first_sample";
    if (plan_.most_delay > 0) delay();
    if (!plan_.real_filter())
      workspace();
    else if (plan_.windows)
      say_windows(access_, config_, plan_, tensor_);
    else
      rows();
    return std::move(access_);
  }

 private:
  [[nodiscard]] bool one_row() const { return are_alone(plan_.packing); }

  void delay() {
    say_delayed(access_, plan_);
    if (plan_.windows) return;  // they have ends of their own
    access_.loaded.by_words = access_.stored.by_words = reads_words(plan_);
    const std::string ahead = fmt::format("{} - sample", counted_ ? "begin" : "delay");
    access_.loaded.gone = access_.stored.gone =
        order_ == ChunkOrder::any ? ahead : fmt::format("(i == 0 ? {} : 0)", ahead);
    if (counted_)
      access_.ends = "const int begin = delay - first_sample, end = length + begin;  // counted from the first chunk";
  }

  void rows() {
    access_.channel = "channel";
    if (real_rows(plan_)) {
      access_.row = "pair";
    } else {
      access_.declared = "const bool exists = 2 * pair + part < arguments.batch;";
      access_.row = "(2 * pair + (exists ? part : 0))";
      access_.guard = "exists ? {} : 0", access_.absent = "!exists";
    }
    count_rows();
  }

  // Imaginary parts of rows that are their own mirrors are none.
  void workspace() {
    if (may_be_real(plan_)) access_.guard = "part == 1 && of.real ? 0 : {}", access_.absent = "part == 1 && mine.real";
    if (plan_.untangles()) access_.loaded.mirror = "of.mirror", access_.stored.mirror = "mine.mirror";
    count_rows();
  }

  void count_rows() {
    access_.loaded.live = guarded(access_, live_of_rows(config_, plan_, plan_.loaded_rows(), order_));
    access_.stored.live = live_of_rows(config_, plan_, stored_rows(plan_), order_);
  }

  const ConvConfig& config_;
  const InBlockPlan& plan_;
  Tensor tensor_;
  ChunkOrder order_;
  bool counted_;  // from a thread's first chunk
  RowAccess access_;
};

// "row * batch_stride + channel * channel_stride" and `behind` it, in one line or two.
void emit_row_place(TextWriter& out, const RowAccess& access, std::string_view name, std::string_view behind) {
  constexpr std::size_t longest = 120;
  const std::string row = fmt::format("    {} * arguments.{}_batch_stride +", access.row, name);
  const std::string channel = fmt::format("{} * arguments.{}_channel_stride{};", access.channel, name, behind);
  if (row.size() + 1 + channel.size() <= longest)
    out.line(fmt::format("{} {}", row, channel));
  else
    out.line(row).line(fmt::format("    {}", channel));
}

}  // namespace

RowAccess row_access(const ConvConfig& config, const InBlockPlan& plan, Tensor tensor, ChunkOrder order) {
  return BlockRows(config, plan, tensor, order).take();
}

RowAccess row_access(const ConvConfig& config, const MixedRadixPlan&) {
  RowAccess access;
  access.source = input_source(config);
  access.results = result_source(config);
  access.row = "2 * pair", access.channel = "channel", access.start = " + n";
  access.declared = "const bool both = 2 * pair + 1 < arguments.batch;";
  access.guard = "both ? {} : 0u";
  access.loaded.live = access.stored.live = "n < length";
  return access;
}

RowAccess of_whole_window(RowAccess access) {
  access.ends = {};
  for (ChunkAccess* const chunks : {&access.loaded, &access.stored}) {
    chunks->bounds = {}, chunks->live = chunks->live_of_whole, chunks->whole = true;
    if (!chunks->gone.empty()) chunks->gone = "0";
  }
  return access;
}

void say_delayed(RowAccess& access, const Transform& plan) {
  access.start += " - delay";
  for (ChunkAccess* const chunks : {&access.loaded, &access.stored})
    chunks->delayed = plan.is_backward() ? "dy" : "u", chunks->delay_line = plan.delay_line,
    chunks->on_lines = plan.offsets == Offsets::alike;
}

std::string guarded(const RowAccess& access, std::string_view live) {
  return fmt::format(fmt::runtime(access.guard), live);
}

void open_planes(TextWriter& out, const RowAccess& access, int first, int end) {
  if (access.planes && !access.parts_take_turns)
    out.unroll().open(fmt::format("for (int part = {}; part < {}; ++part) {{", first, end));
}

void close_planes(TextWriter& out, const RowAccess& access) {
  if (access.planes && !access.parts_take_turns) out.close();
}

void emit_delay(TextWriter& out, const RowAccess& access) {
  out.line(fmt::format("const int delay = samples_behind_line<{}>(static_cast<const unsigned short*>(arguments.{}) +",
                       access.loaded.delay_line, access.delayed()));
  emit_row_place(out, access, access.delayed(), ")");
  if (!access.moved.empty()) out.line(access.moved);
}

void emit_window(TextWriter& out, const RowAccess& access) {
  if (access.window.empty()) return;
  out.line(access.window);
  if (!access.delayed().empty()) emit_delay(out, access);
}

void emit_plane(TextWriter& out, const RowAccess& access) {
  if (!access.declared.empty()) out.line(access.declared);
  if (!access.delayed().empty() && access.window.empty()) emit_delay(out, access);
  if (!access.ends.empty()) out.line(access.ends);
}

void emit_leave_absent(TextWriter& out, const RowAccess& access) {
  if (access.absent.empty()) return;
  // Where there is no first row there is no second one; but a row with more delay may have a window more.
  const std::string_view leave = access.parts_take_turns ? "return" : access.moved.empty() ? "break" : "continue";
  out.line(fmt::format("if ({}) {};", access.absent, leave));
}

void emit_row_pointer(TextWriter& out, const RowAccess& access, std::string_view name, std::string_view qualifiers) {
  const std::string memory = access.in_workspace() ? "split.workspace" : fmt::format("arguments.{}", name);
  out.line(
      fmt::format("{1}unsigned short* const {0} = static_cast<{1}unsigned short*>({2}) +", name, qualifiers, memory));
  if (access.in_workspace()) {
    out.line(fmt::format("    offset + part * plane_length{};", access.start));
    return;
  }
  emit_row_place(out, access, name, access.start);
}

void emit_mirror_pointer(TextWriter& out, const ChunkAccess& chunks, std::string_view name,
                         std::string_view qualifiers) {
  if (!chunks.mirror.empty())
    out.line(fmt::format("{}unsigned short* const mirror = {} + {};  // where the later half is", qualifiers, name,
                         chunks.mirror));
}

void emit_position(TextWriter& out, const ChunkAccess& chunks) {
  if (!chunks.declared.empty()) out.line(chunks.declared);
  if (!chunks.skipped.empty()) out.line(chunks.skipped);
}

std::string plane_at(const RowAccess& access, std::string_view bytes) {
  return access.planes ? fmt::format("part * {} + ", bytes) : std::string();
}

}  // namespace ffc
