// Pieces of the copies of a tiled kernel: how threads go over the chunks of a pair's rows, and what they read.
#pragma once

#include <string>
#include <string_view>

#include "tiled_stages.hpp"

namespace ffc {

/// How a warp (or, for whole rows, a group) goes over the chunks of a pair: `lanes` at a time, chunks of a row first.
struct CopyShape {
  bool whole;
  int chunks_per_row, lanes, rows, iterations;
};
[[nodiscard]] CopyShape copy_shape(const Plan& plan, int rows);

/// Rows of 256 samples that are stored.
[[nodiscard]] int stored_rows(const Plan& plan);

/// Results are stored where their window says (windows alone), not from its first sample on.
[[nodiscard]] inline bool stores_positions(const Plan& plan) { return plan.windows && plan.windows->alone; }
/// What a stored chunk's place in the row is called.
[[nodiscard]] inline std::string_view stored_position(const Plan& plan) {
  return stores_positions(plan) ? "position" : "sample";
}

/// Opens the loop over the chunks of `rows` rows; `row`, `chunk` and `sample` are in scope inside.
void open_copy_loop(TextWriter& out, const Plan& plan, int rows, int unroll = 0);

/// Declares where the chunk of iteration `i` is: `row` and `chunk`. Breaks behind the last row.
void emit_copy_position(TextWriter& out, const Plan& plan, int rows);
/// And where in its row of the tensor: `sample`.
inline constexpr std::string_view copy_sample_line = "const int sample = row * row_samples + chunk * 8;";

/// The number of samples of a chunk that exist, as an expression; a constant where every chunk of `rows` is whole.
[[nodiscard]] std::string live_samples(const ConvConfig& config, const Plan& plan, int rows);

/// Says whether plane `part` of the pair is there, or what window it is. In the workspace both are, but for rows that
/// are real.
void emit_exists(TextWriter& out, const Plan& plan);
[[nodiscard]] std::string live_if_exists(const Plan& plan, std::string_view live);

}  // namespace ffc
