// Rows of 256 = 16 x 16 from samples to the spectrum and back, as statements.
#pragma once

#include <cstddef>
#include <vector>

#include "ffc/generator/plan.hpp"
#include "statement.hpp"

namespace ffc {

/// Which part of a row's chain: to frequencies, from what is multiplied by the spectrum back to samples, or both.
enum class Way { there, back, both };

/// The steps of a tensor over its outer digits, in order: those that are not along its rows.
[[nodiscard]] std::vector<std::size_t> outer_steps(const InBlockPlan& plan, Tensor tensor, bool inverse);

/// The statements that carry out a tensor's steps along rows, `times` of them. A factor behind a product joins it,
/// which applies it in fp32, where the plan fuses that factor; else it is multiplied by itself.
[[nodiscard]] std::vector<Statement> lower_chain(const InBlockPlan& plan, Tensor tensor, Way way, double times);

/// The tensors that are transformed in a turn; of a convolution its only one.
[[nodiscard]] std::vector<Tensor> tensors_of(const InBlockPlan& plan, Turn turn);
/// A tensor goes back to samples, behind the spectrum or its conjugate, or sums in its place.
[[nodiscard]] bool is_inverted(const InBlockPlan& plan, Tensor tensor);
/// Its place in the ring is free when its rows have been read: nothing comes back, or sums alone, with a channel's last
/// pair.
[[nodiscard]] bool is_free_early(const InBlockPlan& plan, Tensor tensor);
/// Any of a turn's goes back.
[[nodiscard]] bool any_inverted(const InBlockPlan& plan, Turn turn);
/// u's frequencies wait in memory for dy's.
[[nodiscard]] bool parks(const InBlockPlan& plan, Turn turn);
/// They have waited.
[[nodiscard]] bool takes_parked(const InBlockPlan& plan, Turn turn);
/// The products of u's and dy's frequencies are added up in this turn.
[[nodiscard]] bool adds_products(const InBlockPlan& plan, Turn turn);

/// Appends statements.
void append(std::vector<Statement>& statements, std::vector<Statement> more);
/// What brings a tensor back, of every pair, or, of sums in u's place, where a channel's last one is.
[[nodiscard]] std::vector<Statement> of_pair(const InBlockPlan& plan, Tensor tensor, std::vector<Statement> back);
/// conj(Z) G, added to the sums.
[[nodiscard]] Statement accumulation(const InBlockPlan& plan, double times);

/// The chains of all tensors: of a convolution there and back, of gradients what is to be done.
[[nodiscard]] std::vector<Statement> lower_chains(const InBlockPlan& plan, Turn turn, double times);

}  // namespace ffc
