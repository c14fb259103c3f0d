// The rows of a split plan that makes gradients: u's row and dy's, together or one after the other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backward_stages.hpp"
#include "emit.hpp"
#include "ffc/generator/plan.hpp"
#include "text.hpp"

namespace ffc {

/// A tile of a row in the text of the middle stage, as expressions.
struct RowTile {
  std::string_view at;     ///< behind the names of the tensors' tiles: "[b]"
  std::string_view row;    ///< its outer frequency
  std::string_view index;  ///< which of its warp's tiles it is
  std::string exists;      ///< whether no other warp has the tile, too; empty: none has
};

/// The chains of a tile of complex rows in the tensors of a turn: of a convolution there and back, of gradients what is
/// to be done. Where tensors take turns, u's frequencies wait in registers for dy's.
void emit_row_chain(TextWriter& out, const Plan& plan, Turn turn, const std::vector<RowTensor>& tensors,
                    const RowTile& tile);

/// The rows, `plan` being that of a row of a backward plan: as emit_inner_rows.
[[nodiscard]] EmittedHalf emit_gradient_rows(const ConvConfig& config, const Plan& plan);

/// Bytes of a row's sums.
[[nodiscard]] std::int64_t row_sums_bytes(const Plan& plan);

}  // namespace ffc
