// The access map: of the rows that a kernel copies, where a chunk lies in memory, how many of its samples exist, and
// what they are multiplied by.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "row_source.hpp"
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
  std::string gone;                      ///< of delayed rows: how many at its beginning do not, of those; else empty
  bool whole = false;                    ///< all do
  std::string_view plane = "part";       ///< of a tile of columns in shared memory: where a part comes to, or is
  std::string_view mirror;               ///< how far away the row is that has the later half; empty: none has
};

/// Rows of one kind. A plane, `part`, has the real parts of a complex row or the imaginary ones.
struct RowAccess {
  bool planes = true;             ///< both; of rows alone there is one
  bool parts_take_turns = false;  ///< `part` is known outside of the copies
  std::string_view window;        ///< line that declares which window both planes are of
  std::string_view declared;      ///< line that declares which a plane is of, or whether there is one
  std::string_view ends;          ///< line that declares where it ends, counted as chunks are
  std::string_view guard = "{}";  ///< how many samples a chunk has, in terms of how many it has if the plane is there
  std::string_view absent;        ///< condition under which no result of it is wanted; empty: all are
  bool may_be_whole = false;      ///< windows that have all of their samples are copied without asking

  // Where a plane begins: in a tensor at a row of a channel, or, where none is said, in the workspace.
  std::string_view row, channel;
  std::string start;         ///< added to that
  std::string_view delayed;  ///< the tensor whose rows say by how much all are delayed; empty: none are

  ChunkAccess loaded, stored;
  std::string_view history;  ///< of a stream: where a chunk is in its window, which may begin before the row

  RowSource source;                     ///< what comes in, and what it is multiplied by
  RowSource results;                    ///< what goes out
  std::string_view magnitude = "part";  ///< which of the powers of two that are found are a plane's

  [[nodiscard]] bool in_workspace() const { return row.empty(); }
};

/// Rows of one block: of a convolution, of a tensor of gradients, or of the workspace.
[[nodiscard]] RowAccess row_access(const ConvConfig& config, const InBlockPlan& plan, Tensor tensor = Tensor::input);

/// Rows that go digit by digit, a sample at a time: those of a pair side by side.
[[nodiscard]] RowAccess row_access(const ConvConfig& config, const MixedRadixPlan& plan);

/// The same of windows that have all of their samples.
[[nodiscard]] RowAccess of_whole_window(RowAccess access);

/// Says that rows are delayed. Those of the tensor that every kernel has say by how much: of all tensors a row is
/// delayed alike.
void say_delayed(RowAccess& access, const Transform& plan);

/// So many samples, if a plane has any.
[[nodiscard]] std::string guarded(const RowAccess& access, std::string_view live);

/// Opens the loop over planes `first` to `end`, if there is one.
void open_planes(TextWriter& out, const RowAccess& access, int first = 0, int end = 2);
void close_planes(TextWriter& out, const RowAccess& access);

/// Declares which row or window plane `part` is of, whether it is there, and where it ends.
void emit_plane(TextWriter& out, const RowAccess& access);

/// Declares how far plane `part` of delayed rows lies behind the line of 16 bytes that it begins on then.
void emit_delay(TextWriter& out, const RowAccess& access);

/// Leaves the planes where there is none: those of pairs at a time, or, where parts take turns, the function.
void emit_leave_absent(TextWriter& out, const RowAccess& access);

/// Declares `name`, the pointer to plane `part` of the rows that the loop is at, in the tensor of that name.
void emit_row_pointer(TextWriter& out, const RowAccess& access, std::string_view name, std::string_view qualifiers);

/// Of rows whose later half lies elsewhere: the pointer to that, beside the one of that name.
void emit_mirror_pointer(TextWriter& out, const ChunkAccess& chunks, std::string_view name,
                         std::string_view qualifiers);

/// How chunks are read into registers.
struct ReadWay {
  bool kept = false;   ///< they are read again soon
  bool lines = false;  ///< of delayed rows: as they are in memory, for emit_existing() to drop what is not the row's
};

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

/// Declares where a chunk is behind the pointer, and passes over those that are not the row's.
void emit_position(TextWriter& out, const ChunkAccess& chunks);

/// "part * bytes + ": where plane `part` begins in shared memory.
[[nodiscard]] std::string plane_at(const RowAccess& access, std::string_view bytes);

/// `copies(access)` for windows: for those that have all of their samples in a branch of its own.
template <class Copies>
void emit_by_window(TextWriter& out, const RowAccess& access, const Copies& copies) {
  if (!access.window.empty()) out.line(access.window);
  if (!access.may_be_whole) return copies(access);
  out.open("if (is_whole(window)) {  // as nearly all are");
  copies(of_whole_window(access));
  out.otherwise();
  copies(access);
  out.close();
}

}  // namespace ffc
