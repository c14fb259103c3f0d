// Pieces of the text of a split plan's columns that convolutions and gradients have in common.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ffc/generator/plan.hpp"
#include "text.hpp"

namespace ffc {

/// A unit has one tile, where samples of one part come in while results of the other leave. As measured on an H200: 1
/// to 7% faster, but not where rows go one by one, or where threads have so few registers that it makes more of them
/// spill.
[[nodiscard]] bool parts_take_turns(const Plan& plan);

/// Rows alone come in where imaginary parts will be, beside the results of the tile that leaves, whose own have been
/// read. Gates have one tile for either way.
[[nodiscard]] bool samples_beside(const ConvConfig& config, const Plan& plan);

/// Rows of a tile that have samples.
[[nodiscard]] int sample_rows(const Plan& plan);

/// Rows of a tile that a unit copies at a time, a chunk a thread: `copied_rows` of the emitted text.
[[nodiscard]] int copied_rows(const Plan& plan);

/// How many of its chunks a thread copies at once: `loads_at_once` and `stores_at_once` of the emitted text. Many make
/// columns faster and rows slower, whose loads and stores wait meanwhile: they are for rows that a mask leaves little
/// to do.
struct CopyPace {
  int loads, stores;
};
[[nodiscard]] CopyPace copy_pace(const Plan& plan);

/// Emits `first_sample`, of a thread's first chunk. The others are copied_rows apart: all that they need is a constant
/// away from it.
void emit_first_sample(TextWriter& out, const Plan& plan);

/// Opens the loop over a thread's chunks of the first `rows` rows of samples: `row`, and `sample` from the first one
/// on. `pace` says how many at once.
void open_copy_loop(TextWriter& out, const Plan& plan, int rows, std::string_view pace);

/// How many samples of such a chunk exist, as an expression, in rows of a tile up to `rows`. `sample` stands for which
/// one is first.
[[nodiscard]] std::string live_samples(const Plan& plan, int rows, std::string_view sample = "first_sample - sample");

}  // namespace ffc
