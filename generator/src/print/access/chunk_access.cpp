// How chunks are read and written, as text.
#include "chunk_access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "choices.hpp"
#include "text.hpp"

namespace ffc {

namespace {

// What a chunk of the rows of that name is taken by, behind its place: of delayed rows whether it lies on lines, which
// those that say by how much always do.
std::string ends_of(const ChunkAccess& chunks, std::string_view name, std::string_view live,
                    OnLines on_lines = OnLines::ask) {
  if (chunks.gone.empty()) return std::string(live);
  return fmt::format("{}, {}, {}", on_lines_of(chunks, name, on_lines), chunks.gone, live);
}

}  // namespace

std::string count_of(std::string_view position, std::string_view end, bool by_chunk, std::string_view begun) {
  if (by_chunk) return fmt::format("{}{}{} < {} ? 8 : 0", begun, begun.empty() ? "" : " && ", position, end);
  return begun.empty() ? fmt::format("{} - {}", end, position) : fmt::format("{} ? {} - {} : 0", begun, end, position);
}

std::string on_lines_of(const ChunkAccess& chunks, std::string_view name, OnLines on_lines) {
  if (name == chunks.delayed || chunks.whole || on_lines == OnLines::yes) return "true";
  if (on_lines == OnLines::no) return "false";
  return chunks.alike.empty() ? fmt::format("{}_lines", name) : std::string(chunks.alike);
}

bool asks_for_lines(const ChunkAccess& chunks, const std::vector<std::string_view>& names) {
  if (chunks.gone.empty() || chunks.whole || chunks.alike.empty()) return false;
  if (chunks.delay_line < measured::widest_line) return false;  // others are read as two lines anyway
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return !name.empty() && name != chunks.delayed; });
}

std::string read_chunk(const ChunkAccess& chunks, std::string_view name, std::string_view live, ReadWay way) {
  if (chunks.by_words && way.lines)
    return fmt::format("read_{}delayed_words({} + {}, {}, {})", way.kept ? "kept_" : "", name, chunks.position,
                       chunks.gone, live);
  const std::string kind = chunks.gone.empty()
                               ? std::string("chunk<alignment>")
                               : fmt::format("delayed_{}<{}>", way.lines ? "lines" : "chunk", chunks.delay_line);
  return fmt::format("read_{}{}({} + {}, {})", way.kept ? "kept_" : "", kind, name, chunks.position,
                     ends_of(chunks, name, live, way.on_lines));
}

void emit_existing(TextWriter& out, const ChunkAccess& chunks, std::initializer_list<std::string_view> values,
                   std::string_view live) {
  if (chunks.gone.empty() || chunks.whole) return;
  std::string at_end = fmt::format("{} > 0 || {} < 8", chunks.gone, live);
  if (chunks.has_empty) at_end = fmt::format("{} > 0 && ({})", live, at_end);
  out.open(fmt::format("if ({}) {{  // at an end of the row", at_end));
  for (const std::string_view value : values)
    if (!value.empty()) out.line(fmt::format("{0} = part_of_chunk({0}, {1}, {2});", value, chunks.gone, live));
  out.close();
}

std::string load_chunk(const ChunkAccess& chunks, std::string_view to, std::string_view name, std::string_view live,
                       CopyWay way) {
  const std::string kind = chunks.gone.empty()
                               ? std::string("chunk<alignment")
                               : fmt::format("{}_chunk<{}", way.drops ? "dropped" : "delayed", chunks.delay_line);
  return fmt::format("load_{}{}>({}, {} + {}, {});", kind, way.once ? ", true" : "", to, name, chunks.position,
                     ends_of(chunks, name, live));
}

std::string existing(const ChunkAccess& chunks, std::string_view value) {
  return chunks.gone.empty() || chunks.whole ? std::string(value)
                                             : fmt::format("part_of_chunk({}, {}, 8)", value, chunks.gone);
}

std::string write_whole_chunk(const ChunkAccess& chunks, std::string_view name, std::string_view at) {
  return fmt::format("write_whole_chunk<{}>({} + {}, value, {}, {});", chunks.delay_line, name, chunks.position,
                     ends_of(chunks, name, chunks.live), at);
}

std::string write_if_whole(const ChunkAccess& chunks, std::string_view name) {
  return fmt::format("write_if_whole<{}>({} + {}, value, {});", chunks.delay_line, name, chunks.position,
                     ends_of(chunks, name, chunks.live));
}

std::string write_chunk(const ChunkAccess& chunks, std::string_view name) {
  const std::string kind =
      chunks.gone.empty() ? std::string("chunk<alignment>") : fmt::format("delayed_chunk<{}>", chunks.delay_line);
  return fmt::format("write_{}({} + {}, value, {});", kind, name, chunks.position, ends_of(chunks, name, chunks.live));
}

}  // namespace ffc
