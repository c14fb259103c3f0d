// How chunks are read and written, as text.
#include "chunk_access.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "text.hpp"

namespace ffc {

namespace {

// What a chunk of the rows of that name is taken by, behind its place: of delayed rows whether it lies on lines, which
// those that say by how much always do.
std::string ends_of(const ChunkAccess& chunks, std::string_view name, std::string_view live) {
  if (chunks.gone.empty()) return std::string(live);
  return fmt::format("{}, {}, {}", on_lines_of(chunks, name), chunks.gone, live);
}

}  // namespace

std::string count_of(std::string_view position, std::string_view end, bool by_chunk, std::string_view begun) {
  if (by_chunk) return fmt::format("{}{}{} < {} ? 8 : 0", begun, begun.empty() ? "" : " && ", position, end);
  return begun.empty() ? fmt::format("{} - {}", end, position) : fmt::format("{} ? {} - {} : 0", begun, end, position);
}

std::string_view on_lines_of(const ChunkAccess& chunks, std::string_view name) {
  return name == chunks.delayed || chunks.on_lines ? "true" : "false";
}

std::string read_chunk(const ChunkAccess& chunks, std::string_view name, std::string_view live, ReadWay way) {
  if (chunks.by_words && way.lines)
    return fmt::format("read_{}delayed_words({} + {}, {}, {})", way.kept ? "kept_" : "", name, chunks.position,
                       chunks.gone, live);
  const std::string kind = chunks.gone.empty()
                               ? std::string("chunk<alignment>")
                               : fmt::format("delayed_{}<{}>", way.lines ? "lines" : "chunk", chunks.delay_line);
  return fmt::format("read_{}{}({} + {}, {})", way.kept ? "kept_" : "", kind, name, chunks.position,
                     ends_of(chunks, name, live));
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
