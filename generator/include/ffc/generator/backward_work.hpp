// What gradients take: which tensors go to frequencies, and which come back.
#pragma once

#include "ffc/generator/conv_config.hpp"

namespace ffc {

/// What a backward plan does, decided by the gradients that are wanted; nothing of it in a forward plan. Z are the
/// frequencies of a pair of rows u . w, G those of dy . v, K those of the filter.
struct BackwardWork {
  bool transforms_input = false;     ///< to Z: for dv, dk and dd
  bool transforms_gradient = false;  ///< to G: for du, dw, dk and dd
  bool inverts_input = false;        ///< K Z back to rows: for dv
  bool inverts_gradient = false;     ///< conj(K) G back to rows: for du and dw
  bool sums = false;                 ///< conj(Z) G over the batch: for dk and dd
  bool returns_sums = false;         ///< these go back to samples, which are taps, with a channel's last pair
  bool ends_in_taps = false;         ///< a block that has all rows of a channel makes taps of the sums

  [[nodiscard]] int tensors() const { return (transforms_input ? 1 : 0) + (transforms_gradient ? 1 : 0); }
  [[nodiscard]] bool needs_spectrum() const { return inverts_input || inverts_gradient; }

  [[nodiscard]] bool returns_input() const { return inverts_input || returns_sums; }  ///< something does in u's place

  // Of rows in windows, whose samples meet those of other windows on one side or the other.
  [[nodiscard]] bool looks_back() const { return inverts_input; }                        ///< u does
  [[nodiscard]] bool looks_ahead() const { return inverts_gradient || !inverts_input; }  ///< dy does
  [[nodiscard]] bool needs_gap() const { return looks_back() && looks_ahead() && sums; }
};
[[nodiscard]] BackwardWork backward_work(const ConvConfig& config);

/// The same where sums go back to taps with the rows.
[[nodiscard]] BackwardWork returning_sums(BackwardWork work);

}  // namespace ffc
