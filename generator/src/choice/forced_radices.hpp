// What forced radices mean: a plan has exactly these digits, in that order, or there is none.
#pragma once

#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// Leaves out plans of other digits than the config's radices, where it has some.
void leave_out_other_digits(std::vector<Plan>& plans, const ConvConfig& config);

/// The radices of a normalised config that has no plan, in an order of which there is one; empty where none was found.
[[nodiscard]] std::vector<int> order_that_works(const ConvConfig& config);

}  // namespace ffc
