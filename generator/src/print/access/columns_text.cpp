// Loops over the chunks of a tile of columns.
#include "columns_text.hpp"

#include <fmt/format.h>

#include "ffc/generator/plan.hpp"
#include "split_shape.hpp"
#include "text.hpp"

namespace ffc {

void emit_first_sample(TextWriter& out, const FourStepPlan& plan) {
  out.line(fmt::format("const int first_sample = thread / tile_chunks * row_length + {}first_column + 8 * chunk;",
                       plan.packing == Packing::half_length ? "part * columns + " : ""));
}

std::string tile_chunk(const ChunkAccess& chunks) {
  return fmt::format("chunk_at(tile, {}, slot_of_sample(row), chunk)", chunks.plane);
}

void open_copy_loop(TextWriter& out, const FourStepPlan& plan, int rows, std::string_view pace) {
  const int step = copied_rows(plan);
  out.line(fmt::format("#pragma unroll {}", pace));
  out.open(fmt::format("for (int i = 0; i < {}; ++i) {{", (rows + step - 1) / step));
  out.line("const int row = thread / tile_chunks + i * copied_rows;");
  if (rows % step != 0) out.line(fmt::format("if (row >= {}) break;", rows));
  out.line("const int sample = i * copied_rows * row_length;  // from the first one on");
}

}  // namespace ffc
