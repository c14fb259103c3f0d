// Pieces of a tiled kernel's text that its blocks have in common.
#pragma once

#include <string>
#include <string_view>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "text.hpp"

namespace ffc {

/// The slot of the row of samples `row`, as an expression.
[[nodiscard]] std::string slot_of_samples(const Plan& plan, std::string_view row);

/// The slot of row `row` of the middle stage, counted by frequency.
[[nodiscard]] std::string slot_of_row(const Plan& plan, std::string_view row);

/// The row of samples in the slot of the row of frequencies `row`.
[[nodiscard]] std::string samples_of_slot(const Plan& plan, std::string_view row);

/// Rows of a tensor and what they become on the way in: names in the text, empty where there is none.
struct RowSource {
  std::string_view rows;   ///< the samples: "u"
  std::string_view gate;   ///< what they are multiplied by: "w"
  std::string_view scale;  ///< a power of two: "input_scale"
};

/// u with its gate, as the config asks.
[[nodiscard]] RowSource input_source(const ConvConfig& config);

/// Two stored samples as packed fp16, gated and scaled as the config asks, as an expression.
[[nodiscard]] std::string packed_sample(const ConvConfig& config, std::string_view sample, std::string_view gate);

/// The same for rows of any tensor.
[[nodiscard]] std::string packed_sample(const RowSource& source, std::string_view sample, std::string_view gate);

/// Lines that turn the tile `name`, read from `address`, into fp16: gate, other type, power of two.
void convert_input(TextWriter& out, const ConvConfig& config, const Plan& plan, bool half_tile, std::string_view name,
                   std::string_view address);

/// A split plan's twiddle, the part of the digits outside the 16 x 16, on tile `tile` of butterfly value `a`.
void emit_shift(TextWriter& out, const Plan& plan, std::string_view function, std::string_view tile);

/// The butterfly over `tiles` on the way in, with padding as zeros.
void emit_forward_butterfly(TextWriter& out, const Plan& plan, std::string_view tiles);

/// Opens an unrolled loop over `a`, the value of the butterfly digit.
void open_butterfly_loop(TextWriter& out, int first, int end);

/// Opens an unrolled loop over `index` from `first` to `end`.
void open_loop(TextWriter& out, std::string_view index, std::string_view first, std::string_view end);

}  // namespace ffc
