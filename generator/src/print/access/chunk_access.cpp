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
  const std::string lines = name == chunks.delayed ? "true" : fmt::format("{}_lines", name);
  return fmt::format("{}, {}, {}", lines, chunks.gone, live);
}

}  // namespace

std::string read_chunk(const ChunkAccess& chunks, std::string_view name, std::string_view live, ReadWay way) {
  const std::string kind = chunks.gone.empty()
                               ? std::string("chunk<alignment>")
                               : fmt::format("delayed_{}<{}>", way.lines ? "lines" : "chunk", chunks.delay_line);
  return fmt::format("read_{}{}({} + {}, {})", way.kept ? "kept_" : "", kind, name, chunks.position,
                     ends_of(chunks, name, live));
}

void emit_existing(TextWriter& out, const ChunkAccess& chunks, std::initializer_list<std::string_view> values,
                   std::string_view live) {
  if (chunks.gone.empty()) return;
  out.open(fmt::format("if ({} > 0 || {} < 8) {{  // at an end of the row", chunks.gone, live));
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
  return chunks.gone.empty() ? std::string(value) : fmt::format("part_of_chunk({}, {}, 8)", value, chunks.gone);
}

std::string write_whole_chunk(const ChunkAccess& chunks, std::string_view name, std::string_view at) {
  return fmt::format("write_whole_chunk<{}>({} + {}, value, {}, {});", chunks.delay_line, name, chunks.position,
                     ends_of(chunks, name, chunks.live), at);
}

std::string write_chunk(const ChunkAccess& chunks, std::string_view name) {
  const std::string kind =
      chunks.gone.empty() ? std::string("chunk<alignment>") : fmt::format("delayed_chunk<{}>", chunks.delay_line);
  return fmt::format("write_{}({} + {}, value, {});", kind, name, chunks.position, ends_of(chunks, name, chunks.live));
}

}  // namespace ffc
