// Chunks of 8 samples of a row that a kernel copies: where each lies, how many of its samples exist, and how it is read
// and written.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "text.hpp"

namespace ffc {

/// The chunks of a row on one way, as expressions over `sample`, where a thread's chunk is.
struct ChunkAccess {
  std::string_view bounds;               ///< line ahead of all that declares from where on, or to where, samples exist
  std::string_view sample;               ///< line that declares `sample`, where it is not counted from the row's first
  std::string_view declared;             ///< line that declares `position`, where a chunk is not at `sample`
  std::string skipped;                   ///< line that passes over chunks which are none of the row's
  std::string_view position = "sample";  ///< where a chunk is behind the row's pointer
  std::string live;                      ///< how many of its samples exist
  std::string_view delayed;              ///< of delayed rows: the tensor that says by how much
  int delay_line = 0;                    ///< bytes of the lines that they begin on then
  bool on_lines = false;                 ///< of those: rows of all tensors do
  bool by_words = false;                 ///< chunks that lie on narrow lines are read word by word
  std::string gone;                      ///< of delayed rows: how many at its beginning do not, of those; else empty
  bool has_empty = false;                ///< of delayed windows: some chunks have no samples, and come as zeros
  std::string live_of_whole = "8";       ///< `live` of a window that has all of its samples
  bool whole = false;                    ///< it has, and where rows are delayed, those of all tensors lie on lines
  std::string_view plane = "part";       ///< of a tile of columns in shared memory: where a part comes to, or is
  std::string_view mirror;               ///< how far away the row is that has the later half; empty: none has
};

/// How many samples of a chunk at `position` exist, of those up to `end`, as an expression; `begun`: only where that
/// holds. `by_chunk`: chunks are there or are not.
[[nodiscard]] std::string count_of(std::string_view position, std::string_view end, bool by_chunk,
                                   std::string_view begun = {});

/// How chunks are read into registers.
struct ReadWay {
  bool kept = false;   ///< they are read again soon
  bool lines = false;  ///< of delayed rows: as they are in memory, for emit_existing() to drop what is not the row's
};

/// Whether rows of that name begin on lines, as an expression.
[[nodiscard]] std::string_view on_lines_of(const ChunkAccess& chunks, std::string_view name);

/// A chunk of the rows of that name in registers, `live` samples of it, as an expression.
[[nodiscard]] std::string read_chunk(const ChunkAccess& chunks, std::string_view name, std::string_view live,
                                     ReadWay way = {});

/// Of chunks that were read as lines, `live` samples of them: drops what is not of their delayed rows.
void emit_existing(TextWriter& out, const ChunkAccess& chunks, std::initializer_list<std::string_view> values,
                   std::string_view live);

/// How asynchronous copies go.
struct CopyWay {
  bool once = false;  ///< of rows that nobody reads again: they leave the L2 cache to others
  /// What is ahead of a delayed row is left out on the way, which waits for its first chunk; or, later, by emit_drop().
  bool drops = false;
};

/// Starts its copy to `to`.
[[nodiscard]] std::string load_chunk(const ChunkAccess& chunks, std::string_view to, std::string_view name,
                                     std::string_view live, CopyWay way = {});

/// A chunk without the samples ahead of its row.
[[nodiscard]] std::string existing(const ChunkAccess& chunks, std::string_view value);

/// Writes the chunk `value` of results.
[[nodiscard]] std::string write_chunk(const ChunkAccess& chunks, std::string_view name);

/// The same of delayed rows where it has all of its samples. Any other is left to emit_row_ends().
[[nodiscard]] std::string write_if_whole(const ChunkAccess& chunks, std::string_view name);

/// The same of delayed rows where it has all of its samples. Any other goes back to `at` in shared memory.
[[nodiscard]] std::string write_whole_chunk(const ChunkAccess& chunks, std::string_view name, std::string_view at);

}  // namespace ffc
