// Text of rows that pass through registers all at once.
#include "register_rows.hpp"

#include <fmt/format.h>

#include "chunk_access.hpp"
#include "tiled_chunks.hpp"
#include "tiled_copies.hpp"
#include "tiled_pieces.hpp"
#include "tiled_shape.hpp"
#include "wrapped_ends.hpp"

namespace ffc {
namespace {

int count_of(const InBlockPlan& plan) { return chunks_of_thread(plan, plan.loaded_rows()); }
bool ends_early(const InBlockPlan& plan) { return copies_end_early(plan, plan.loaded_rows()); }

}  // namespace

ChunkBatches chunk_batches(TextWriter& out, const InBlockPlan& plan, int rows, int most, std::string_view sample) {
  const int iterations = chunks_of_thread(plan, rows), count = (iterations + most - 1) / most;
  const int at_once = (iterations + count - 1) / count;
  const auto place = [&plan, rows, iterations, at_once](TextWriter& to) {
    if (iterations % at_once != 0) to.line(fmt::format("if (i >= {}) break;", iterations));
    emit_copy_position(to, plan, rows);
  };
  const bool early = iterations % at_once != 0 || copies_end_early(plan, rows);
  if (count == 1) return {out, {at_once, "", "0", sample, place, early}};
  const std::string loop = fmt::format("for (int first = 0; first < {}; first += {}) {{", iterations, at_once);
  return {out, {at_once, loop, "first", sample, place, early}};
}

std::string RegisterRows::chunk(std::string_view name) const {
  return fmt::format("{}_chunks{}[i]", name, access_.planes ? "[part]" : "");
}

std::string RegisterRows::end_of(std::string_view name) const {
  return fmt::format("{}_end{}", name, access_.planes ? "s[part]" : "");
}

std::string RegisterRows::gate() const {
  return access_.source.gate.empty() ? std::string() : chunk(access_.source.gate);
}

bool RegisterRows::measures_ends() const { return config_.scaling == Scaling::found && plan_.most_wrapped > 0; }

void RegisterRows::declare(TextWriter& out) const {
  for (const std::string_view name : {access_.source.rows, access_.source.gate})
    if (!name.empty())
      out.line(fmt::format("uint4 {};", chunk_array(fmt::format("{}_chunks{}", name, access_.planes ? "[2]" : ""),
                                                    count_of(plan_), ends_early(plan_))));
  if (!measures_ends()) return;
  for (const std::string_view name : {access_.source.rows, access_.source.gate})
    if (!name.empty())
      out.line(fmt::format("uint4 {}_end{};", name, access_.planes ? "s[2] = {}" : " = make_uint4(0, 0, 0, 0)"));
}

void RegisterRows::read(TextWriter& out, const ChunkReads& reads) const {
  open_copy_loop(out, plan_, plan_.loaded_rows(), 0, reads.sample);
  reads.live(out);
  for (const std::string_view name : {access_.source.rows, access_.source.gate})
    if (!name.empty()) out.line(fmt::format("{} = {};", chunk(name), reads.read(name)));
  out.close();
  if (!measures_ends()) return;
  out.open(fmt::format("if ({}) {{  // what the delay moves behind the last point", copies_first_chunk(plan_)));
  for (const std::string_view name : {access_.source.rows, access_.source.gate})
    if (!name.empty()) out.line(fmt::format("{} = {};", end_of(name), read_end(access_, name)));
  out.close();
}

void RegisterRows::measure(TextWriter& out, const ChunkReads& reads) const {
  const bool measures = config_.scaling == Scaling::found, drops = reads.lines && !access_.loaded.gone.empty();
  if (!measures && !drops) return;
  const bool alone = drops && !access_.planes;
  if (alone) out.open("{");
  open_planes(out, access_);
  if (drops) {
    emit_plane(out, access_);
    if (!access_.loaded.bounds.empty()) out.line(access_.loaded.bounds);
    open_copy_loop(out, plan_, plan_.loaded_rows(), 0, reads.sample);
    reads.live(out);
    emit_existing(out, access_.loaded, {chunk(access_.source.rows), gate()}, "live");
  } else {
    open_loop(out, "i", "0", std::to_string(count_of(plan_)));
    if (ends_early(plan_)) emit_copy_position(out, plan_, plan_.loaded_rows());
  }
  if (measures) out.line(add_largest(access_, chunk(access_.source.rows), gate()));
  out.close();
  if (measures_ends()) out.line(add_largest_of(access_, [this](std::string_view name) { return end_of(name); }));
  close_planes(out, access_);
  if (alone) out.close();
}

void RegisterRows::store(TextWriter& out) const {
  open_planes(out, access_);
  open_loop(out, "i", "0", std::to_string(count_of(plan_)));
  emit_copy_position(out, plan_, plan_.loaded_rows());
  emit_read_chunk(out, config_, access_.source, field_, to_, chunk(access_.source.rows), gate());
  out.close();
  close_planes(out, access_);
}

}  // namespace ffc
