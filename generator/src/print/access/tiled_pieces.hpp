// Pieces of a tiled kernel's text that its blocks have in common.
#pragma once

#include <string>
#include <string_view>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "statement.hpp"
#include "text.hpp"

namespace ffc {

/// The slot of the row of samples `row`, as an expression.
[[nodiscard]] std::string slot_of_samples(const InBlockPlan& plan, std::string_view row);

/// The slot of row `row` of the middle stage, counted by frequency.
[[nodiscard]] std::string slot_of_row(const InBlockPlan& plan, std::string_view row);

/// The row of samples in the slot of the row of frequencies `row`.
[[nodiscard]] std::string samples_of_slot(const InBlockPlan& plan, std::string_view row);

/// The statement that declares `scale`, of results, from `spectrum_row`.
[[nodiscard]] std::string spectrum_scale(const InBlockPlan& plan);

/// Whether there is more for a group: a pair of its channel, or an item of its block's walk.
[[nodiscard]] std::string_view next_exists(const InBlockPlan& plan);
/// `call` with that as its first argument, where there is more: "load_pair" and ", 0" make
/// "if (pair + groups < end_pair) load_pair(pair + groups, 0);".
[[nodiscard]] std::string call_for_next(const InBlockPlan& plan, std::string_view call,
                                        std::string_view arguments = {});

/// The tile of the in gate's rows beside those at `address`.
void emit_gate(TextWriter& out, const InBlockPlan& plan, bool half_tile, std::string_view address);

/// Of gradients whose rows come to shared memory as they are: the name of what those of a tensor are multiplied by;
/// empty where that is nothing, or not asked here.
[[nodiscard]] std::string_view tensor_scale(const ConvConfig& config, const InBlockPlan& plan, Tensor tensor);

/// Adds the tile `name` of that tensor's samples, and of its gate's where products are met, to what has been met for
/// the field of that name.
void emit_meeting(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, Tensor tensor,
                  std::string_view name, std::string_view field);

/// Lines that turn the tile `name` into fp16: gate, other type, power of two. `scale` names that of rows of a tensor
/// that is not u.
void emit_conversion(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, bool half_tile,
                     std::string_view name, std::string_view scale = {});

/// A split plan's twiddle, the part of the digits outside the 16 x 16, on tile `tile` of butterfly value `a`: times the
/// powers of two of that name, where there is one.
void emit_shift(TextWriter& out, const InBlockPlan& plan, std::string_view function, std::string_view tile,
                const Statement& factor, std::string_view powers = {});

/// Declares `name`, the powers of two of the row that is in that buffer.
void emit_row_powers(TextWriter& out, std::string_view name, std::string_view buffer);

/// What takes both tensors' powers of two back from products, from the largest exponents of their tiles.
[[nodiscard]] std::string scale_of_products(std::string_view of_u, std::string_view of_dy);

/// The butterfly over `tiles` on the way in, with padding as zeros.
void emit_forward_butterfly(TextWriter& out, const InBlockPlan& plan, std::string_view tiles,
                            const Statement& butterfly);

/// Opens an unrolled loop over `a`, the value of the butterfly digit.
void open_butterfly_loop(TextWriter& out, int first, int end);

/// Opens an unrolled loop over `index` from `first` to `end`.
void open_loop(TextWriter& out, std::string_view index, std::string_view first, std::string_view end);

}  // namespace ffc
