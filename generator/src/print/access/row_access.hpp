// The access map: of the rows that a kernel copies, where a chunk lies in memory, how many of its samples exist, and
// what they are multiplied by.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "chunk_access.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "row_source.hpp"
#include "text.hpp"
#include "tiled_chunks.hpp"

namespace ffc {

/// Rows of one kind. A plane, `part`, has the real parts of a complex row or the imaginary ones.
struct RowAccess {
  bool planes = true;             ///< both; of rows alone there is one
  bool parts_take_turns = false;  ///< `part` is known outside of the copies
  std::string_view window;        ///< line that declares which window both planes are of
  std::string_view moved;         ///< of delayed rows: line that moves a window to where its row begins on a line
  std::string_view first;         ///< of those: where the row's first sample lies in its plane, counted as chunks are
  std::string_view begins;        ///< of those: condition that it does lie there, and that no chunk begins with it
  std::string_view declared;      ///< line that declares which a plane is of, or whether there is one
  std::string_view ends;          ///< line that declares where it ends, counted as chunks are
  std::string_view guard = "{}";  ///< how many samples a chunk has, in terms of how many it has if the plane is there
  std::string_view absent;        ///< condition under which no result of it is wanted; empty: all are
  std::string_view whole;         ///< condition under which windows are copied without asking what exists, if any is

  // Where a plane begins: in a tensor at a row of a channel, or, where none is said, in the workspace.
  std::string_view row, channel;
  std::string start;  ///< added to that

  ChunkAccess loaded, stored;
  std::string_view history;  ///< of a stream: where a chunk is in its window, which may begin before the row

  RowSource source;                     ///< what comes in, and what it is multiplied by
  RowSource results;                    ///< what goes out
  std::string_view magnitude = "part";  ///< which of the powers of two that are found are a plane's

  /// The tensor whose rows say by how much all are delayed; empty: none are.
  [[nodiscard]] std::string_view delayed() const { return loaded.delayed; }
  [[nodiscard]] bool in_workspace() const { return row.empty(); }
};

/// Rows of one block: of a convolution, of a tensor of gradients, or of the workspace.
[[nodiscard]] RowAccess row_access(const ConvConfig& config, const InBlockPlan& plan, Tensor tensor = Tensor::input,
                                   ChunkOrder order = ChunkOrder::unrolled);

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

/// Declares the window of both planes, if there is one.
void emit_window(TextWriter& out, const RowAccess& access);

/// Declares how far plane `part` of delayed rows lies behind the line of 16 bytes that it begins on then.
void emit_delay(TextWriter& out, const RowAccess& access);

/// Leaves the planes where there is none: those of pairs at a time, or, where parts take turns, the function. Of
/// delayed windows the one plane alone, for the other row may have more delay, and so a window there.
void emit_leave_absent(TextWriter& out, const RowAccess& access);

/// Declares `name`, the pointer to plane `part` of the rows that the loop is at, in the tensor of that name.
void emit_row_pointer(TextWriter& out, const RowAccess& access, std::string_view name, std::string_view qualifiers);

/// Of rows whose later half lies elsewhere: the pointer to that, beside the one of that name.
void emit_mirror_pointer(TextWriter& out, const ChunkAccess& chunks, std::string_view name,
                         std::string_view qualifiers);

/// Declares where a chunk is behind the pointer, and passes over those that are not the row's.
void emit_position(TextWriter& out, const ChunkAccess& chunks);

/// "part * bytes + ": where plane `part` begins in shared memory.
[[nodiscard]] std::string plane_at(const RowAccess& access, std::string_view bytes);

/// `copies(access)` for windows: for those that have all of their samples in a branch of its own.
template <class Copies>
void emit_by_window(TextWriter& out, const RowAccess& access, const Copies& copies) {
  emit_window(out, access);
  if (access.whole.empty()) return copies(access);
  out.open(fmt::format("if ({}) {{  // as nearly all are", access.whole));
  copies(of_whole_window(access));
  out.otherwise();
  copies(access);
  out.close();
}

}  // namespace ffc
