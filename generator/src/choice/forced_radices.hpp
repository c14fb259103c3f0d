// What forced radices mean: which digits plans compute for them, and how that is said.
#pragma once

#include <string>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// Leaves out plans of other digits than the config's radices, where it has some.
void leave_out_other_digits(std::vector<Plan>& plans, const ConvConfig& config);

/// Whether a list computes each radix of `asked` as one digit or a few that follow each other, in that order.
[[nodiscard]] bool refines(const std::vector<int>& list, const std::vector<int>& asked);

/// Lists of digits for a config's radices, in groups, those that come closest to them first: the radices as they are;
/// those of tiles, and of columns and rows, that refine them; an empty list, for any digits of as many points, which
/// are other products of the radices' factors. A plan has digits of the first group of which there is one.
[[nodiscard]] std::vector<std::vector<std::vector<int>>> lists_for_radices(const ConvConfig& config);

/// How a plan computes radices that are not its digits: "32 x 16 x 16 as 16.2 x 16 x 16", or, where the radices'
/// factors make other digits, "32 x 32 as 4.8 x 2.16, computed as 4 x 16 x 16". Empty where they are its digits.
[[nodiscard]] std::string reading_of(const std::vector<int>& radices, const Transform& plan);

}  // namespace ffc
